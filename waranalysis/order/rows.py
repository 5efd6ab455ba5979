"""Compiled lists of rows: appended, merged by key, given back.

Rows live in one pool, in chunks of CHUNK; a *list* is a chain of chunks, newest first, all full
but the newest.
"""

from typing import Any

import numpy as np

from waranalysis.kernels.jit import inline, inner, jit
from waranalysis.order.key import key_hash
from waranalysis.order.layout import DEPTH, KEY, MAX_DEPTH, PRIME, ROW, TWO, Ints, Words

CHUNK = 64


@inline
def append(link: Ints, ends: Ints, free: Ints, index: int) -> Any:
    """Row number of a new row of list ``index``.

    ``ends[2 i]`` is the newest chunk of list i (-1: none), ``ends[2 i + 1]`` its rows;
    ``free[0]`` the height of the stack of free chunks above it.
    """
    chunk = ends[2 * index]
    fill = ends[2 * index + 1]
    if chunk < 0 or fill == CHUNK:
        fresh = free[free[0]]
        free[0] -= 1
        link[fresh] = chunk
        ends[2 * index] = fresh
        chunk = fresh
        fill = 0
    ends[2 * index + 1] = fill + 1
    return chunk * CHUNK + fill


@inner
def release(link: Ints, lists: Ints, free: Ints) -> None:
    """Put the chunks of some lists on the stack of free ones."""
    for t in range(0, len(lists), 2):
        chunk = lists[t]
        while chunk >= 0:
            free[0] += 1
            free[free[0]] = chunk
            chunk = link[chunk]


@jit
def rows_in(link: Ints, lists: Ints) -> int:
    """Rows in some lists."""
    rows = 0
    for t in range(0, len(lists), 2):
        chunk = lists[t]
        fill = lists[t + 1]
        while chunk >= 0:
            rows += fill
            fill = CHUNK
            chunk = link[chunk]
    return rows


@inner
def distinct(p: Ints, pool: Words, link: Ints, lists: Ints, table: Ints, unique: Ints) -> int:
    """Merge the rows of some lists in place; fill ``unique`` and return how many differ.

    A slot of ``table`` (all -1 before) is a row number under 20 bits of its hash, which spare
    most comparisons of keys that differ; keys that agree there are compared in full.
    """
    key, width = p[KEY], p[ROW]
    mask = np.uint64(len(table) - 1)
    count = 0
    for t in range(0, len(lists), 2):
        chunk = lists[t]
        fill = lists[t + 1]
        while chunk >= 0:
            for row in range(chunk * CHUNK, chunk * CHUNK + fill):
                h = key_hash(pool, row * width, key)
                slot = h & mask
                tag = np.int64(h >> np.uint64(45)) << 43
                while True:
                    other = table[slot]
                    if other < 0:
                        table[slot] = tag | row
                        unique[count] = row
                        count += 1
                        break
                    same = (other ^ tag) & ((1 << 43) - 1)
                    if (other >> 43) == (tag >> 43) and merged(pool, row * width, same * width, p):
                        break
                    slot = (slot + np.uint64(1)) & mask
            chunk = link[chunk]
            fill = CHUNK
    return count


@inline
def merged(pool: Words, row: int, other: int, p: Ints) -> bool:
    """Add the row at ``row`` to the one at ``other`` if their keys are equal."""
    key = p[KEY]
    for i in range(key):
        if pool[row + i] != pool[other + i]:
            return False
    pool[other + key] += pool[row + key]
    if p[TWO]:
        pool[other + key + 1] = (pool[other + key + 1] + pool[row + key + 1]) % PRIME
    if p[DEPTH] == MAX_DEPTH:
        last = p[ROW] - 1
        if pool[row + last] > pool[other + last]:
            pool[other + last] = pool[row + last]
    return True


@jit
def gather(
    p: Ints, pool: Words, link: Ints, lists: Ints, free: Ints, table: Ints, unique: Ints, out: Words
) -> int:
    """Merge some lists into ``out``, give the chunks back; return the number of rows."""
    nodes = distinct(p, pool, link, lists, table, unique)
    width = p[ROW]
    for i in range(nodes):
        for j in range(width):
            out[i * width + j] = pool[unique[i] * width + j]
    release(link, lists, free)
    return nodes


@jit
def scatter(
    p: Ints, rows: Words, pool: Words, link: Ints, ends: Ints, free: Ints, index: int
) -> None:
    """Append rows to list ``index``."""
    width = p[ROW]
    for i in range(len(rows) // width):
        new = append(link, ends, free, index) * width
        for j in range(width):
            pool[new + j] = rows[i * width + j]


@jit
def copy_new(
    width: int, pool: Words, link: Ints, ends: Ints, marks: Ints, starts: Words, out: Words
) -> None:
    """Copy what was appended to the lists of a layer since their ``ends`` were ``marks``.

    ``starts[b]`` becomes the number of rows of the buckets before b. Nothing but that is done
    if ``out`` is empty.
    """
    buckets = len(starts) - 1
    at = 0
    for bucket in range(buckets):
        for i in range(2 * bucket, len(ends), 2 * buckets):
            chunk = ends[i]
            end = ends[i + 1]
            while chunk >= 0:
                begin = marks[i + 1] if chunk == marks[i] else 0
                if len(out):
                    for j in range((end - begin) * width):
                        out[at * width + j] = pool[(chunk * CHUNK + begin) * width + j]
                at += end - begin
                if chunk == marks[i]:
                    break
                chunk = link[chunk]
                end = CHUNK
        starts[bucket + 1] = at
