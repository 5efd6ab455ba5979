"""Compiled laps: which cards beat which on a loop alone."""

import numpy as np

from waranalysis.kernels.jit import inner
from waranalysis.order.board import capture
from waranalysis.order.key import nibble_tables, renumbered
from waranalysis.order.layout import (
    AFTER,
    FIRST0,
    FIRST1,
    HEADS,
    LAP,
    NUMBER,
    PLACE,
    RING,
    SIZES,
    TOKEN,
    WEAKER,
    Ints,
    N,
    Words,
    lowest,
)  # fmt: skip

# Entries of a table of laps: the cards of packet 0; by place, the mask of places of the cards
# that are beaten; and 0 (no entry), SEEN or WHOLE. The last word of the table is their number.
ENTRIES = 1 << 14
SEEN, WHOLE = np.uint64(1), np.uint64(3)


@inner
def go_round(s: Ints, n: int, period: int, first0: int, first1: int) -> None:
    """LAP is, by token, the mask of those it beats in ``period`` battles from the rings."""
    for x in range(n):
        s[LAP + x] = 0
    head0, head1, cards0, cards1 = s[HEADS], s[HEADS + 1], s[SIZES], s[SIZES + 1]
    for _ in range(period):
        x = s[RING + (head0 & 63)]
        y = s[RING + 64 + (head1 & 63)]
        win1 = (s[AFTER + y] >> x) & 1
        s[LAP + (y if win1 else x)] |= 1 << (x if win1 else y)
        head0 += 1
        head1 += 1
        end = head1 + cards1 - 1 if win1 else head0 + cards0 - 1
        capture(s, x, y, win1, first1 if win1 else first0, end)
        cards0 += 1 - 2 * win1
        cards1 -= 1 - 2 * win1


@inner
def lap_is_all(s: Ints, n: int) -> bool:
    """Whether AFTER says no more than LAP, which is closed as far as need be."""
    for count in range(n):
        for x in range(n):
            if s[WEAKER + x] != count:
                continue
            mask = s[LAP + x]
            while mask:
                s[LAP + x] |= s[LAP + lowest(mask)]
                mask &= mask - 1
            if s[LAP + x] != s[AFTER + x]:
                return False
    return True


@inner
def note_lap(p: Ints, s: Ints, period: int, laps: Words) -> None:
    """Enter the loop at PLACE into a table; WHOLE if its order says no more than its lap does.

    A table that is three quarters full takes no more.
    """
    n = p[N]
    go_round(s, n, period, p[FIRST0], p[FIRST1])
    for i in range(n):
        s[NUMBER + s[PLACE + i]] = i
    nibble_tables(s, n)
    h = np.uint64(s[SIZES])
    for i in range(n):
        s[TOKEN + i] = renumbered(s, n, s[LAP + s[PLACE + i]])
        h = (h ^ np.uint64(s[TOKEN + i])) * np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
    slot = np.int64(h & np.uint64(ENTRIES - 1))
    while True:
        at = slot * (n + 2)
        if laps[at + n + 1] == 0:
            if 4 * laps[len(laps) - 1] >= 3 * ENTRIES:
                return
            laps[len(laps) - 1] += np.uint64(1)
            laps[at] = s[SIZES]
            for i in range(n):
                laps[at + 1 + i] = s[TOKEN + i]
            laps[at + n + 1] = SEEN
        same = laps[at] == np.uint64(s[SIZES])
        for i in range(n):
            same &= laps[at + 1 + i] == np.uint64(s[TOKEN + i])
        if same:
            if laps[at + n + 1] != WHOLE and lap_is_all(s, n):
                laps[at + n + 1] = WHOLE
            return
        slot = (slot + 1) & (ENTRIES - 1)
