"""How long a game takes: the distribution of its battles up to a horizon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.chance.result import Outlook
from waranalysis.chance.value import ULP, Interval, Value
from waranalysis.errors import RulesError
from waranalysis.graph.model import StateGraph

_EXACT = 3_000_000  # transitions times battles
_TINY = 1e-290


@dataclass(frozen=True)
class Distribution:
    """The battles of a random deal, or of the one given.

    Attributes
    ----------
    battles : list of tuple
        For 0, 1, … battles the probability that the game ends with that battle, by outcome: a win
        of each seat, then a draw. The last item is the horizon.
    counted : tuple
        For games that are not over at the horizon: the probability that each seat has most cards
        then, and of a tie.
    method : "exact" or "certified"
    """

    battles: list[tuple[Value, ...]]
    counted: tuple[Value, ...]
    method: str

    @property
    def horizon(self) -> int:
        """The last number of battles looked at."""
        return len(self.battles) - 1

    def at(self, battles: int) -> Value:
        """Probability that the game takes exactly so many battles."""
        return _total(self.battles[battles])

    def within(self, battles: int) -> Value:
        """Probability that the game is over within so many battles."""
        found = _total([value for row in self.battles[: battles + 1] for value in row])
        return Interval(found.lower, min(1.0, found.upper)) if _bounds(found) else found

    def outlook(self) -> Outlook:
        """The values of the game that stops at the horizon, where the cards are counted."""
        outcomes = [*zip(*self.battles, strict=True)]
        *winners, draw = (
            _total([*column, counted])
            for column, counted in zip(outcomes, self.counted, strict=True)
        )
        lengths = [*enumerate(map(_total, self.battles)), (self.horizon, _total(self.counted))]
        mean = _total([_times(value, length) for length, value in lengths])
        squares = _total([_times(value, length * length) for length, value in lengths])
        from waranalysis.chance.value import difference

        never = Interval(0.0, 0.0) if self.method == "certified" else Fraction(0)
        return Outlook(tuple(winners), draw, never, mean, difference(squares, mean))


def _bounds(value: Value) -> bool:
    return isinstance(value, Interval)


def _total(values: Any) -> Any:
    values = list(values)
    if not values or not _bounds(values[0]):
        return sum(values, Fraction(0))
    from math import fsum

    low = fsum(value.lower for value in values) * (1 - ULP)
    return Interval(low, fsum(value.upper for value in values) * (1 + ULP))


def _times(value: Value, factor: int) -> Value:
    if not _bounds(value):
        return value * factor
    return Interval(value.lower * factor * (1 - ULP), value.upper * factor * (1 + ULP))


def distribution(
    graph: StateGraph, horizon: int, done: Callable[[int], None] = lambda _: None
) -> Distribution:
    """Follow a random deal of a graph without choices and symbols for `horizon` battles.

    Exact where transitions times battles are at most 3 million, certified otherwise: floats, with
    every rounding of every step counted.
    """
    if graph.rules.choice_fields:
        raise RulesError(f"{graph.rules.choice_fields[0]} leaves something to a player")
    if not all(isinstance(value, Fraction) for value in graph.values):
        raise RulesError("a symbol has no distribution: expected a number")
    if graph.transitions * horizon <= _EXACT:
        return _exact(graph, horizon, done)
    return _certified(graph, horizon, done)


def _places(graph: StateGraph) -> list[int]:
    """The place among the outcomes of every end of the graph."""
    return [graph.rules.players if winner is None else winner for winner in graph.ends]


def _most_cards(graph: StateGraph, node: int) -> int:
    """The outcome if the cards are counted at a position."""
    packets, piles, _ = graph.state(node)
    held = [len(packet) + len(pile) for packet, pile in zip(packets, piles, strict=True)]
    return held.index(max(held)) if held.count(max(held)) == 1 else graph.rules.players


def _exact(graph: StateGraph, horizon: int, done: Callable[[int], None]) -> Distribution:
    """Whole numbers over a common denominator, which grows from step to step."""
    common = lcm(*(value.denominator for value in graph.values))
    weights = [int(value * common) for value in graph.values]
    arrows, indices = graph.arrows.tolist(), graph.indices.tolist()
    chances = [weights[chance] for chance in graph.chances.tolist()]
    mass = dict(zip(graph.starts.tolist(), graph.weights.tolist(), strict=True))
    scale = int(graph.weights.sum())
    places, rows = _places(graph), []
    for length in range(horizon + 1):
        done(length)
        row = [Fraction(0)] * (graph.rules.players + 1)
        for end, place in enumerate(places):
            row[place] += Fraction(mass.pop(graph.first_end + end, 0), scale)
        rows.append(tuple(row))
        if length < horizon:
            mass, scale = _step(mass, arrows, indices, chances), scale * common
    counted = [0] * (graph.rules.players + 1)
    for node, part in mass.items():
        counted[_most_cards(graph, node)] += part
    return Distribution(rows, tuple(Fraction(part, scale) for part in counted), "exact")


def _step(
    mass: dict[int, int], arrows: list[int], indices: list[int], chances: list[int]
) -> dict[int, int]:
    after: dict[int, int] = {}
    for node, part in mass.items():
        for edge in range(arrows[node], arrows[node + 1]):
            target = indices[edge]
            after[target] = after.get(target, 0) + part * chances[edge]
    return after


def _certified(graph: StateGraph, horizon: int, done: Callable[[int], None]) -> Distribution:
    from waranalysis.kernels import chain

    values = np.array([float(value) for value in graph.values])
    mass = np.zeros(graph.nodes)
    mass[graph.starts] = graph.weights / float(graph.weights.sum())
    # A sum of m rounded products is off by less than (m + 3) u of itself; here once a battle.
    most = int(np.bincount(graph.indices).max(initial=1)) + 8
    places, rows = _places(graph), []
    for length in range(horizon + 1):
        done(length)
        error = (length + 1) * most * ULP
        reached = mass[graph.first_end :].copy()
        mass[graph.first_end :] = 0.0
        rows.append(_row(reached, places, graph.rules.players, error))
        if length < horizon:
            after = np.zeros(graph.nodes)
            chain.step(graph.arrows, graph.indices, graph.chances, values, mass, after)
            mass = after
    error = (horizon + 2) * (most + graph.positions) * ULP
    nodes = np.flatnonzero(mass)
    outcomes = [_most_cards(graph, node) for node in nodes.tolist()]
    parts = np.bincount(outcomes, mass[nodes]).astype(np.float64)
    return Distribution(
        rows, _row(parts, list(range(len(parts))), graph.rules.players, error), "certified"
    )


def _row(
    reached: NDArray[np.float64], places: list[int], players: int, error: float
) -> tuple[Value, ...]:
    row = [Interval(0.0, _TINY)] * (players + 1)
    for part, place in zip(reached.tolist(), places, strict=True):
        row[place] = Interval(max(0.0, part * (1 - error) - _TINY), part * (1 + error) + _TINY)
    return tuple(row)
