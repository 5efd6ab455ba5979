"""Linear-time walks over graphs in arrays; nothing is recursive."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


@njit(cache=True)
def functional(successor: Ints, ends: int, fate: Ints, steps: Ints, cycle: Ints) -> int:
    """Take a graph with one successor a node to pieces.

    Nodes from ``len(successor) - ends`` on are ends, their own successors. `fate` gets the number
    of the cycle that a node leads to, cycles numbered by their least node, or -1 - k for end k;
    `steps` the steps until it is there. The nodes of the cycles are written to `cycle`, one cycle
    after another, each from its least node on.

    Returns
    -------
    int
        Number of cycles.
    """
    nodes = len(successor)
    first_end = nodes - ends
    into = np.zeros(nodes, np.int32)
    for node in range(nodes):
        into[successor[node]] += 1
    peeled = np.empty(nodes, np.int32)
    count = 0
    for node in range(nodes):
        if into[node] == 0:
            peeled[count] = node
            count += 1
    done = 0
    while done < count:
        after = successor[peeled[done]]
        into[after] -= 1
        if into[after] == 0:
            peeled[count] = after
            count += 1
        done += 1
    for end in range(ends):
        fate[first_end + end] = -1 - end
        steps[first_end + end] = 0
    cycles = _around(successor, first_end, into, fate, steps, cycle)
    for place in range(count - 1, -1, -1):
        node = peeled[place]
        fate[node] = fate[successor[node]]
        steps[node] = steps[successor[node]] + 1
    return cycles


@njit(cache=True)
def _around(
    successor: Ints, first_end: int, left: Ints, fate: Ints, steps: Ints, cycle: Ints
) -> int:
    """Go round every cycle; `left` is 0 for the nodes off the cycles."""
    cycles, filled = 0, 0
    for node in range(first_end):
        if left[node]:
            at = node
            while left[at]:
                left[at] = 0
                fate[at] = cycles
                steps[at] = 0
                cycle[filled] = at
                filled += 1
                at = successor[at]
            cycles += 1
    return cycles


@njit(cache=True)
def reverse(arrows: Longs, indices: Ints) -> tuple[Longs, Ints]:
    """Turn every arrow round: `indptr` and `indices` of the transitions that come in."""
    nodes = len(arrows) - 1
    indptr = np.zeros(nodes + 1, np.int64)
    for target in indices:
        indptr[target + 1] += 1
    for node in range(nodes):
        indptr[node + 1] += indptr[node]
    filled = indptr[:-1].copy()
    sources = np.empty(len(indices), np.int32)
    for node in range(nodes):
        for edge in range(arrows[node], arrows[node + 1]):
            target = indices[edge]
            sources[filled[target]] = node
            filled[target] += 1
    return indptr, sources


@njit(cache=True)
def distances(indptr: Longs, indices: Ints, first: Ints, far: Ints) -> None:
    """Write the fewest steps from any node of `first` to `far`, which comes filled with -1."""
    queue = np.empty(len(indptr) - 1, np.int32)
    count = 0
    for node in first:
        far[node] = 0
        queue[count] = node
        count += 1
    done = 0
    while done < count:
        node = queue[done]
        for edge in range(indptr[node], indptr[node + 1]):
            other = indices[edge]
            if far[other] < 0:
                far[other] = far[node] + 1
                queue[count] = other
                count += 1
        done += 1
