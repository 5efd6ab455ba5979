"""Many deals of one deck through the compiled kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from waranalysis.cards import Deal, Deck
from waranalysis.kernels import climb, ring
from waranalysis.kernels import encode as codes
from waranalysis.rules import RuleSet

Rows = NDArray[np.uint8]
Fates = NDArray[np.int64]


def covered(deck: Deck, rules: RuleSet) -> bool:
    """Whether the kernel plays these rules with so many cards."""
    two = rules.players == 2 and rules.kind == "deterministic"
    return two and deck.size <= ring.CARDS_SHAPE[1]


class Batch:
    """Deals as rows of numbers: the cards of the first packet, then those of the second.

    Parameters
    ----------
    deck : Deck
    rules : RuleSet
        Both `covered`.
    sizes : sequence of two int
    """

    def __init__(self, deck: Deck, rules: RuleSet, sizes: Sequence[int]) -> None:
        place = codes.places(deck.cards, rules)
        self.deck = deck
        self.first, self.size = sizes[0], sum(sizes)
        self.code = codes.encode(rules, deck.cards)
        self.numbers = np.array([place[card] for card in deck.cards], np.uint8)
        self._strengths = {number: strength for strength, number in place.items()}
        self._work = np.zeros((3, *ring.CARDS_SHAPE), np.uint8)
        self._nums = np.zeros((4, 64), np.int64)
        self._rng = np.zeros(1, np.uint64)
        self._firsts = np.full(1, self.first, np.int64)
        self._sizes = np.full(1, self.size, np.int64)
        self._fates = np.zeros((1, ring.FATE_SIZE), np.int64)

    def shuffled(self, seed: int, start: int, count: int) -> Rows:
        """`count` random deals; the same for the same seed and `start`."""
        generator = np.random.default_rng([seed, start])
        return generator.permuted(np.tile(self.numbers, (count, 1)), axis=1)

    def fates(self, rows: Rows, bound: int) -> Fates:
        """Play every row; one row of fates each, columns as `ring.OUTCOME` and on."""
        fates = np.zeros((len(rows), ring.FATE_SIZE), np.int64)
        firsts, sizes = (np.full(len(rows), n, np.int64) for n in (self.first, self.size))
        ring.classify_many(
            rows, firsts, sizes, self.code, np.uint64(0), np.uint64(0), bound, True,
            self._work, self._nums, self._rng, fates,
        )  # fmt: skip
        return fates

    def climb(self, row: Rows, history: Fates, state: NDArray[np.uint64], steps: int, bound: int,
              stop_at_loops: bool, best: Rows, counts: Fates) -> bool:  # fmt: skip
        """Local search from a row, in place; see `waranalysis.kernels.climb`."""
        return climb.climb(
            row, self._firsts, self._sizes, self.code, steps, bound, history, state,
            stop_at_loops, best, counts,
            self._work, self._nums, self._rng, self._fates,
        )  # fmt: skip

    def deal(self, row: Rows) -> Deal:
        """A row as a deal."""
        cards = [self._strengths[int(number)] for number in row]
        return Deal((tuple(cards[: self.first]), tuple(cards[self.first :])), self.deck.naming)
