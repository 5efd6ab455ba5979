"""Random deals by packet sizes alone, where the graph allows it.

Let every position of the same packet sizes be equally likely. If one turn keeps it so, the sizes
form a small chain of their own, and a random deal has exactly its values. For distinct cards and a
fair coin that holds: the two cards just won can have come from one position only, so the sizes
walk like a fair gambler's purse. Here it is checked on the graph, in whole numbers.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.chance.exact import Chain, rational
from waranalysis.graph.model import StateGraph

_EXACT = 2**53


def lump(graph: StateGraph) -> tuple[Chain, int] | None:
    """The chain of packet sizes, and the node of it that a random deal starts at.

    Returns
    -------
    Chain and int, or None
        Its last nodes are the ends of `graph`, in order. None if the sizes are no chain, or the
        graph was not built from one split of a deck for two players.

    Notes
    -----
    Cost: one pass over the transitions for every packet size.
    """
    rules = graph.rules
    if graph.deck is None or rules.players > 2 or rules.recycle != "bottom":
        return None
    if not all(isinstance(value, Fraction) for value in graph.values):
        return None
    size = _sizes(graph)
    count = np.bincount(size, minlength=graph.nodes)
    if not _uniform_start(graph, size, count):
        return None
    common = lcm(*(value.denominator for value in graph.values))
    if common * int(np.bincount(graph.indices).max(initial=0)) >= _EXACT:
        return None
    weights = np.array([int(value * common) for value in graph.values], dtype=np.float64)
    mass = weights[graph.chances]
    rows: list[dict[int, Any]] = []
    classes = int(size.max()) + 1
    for each in range(classes - len(graph.ends)):
        row = _moves(graph, mass, size, count, each, common)
        if row is None:
            return None
        rows.append(row)
    one = rational(Fraction(1))
    start = int(size[graph.starts[0]])
    return Chain(rows + [{}] * len(graph.ends), one, [1] * len(rows) + [0] * len(graph.ends)), start


def _sizes(graph: StateGraph) -> NDArray[np.int64]:
    """A class for every node: cards of the first packet less one; ends come last, one by one."""
    first = np.argmin(graph.packed != 0, axis=1) - 1
    last = int(first.max(initial=-1)) + 1
    return np.concatenate([first, last + np.arange(len(graph.ends))])


def _uniform_start(graph: StateGraph, size: NDArray[np.int64], count: NDArray[np.int64]) -> bool:
    starts, weights = graph.starts, graph.weights
    same = size[starts[0]]
    return bool(
        starts[-1] < graph.first_end
        and (size[starts] == same).all()
        and (weights == weights[0]).all()
        and len(starts) == count[same]
    )


def _moves(
    graph: StateGraph,
    mass: NDArray[np.float64],
    size: NDArray[np.int64],
    count: NDArray[np.int64],
    each: int,
    common: int,
) -> dict[int, Any] | None:
    """Where the positions of one class go; None if they do not fill another one evenly."""
    leaving = size[graph.sources] == each
    flow = np.bincount(graph.indices[leaving], mass[leaving], minlength=graph.nodes)
    row: dict[int, Any] = {}
    for target in np.unique(size[flow > 0]).tolist():
        reached = flow[size == target]
        if (reached != reached[0]).any():
            return None
        total = Fraction(int(reached[0]) * len(reached), common * int(count[each]))
        row[target] = rational(total)
    return row
