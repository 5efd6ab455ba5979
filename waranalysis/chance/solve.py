"""Values of a state graph by the method that its size allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.chance import exact
from waranalysis.chance.certified import Enclosure, enclose
from waranalysis.chance.ends import Ends, find_ends
from waranalysis.chance.lump import lump
from waranalysis.chance.result import Chance, Outlook, Values
from waranalysis.chance.value import Interval, difference, mean
from waranalysis.errors import LimitError, RulesError, quoted
from waranalysis.graph.model import StateGraph

METHODS = ("auto", "exact", "lumped", "certified")
_QUICK = 2_000  # nodes of a component that is solved exactly in a moment
_EXACT = 12_000  # and of one that is solved exactly at all


def solve(
    graph: StateGraph,
    method: str = "auto",
    done: Callable[[int], None] = lambda _: None,
    deals: bool = False,
) -> Chance:
    """Find the values of a graph without choices.

    Parameters
    ----------
    graph : StateGraph
    method : str
        "exact" (fractions, or expressions if there are symbols), "lumped" (fractions for a random
        deal, by packet sizes, where that is allowed), "certified" (intervals), or "auto": the
        first of them that is quick enough.
    done : callable
        Told how many nodes are solved, or how many sweeps the certified method took, now and then.
    deals : bool
        Whether values of single deals are wanted, too: then "auto" leaves "lumped" out.

    Returns
    -------
    Chance

    Raises
    ------
    RulesError
        If there are choices, or symbols with the certified method.
    LimitError
        If the graph is too large for the method asked for.
    """
    if graph.rules.choice_fields:
        raise RulesError(
            f"{graph.rules.choice_fields[0]} leaves something to a player: 'choice' answers that"
        )
    ends = find_ends(graph)
    for attempt in [method] if method != "auto" else _methods(graph, ends, deals):
        if values := _ATTEMPTS[attempt](graph, ends, done):
            weights = zip(graph.starts.tolist(), graph.weights.tolist(), strict=True)
            return Chance(graph, ends, attempt, values, values.of(dict(weights)))
    raise LimitError(
        f"packet sizes are no chain of their own for {quoted(graph.deck or 'the given deals')}: "
        "expected another method than 'lumped'"
    )


def _methods(graph: StateGraph, ends: Ends, deals: bool) -> list[str]:
    largest = _largest_component(graph, ends)
    symbols = not all(isinstance(value, Fraction) for value in graph.values)
    if symbols or largest <= _QUICK:
        return ["exact"]
    large = "exact" if largest <= _EXACT else "certified"
    return [large] if deals else ["lumped", large]


def _largest_component(graph: StateGraph, ends: Ends) -> int:
    """Nodes of the largest component; an upper bound for large graphs, where it is not needed."""
    inner = int((ends.rank > 0).sum())
    if inner <= _QUICK or graph.transitions > 50 * _EXACT:
        return inner
    return max(map(len, exact.components(graph.sources, graph.indices, ends.rank <= 0)))


# --- exact -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Exact:
    """Values in a field; one column for every seat, then the draw, then no end at all."""

    solution: exact.Solution
    back: Callable[[Any], Any]

    def of(self, weights: dict[int, int]) -> Outlook:
        def average(column: Sequence[Any]) -> Any:
            total: Any = sum(column[node] * weight for node, weight in weights.items())
            return total / sum(weights.values())

        *winners, draw, never = map(average, self.solution.reach)
        battles = average(self.solution.battles)
        variance = average(self.solution.squares) - battles * battles
        back = self.back
        told = (tuple(map(back, winners)), back(draw), back(never))
        return Outlook(*told, *((None, None) if never else (back(battles), back(variance))))


def _exact(graph: StateGraph, ends: Ends, done: Callable[[int], None]) -> Values:
    largest = _largest_component(graph, ends)
    if largest > _EXACT:
        raise LimitError(
            f"{largest:,} positions depend on one another: exact values take at most {_EXACT:,}; "
            "the method 'certified' gives bounds"
        )
    absorbing = ends.rank <= 0
    convert, back = _field(graph)
    chain = exact.chain_of(graph, absorbing, convert)
    goals = [np.flatnonzero(goal).tolist() for goal in _goals(graph, ends)]
    parts = exact.components(graph.sources, graph.indices, absorbing)
    return _Exact(exact.solve(chain, parts, goals, done), back)


def _field(graph: StateGraph) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    if all(isinstance(value, Fraction) for value in graph.values):
        return exact.rational, exact.fraction
    from waranalysis.chance.symbols import field

    return field(graph.values)


def _goals(graph: StateGraph, ends: Ends) -> list[NDArray[np.bool_]]:
    """Nodes that stand for each seat's win, for a draw, and for no end."""
    nodes = np.arange(graph.nodes)
    found = {winner: graph.first_end + place for place, winner in enumerate(graph.ends)}
    outcomes = [*range(graph.rules.players), None]
    return [*(nodes == found.get(outcome, -1) for outcome in outcomes), ends.rank < 0]


# --- lumped ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Lumped:
    start: int
    inner: _Exact

    def of(self, weights: dict[int, int]) -> Outlook:
        if len(weights) == 1:
            raise LimitError(
                "the method 'lumped' has no values for single deals: expected another method"
            )
        return self.inner.of({self.start: 1})


def _lumped(graph: StateGraph, ends: Ends, _: Callable[[int], None]) -> Values | None:
    found = lump(graph) if ends.certain else None
    if found is None:
        return None
    chain, start = found
    inner, first = [], len(chain.rows) - len(graph.ends)
    inner = list(range(first))
    place = {winner: first + number for number, winner in enumerate(graph.ends)}
    outcomes = [*range(graph.rules.players), None]
    goals = [[place[outcome]] if outcome in place else [] for outcome in outcomes]
    return _Lumped(start, _Exact(exact.solve(chain, iter([inner]), [*goals, []]), exact.fraction))


# --- certified -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Certified:
    """Bounds; `may_fail` are the nodes from which an end may be missed for good."""

    found: Enclosure
    may_fail: NDArray[np.bool_]

    def of(self, weights: dict[int, int]) -> Outlook:
        nodes, shares = list(weights), list(weights.values())
        found = self.found
        low, high = found.reach[:, nodes]
        reach = [mean(low[:, k], high[:, k], shares) for k in range(low.shape[1])]
        *winners, draw, never = (Interval(lower, min(upper, 1.0)) for lower, upper in reach)
        if self.may_fail[nodes].any():
            return Outlook(tuple(winners), draw, never, None, None)
        battles = mean(found.battles[0, nodes], found.battles[1, nodes], shares)
        squares = mean(found.squares[0, nodes], found.squares[1, nodes], shares)
        told = (tuple(winners), draw, Interval(0.0, 0.0))
        return Outlook(*told, battles, difference(squares, battles))


def _certified(graph: StateGraph, ends: Ends, done: Callable[[int], None]) -> Values:
    if not all(isinstance(value, Fraction) for value in graph.values):
        raise RulesError("a symbol has no certified value: expected a number, or a small deck")
    from waranalysis.kernels.attract import backward

    may_fail = backward(graph.arrows, graph.indices, ends.rank < 0) >= 0
    return _Certified(enclose(graph, ends.rank, _goals(graph, ends), done), may_fail)


_ATTEMPTS: dict[str, Callable[[StateGraph, Ends, Callable[[int], None]], Values | None]] = {
    "exact": _exact,
    "lumped": _lumped,
    "certified": _certified,
}
