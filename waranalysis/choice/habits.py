"""Fixed habits against each other: what a player gains who stacks blindly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from waranalysis.chance.result import Outlook
from waranalysis.chance.solve import solve
from waranalysis.errors import RulesError
from waranalysis.graph.build import MEMORY, NODES, Split, state_graph
from waranalysis.graph.model import StateGraph
from waranalysis.rules import CHOICE_ORDERS, RuleSet


@dataclass(frozen=True)
class Pair:
    """What two habits make of a random deal of a deck.

    Attributes
    ----------
    deck : str
    habits : tuple of str
        The order in which each seat puts its winnings back.
    method : str
        "exact", "lumped" or "certified".
    outlook : Outlook
    """

    deck: str
    habits: tuple[str, ...]
    method: str
    outlook: Outlook

    def to_dict(self) -> dict[str, Any]:
        """The values as programs read them."""
        about = {"deck": self.deck, "habits": list(self.habits), "method": self.method}
        return about | self.outlook.to_dict()


def habits(
    decks: Sequence[str],
    rules: RuleSet,
    orders: Sequence[str],
    split: Split = None,
    memory: int = MEMORY,
) -> Iterator[Pair]:
    """Yield every pair of habits on every deck.

    Parameters
    ----------
    decks : sequence of str
    rules : RuleSet
        For two players.
    orders : sequence of str
        Fixed orders, ``shuffled`` or ``coin``.
    """
    if rules.players != 2:
        raise RulesError(f"players = {rules.players}: habits are compared for two")
    if chosen := [order for order in orders if order in CHOICE_ORDERS]:
        raise RulesError(f"'{chosen[0]}' is no habit: expected a fixed order, shuffled or coin")
    for deck in decks:
        for one in orders:
            for two in orders:
                graph = state_graph(
                    deck, rules.changed({"capture": [one, two]}), split, NODES, memory
                )
                if graph.deterministic:
                    yield Pair(deck, (one, two), "exact", _outlook(graph))
                else:
                    found = solve(graph)
                    yield Pair(deck, (one, two), found.method, found.random_deal)


def _outlook(graph: StateGraph) -> Outlook:
    """The values of a random deal where nothing is left to chance: deals are counted."""
    from waranalysis.kernels.structure import functional

    fate, battles, around = (np.empty(graph.nodes, dtype=np.int32) for _ in range(3))
    functional(graph.successor, len(graph.ends), fate, battles, around)
    weights, total = graph.weights, int(graph.weights.sum())
    met, length = fate[graph.starts], battles[graph.starts].astype(np.int64)

    def share(where: Any, times: Any = 1) -> Fraction:
        return Fraction(int((weights * times * where).sum()), total)

    places = {winner: -1 - place for place, winner in enumerate(graph.ends)}
    *winners, draw = (
        share(met == places[winner]) if winner in places else Fraction(0) for winner in (0, 1, None)
    )
    never = share(met >= 0)
    if never:
        return Outlook(tuple(winners), draw, never, None, None)
    mean = share(True, length)
    return Outlook(tuple(winners), draw, never, mean, share(True, length * length) - mean * mean)
