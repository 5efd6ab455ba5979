"""What choices make of a deck or a deal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from waranalysis.choice.questions import SENSES, ask, end_forced
from waranalysis.graph.model import StateGraph

FORCED = ("end", "win", "endless")


@dataclass(frozen=True, eq=False, repr=False)
class Choices:
    """The answer of `waranalysis.choice`: numbers of deals.

    Attributes
    ----------
    graph : StateGraph
    deals : int
    end_forced : int
        Deals that end with probability one, whatever anyone chooses.
    can_end : int
        Deals that the players together can end, with probability one.
    can_go_on : dict of str to int
        Deals that the players together can prolong for ever, for each sense.
    player_can_force : dict of str to dict of str to list of int
        For each sense, and for "end", "win" and "endless", the deals from which each player can
        force it against anything the others do.
    """

    graph: StateGraph
    deals: int
    end_forced: int
    can_end: int
    can_go_on: dict[str, int]
    player_can_force: dict[str, dict[str, list[int]]]

    def __repr__(self) -> str:
        return (
            f"Choices({self.graph.deck or 'given deals'}: {self.deals:,} deals, the end is forced "
            f"from {self.end_forced:,})"
        )

    def to_dict(self) -> dict[str, Any]:
        """The numbers as programs read them; with chance also those of the weaker sense."""
        graph = self.graph
        found = {
            "deals": self.deals,
            "positions": graph.positions,
            "ends": len(graph.ends),
            "transitions": graph.transitions,
            "end_forced": self.end_forced,
            "can_end": self.can_end,
            "can_go_on": self.can_go_on["positive"],
            "player_can_force": self.player_can_force["almost-sure"],
        }
        if graph.rules.chance_fields:
            found["can_go_on_almost_surely"] = self.can_go_on["almost-sure"]
            found["player_has_a_chance_of"] = self.player_can_force["positive"]
        return found


def choices(graph: StateGraph, done: Callable[[int], None] = lambda _: None) -> Choices:
    """Answer every question about a graph with choices; `done` is told how many are answered."""
    seats = range(graph.rules.players)
    forced = end_forced(graph)
    asked = count(1)

    def deals(question: str, seat: int | None = None, sense: str = SENSES[0]) -> int:
        done(next(asked))
        return ask(graph, question, seat, sense).deals

    return Choices(
        graph,
        int(graph.deals.sum()),
        int(graph.deals[forced[graph.starts]].sum()),
        deals("end"),
        {sense: deals("endless", None, sense) for sense in SENSES},
        {
            sense: {
                what: [deals(f"force-{what}", seat, sense) for seat in seats] for what in FORCED
            }
            for sense in SENSES
        },
    )
