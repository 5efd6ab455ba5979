"""Checks that count deals of distinct cards without dealing them."""

from __future__ import annotations

from waranalysis.claims.finding import Measured, exactly
from waranalysis.claims.sampling import rules_of


def counts(n: int, seed: int, capture: str = "winner-first") -> Measured:
    """Deals of `n` distinct cards that never end, also by the battles around their loop.

    `loops_6` is the number of deals with a loop of 6 battles.
    """
    from waranalysis.order import enumerate_orders

    found = enumerate_orders(n, rules_of("distinct", {"capture": capture}))
    loops = {f"loops_{period}": deals for period, deals in sorted(found.cycle_lengths.items())}
    return exactly(
        "exhaustive", deals=found.deals, never=found.never, longest=found.longest or 0, **loops
    )


def cycles(n: int, seed: int, capture: str = "winner-first") -> Measured:
    """Cycles that deals of `n` distinct cards come to, up to swapping the players."""
    from waranalysis.order import enumerate_orders

    found = enumerate_orders(n, rules_of("distinct", {"capture": capture}))
    assert found.cycles is not None  # even splits show every class whole
    return exactly("exhaustive", up_to_swap=found.cycles)
