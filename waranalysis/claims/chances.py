"""Checks on games with chance in them, over every position of a deck."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from waranalysis.claims.finding import Measured, exactly
from waranalysis.claims.sampling import rules_of
from waranalysis.play import Game, State, successors
from waranalysis.rules import RuleSet

Changes = Mapping[str, Any]


def always_ends(
    deck: str, seed: int, rules: str = "classic", changes: Changes | None = None
) -> Measured:
    """Positions reached from any deal, and how many of them have no way to an end.

    With none such the game ends with probability 1: there are finitely many positions.
    """
    found = _reached(deck, rules_of(rules, changes))
    stuck = set(found)
    alive = {state for state, (ends, _) in found.items() if ends}
    before: dict[State, list[State]] = {state: [] for state in found}
    for state, (_, after) in found.items():
        for other in after:
            before[other].append(state)
    frontier = list(alive)
    while frontier:
        fresh = {state for other in frontier for state in before[other]} - alive
        alive |= fresh
        frontier = list(fresh)
    return exactly("exhaustive", positions=len(found), stuck=len(stuck - alive))


@lru_cache(maxsize=8)
def _reached(deck: str, rules: RuleSet) -> dict[State, tuple[bool, frozenset[State]]]:
    """Every position reached from the deals: whether a turn can end the game, and what follows."""
    frontier = [State.of(deal) for deal in rules.deals(rules.read_deck(deck)).iterate()]
    found: dict[State, tuple[bool, frozenset[State]]] = {}
    while frontier:
        state = frontier.pop()
        if state in found or Game(rules, state).ending is not None:
            continue
        turns = [outcome.turn for outcome in successors(state, rules)]
        after = frozenset(turn.state for turn in turns if turn.ending is None)
        found[state] = any(turn.ending is not None for turn in turns), after
        frontier += after
    return found
