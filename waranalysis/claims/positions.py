"""Checks on every position of a deck: where a game can get to, and from where it cannot end."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from waranalysis.claims.finding import Measured, exactly
from waranalysis.claims.sampling import rules_of

if TYPE_CHECKING:
    from waranalysis.graph.structure import Structure
    from waranalysis.rules import RuleSet

Changes = Mapping[str, Any]


@lru_cache(maxsize=8)
def _structure(deck: str, rules: RuleSet) -> Structure:
    from waranalysis.graph.build import state_graph
    from waranalysis.graph.structure import structure

    return structure(state_graph(deck, rules, "all"))


def ways_to_an_end(
    deck: str, seed: int, rules: str = "classic", changes: Changes | None = None
) -> Measured:
    """Positions with cards on both sides, and how many of them have no way to an end.

    If chance moves and there are none the game ends with probability 1, from everywhere: there
    are finitely many positions.
    """
    found = _structure(deck, rules_of(rules, changes))
    return exactly("exhaustive", positions=found.graph.positions, stuck=found.never_end)


def cycles(
    deck: str, seed: int, rules: str = "distinct", changes: Changes | None = None
) -> Measured:
    """Positions that never end, cycles (also up to swapping the players), the longest game.

    For deterministic rule sets.
    """
    found = _structure(deck, rules_of(rules, changes))
    assert found.tail is not None and found.fate is not None
    return exactly(
        "exhaustive",
        positions=found.graph.positions,
        never=found.never_end,
        cycles=len(found.cycles),
        up_to_swap=found.cycles_up_to_swap or 0,
        longest=int(found.tail[found.fate < 0].max()),
    )


def live_cycles(
    deck: str, seed: int, rules: str = "three-players", changes: Changes | None = None
) -> Measured:
    """Cycles in which every player holds cards, among all cycles. For deterministic rule sets."""
    found = _structure(deck, rules_of(rules, changes))
    states = [found.graph.state(int(cycle.nodes[0])) for cycle in found.cycles]
    live = sum(all(state.packets) for state in states)
    return exactly(
        "exhaustive", positions=found.graph.positions, cycles=len(states), all_in_play=live
    )


def backward(
    deck: str, seed: int, rules: str = "distinct", changes: Changes | None = None
) -> Measured:
    """Positions that never end and the longest game, backwards from the ends, in little memory."""
    from waranalysis.census.backward import all_positions

    chosen = rules_of(rules, changes)
    found = all_positions(chosen.read_deck(deck), chosen)
    return exactly(
        "exhaustive", positions=found.positions, never=found.never, longest=found.longest
    )
