"""Backward searches through a graph in compressed rows."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from waranalysis.kernels.structure import reverse

Ints = NDArray[np.int64]


@njit(cache=True)
def attract(
    first: Ints,
    sources: NDArray[np.int32],
    need: NDArray[np.int32],
    target: NDArray[np.bool_],
) -> NDArray[np.int32]:
    """The layer at which each node is drawn to `target`; -1 for those that never are.

    A node is drawn in when `need` of its transitions lead to nodes drawn in before; never if it
    is 0. `first` and `sources` are rows of predecessors.
    """
    nodes = len(need)
    rank = np.full(nodes, -1, dtype=np.int32)
    left = need.copy()
    queue = np.empty(nodes, dtype=np.int32)
    end = 0
    for node in range(nodes):
        if target[node]:
            rank[node] = 0
            queue[end] = node
            end += 1
    begin = 0
    while begin < end:
        node = queue[begin]
        begin += 1
        for edge in range(first[node], first[node + 1]):
            source = sources[edge]
            if rank[source] >= 0 or left[source] <= 0:
                continue
            left[source] -= 1
            if left[source] == 0:
                rank[source] = rank[node] + 1
                queue[end] = source
                end += 1
    return rank


def backward(
    indptr: Ints, indices: NDArray[np.int32], target: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Fewest steps from each node to `target`; -1 where there is no way."""
    first, sources = reverse(indptr, indices)
    need = np.ones(len(target), dtype=np.int32)
    result: NDArray[np.int32] = attract(first, sources, need, target)
    return result
