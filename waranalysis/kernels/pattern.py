"""Games without a tie, played on cards whose strengths are not known, only the results.

A *word* is a sequence of results, 1 where seat 0 wins and 0 where seat 1 does. Repeated for ever
from packets of given sizes it moves the cards by a permutation, so the arrangement comes back. The
results met on the way are pairs "this card beats that one", and their transitive closure is kept.
Where a card comes to beat itself no strengths fit, and nearly all words come to that within two
laps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from waranalysis.kernels.jit import jit

Word = NDArray[np.int8]
Bits = NDArray[np.uint64]

RING = 256
MASK = RING - 1
# Beyond the longest loop that ever came up by a factor of ten and more.
MOST_BATTLES = 1_000_000

_ONE = np.uint64(1)


@intrinsic
def lowest_bit(_context: Any, _word: Any) -> Any:
    """Place of the lowest bit that is set; one must be."""

    def code(_ctx: Any, builder: Any, _sig: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), code


@jit
def add_pair(winner: int, loser: int, below: Bits, above: Bits) -> bool:
    """Add "winner beats loser" to a closed order; False if the loser beats the winner in it."""
    win_word, win_bit = winner >> 6, _ONE << np.uint64(winner & 63)
    lose_word, lose_bit = loser >> 6, _ONE << np.uint64(loser & 63)
    if below[winner, lose_word] & lose_bit:
        return True
    if below[loser, win_word] & win_bit:
        return False
    _spread(winner, loser, above, below)
    _spread(loser, winner, below, above)
    return True


@jit
def _spread(card: int, other: int, beyond: Bits, behind: Bits) -> None:
    """All beyond `card`, and itself, get behind them `other` and all behind that."""
    words = beyond.shape[1]
    other_word, other_bit = other >> 6, _ONE << np.uint64(other & 63)
    behind[card, other_word] |= other_bit
    for j in range(words):
        behind[card, j] |= behind[other, j]
    for k in range(words):
        left = beyond[card, k]
        while left:
            x = 64 * k + lowest_bit(left)
            left &= left - _ONE
            behind[x, other_word] |= other_bit
            for j in range(words):
                behind[x, j] |= behind[other, j]


@jit
def follow(
    lead: Word, word: Word, first: int, n: int, leads_0: bool, leads_1: bool,
    rings: NDArray[np.int64], below: Bits, above: Bits,
) -> int:  # fmt: skip
    """Play `lead`, then `word` over and over, until the arrangement after `lead` comes back.

    Parameters
    ----------
    lead, word : int8 arrays
        Results; `word` has as many of either kind.
    first, n : int
        Cards of seat 0, and of both. Cards are numbered from 0, top to bottom, seat 0 first.
    leads_0, leads_1 : bool
        Whether the winner's card comes first in the pot when seat 0, when seat 1 wins.
    rings : int64 array, shape (4, RING)
        Workspace.
    below : uint64 array, shape (n, ceil(n / 64))
        Written: bit y of row x is set where card x is stronger than card y.
    above : uint64 array, same shape
        Written: the same upside down.

    Returns
    -------
    int
        Battles around the loop; 0 if a card came to beat itself, a packet ran out, or the limit
        came first.
    """
    for i in range(len(below)):
        for j in range(below.shape[1]):
            below[i, j] = above[i, j] = 0
    for i in range(first):
        rings[0, i] = i
    for i in range(n - first):
        rings[1, i] = first + i
    head_0 = head_1 = 0
    len_0 = first
    size, tail = len(word), len(lead)
    stop = tail + MOST_BATTLES
    battles, at, loop_size, loop_0, loop_1 = 0, 0, -1, 0, 0
    while battles < stop:
        if battles >= tail and at == 0:
            if loop_size < 0:
                loop_size, loop_0, loop_1 = len_0, head_0, head_1
                for i in range(RING):
                    rings[2, i], rings[3, i] = rings[0, i], rings[1, i]
            elif _is_back(rings, head_0, head_1, len_0, n, loop_0, loop_1):
                return battles - tail
        if len_0 == 0 or len_0 == n:
            return 0
        a, b = rings[0, head_0], rings[1, head_1]
        if battles < tail:
            wins = lead[battles]
        else:
            wins = word[at]
            at += 1
            if at == size:
                at = 0
        winner, loser = (a, b) if wins else (b, a)
        if not add_pair(winner, loser, below, above):
            return 0
        one, two = (winner, loser) if (leads_0 if wins else leads_1) else (loser, winner)
        head_0, head_1 = (head_0 + 1) & MASK, (head_1 + 1) & MASK
        if wins:
            rings[0, (head_0 + len_0 - 1) & MASK] = one
            rings[0, (head_0 + len_0) & MASK] = two
            len_0 += 1
        else:
            len_1 = n - len_0
            rings[1, (head_1 + len_1 - 1) & MASK] = one
            rings[1, (head_1 + len_1) & MASK] = two
            len_0 -= 1
        battles += 1
    return 0


@jit
def _is_back(
    rings: NDArray[np.int64], head_0: int, head_1: int, len_0: int, n: int, loop_0: int, loop_1: int
) -> bool:
    """Whether both packets are as kept in the last two rows; the sizes are."""
    for i in range(len_0):
        if rings[0, (head_0 + i) & MASK] != rings[2, (loop_0 + i) & MASK]:
            return False
    for i in range(n - len_0):
        if rings[1, (head_1 + i) & MASK] != rings[3, (loop_1 + i) & MASK]:
            return False
    return True


@jit
def next_word(word: Word) -> bool:
    """Turn a balanced word that never falls below its start into the next; False after the last.

    The order is lexicographic with 1 before 0, from 1…10…0 to 1010…10.
    """
    size = len(word)
    ones, height = 0, 0
    for i in range(size - 1, -1, -1):
        # `height` is the height after position i, `ones` the ones behind it.
        if word[i] and height >= 2:
            word[i] = 0
            ones += 1
            for j in range(i + 1, size):
                word[j] = 1 if ones > 0 else 0
                ones -= 1
            return True
        ones += word[i]
        height -= 1 if word[i] else -1
    return False


@jit
def scan(
    word: Word, most: int, n: int, leads_0: bool, leads_1: bool, rings: NDArray[np.int64],
    below: Bits, above: Bits,
    found: NDArray[np.int64], words: NDArray[np.int8],
) -> tuple[int, int, int, bool]:  # fmt: skip
    """Try `word` and those after it, from every size of seat 0's packet.

    Parameters
    ----------
    word : int8 array
        Changed in place: the word to go on with.
    most : int
        Words to try.
    n, leads_0, leads_1, rings, below, above
        As for `follow`.
    found : int64 array, shape (k, 2)
        Written: size of seat 0's packet at the start, battles around the loop.
    words : int8 array, shape (k, len(word))
        Written: the word.

    Returns
    -------
    words tried, patterns tried, hits, whether words are left

    Notes
    -----
    Every periodic sequence of results has a place where seat 0's packet is smallest; it is begun
    there. Where both seats are treated alike, only those in which seat 0 holds at least half of
    the cards on average are tried: the others are their mirror images.
    """
    size, alike = len(word), leads_0 == leads_1
    tried = patterns = hits = 0
    left = True
    while left and tried < most and hits < len(found):
        height = top = area = 0
        for i in range(size):
            height += 1 if word[i] else -1
            top = max(top, height)
            area += height
        least = 1
        if alike:
            least = max(1, (n * size - 2 * area + 2 * size - 1) // (2 * size))
        for first in range(least, n - top):
            patterns += 1
            period = follow(word[:0], word, first, n, leads_0, leads_1, rings, below, above)
            if period > 0 and hits < len(found):
                found[hits, 0], found[hits, 1] = first, period
                for i in range(size):
                    words[hits, i] = word[i]
                hits += 1
        tried += 1
        left = next_word(word)
    return tried, patterns, hits, left
