"""Compiled leaves: the deals of a branch that is settled, and the longest game that ends."""

from typing import Any

import numpy as np

from waranalysis.kernels.jit import inline, inner
from waranalysis.order.layout import (
    AFTER,
    DEALS,
    DEALS_PRIME,
    KEY,
    LEAVES,
    PERIOD,
    PLACE,
    PRIME,
    SIZES,
    TALLY,
    TWO,
    Ints,
    N,
    Words,
    lowest,
)  # fmt: skip


@inline
def covers(s: Ints, n: int, ideals: Ints) -> None:
    """``ideals[x]``: the set of the tokens that are next above ``x``."""
    for x in range(n):
        ideals[x] = 0
    for y in range(n):
        far = 0
        mask = s[AFTER + y]
        while mask:
            far |= s[AFTER + lowest(mask)]
            mask &= mask - 1
        mask = s[AFTER + y] & ~far
        while mask:
            ideals[lowest(mask)] |= 1 << y
            mask &= mask - 1


@inner
def extensions(s: Ints, n: int, prime: int, counts: Words, ideals: Ints, last: Words) -> None:
    """Linear extensions of AFTER modulo ``prime``, or modulo 2^64 if it is 0.

    ``last[x]`` becomes the number of those that end with ``x``. ``counts`` has 2^n zeros before
    and after. ``ideals`` is work space: covers, then two levels of pairs (ideal, what may be
    added). A count that is 0 by the modulus may list an ideal twice, which adds nothing.
    """
    covers(s, n, ideals)
    half = (len(ideals) - 32) // 2
    now, then = 32, 32 + half
    start = 0
    for x in range(n):
        last[x] = 0
        if s[AFTER + x] == 0:
            start |= 1 << x
    ideals[now] = 0
    ideals[now + 1] = start
    counts[0] = 1
    size = 1
    whole = (1 << n) - 1
    for _ in range(n - 1):
        fresh = then
        for i in range(now, now + 2 * size, 2):
            ideal = ideals[i]
            can = ideals[i + 1]
            count = counts[ideal]
            counts[ideal] = 0
            mask = can
            while mask:
                bit = mask & -mask
                mask ^= bit
                more = ideal | bit
                old = counts[more]
                if old == 0:
                    allowed = can ^ bit
                    up = ideals[lowest(bit)]
                    while up:
                        y = lowest(up)
                        up &= up - 1
                        if s[AFTER + y] & ~more == 0:
                            allowed |= 1 << y
                    ideals[fresh] = more
                    ideals[fresh + 1] = allowed
                    fresh += 2
                old += count
                counts[more] = old % np.uint64(prime) if prime else old
        size = (fresh - then) // 2
        now, then = then, now
    for i in range(now, now + 2 * size, 2):
        ideal = ideals[i]
        last[lowest(whole ^ ideal)] += counts[ideal]
        counts[ideal] = 0


@inline
def tally_line(tally: Words, start: int, period: int) -> int:
    """Where the line of a period begins, a new one (the first with no leaves) if need be."""
    at = start
    while tally[at + LEAVES] != 0 and tally[at + PERIOD] != np.uint64(period):
        at += TALLY
    tally[at + PERIOD] = np.uint64(period)
    tally[at + LEAVES] += np.uint64(1)
    return at


@inner
def score(
    p: Ints,
    row: Words,
    period: int,
    s: Ints,
    tally: Words,
    start: int,
    counts: Words,
    ideals: Ints,
    last: Words,
) -> None:
    """Add the deals of the leaf at PLACE to the line of ``period`` (from ``start`` on).

    The strongest card never changes hands, so the seat that has it is the seat that was dealt it.
    """
    n = p[N]
    line = tally_line(tally, start, period)
    side = s[SIZES] + s[SIZES + 2]
    for word in range(2 if p[TWO] else 1):
        prime: Any = np.int64(PRIME) if word else 0
        extensions(s, n, prime, counts, ideals, last)
        for seat in range(2):
            deals = np.uint64(0)
            for i in range(side * seat, n if seat else side):
                deals += last[s[PLACE + i]]
            at = line + (DEALS_PRIME if word else DEALS) + seat
            if word:
                tally[at] = (tally[at] + deals % PRIME * row[p[KEY] + 1]) % PRIME
            else:
                tally[at] += deals * row[p[KEY]]


@inner
def keep_longest(best: Ints, battles: int, winner: int, s: Ints, n: int) -> None:
    """Keep the longest game: battles, winner, order of the final packet; the least of equals."""
    mine = 33
    best[mine] = winner
    for i in range(n):
        x = 0
        for j in range(n):
            x |= ((s[AFTER + s[PLACE + i]] >> s[PLACE + j]) & 1) << j
        best[mine + 1 + i] = x
    less = battles > best[0]
    if battles == best[0]:
        for i in range(n + 1):
            if best[mine + i] != best[1 + i]:
                less = best[mine + i] < best[1 + i]
                break
    if less:
        best[0] = battles
        for i in range(n + 1):
            best[1 + i] = best[mine + i]
