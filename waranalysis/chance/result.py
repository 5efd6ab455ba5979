"""What chance makes of a deck or a deal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from waranalysis.chance.ends import Ends
from waranalysis.chance.value import Interval, Value, plain
from waranalysis.graph.model import StateGraph


@dataclass(frozen=True)
class Outlook:
    """Probabilities and lengths of one deal, or of a random one.

    Attributes
    ----------
    winners : tuple
        Probability that each seat wins.
    draw, never : Fraction, Interval or expression
        Probability of a draw, and of a game without end.
    battles, variance : Fraction, Interval, expression or None
        Expected number of battles and its variance; None if the game may go on for ever.
    """

    winners: tuple[Value, ...]
    draw: Value
    never: Value
    battles: Value | None
    variance: Value | None

    @property
    def ends(self) -> Value:
        """Probability that the game ends."""
        if isinstance(self.never, Interval):
            return Interval(1 - self.never.upper, 1 - self.never.lower)
        return 1 - self.never

    def to_dict(self) -> dict[str, Any]:
        """The values as programs read them."""
        return {
            "probability_ends": plain(self.ends),
            "expected_battles": plain(self.battles),
            "variance_battles": plain(self.variance),
            "winners": list(map(plain, self.winners)),
            "draw": plain(self.draw),
            "never": plain(self.never),
        }


class Values(Protocol):
    """The solved values of a chain."""

    def of(self, weights: dict[int, int]) -> Outlook:
        """The values of a node drawn with these weights."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Chance:
    """The answer of `waranalysis.chance`.

    Attributes
    ----------
    graph : StateGraph
    ends : Ends
        Where an end can be reached from; `ends.certain` says whether every position ends with
        probability one.
    method : "exact", "lumped" or "certified"
        "lumped" values are exact, for a random deal only.
    values : Values
    random_deal : Outlook
        The values of a random deal, or of the only one given.
    """

    graph: StateGraph
    ends: Ends
    method: str
    values: Values
    random_deal: Outlook

    def __repr__(self) -> str:
        return (
            f"Chance({self.graph.deck or 'given deals'}, {self.method}: ends with probability "
            f"{self.random_deal.ends}, expected battles {self.random_deal.battles})"
        )

    def deals(self) -> Iterator[tuple[int, int, Outlook]]:
        """For every start its node, its number of deals, and its values."""
        graph = self.graph
        for node, deals in zip(graph.starts.tolist(), graph.deals.tolist(), strict=True):
            yield node, deals, self.values.of({node: 1})

    def to_dict(self) -> dict[str, Any]:
        """Counts and values as programs read them."""
        return self.ends.to_dict() | {"method": self.method} | self.random_deal.to_dict()
