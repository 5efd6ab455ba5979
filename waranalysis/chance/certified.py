"""Certified values of a Markov chain: floats found by sweeps, then a proof around them.

Let x be the expected number of turns, h the probability of an end, ``N = (I - P)^-1 >= 0``. If
some y >= 0 satisfies ``y >= 1 + P y`` then ``x = N 1 <= y``. So a float vector whose equations are
off by at most e < 1 everywhere gives ``y / (1 + e) <= x <= y / (1 - e)``, and one for h that is off
by at most s is wrong by at most ``N s = s x``. How the floats were found does not matter; how far
their equations are off is bounded with every rounding counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.chance.value import ULP
from waranalysis.errors import LimitError
from waranalysis.graph.model import StateGraph

Floats = NDArray[np.float64]
_ENOUGH = 1e-12
_SWEEPS = 100_000


@dataclass(frozen=True, eq=False)
class Enclosure:
    """Lower and upper bounds, one row a node.

    Attributes
    ----------
    reach : (2, nodes, goals) float64
        Probability of reaching each goal.
    battles, squares : (2, nodes) float64
        Expected number of turns until absorption, and of its square.
    sweeps : int
        How many it took.
    """

    reach: Floats
    battles: Floats
    squares: Floats
    sweeps: int


def enclose(
    graph: StateGraph,
    rank: NDArray[np.int32],
    goals: Sequence[NDArray[np.bool_]],
    done: Callable[[int], None] = lambda _: None,
) -> Enclosure:
    """Bound the values of every node of a graph without choices and symbols.

    Parameters
    ----------
    graph : StateGraph
    rank : (nodes,) int32
        Distance to an end: nodes of rank 0 and -1 are absorbing.
    goals : sequence of (nodes,) bool
        Sets of absorbing nodes.
    done : callable
        Told the number of sweeps, now and then.

    Raises
    ------
    LimitError
        If the sweeps come to no proof.
    """
    from waranalysis.kernels import chain

    values = np.array([float(value) for value in graph.values])
    x = np.zeros((graph.nodes, len(goals) + 2))
    for column, goal in enumerate(goals):
        x[:, column] = goal
    inner = np.flatnonzero(rank > 0).astype(np.int32)
    sweeps = _approximate(graph, rank, values, x, done)
    off = chain.residual(inner, graph.arrows, graph.indices, graph.chances, values, x)
    error = float(off[-2])
    if error >= 0.5:
        raise LimitError(f"no certified value after {sweeps:,} sweeps")
    turns = x[:, -2]
    most = turns / (1 - error) * (1 + 2 * ULP)
    battles = np.stack([turns / (1 + error) * (1 - 2 * ULP), most])
    reach = _around(x[:, :-2], off[:-2] * most[:, None])
    # The expected square satisfies q = 2 x - 1 + P q; the floats have `turns` in place of x.
    wrong = float(off[-1]) + 2 * float(most.max(initial=0.0)) * (2 * error + 4 * ULP)
    squares = _around(x[:, -1], wrong * most)
    return Enclosure(np.clip(reach, 0.0, 1.0), battles, squares, sweeps)


def _around(x: Floats, off: Floats) -> Floats:
    off = off * (1 + 4 * ULP) + 2 * ULP * x
    return np.stack([np.maximum(x - off, 0.0), x + off])


def _approximate(
    graph: StateGraph,
    rank: NDArray[np.int32],
    values: Floats,
    x: Floats,
    done: Callable[[int], None],
) -> int:
    """Fill `x`; return the number of sweeps.

    Nodes that nothing leads back to are done in one pass, before and after the others: these form
    the core, which is cut out of the graph to be swept.
    """
    from scipy.sparse import csr_array

    from waranalysis.kernels import attract, chain, structure

    rows = (graph.arrows, graph.indices)
    out_degree, in_degree = np.diff(graph.arrows), np.bincount(graph.indices, minlength=len(rank))
    after = attract.attract(*structure.reverse(*rows), out_degree.astype(np.int32), rank <= 0)
    before = attract.attract(*rows, in_degree.astype(np.int32), (in_degree == 0) & (after < 0))
    # What is left: lost nodes are absorbing and belong to `after`.
    core = np.flatnonzero((after < 0) & (before < 0))
    core = core[np.argsort(rank[core], kind="stable")]
    whole = (*rows, graph.chances, values, np.zeros_like(x))
    chain.sweep(_layers(after, 1), *whole, x)
    sweeps = 0
    if len(core):
        shape = (graph.nodes, graph.nodes)
        part = csr_array((values[graph.chances], graph.indices, graph.arrows), shape=shape)[core]
        sweeps = _sweep_core(part[:, core], np.asarray(part @ x), x, core, done)
    chain.sweep(_layers(before, -1), *whole, x)
    return sweeps


def _layers(layer: NDArray[np.int32], sign: int) -> NDArray[np.int32]:
    nodes = np.flatnonzero(layer > 0 if sign > 0 else layer >= 0)
    return nodes[np.argsort(sign * layer[nodes], kind="stable")].astype(np.int32)


def _sweep_core(
    part: Any, constant: Floats, x: Floats, core: NDArray[np.int64], done: Callable[[int], None]
) -> int:
    from waranalysis.kernels import chain

    values, chances = np.unique(part.data, return_inverse=True)
    order = np.arange(len(core), dtype=np.int32)
    rows = (part.indptr.astype(np.int64), part.indices.astype(np.int32), chances.astype(np.int32))
    y = np.zeros((len(core), x.shape[1]))
    last = np.inf
    for sweeps in range(1, _SWEEPS):
        change = chain.sweep(order, *rows, values, constant, y)
        if sweeps % 16 == 0:
            done(sweeps)
            # Rounding keeps the last bits moving: no progress is the end, too.
            if change <= _ENOUGH * float(y[:, -2].max()) or change >= last:
                break
            last = change
    x[core] = y
    return sweeps
