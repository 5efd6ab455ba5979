"""Linear extensions of partial orders: counted exactly, listed, drawn at random.

An order is a tuple of bit masks: the mask of x has bit y if y is weaker than x; it is closed
transitively. The count runs over the *ideals* (sets that hold, with a card, all weaker ones) as
bit masks: the extensions of an ideal are the sum, over its greatest elements, of those of the
ideal without it. Before that the order is taken apart: unrelated parts mix in a multinomial
number of ways, and cards that are related to all others cut it into parts that follow each other.
So the cost is that of the ideals of the largest indecomposable part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import comb
from random import Random

Order = tuple[int, ...]


def members(mask: int) -> Iterator[int]:
    """The bits set in a mask, from the lowest."""
    while mask:
        bit = mask & -mask
        yield bit.bit_length() - 1
        mask ^= bit


def count_extensions(order: Sequence[int]) -> int:
    """Number of linear extensions, exact at any size.

    Parameters
    ----------
    order : sequence of int
        Masks of weaker elements, closed transitively.

    Examples
    --------
    >>> count_extensions((0, 0, 0b011))
    2
    """
    total = 1
    parts = [(1 << len(order)) - 1]
    while parts:
        part = parts.pop()
        pieces = _components(order, part)
        if len(pieces) > 1:
            left = part.bit_count()
            for piece in pieces:
                total *= comb(left, piece.bit_count())
                left -= piece.bit_count()
            parts += pieces
            continue
        pieces = _blocks(order, part)
        if len(pieces) > 1:
            parts += pieces
        else:
            total *= _count_ideals(order, part)
    return total


def _neighbours(order: Sequence[int], part: int) -> dict[int, int]:
    """For each element of `part`, the elements of it that are related to it, and itself."""
    near = {x: (order[x] & part) | 1 << x for x in members(part)}
    for x in members(part):
        for y in members(order[x] & part):
            near[y] |= 1 << x
    return near


def _components(order: Sequence[int], part: int) -> list[int]:
    """Parts of `part` with no relation between them."""
    near = _neighbours(order, part)
    pieces = []
    while part:
        piece, fringe = 0, part & -part
        while fringe:
            piece |= fringe
            reached = 0
            for x in members(fringe):
                reached |= near[x]
            fringe = reached & ~piece
        pieces.append(piece)
        part &= ~piece
    return pieces


def _blocks(order: Sequence[int], part: int) -> list[int]:
    """Parts of `part` each of which is wholly below the next one."""
    pieces = []
    begun = 0
    elements = sorted(members(part), key=lambda x: (order[x] & part).bit_count())
    ideal = 0
    # An ideal that lies below all the rest ends a block; ideals grow in this order of elements.
    for i, x in enumerate(elements):
        ideal |= 1 << x
        rest = elements[i + 1 :]
        if all(order[y] & ideal == ideal for y in rest):
            pieces.append(ideal & ~begun)
            begun = ideal
    return pieces


def _levels(order: Sequence[int], part: int) -> Iterator[dict[int, int]]:
    """The ideals of `part` with their numbers of extensions, by number of elements."""
    level = {0: 1}
    yield level
    for _ in range(part.bit_count()):
        larger: dict[int, int] = {}
        for ideal, count in level.items():
            for x in members(part & ~ideal):
                if order[x] & part & ~ideal == 0:
                    more = ideal | 1 << x
                    larger[more] = larger.get(more, 0) + count
        level = larger
        yield level


def _count_ideals(order: Sequence[int], part: int) -> int:
    # Only the last level is wanted; a deque of one keeps no other.
    (last,) = deque(_levels(order, part), 1)
    return last[part]


def first_extension(order: Sequence[int]) -> tuple[int, ...]:
    """Ranks of the elements, the weakest 0, in the extension that takes low numbers early."""
    return next(extensions_of(order))


def extensions_of(order: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the ranks of the elements in every linear extension."""
    n = len(order)
    if n == 0:
        yield ()
        return
    chosen: list[int] = []
    ideal = 0
    choices = [iter(_minimal(order, 0, n))]
    while choices:
        x = next(choices[-1], None)
        if x is None:
            choices.pop()
            if chosen:
                ideal ^= 1 << chosen.pop()
            continue
        chosen.append(x)
        ideal |= 1 << x
        if len(chosen) == n:
            yield _ranks(chosen)
            ideal ^= 1 << chosen.pop()
        else:
            choices.append(iter(_minimal(order, ideal, n)))


def random_extension(order: Sequence[int], generator: Random) -> tuple[int, ...]:
    """Ranks of the elements in a linear extension, all equally likely."""
    n = len(order)
    levels = list(_levels(order, (1 << n) - 1))
    chosen: list[int] = []
    ideal = (1 << n) - 1
    for level in levels[-2::-1]:
        smaller = [x for x in members(ideal) if ideal ^ 1 << x in level]
        weights = [level[ideal ^ 1 << x] for x in smaller]
        at = generator.randrange(sum(weights))
        # Exact where random.choices, with its floats, is not.
        x = smaller[bisect_right(list(accumulate(weights)), at)]
        chosen.append(x)
        ideal ^= 1 << x
    return _ranks(chosen[::-1])


def _minimal(order: Sequence[int], ideal: int, n: int) -> list[int]:
    return [x for x in range(n) if not ideal >> x & 1 and order[x] & ~ideal == 0]


def _ranks(chosen: Sequence[int]) -> tuple[int, ...]:
    ranks = [0] * len(chosen)
    for rank, x in enumerate(chosen):
        ranks[x] = rank
    return tuple(ranks)
