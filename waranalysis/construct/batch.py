"""Many deals of one deck through the compiled kernel: random ones, neighbours, whole small decks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from waranalysis.cards import Deal, Deck
from waranalysis.kernels import climb, ring
from waranalysis.kernels import encode as codes
from waranalysis.kernels.random import shuffled_deals
from waranalysis.rules import RuleSet

Rows = NDArray[np.uint8]
Fates = NDArray[np.int64]


def covered(deck: Deck, rules: RuleSet) -> bool:
    """Whether the kernel plays these rules with so many cards."""
    return rules.kind == "deterministic" and codes.covered(rules) and deck.size <= codes.MOST_CARDS


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

    def shuffled(self, seed: int, start: int, count: int) -> Rows:
        """Random deals number `start` to `start + count` under a seed."""
        rows = np.zeros((count, self.size), np.uint8)
        goes_to = np.arange(self.size, dtype=np.int64)
        work = np.zeros((1, self.deck.size), np.uint8)
        shuffled_deals(self.numbers, goes_to, np.uint64(seed), np.uint64(start), work, rows)
        return rows

    def fates(self, rows: Rows, bound: int) -> Fates:
        """Play every row; one row of fates each, columns as `ring.OUTCOME` and on."""
        fates = np.zeros((len(rows), ring.FATE_SIZE), np.int64)
        firsts, sizes = (np.full(len(rows), n, np.int64) for n in (self.first, self.size))
        ring.classify_many(
            rows, firsts, sizes, self.code, np.uint64(0), np.uint64(0), bound, True,
            self._work, self._nums, fates,
        )  # fmt: skip
        return fates

    def climb(self, row: Rows, history: Fates, state: NDArray[np.uint64], steps: int, bound: int,
              best: Rows, counts: Fates) -> int:  # fmt: skip
        """Local search from a row, in place; see `waranalysis.kernels.climb`."""
        return climb.climb(
            row, self.first, self.code, steps, bound, history, state, best, counts,
            self._work, self._nums,
        )  # fmt: skip

    def deal(self, row: Rows) -> Deal:
        """A row as a deal."""
        cards = [self._strengths[int(number)] for number in row]
        return Deal((tuple(cards[: self.first]), tuple(cards[self.first :])), self.deck.naming)
