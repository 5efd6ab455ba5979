"""Compiled search backwards from the end of a game, for rules without won piles."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def take_back(ring: Ints, head: Ints, count: Ints, seat: int, first: int, below: Ints) -> bool:
    """Undo a battle that `seat` won, if the order says that it would have."""
    if count[seat] < 2:
        return False
    end = head[seat] + count[seat]
    upper = ring[seat, (end - 2) & 63]
    lower = ring[seat, (end - 1) & 63]
    own = upper if first else lower
    other = upper ^ lower ^ own
    if (below[own] >> other) & 1 == 0:
        return False
    count[seat] -= 2
    for side in range(2):
        head[side] = (head[side] - 1) & 63
        ring[side, head[side]] = own if side == seat else other
        count[side] += 1
    return True


@njit(cache=True, nogil=True)
def replay(ring: Ints, head: Ints, count: Ints, seat: int, first: int) -> None:
    """Fight again the battle that `take_back` undid."""
    own = ring[seat, head[seat]]
    other = ring[1 - seat, head[1 - seat]]
    for side in range(2):
        head[side] = (head[side] + 1) & 63
        count[side] -= 1
    end = head[seat] + count[seat]
    ring[seat, end & 63] = own if first else other
    ring[seat, (end + 1) & 63] = other if first else own
    count[seat] += 2


@njit(cache=True, nogil=True)
def beginning(below: Ints, winner: int, split: int, battles: int, first: Ints, deal: Ints) -> bool:
    """Search for a deal whose game takes `battles` and ends with all cards at `winner`.

    Parameters
    ----------
    below : ndarray of int64
        For each place in the last packet, the mask of the places of weaker cards.
    winner, split, battles : int
    first : ndarray of int64
        For each winning seat, whether its own card is the upper one of the pot.
    deal : ndarray of int64
        Set to the places by position in the deal.

    Notes
    -----
    Depth first without a stack of boards: a battle is undone and fought again in place.
    """
    n = len(below)
    ring = np.zeros((2, 64), np.int64)
    head = np.zeros(2, np.int64)
    count = np.zeros(2, np.int64)
    ring[winner, :n] = np.arange(n)
    count[winner] = n
    tried = np.zeros(battles + 1, np.int64)
    depth = 0
    while depth >= 0:
        if depth == battles and count[0] == split:
            for i in range(n):
                seat = 0 if i < split else 1
                deal[i] = ring[seat, (head[seat] + i - seat * split) & 63]
            return True
        if depth == battles or tried[depth] == 2:
            depth -= 1
            if depth >= 0:
                replay(ring, head, count, tried[depth] - 1, first[tried[depth] - 1])
        else:
            seat = tried[depth]
            tried[depth] += 1
            if take_back(ring, head, count, seat, first[seat], below):
                depth += 1
                tried[depth] = 0
    return False
