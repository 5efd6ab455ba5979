"""The same deck under a fixed order of the pot, to set beside what chance makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from waranalysis.chance.ends import find_ends
from waranalysis.errors import RulesError, quoted
from waranalysis.graph.build import MEMORY, NODES, Split, Start, state_graph
from waranalysis.rules import FIXED_ORDERS, RuleSet


@dataclass(frozen=True)
class Fixed:
    """Deals of a deck under a fixed order: all, and those that never end.

    Attributes
    ----------
    capture : str
    deals, never : int
    positions, positions_never : int
        The same of every position that comes up.
    """

    capture: str
    deals: int
    never: int
    positions: int
    positions_never: int

    def to_dict(self) -> dict[str, Any]:
        """The counts as programs read them."""
        return dict(self.__dict__)


def fixed_rules(rules: RuleSet, capture: str) -> RuleSet:
    """The rule set with nothing left to chance: `capture`, everything recognised, piles stacked."""
    if capture not in FIXED_ORDERS:
        raise RulesError(f"{quoted(capture)} to compare with: expected {', '.join(FIXED_ORDERS)}")
    changes: dict[str, Any] = {"capture": capture}
    if rules.recognition is not None:
        changes["recognition"] = None
    if rules.recycle == "pile-shuffled":
        changes["recycle"] = "pile-stacked"
    return rules.changed(changes)


def compare(
    start: Start,
    rules: RuleSet,
    capture: str,
    split: Split = None,
    memory: int = MEMORY,
    done: Callable[[int], None] = lambda _: None,
) -> Fixed:
    """Count the deals that never end under a fixed order; `done` as for `state_graph`."""
    graph = state_graph(start, fixed_rules(rules, capture), split, NODES, memory, done=done)
    lost = find_ends(graph).rank < 0
    return Fixed(
        capture,
        int(graph.deals.sum()),
        int(graph.deals[lost[graph.starts]].sum()),
        graph.positions,
        int(lost[: graph.positions].sum()),
    )
