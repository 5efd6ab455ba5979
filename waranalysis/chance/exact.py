"""Exact values of a Markov chain: components, sparse elimination, a dense rest, and a check.

All numbers are of one field: `flint.fmpq`, or sympy's fractions of polynomials for symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.graph.model import StateGraph

_FILL = 1000  # new entries at which eliminating a node sparsely is given up for a dense solver
Row = dict[int, Any]
Vector = list[Any]


@dataclass(frozen=True)
class Chain:
    """A chain ready to be solved: where it moves, and the nodes it is absorbed at.

    Attributes
    ----------
    rows : list of dict
        For every node the probability of each next one; empty for absorbing nodes.
    one : a number
        The 1 of the field.
    cost : list of int
        Turns that pass on the way out of each node: 0 for moments and absorbing nodes.
    """

    rows: list[Row]
    one: Any
    cost: list[int]


def chain_of(
    graph: StateGraph, absorbing: NDArray[np.bool_], convert: Callable[[Any], Any]
) -> Chain:
    """Read a graph without choices; `convert` brings its probabilities into the field."""
    values = [convert(value) for value in graph.values]
    arrows, indices, chances = graph.arrows.tolist(), graph.indices.tolist(), graph.chances.tolist()
    rows: list[Row] = []
    for node in range(graph.nodes):
        span = slice(arrows[node], arrows[node + 1])
        moves = zip(indices[span], chances[span], strict=True)
        rows.append({} if absorbing[node] else {target: values[place] for target, place in moves})
    cost = [int(node < graph.positions and bool(row)) for node, row in enumerate(rows)]
    return Chain(rows, convert(Fraction(1)), cost)


def rational(value: Fraction) -> Any:
    """A fraction as flint has it."""
    from flint import fmpq

    return fmpq(value.numerator, value.denominator)


def fraction(value: Any) -> Fraction:
    """A number of flint as a fraction."""
    return Fraction(int(value.p), int(value.q))


@dataclass
class _Factors:
    """The elimination of a component, in the order it was done, to be repeated on right sides."""

    order: list[int] = field(default_factory=list)
    scale: Vector = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    users: list[list[tuple[int, Any]]] = field(default_factory=list)
    rest: list[int] = field(default_factory=list)
    matrix: Any = None

    def solve(self, rights: list[Row]) -> list[Row]:
        """Solve ``x = right + P x`` on the component for each of `rights`, which are used up."""
        for right in rights:
            for node, scale, users in zip(self.order, self.scale, self.users, strict=True):
                right[node] *= scale
                for user, factor in users:
                    right[user] += factor * right[node]
        found = self._solve_rest(rights) if self.rest else [{} for _ in rights]
        for x, right in zip(found, rights, strict=True):
            for node, row in zip(reversed(self.order), reversed(self.rows), strict=True):
                x[node] = _sum(row.items(), x, right[node])
        return found

    def _solve_rest(self, rights: list[Row]) -> list[Row]:
        from flint import fmpq_mat

        matrix = fmpq_mat([[right[node] for right in rights] for node in self.rest])
        found = self.matrix.solve(matrix).transpose().tolist()
        return [dict(zip(self.rest, column, strict=True)) for column in found]


def _factor(
    nodes: Sequence[int], chain: Chain, done: Callable[[int], None], before: int
) -> _Factors:
    """Eliminate node after node, the one that brings the fewest new entries first.

    `done` is told how many nodes are gone, with those `before`.
    """
    inside = set(nodes)
    rows = {v: {w: p for w, p in chain.rows[v].items() if w in inside} for v in nodes}
    users: dict[int, set[int]] = {v: set() for v in nodes}
    for v, row in rows.items():
        for w in row:
            users[w].add(v)
    dense = _FILL if type(chain.one).__name__ == "fmpq" else None
    factors = _Factors()
    heap = [(len(rows[v]) * len(users[v]), v) for v in nodes]
    heapify(heap)
    while heap:
        fill, v = heappop(heap)
        if v not in rows:
            continue
        now = len(rows[v]) * len(users[v])
        if now > fill:
            heappush(heap, (now, v))
            continue
        if dense is not None and now > dense:
            break
        _eliminate(v, rows, users, chain.one, factors)
        done(before + len(factors.order))
    if rows:
        _keep_dense(rows, factors)
    return factors


def _eliminate(
    v: int, rows: dict[int, Row], users: dict[int, set[int]], one: Any, factors: _Factors
) -> None:
    row = rows.pop(v)
    users[v].discard(v)
    loop = row.pop(v, None)
    scale = one if loop is None else one / (one - loop)
    if loop is not None:
        row = {w: p * scale for w, p in row.items()}
    for w in row:
        users[w].discard(v)
    used = []
    for u in users.pop(v):
        other = rows[u]
        factor = other.pop(v)
        used.append((u, factor))
        for w, p in row.items():
            if w in other:
                other[w] += factor * p
            else:
                other[w] = factor * p
                users[w].add(u)
    factors.order.append(v)
    factors.scale.append(scale)
    factors.rows.append(row)
    factors.users.append(used)


def _keep_dense(rows: dict[int, Row], factors: _Factors) -> None:
    from flint import fmpq_mat

    factors.rest = sorted(rows)
    place = {node: number for number, node in enumerate(factors.rest)}
    size = len(place)
    matrix = fmpq_mat(size, size)
    for node, at in place.items():
        for target, p in rows[node].items():
            matrix[at, place[target]] = -p
        matrix[at, at] += 1
    factors.matrix = matrix


def components(
    sources: NDArray[np.int32], targets: NDArray[np.int32], absorbing: NDArray[np.bool_]
) -> Iterator[list[int]]:
    """Strongly connected components of the other nodes, each after those it leads to."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    inner = ~absorbing[sources]
    source, target = sources[inner], targets[inner]
    size = (len(absorbing), len(absorbing))
    matrix = csr_array((np.ones(len(source), np.int8), (source, target)), shape=size)
    count, label = connected_components(matrix, connection="strong")
    members = np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1])
    for component in _sinks_first(count, label[source], label[target]):
        nodes = members[component]
        if not absorbing[nodes[0]]:
            yield nodes.tolist()


