"""Compiled nodes: both results of the next comparison, and what each comes to."""

from typing import Any

import numpy as np

from waranalysis.kernels.jit import inline, jit
from waranalysis.order.board import (
    arrange,
    forced,
    forced_piles,
    lay_out,
    relate,
)  # fmt: skip
from waranalysis.order.key import canonical, decode, key_hash
from waranalysis.order.laps import note_lap
from waranalysis.order.layout import (
    BUCKETS,
    DECISION,
    DEPTH,
    EACH_DEPTH,
    ENDS,
    FIRST0,
    FIRST1,
    KEEP,
    KEY,
    LAPS,
    LOOP,
    MAX_DEPTH,
    RING,
    ROW,
    STACKED,
    SWAP,
    WIDTH,
    WON0,
    Ints,
    N,
    Words,
)  # fmt: skip
from waranalysis.order.leaves import keep_longest, score
from waranalysis.order.rows import append, distinct, release


@inline
def depth_of(p: Ints, row: Words) -> Any:
    """Battles up to a node, as far as they are kept."""
    if p[DEPTH] == MAX_DEPTH:
        return np.int64(row[p[ROW] - 1])
    if p[DEPTH] == EACH_DEPTH:
        return np.int64(row[p[WIDTH]])
    return np.int64(0)


@inline
def emit(
    p: Ints, row: Words, pool: Words, link: Ints, ends: Ints, free: Ints, s: Ints, key: Words,
    spare: Words, layer: int, battles: int,
) -> None:  # fmt: skip
    """Append the node at PLACE, with the multiplicity of ``row``, to its list."""
    canonical(s, p[N], p[WIDTH], p[STACKED], p[SWAP], key, spare)
    if p[DEPTH] == EACH_DEPTH:
        key[p[WIDTH]] = np.uint64(battles)
    bucket = np.int64(key_hash(key, 0, p[KEY]) >> np.uint64(24)) % p[BUCKETS]
    new = append(link, ends, free, layer * p[BUCKETS] + bucket) * p[ROW]
    for i in range(p[KEY]):
        pool[new + i] = key[i]
    for i in range(p[KEY], p[ROW]):
        pool[new + i] = row[i]
    if p[DEPTH] == MAX_DEPTH:
        pool[new + p[ROW] - 1] = np.uint64(battles)


@inline
def expand(
    p: Ints, row: Words, pool: Words, link: Ints, ends: Ints, free: Ints, s: Ints, key: Words,
    spare: Words, tally: Words, laps: Words, best: Ints, counts: Words, ideals: Ints, last: Words,
) -> int:  # fmt: skip
    """Both results of the next comparison; return how many rows were appended.

    The first half of ``tally`` is for loops, by period, the second for ends, by battles.
    """
    n, stacked = p[N], p[STACKED]
    decode(row, n, stacked, s)
    depth = depth_of(p, row)
    appended = 0
    for winner in range(2):
        lay_out(s)
        layer = relate(s, n, s[RING + 64 * (1 - winner)], s[RING + 64 * winner])
        if stacked:
            outcome, length = forced_piles(s, p[FIRST0], p[FIRST1])
        else:
            outcome, length = forced(s, p[FIRST0], p[FIRST1])
        arrange(s)
        looped = outcome == LOOP
        told = length if looped else depth + length
        if looped or (p[ENDS] and outcome != DECISION):
            start = 0 if looped else len(tally) // 2
            score(p, row, told, s, tally, start, counts, ideals, last)
        if outcome == DECISION or (looped and p[KEEP]):
            if looped:
                layer = n * (n - 1) // 2 + 1
            emit(p, row, pool, link, ends, free, s, key, spare, layer, told)
            appended += outcome == DECISION
        if looped and p[LAPS]:
            note_lap(p, s, length, laps)
        if not looped and outcome != DECISION and p[DEPTH] and told >= best[0]:
            keep_longest(best, told, outcome - WON0, s, n)
    return appended


@jit
def process(
    p: Ints, pool: Words, link: Ints, lists: Ints, ends: Ints, free: Ints, table: Ints,
    unique: Ints, s: Ints, row: Words, key: Words, spare: Words, tally: Words, laps: Words,
    best: Ints, counts: Words, ideals: Ints, last: Words,
) -> tuple[int, int]:  # fmt: skip
    """Merge some lists, expand every node, give the chunks back.

    Return the number of nodes and of rows appended.
    """
    nodes = distinct(p, pool, link, lists, table, unique)
    appended = 0
    width = p[ROW]
    for i in range(nodes):
        for j in range(width):
            row[j] = pool[unique[i] * width + j]
        appended += expand(
            p, row, pool, link, ends, free, s, key, spare, tally, laps, best, counts, ideals, last
        )
    release(link, lists, free)
    return nodes, appended
