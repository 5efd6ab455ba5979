"""Fixed habits against each other: what a player gains who stacks blindly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from waranalysis.chance.result import Outlook
from waranalysis.chance.solve import solve
from waranalysis.errors import RulesError
from waranalysis.graph.build import Split, state_graph
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
    decks: Sequence[str], rules: RuleSet, orders: Sequence[str], split: Split = None
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
                graph = state_graph(deck, rules.changed({"capture": [one, two]}), split)
                found = solve(graph)
                yield Pair(deck, (one, two), found.method, found.random_deal)
