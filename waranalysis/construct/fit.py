"""Giving the cards of a partial order the strengths of a deck.

Strengths are given out from the lowest up. All copies of one go to cards that beat nothing but
cards which have theirs already: such cards never beat each other. This is scheduling: unit jobs
with precedence, one time slot a strength, as many machines as it has copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from waranalysis.errors import LimitError

NODES = 10_000


def chain_lengths(below: Sequence[int]) -> list[int]:
    """Cards on the longest chain that has each card at its top; `below` as for `fit`."""
    length = [0] * len(below)
    for card in sorted(range(len(below)), key=lambda x: below[x].bit_count()):
        length[card] = 1 + max((length[y] for y in bits(below[card])), default=0)
    return length


def bits(mask: int) -> Iterator[int]:
    """Yield the places of the bits that are set, lowest first."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def inverse(below: Sequence[int]) -> list[int]:
    """The order upside down: bit y of entry x is set where y is stronger."""
    above = [0] * len(below)
    for card, mask in enumerate(below):
        for other in bits(mask):
            above[other] |= 1 << card
    return above


def fit(
    below: Sequence[int],
    copies: Sequence[int],
    most: int = NODES,
    weights: Sequence[int] | None = None,
) -> tuple[int, ...] | None:
    """Assign levels to cards so that a card that beats another has the higher level.

    Parameters
    ----------
    below : sequence of int
        Bit y of ``below[x]`` is set where card x is stronger than card y; transitively closed.
    copies : sequence of int
        Cards of each level, lowest first; they sum to the number of cards.
    most : int
        Choices to try.
    weights : sequence of int, optional
        Copies of its level that each card takes: more than one where it stands for several equal
        cards.

    Returns
    -------
    tuple of int or None
        The level of each card; None if there is no assignment.

    Raises
    ------
    LimitError
        After `most` choices without an answer.

    Notes
    -----
    Depth first, level by level, with three cuts: sets of cards left over that failed before are
    not tried again; a chain of r cards needs r levels; and a card is chosen only together with
    all of its weight that can be chosen and lie below everything it lies below (if one of these
    came later, the two could change places).
    """
    search = _Search(below, copies, weights or [1] * len(below), most)
    return search.levels() if search.run() else None


def vary(
    below: Sequence[int], levels: Sequence[int], generator: Random, swaps: int
) -> tuple[int, ...]:
    """Another assignment of the same levels: `swaps` random pairs change places where they may."""
    above, level = inverse(below), list(levels)
    for _ in range(swaps):
        one, two = generator.sample(range(len(level)), 2)
        level[one], level[two] = level[two], level[one]
        if not all(_holds(card, below, above, level) for card in (one, two)):
            level[one], level[two] = level[two], level[one]
    return tuple(level)


def _holds(card: int, below: Sequence[int], above: Sequence[int], level: Sequence[int]) -> bool:
    return all(level[x] < level[card] for x in bits(below[card])) and all(
        level[x] > level[card] for x in bits(above[card])
    )


@dataclass
class _Frame:
    left: int
    choices: Iterator[int]


class _Search:
    def __init__(
        self, below: Sequence[int], copies: Sequence[int], weights: Sequence[int], most: int
    ) -> None:
        self.below = below
        self.weights = weights
        self.above = inverse(below)
        self.copies = copies
        self.most = most
        self.up = chain_lengths(self.above)
        self.failed: set[int] = set()
        self.chosen: list[int] = []

    def run(self) -> bool:
        left = (1 << len(self.below)) - 1
        stack = [_Frame(left, self._choices(left, 0))]
        tried = 0
        while stack:
            frame = stack[-1]
            choice = next(frame.choices, None)
            if choice is None:
                self.failed.add(frame.left)
                stack.pop()
                del self.chosen[-1:]
                continue
            tried += 1
            if tried > self.most:
                raise LimitError(f"no assignment of strengths in {self.most} choices")
            left, level = frame.left & ~choice, len(stack)
            if left in self.failed or not self._has_room(left, level):
                continue
            self.chosen.append(choice)
            if level == len(self.copies):
                return True
            stack.append(_Frame(left, self._choices(left, level)))
        return False

    def levels(self) -> tuple[int, ...]:
        level = [0] * len(self.below)
        for number, choice in enumerate(self.chosen):
            for card in bits(choice):
                level[card] = number
        return tuple(level)

    def _has_room(self, left: int, level: int) -> bool:
        """Whether the cards that head long chains still find a place low enough."""
        heads = [0] * (len(self.below) + 1)
        for card in bits(left):
            heads[self.up[card]] += self.weights[card]
        needing, levels = 0, len(self.copies) - level
        for chain in range(len(self.below), 0, -1):
            needing += heads[chain]
            last = max(levels - chain + 1, 0)
            if needing > sum(self.copies[level : level + last]):
                return False
        return True

    def _choices(self, left: int, level: int) -> Iterator[int]:
        """Sets of cards that may have this level, closed as the notes of `fit` say."""
        free = [card for card in bits(left) if not self.below[card] & left]
        free.sort(key=lambda card: (-self.up[card], -self.above[card].bit_count(), card))
        before = [self._before(card, free) for card in free]
        weights = [self.weights[card] for card in free]
        rest = [sum(weights[place:]) for place in range(len(free) + 1)]
        # Each entry: place in `free`, cards chosen, how many are still wanted.
        stack = [(0, 0, self.copies[level])]
        while stack:
            place, chosen, wanted = stack.pop()
            if wanted == 0:
                yield chosen
            elif rest[place] >= wanted:
                stack.append((place + 1, chosen, wanted))
                weight = self.weights[free[place]]
                if weight <= wanted and before[place] & ~chosen == 0:
                    stack.append((place + 1, chosen | 1 << free[place], wanted - weight))

    def _before(self, card: int, free: Sequence[int]) -> int:
        """The cards that must be chosen when `card` is."""
        mine, mask = self.above[card], 0
        for other in free:
            theirs = self.above[other]
            if self.weights[other] != self.weights[card]:
                continue
            if theirs | mine == theirs and (theirs != mine or other < card):
                mask |= 1 << other
        return mask
