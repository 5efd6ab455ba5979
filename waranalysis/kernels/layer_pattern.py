"""Games whose pots lie in layers, played on cards whose strengths are not known.

In layers a war that a player wins leaves the pot as single battles would that the same player wins
one after the other. So a word, as in `waranalysis.kernels.pattern`, moves the cards in the same
way whatever is a war in it, and a war may come in one round and not in the next. What is certain
is less than without wars: in a stretch of equal letters that is long enough for a war, the first
pair may tie, the last is won, and those between may lie face down.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waranalysis.kernels.jit import jit
from waranalysis.kernels.pattern import MASK, MOST_BATTLES, next_word
from waranalysis.kernels.war_pattern import (
    ABOVE,
    BELOW,
    STRICT,
    Array,
    Bits,
    Word,
    _is_back,
    add_pair,
)

OPEN, NOT_WEAKER, STRONGER = range(3)
_NONE = np.uint64(0)


@jit
def certain(word: Word, down: int, known: Array) -> None:
    """Write what a letter tells for certain about the winner's card of its pair.

    Parameters
    ----------
    word : int8 array
        Periodic; both letters occur.
    down : int
        Cards face down in a war.
    known : int64 array, same length
        Written: OPEN, NOT_WEAKER or STRONGER.
    """
    size = len(word)
    for at in range(size):
        before = after = 0
        while word[(at - before - 1) % size] == word[at]:
            before += 1
        while word[(at + after + 1) % size] == word[at]:
            after += 1
        known[at] = STRONGER if after < down + 1 else NOT_WEAKER
        # The war that hides this pair was called by one of the `down` pairs before it.
        called = max(0, before - down)
        if called < before and called + down + 1 <= before + after:
            known[at] = OPEN


@jit
def follow(
    word: Word, known: Array, first: int, n: int, leads: bool, rings: Array, order: Bits
) -> int:
    """Play a word over and over until the arrangement of the cards comes back.

    Parameters
    ----------
    word, known
        As for `certain`.
    first, n : int
        Cards of seat 0 and of both; up to 64.
    leads : bool
        Whether the winner's card comes first in each layer.
    rings : int64 array, shape (2, RING)
        Workspace.
    order : uint64 array, shape (3, n)
        Written: the relations, as in `waranalysis.kernels.war_pattern`.

    Returns
    -------
    int
        Pairs laid around the loop; 0 if what is certain contradicts, a packet runs out, or the
        limit comes first.
    """
    for i in range(n):
        order[BELOW, i] = order[ABOVE, i] = order[STRICT, i] = _NONE
        rings[0, i] = i
        rings[1, i] = (first + i) % n
    head_0 = head_1 = at = played = 0
    len_0 = first
    while played < MOST_BATTLES:
        if at == 0 and played > 0 and _is_back(rings, head_0, head_1, first, n):
            return played
        if len_0 == 0 or len_0 == n:
            return 0
        a, b = rings[0, head_0], rings[1, head_1]
        wins = word[at] == 1
        winner, loser = (a, b) if wins else (b, a)
        if known[at] != OPEN and not add_pair(winner, loser, known[at] == STRONGER, order, n):
            return 0
        one, two = (winner, loser) if leads else (loser, winner)
        seat, end = (0, head_0 + len_0) if wins else (1, head_1 + n - len_0)
        rings[seat, end & MASK], rings[seat, (end + 1) & MASK] = one, two
        head_0, head_1 = (head_0 + 1) & MASK, (head_1 + 1) & MASK
        len_0 += 1 if wins else -1
        played += 1
        at = (at + 1) % len(word)
    return 0


@jit
def is_first(word: Word) -> bool:
    """Whether no other start at the least size gives a word that comes earlier, or the same."""
    size, height = len(word), 0
    for start in range(1, size):
        height += 1 if word[start - 1] else -1
        if height:
            continue
        later = False
        for i in range(size):
            other = word[(start + i) % size]
            if other != word[i]:
                later = other < word[i]
                break
        if not later:
            return False
    return True


@jit
def scan(
    word: Word, words: int, n: int, down: int, leads: bool, known: Array, rings: Array, order: Bits,
    found: Array, found_words: NDArray[np.int8],
) -> tuple[int, int, int, bool]:  # fmt: skip
    """Try `word` and those after it from every size; mirror images once.

    Parameters as for `follow` and `waranalysis.kernels.pattern.scan`; `known` is workspace.

    Returns
    -------
    words tried, patterns tried, hits, whether words are left
    """
    size, tried, patterns, hits, left = len(word), 0, 0, 0, True
    while left and tried < words and hits < len(found):
        tried += 1
        if is_first(word):
            height = top = area = 0
            for i in range(size):
                height += 1 if word[i] else -1
                top = max(top, height)
                area += height
            certain(word, down, known)
            least = max(1, (n * size - 2 * area + 2 * size - 1) // (2 * size))
            for first in range(least, n - top):
                patterns += 1
                played = follow(word, known, first, n, leads, rings, order)
                if played > 0 and hits < len(found):
                    found[hits, 0], found[hits, 1] = first, played
                    for i in range(size):
                        found_words[hits, i] = word[i]
                    hits += 1
        left = next_word(word)
    return tried, patterns, hits, left
