"""Compiled keys: an arrangement of tokens and the order of them, in a few words."""

from typing import Any

import numpy as np

from waranalysis.kernels.jit import inline, inner, jit
from waranalysis.order.layout import (
    AFTER,
    ARR,
    BELOW,
    FROM,
    NIBBLES,
    NUMBER,
    PLACE,
    SIZES,
    START,
    TOKEN,
    WEAKER,
    Ints,
    Words,
    ones,
)  # fmt: skip

# Where the digit of position i stands in its word of the key: it takes values 0 .. i.
ONE_WORD = 19
DIGIT_MASK = np.array([(1 << i.bit_length()) - 1 for i in range(32)])
DIGIT = np.array(
    [sum(k.bit_length() for k in range(ONE_WORD * (i >= ONE_WORD), i)) for i in range(32)]
)
# Bits of a slot of the key, by number of cards: 4, 3 or 2 slots fill a word.
SLOT_BITS = np.array([16 if n <= 16 else 21 if n <= 21 else 32 for n in range(32)])


@inline
def renumber(s: Ints, n: int, place: int) -> None:
    """NUMBER of the tokens by (number of weaker ones, position): a linear extension."""
    for c in range(n + 1):
        s[START + c] = 0
    for x in range(n):
        s[START + s[WEAKER + x] + 1] += 1
    for c in range(1, n):
        s[START + c] += s[START + c - 1]
    for i in range(n):
        x = s[place + i]
        c = s[WEAKER + x]
        j = s[START + c]
        s[START + c] = j + 1
        s[NUMBER + x] = j
        s[TOKEN + j] = x


@inline
def nibble_tables(s: Ints, n: int) -> None:
    """NIBBLES[16 q + v]: the set v of the tokens 4q..4q+3, renumbered."""
    for q in range((n + 3) >> 2):
        base = NIBBLES + 16 * q
        s[base] = 0
        for i in range(4):
            bit = 1 << s[NUMBER + 4 * q + i]
            for v in range(1 << i):
                s[base + (1 << i) + v] = s[base + v] | bit


@inline
def renumbered(s: Ints, n: int, mask: int) -> int:
    """A set of tokens, renumbered by the tables."""
    out = 0
    for q in range((n + 3) >> 2):
        out |= s[NIBBLES + 16 * q + ((mask >> (4 * q)) & 15)]
    return out


