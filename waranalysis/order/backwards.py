"""Compiled search backwards from the end of a game, for rules without won piles."""

from __future__ import annotations

from waranalysis.kernels.jit import inner, jit
from waranalysis.order.board import capture
from waranalysis.order.layout import HEADS, RING, SIZES, Ints


@inner
def take_back(board: Ints, seat: int, first: int, below: Ints) -> bool:
    """Undo a battle that `seat` won, if the order says that it would have."""
    if board[SIZES + seat] < 2:
        return False
    end = board[HEADS + seat] + board[SIZES + seat]
    upper = board[RING + 64 * seat + ((end - 2) & 63)]
    lower = board[RING + 64 * seat + ((end - 1) & 63)]
    own = upper if first else lower
    other = upper ^ lower ^ own
    if (below[own] >> other) & 1 == 0:
        return False
    board[SIZES + seat] -= 2
    for side in range(2):
        head = (board[HEADS + side] - 1) & 63
        board[HEADS + side] = head
        board[RING + 64 * side + head] = own if side == seat else other
        board[SIZES + side] += 1
    return True


@inner
def replay(board: Ints, seat: int, first: int) -> None:
    """Fight again the battle that `take_back` undid."""
    x = board[RING + board[HEADS]]
    y = board[RING + 64 + board[HEADS + 1]]
    for side in range(2):
        board[HEADS + side] = (board[HEADS + side] + 1) & 63
        board[SIZES + side] -= 1
    capture(board, x, y, seat, first, board[HEADS + seat] + board[SIZES + seat])
    board[SIZES + seat] += 2


@jit
def beginning(
    below: Ints, winner: int, split: int, first: Ints, tried: Ints, board: Ints, deal: Ints
) -> bool:
    """Search for a deal whose game takes so many battles and ends with all cards at `winner`.

    Parameters
    ----------
    below : ndarray of int64
        For each place in the last packet, the mask of the places of weaker cards.
    winner, split : int
    first : ndarray of int64
        For each winning seat, whether its own card is the upper one of the pot.
    tried, board : ndarray of int64
        Zeros, one more than battles, and SCRATCH: work space.
    deal : ndarray of int64
        Set to the places by position in the deal.

    Notes
    -----
    Depth first without a stack of boards: a battle is undone and fought again in place.
    """
    n = len(below)
    battles = len(tried) - 1
    for i in range(n):
        board[RING + 64 * winner + i] = i
    board[SIZES + winner] = n
    depth = 0
    while depth >= 0:
        if depth == battles and board[SIZES] == split:
            for i in range(n):
                seat = 0 if i < split else 1
                deal[i] = board[RING + 64 * seat + ((board[HEADS + seat] + i - seat * split) & 63)]
            return True
        if depth == battles or tried[depth] == 2:
            depth -= 1
            if depth >= 0:
                seat = tried[depth] - 1
                replay(board, seat, first[seat])
        else:
            seat = tried[depth]
            tried[depth] += 1
            if take_back(board, seat, first[seat], below):
                depth += 1
                tried[depth] = 0
    return False
