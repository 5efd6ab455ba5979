"""Markov chains in compressed rows: sweeps, residuals and steps, on several columns at once."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@njit(cache=True)
def sweep(
    order: NDArray[np.int32],
    indptr: Ints,
    indices: NDArray[np.int32],
    chances: NDArray[np.int32],
    values: Floats,
    constant: Floats,
    x: Floats,
) -> float:
    """One sweep of Gauss and Seidel; return the largest change of an expected number of turns.

    The columns of `x` are probabilities of reaching something, then the expected number of turns,
    then its expected square; `constant` is what transitions that are not in the rows bring. Nodes
    outside `order` keep their rows of `x`.
    """
    columns = x.shape[1]
    total = np.empty(columns)
    largest = 0.0
    for node in order:
        total[:] = constant[node]
        loop = 0.0
        for edge in range(indptr[node], indptr[node + 1]):
            target = indices[edge]
            chance = values[chances[edge]]
            if target == node:
                loop += chance
                continue
            for column in range(columns):
                total[column] += chance * x[target, column]
        stay = 1.0 / (1.0 - loop)
        turns = (total[columns - 2] + 1.0) * stay
        total[columns - 1] += 2.0 * turns - 1.0
        largest = max(largest, abs(turns - x[node, columns - 2]))
        for column in range(columns):
            x[node, column] = total[column] * stay
        x[node, columns - 2] = turns
    return largest


@njit(cache=True)
def residual(
    order: NDArray[np.int32],
    indptr: Ints,
    indices: NDArray[np.int32],
    chances: NDArray[np.int32],
    values: Floats,
    x: Floats,
) -> Floats:
    """For every column an upper bound of how far its equations are off, over the nodes of `order`.

    `x` counts as exact and is at least 0; `values` are the probabilities, rounded to nearest. A
    sum of m products of rounded factors is off by at most (m + 3) u / (1 - (m + 3) u) of itself,
    u = 2**-53, in any order of addition (Higham, Accuracy and Stability, ch. 3); the bound takes
    twice as much, and more for the other steps.
    """
    columns = x.shape[1]
    bound = np.zeros(columns)
    total = np.empty(columns)
    for node in order:
        total[:] = 0.0
        for edge in range(indptr[node], indptr[node + 1]):
            chance = values[chances[edge]]
            target = indices[edge]
            for column in range(columns):
                total[column] += chance * x[target, column]
        turns = x[node, columns - 2]
        total[columns - 2] += 1.0
        total[columns - 1] += 2.0 * turns - 1.0
        slack = (indptr[node + 1] - indptr[node] + 8) * 2.0**-52
        for column in range(columns):
            off = abs(x[node, column] - total[column])
            off += slack * (total[column] + x[node, column] + 1.0)
            bound[column] = max(bound[column], off * (1.0 + 2.0**-50))
    return bound


@njit(cache=True)
def step(
    indptr: Ints,
    indices: NDArray[np.int32],
    chances: NDArray[np.int32],
    values: Floats,
    before: Floats,
    after: Floats,
) -> None:
    """Add one step of the distribution `before` to `after`."""
    for node in range(len(indptr) - 1):
        mass = before[node]
        if mass > 0.0:
            for edge in range(indptr[node], indptr[node + 1]):
                after[indices[edge]] += mass * values[chances[edge]]