def _sinks_first(count: int, source: NDArray[np.int32], target: NDArray[np.int32]) -> Iterator[int]:
    """Order components so that every one comes after all it leads to."""
    crossing = source != target
    pairs = np.unique(np.stack([target[crossing], source[crossing]], axis=1), axis=0)
    first = np.searchsorted(pairs[:, 0], np.arange(count + 1)).tolist()
    before = pairs[:, 1].tolist()
    left = np.bincount(pairs[:, 1], minlength=count).tolist()
    ready = [component for component in range(count) if not left[component]]
    while ready:
        component = ready.pop()
        yield component
        for other in before[first[component] : first[component + 1]]:
            left[other] -= 1
            if not left[other]:
                ready.append(other)


@dataclass(frozen=True)
class Solution:
    """Values of every node, in the field of the chain.

    Attributes
    ----------
    reach : list of list
        For every absorbing node, in the order given, the probability of being absorbed there
        from each node.
    battles, squares : list
        Expected number of turns until absorption, and of its square.
    """

    reach: list[Vector]
    battles: Vector
    squares: Vector


def solve(
    chain: Chain,
    parts: Iterator[list[int]],
    goals: Sequence[Sequence[int]],
    done: Callable[[int], None] = lambda _: None,
) -> Solution:
    """Solve a chain and check every equation.

    Parameters
    ----------
    chain : Chain
    parts : iterator of list of int
        The components of the other nodes, see `components`.
    goals : sequence of sequence of int
        Sets of absorbing nodes.
    done : callable
        Told the number of nodes solved.
    """
    zero, one, size = chain.one - chain.one, chain.one, len(chain.rows)
    columns: list[Vector] = [[zero] * size for _ in range(len(goals) + 2)]
    for column, goal in zip(columns, goals, strict=False):
        for node in goal:
            column[node] = one
    battles, squares = columns[-2:]
    solved = 0
    for nodes in parts:
        inside = set(nodes)
        factors = _factor(nodes, chain, done, solved)
        solved += len(nodes)
        outer = {v: [(w, p) for w, p in chain.rows[v].items() if w not in inside] for v in nodes}
        rights = [{v: _sum(outer[v], column, zero) for v in nodes} for column in columns[:-2]]
        rights.append({v: _sum(outer[v], battles, one * chain.cost[v]) for v in nodes})
        _fill(columns[:-1], factors.solve(rights))
        twice = {v: chain.cost[v] * (2 * battles[v] - one) for v in nodes}
        _fill([squares], factors.solve([{v: _sum(outer[v], squares, twice[v]) for v in nodes}]))
    solution = Solution(columns[: len(goals)], battles, squares)
    check(chain, solution)
    return solution


def _fill(columns: list[Vector], found: list[Row]) -> None:
    for column, values in zip(columns, found, strict=True):
        for node, value in values.items():
            column[node] = value


def _sum(moves: Iterable[tuple[int, Any]], column: Vector | Row, total: Any) -> Any:
    for target, p in moves:
        total += p * column[target]
    return total


def check(chain: Chain, solution: Solution) -> None:
    """Put the values into every equation; raise `ArithmeticError` if one does not hold.

    Where every node can reach an absorbing one the equations have one solution only.
    """
    zero, one = chain.one - chain.one, chain.one
    for v, row in enumerate(chain.rows):
        if not row:
            continue
        moves, cost, mean = list(row.items()), chain.cost[v], solution.battles[v]
        told = [column[v] == _sum(moves, column, zero) for column in solution.reach]
        told.append(mean == _sum(moves, solution.battles, one * cost))
        square = cost * (2 * mean - one)
        told.append(solution.squares[v] == _sum(moves, solution.squares, square))
        if not all(told):
            raise ArithmeticError(f"the values of node {v} do not satisfy its equations")