@inner
def encode(s: Ints, seat: int, n: int, stacked: int, out: Words) -> None:
    """Key of the arrangement at PLACE, written twice over, under the order AFTER, ``seat`` first.

    Tokens are numbered by (number of weaker ones, position), an extension of the order, so only
    the triangle below the diagonal is written. First the numbers by position: for each, how many
    earlier positions have a lesser one. Then the rows of the triangle, row j and row n - j in
    one slot. The sizes, of the first packet, its pile and the other packet in five bits each,
    share the slot of row n/2, or have the last slot where there is none, or there are piles.
    """
    sizes = s[SIZES + seat] | (s[SIZES + 2 + seat] << 5) | (s[SIZES + 1 - seat] << 10)
    place = PLACE + seat * (s[SIZES] + s[SIZES + 2])
    renumber(s, n, place)
    nibble_tables(s, n)
    seen = 0
    at = 0
    word = np.uint64(0)
    for i in range(n):
        bit = 1 << s[NUMBER + s[place + i]]
        if i == ONE_WORD:
            out[at] = word
            word = np.uint64(0)
            at = 1
        word |= np.uint64(ones(seen & (bit - 1))) << np.uint64(DIGIT[i])
        seen |= bit
    out[at] = word
    width = SLOT_BITS[n]
    shift = 0
    word = np.uint64(0)
    for j in range(1, (n + 1) // 2):
        slot = renumbered(s, n, s[AFTER + s[TOKEN + j]])
        slot |= renumbered(s, n, s[AFTER + s[TOKEN + n - j]]) << j
        word |= np.uint64(slot) << np.uint64(shift)
        shift += width
        if shift + width > 64:
            at += 1
            out[at] = word
            word = np.uint64(0)
            shift = 0
    if n & 1 == 0:
        slot = renumbered(s, n, s[AFTER + s[TOKEN + n // 2]])
        if not stacked:
            slot |= (sizes & 31) << (n // 2)
        word |= np.uint64(slot) << np.uint64(shift)
        shift += width
    if (n & 1 or stacked) and shift + width > 64:
        at += 1
        out[at] = word
        word = np.uint64(0)
        shift = 0
    if n & 1 or stacked:
        word |= np.uint64(sizes if stacked else sizes & 31) << np.uint64(shift)
    out[at + 1] = word


@inline
def decode_numbers(words: Words, n: int, s: Ints) -> int:
    """ARR from the digits of a key; return how many words they take."""
    # Positions by number, four bits each, by insertion; positions from 16 on are put in after.
    line = np.uint64(0)
    few = n if n < 16 else 16
    for i in range(few):
        d = (words[0] >> np.uint64(DIGIT[i])) & np.uint64(DIGIT_MASK[i])
        low = (np.uint64(1) << (d << np.uint64(2))) - np.uint64(1)
        rest = line & ~low
        line = (line ^ rest) | (rest << np.uint64(4)) | (np.uint64(i) << (d << np.uint64(2)))
    for j in range(few):
        s[ARR + np.int64((line >> np.uint64(4 * j)) & np.uint64(15))] = j
    at = 0
    for i in range(16, n):
        if i == ONE_WORD:
            at = 1
        number = np.int64(words[at] >> np.uint64(DIGIT[i])) & DIGIT_MASK[i]
        for k in range(i):
            s[ARR + k] += 1 if s[ARR + k] >= number else 0
        s[ARR + i] = number
    return at + 1


def _decode(words: Words, n: int, stacked: int, s: Ints) -> None:
    """ARR, FROM and BELOW of a key, the tokens numbered as in it."""
    at = decode_numbers(words, n, s)
    width = SLOT_BITS[n]
    shift = 0
    s[BELOW] = 0
    sizes: Any = 0
    for j in range(1, n // 2 + 1):
        slot = np.int64(words[at] >> np.uint64(shift)) & ((1 << width) - 1)
        s[BELOW + j] = slot & ((1 << j) - 1)
        sizes = slot >> j
        if 2 * j < n:
            s[BELOW + n - j] = sizes & ((1 << (n - j)) - 1)
        shift += width
        if shift + width > 64:
            at += 1
            shift = 0
    if n & 1 or stacked:
        sizes = np.int64(words[at] >> np.uint64(shift))
    s[FROM] = sizes & 31
    s[FROM + 2] = s[FROM + 3] = 0
    s[FROM + 1] = n - s[FROM]
    if stacked:
        s[FROM + 2] = (sizes >> 5) & 31
        s[FROM + 1] = (sizes >> 10) & 31
        s[FROM + 3] = n - s[FROM] - s[FROM + 1] - s[FROM + 2]


# For compiled functions, and for Python.
decode, decode_key = inner(_decode), jit(_decode)


@inline
def seat_order(s: Ints, n: int) -> Any:
    """-1, 0, 1: whether seat 0 comes first by sizes and numbers of weaker tokens."""
    held0 = s[SIZES] + s[SIZES + 2]
    if 2 * held0 != n:
        return n - 2 * held0
    if s[SIZES] != s[SIZES + 1]:
        return s[SIZES + 1] - s[SIZES]
    for i in range(held0):
        d = s[WEAKER + s[PLACE + held0 + i]] - s[WEAKER + s[PLACE + i]]
        if d:
            return d
    return 0


@jit
def canonical(
    s: Ints, n: int, width: int, stacked: int, swap: int, out: Words, spare: Words
) -> None:
    """Key of the state at PLACE; the lesser of the two when the seats may be exchanged."""
    for i in range(n):
        s[PLACE + n + i] = s[PLACE + i]
    first = seat_order(s, n) if swap else -1
    seat = 1 if first > 0 else 0
    encode(s, seat, n, stacked, out)
    if first:
        return
    encode(s, 1 - seat, n, stacked, spare)
    for i in range(width):
        if spare[i] != out[i]:
            if spare[i] < out[i]:
                for j in range(width):
                    out[j] = spare[j]
            return


@inline
def key_hash(words: Words, at: int, width: int) -> np.uint64:
    """64-bit hash of the key that begins at ``words[at]``."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(width):
        h = (h ^ words[at + i]) * np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(29))
