"""Local search among the deals of a deck for games that end late, or never.

Late acceptance hill climbing (E. K. Burke and Y. Bykov, European Journal of Operational Research
258, 2017): a neighbour is accepted if it is no worse than the present deal, or than the deal of a
fixed number of steps ago.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waranalysis.kernels.jit import jit
from waranalysis.kernels.random import draw
from waranalysis.kernels.ring import CYCLE, OUTCOME, PLAYED, classify_many

Rows = NDArray[np.uint8]
Array = NDArray[np.int64]

PRESENT, BEST, STEP, COUNTS_SIZE = range(4)


@jit
def climb(
    row: Rows, firsts: Array, sizes: Array, rules: Array, steps: int, bound: int, history: Array,
    state: NDArray[np.uint64], stop_at_loops: bool, best: Rows, counts: Array,
    work: NDArray[np.uint8], nums: Array, rng: NDArray[np.uint64], fates: Array,
) -> bool:  # fmt: skip
    """Swap two unequal cards, play, keep or undo; `steps` times.

    Parameters
    ----------
    row : uint8 array, shape (1, cards)
        The present deal; changed in place. With `counts` all 0 it has not been played yet.
    firsts, sizes : int64 arrays, shape (1,)
        Cards of seat 0, and of both.
    rules : int64 array
        From `encode`.
    bound : int
        Battles after which a game counts as undecided; such deals are not accepted.
    history : int64 array
        Battles of the deals of the last steps.
    state : uint64 array, shape (1,)
        State of the random numbers.
    stop_at_loops : bool
        Stop when a game never ends; else such deals are not accepted.
    best : uint8 array, shape (1, cards)
        The deal that ended latest.
    counts : int64 array, shape (3,)
        Battles of the present and of the best deal, and steps made.
    work, nums, rng, fates
        Workspace, as for `classify_many`.

    Returns
    -------
    bool
        Whether it stopped since the present deal never ends.
    """
    n = row.shape[1]
    zero = np.uint64(0)
    stop = counts[STEP] + steps
    while counts[STEP] < stop:
        i = j = 0
        if counts[STEP] > 0:
            while row[0, i] == row[0, j]:
                i = np.int64(draw(state) % np.uint64(n))
                j = np.int64(draw(state) % np.uint64(n))
        row[0, i], row[0, j] = row[0, j], row[0, i]
        classify_many(row, firsts, sizes, rules, zero, zero, bound, True, work, nums, rng, fates)
        if stop_at_loops and fates[0, OUTCOME] == CYCLE:
            return True
        battles = fates[0, PLAYED] if fates[0, OUTCOME] < CYCLE else -1
        place = counts[STEP] % len(history)
        counts[STEP] += 1
        if battles >= counts[PRESENT] or battles >= history[place]:
            counts[PRESENT] = battles
            if battles > counts[BEST]:
                counts[BEST] = battles
                for k in range(n):
                    best[0, k] = row[0, k]
        else:
            row[0, i], row[0, j] = row[0, j], row[0, i]
        history[place] = counts[PRESENT]
    return False
