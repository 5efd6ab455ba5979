"""Games with wars, played on cards whose strengths are not known, only who wins and who ties.

A word is as in `waranalysis.kernels.pattern`, one letter for each pair of cards laid. A war is a
stretch of equal letters that is one turn: the first pair ties, so do all that are turned up later
but the last, and those face down are not compared. Kept are two closed relations: "at least as
strong", and "stronger". Cards that are at least as strong as each other are equal, and only so
many can be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waranalysis.kernels.jit import jit
from waranalysis.kernels.pattern import MASK, MOST_BATTLES, lowest_bit, next_word

Word = NDArray[np.int8]
Array = NDArray[np.int64]
Bits = NDArray[np.uint64]

NATURAL, ROWS, SORTED = range(3)
# Rows of the three relations of cards: not weaker ones below, above, and weaker ones below.
BELOW, ABOVE, STRICT = range(3)
_ONE, _NONE = np.uint64(1), np.uint64(0)


@jit
def bit_count(word: np.uint64) -> int:
    """Number of bits that are set."""
    count = 0
    while word:
        word &= word - _ONE
        count += 1
    return count


@jit
def add_pair(winner: int, loser: int, strict: bool, order: Bits, most: int) -> bool:
    """Add "at least as strong", or "stronger", to the relations; False if they then contradict.

    So they do where a card is stronger than itself, and where more than `most` are equal.
    """
    win_bit, lose_bit = _ONE << np.uint64(winner), _ONE << np.uint64(loser)
    if order[STRICT if strict else BELOW, winner] & lose_bit:
        return True
    low = order[BELOW, loser] | lose_bit
    weaker = order[STRICT, loser]
    high = order[ABOVE, winner] | win_bit
    left = high
    while left:
        x: int = lowest_bit(left)
        left &= left - _ONE
        bit = _ONE << np.uint64(x)
        more = low if strict or order[STRICT, x] & win_bit else weaker
        order[STRICT, x] |= more
        if order[STRICT, x] & bit:
            return False
        order[BELOW, x] = (order[BELOW, x] | low) & ~bit
    left = low
    while left:
        y: int = lowest_bit(left)
        left &= left - _ONE
        order[ABOVE, y] = (order[ABOVE, y] | high) & ~(_ONE << np.uint64(y))
    return strict or bit_count(order[BELOW, winner] & order[ABOVE, winner]) < most


@jit
def place(layer: int, layers: int, loser: bool, pots: int, leads: bool) -> int:
    """Place in the pot of a card of a row."""
    second = loser == leads
    if layers == 1:
        return int(second)
    if pots in (NATURAL, SORTED):
        return 2 * (layers - 1 - layer) + loser
    return layer + layers * second


@jit
def compare(
    rings: Array, head_0: int, head_1: int, layers: int, wins: bool, down: int, pots: int,
    order: Bits, most: int,
) -> bool:  # fmt: skip
    """Add what one turn tells; False if it contradicts."""
    for j in range(0, layers, down + 1):
        a, b = rings[0, (head_0 + j) & MASK], rings[1, (head_1 + j) & MASK]
        if j + 1 == layers:
            winner, loser = (a, b) if wins else (b, a)
            if not add_pair(winner, loser, True, order, most):
                return False
        elif not (add_pair(a, b, False, order, most) and add_pair(b, a, False, order, most)):
            return False
    if pots == SORTED and layers > 1:
        # The pot of `natural` is sorted where no layer is weaker than the one laid before it.
        loser = b if wins else a
        for j in range(layers - 2, -1, -1):
            tied = rings[0, (head_0 + j) & MASK]
            if loser != tied and not add_pair(loser, tied, False, order, most):
                return False
            loser = tied
    return True


@jit
def follow(
    word: Word, turns: Array, first: int, n: int, down: int, pots: int, leads: bool, most: int,
    rings: Array, order: Bits,
) -> int:  # fmt: skip
    """Play a word over and over until the arrangement of the cards comes back.

    Parameters
    ----------
    word : int8 array
        1 where seat 0 captures the pair of cards.
    turns : int64 array
        Pairs laid in the turn that begins with each letter.
    first, n : int
        Cards of seat 0 and of both; up to 64.
    down : int
        Cards face down in a war.
    pots : int
        ROWS; with none face down also NATURAL, and SORTED for those of its pots that are in
        descending order.
    leads : bool
        Whether the winner's row comes first.
    most : int
        Cards that may be equal.
    rings : int64 array, shape (2, RING)
        Workspace.
    order : uint64 array, shape (3, n)
        Written: the relations.

    Returns
    -------
    int
        Pairs laid around the loop; 0 if the results contradict, or a packet is too short.
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
        layers, wins = turns[at], word[at] == 1
        if min(len_0, n - len_0) < layers:
            return 0
        if not compare(rings, head_0, head_1, layers, wins, down, pots, order, most):
            return 0
        seat = 0 if wins else 1
        end = head_0 + len_0 if wins else head_1 + n - len_0
        for j in range(layers):
            a, b = rings[0, (head_0 + j) & MASK], rings[1, (head_1 + j) & MASK]
            winner, loser = (a, b) if wins else (b, a)
            rings[seat, (end + place(j, layers, False, pots, leads)) & MASK] = winner
            rings[seat, (end + place(j, layers, True, pots, leads)) & MASK] = loser
        head_0, head_1 = (head_0 + layers) & MASK, (head_1 + layers) & MASK
        len_0 += layers if wins else -layers
        played += layers
        at = (at + layers) % len(word)
    return 0


