"""Compiled laps: what the battles of a loop alone say about its cards."""

from numba import njit

from waranalysis.order.board import arrange, capture, lay_out, repeats, save
from waranalysis.order.key import decode, encode
from waranalysis.order.layout import (
    AFTER, BELOW, FIRST0, FIRST1, HEADS, N, PLACE, RING, ROW, WEAKER, WIDTH, Ints, Words, ones,
)  # fmt: skip


@njit(cache=True, nogil=True)
def go_round(s: Ints, n: int, first0: int, first1: int) -> None:
    """BELOW is the closed order of the lap from the rings, which AFTER decides."""
    for x in range(n):
        s[BELOW + x] = 0
    save(s)
    while True:
        x = s[RING + s[HEADS]]
        y = s[RING + 64 + s[HEADS + 1]]
        winner = (s[AFTER + y] >> x) & 1
        strong = y if winner else x
        weak = x ^ y ^ strong
        if (s[BELOW + strong] >> weak) & 1 == 0:
            more = s[BELOW + weak] | (1 << weak)
            for z in range(n):
                if z == strong or (s[BELOW + z] >> strong) & 1:
                    s[BELOW + z] |= more
        capture(s, winner, first1 if winner else first0)
        if repeats(s):
            return


@njit(cache=True, nogil=True)
def lap_keys(p: Ints, rows: Words, s: Ints, key: Words, laps: Words) -> None:
    """For every row of a loop, the key of the same arrangement under the order of its lap."""
    n, width = p[N], p[WIDTH]
    for i in range(len(rows) // p[ROW]):
        for j in range(width):
            key[j] = rows[i * p[ROW] + j]
        decode(key, n, 0, s)
        for x in range(n):
            s[AFTER + x] = s[BELOW + x]
        lay_out(s)
        go_round(s, n, p[FIRST0], p[FIRST1])
        for x in range(n):
            s[AFTER + x] = s[BELOW + x]
            s[WEAKER + x] = ones(s[BELOW + x])
        arrange(s)
        encode(s, 0, n, 0, key)
        for j in range(width):
            laps[i * width + j] = key[j]
