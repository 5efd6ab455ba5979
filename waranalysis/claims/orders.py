"""Checks that count deals of distinct cards without dealing them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from waranalysis.claims.finding import Measured, exactly
from waranalysis.claims.sampling import rules_of

if TYPE_CHECKING:
    from waranalysis.order import OrderCounts


@lru_cache(maxsize=8)
def _orders(n: int, capture: str) -> OrderCounts:
    from waranalysis.order import enumerate_orders

    return enumerate_orders(n, rules_of("distinct", {"capture": capture}))


def counts(n: int, seed: int, capture: str = "winner-first") -> Measured:
    """Deals of `n` distinct cards that never end, also by the battles around their loop.

    `loops_6` is the number of deals with a loop of 6 battles.
    """
    found = _orders(n, capture)
    loops = {f"loops_{period}": deals for period, deals in sorted(found.cycle_lengths.items())}
    return exactly(
        "exhaustive", deals=found.deals, never=found.never, longest=found.longest or 0, **loops
    )


def cycles(n: int, seed: int, capture: str = "winner-first") -> Measured:
    """Cycles that deals of `n` distinct cards come to, up to swapping the players."""
    found = _orders(n, capture)
    assert found.cycles is not None  # even splits show every class whole
    return exactly("exhaustive", up_to_swap=found.cycles)