@jit
def _is_back(rings: Array, head_0: int, head_1: int, first: int, n: int) -> bool:
    """Whether the cards lie as at the start; the sizes of the packets do."""
    for i in range(first):
        if rings[0, (head_0 + i) & MASK] != i:
            return False
    for i in range(n - first):
        if rings[1, (head_1 + i) & MASK] != first + i:
            return False
    return True


@jit
def next_wars(word: Word, turns: Array, down: int, most: int) -> bool:
    """Turn the wars of a word into the next choice of up to `most`; False after the last.

    A choice is read as a number with a digit for each letter, the pairs of its turn; from the
    right, the first digit that can grow does, and those behind it become 1.
    """
    size, wars = len(word), 0
    for i in range(size):
        wars += turns[i] > 1
    for i in range(size - 1, -1, -1):
        inside = False
        for j in range(i):
            inside |= j + turns[j] > i
        if inside:
            continue
        old = turns[i]
        wars -= old > 1
        longer = old + down + 1
        if wars < most and i + longer <= size and _is_run(word, i, longer):
            turns[i] = longer
            return True
        turns[i] = 1
    return False


@jit
def _is_run(word: Word, start: int, length: int) -> bool:
    for i in range(start + 1, start + length):
        if word[i] != word[start]:
            return False
    return True


@jit
def scan(
    word: Word, words: int, n: int, down: int, pots: int, leads: bool, most: int, wars: int,
    turns: Array, rings: Array, order: Bits, found: Array, found_words: Word, found_turns: Array,
) -> tuple[int, int, int, bool]:  # fmt: skip
    """Try `word` and those after it, with every choice of 1 to `wars` wars, from every size.

    Parameters as for `follow` and `waranalysis.kernels.pattern.scan`; `turns` is workspace, and
    `found_turns` is written.

    Returns
    -------
    words tried, patterns tried, hits, whether words are left
    """
    size, tried, patterns, hits, left = len(word), 0, 0, 0, True
    while left and tried < words and hits < len(found):
        height = top = area = 0
        for i in range(size):
            height += 1 if word[i] else -1
            top = max(top, height)
            area += height
            turns[i] = 1
        least = max(1, (n * size - 2 * area + 2 * size - 1) // (2 * size))
        while next_wars(word, turns, down, wars):
            for first in range(least, n - top):
                patterns += 1
                played = follow(word, turns, first, n, down, pots, leads, most, rings, order)
                if played > 0 and hits < len(found):
                    found[hits, 0], found[hits, 1] = first, played
                    for i in range(size):
                        found_words[hits, i], found_turns[hits, i] = word[i], turns[i]
                    hits += 1
        tried += 1
        left = next_word(word)
    return tried, patterns, hits, left
