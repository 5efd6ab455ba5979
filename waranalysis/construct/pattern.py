"""Periodic sequences of results without a tie, and the orders of strengths they ask for.

`waranalysis.kernels.pattern` plays them; here they are enumerated, given lead-ins from the packet
sizes of a deal, and fitted to a deck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb
from random import Random

import numpy as np
from numpy.typing import NDArray

from waranalysis.cards import Deal, Deck
from waranalysis.construct.fit import fit, vary
from waranalysis.errors import LimitError
from waranalysis.kernels import pattern as kernel
from waranalysis.play import single_battle_orders
from waranalysis.rules import RuleSet

MOST_CARDS = kernel.RING - 1
_CHUNK = 10_000
_HITS = 1000
_SWAPS = 2000


@dataclass(frozen=True)
class Pattern:
    """Results that go round for ever on cards that differ.

    Attributes
    ----------
    lead, word : str
        ``A`` where the first player wins, ``B`` where the second does; `word` repeats for ever.
    sizes : tuple of two int
        Cards of the players before the first battle.
    period : int
        Battles until the cards are back where they were after `lead`.
    below : tuple of int
        Bit y of entry x is set where card x must be stronger than card y. Cards are numbered
        from 0, those of the first player first, top to bottom.
    """

    lead: str
    word: str
    sizes: tuple[int, int]
    period: int
    below: tuple[int, ...]


class Table:
    """The kernel with its workspace, for one number of cards and one order of the pot.

    Parameters
    ----------
    n : int
        Cards.
    leads : pair of bool
        Whether the winner's card comes first in the pot when player 1, when player 2 wins.
    """

    def __init__(self, n: int, leads: tuple[bool, bool]) -> None:
        self.n = n
        self.leads = leads
        self._rings = np.zeros((4, kernel.RING), np.int64)
        self._below = np.zeros((n, (n + 63) // 64), np.uint64)
        self._above = np.zeros_like(self._below)

    def follow(self, lead: str, word: str, first: int) -> Pattern | None:
        """Play `lead` and then `word` for ever from packets of `first` and the other cards."""
        period = kernel.follow(
            _letters(lead), _letters(word), first, self.n, *self.leads,
            self._rings, self._below, self._above,
        )  # fmt: skip
        if not period:
            return None
        below = tuple(int.from_bytes(row.astype("<u8").tobytes(), "little") for row in self._below)
        return Pattern(lead, word, (first, self.n - first), period, below)

    def scan(self, length: int, done: Callable[[int], None]) -> Iterator[tuple[str, int] | int]:
        """Try all words of a length.

        Yields
        ------
        tuple of (str, int), or int
            A word that goes round and the size of the first packet at its start; and from time
            to time a number of patterns that have been tried.
        """
        word = _letters("A" * (length // 2) + "B" * (length // 2))
        found = np.zeros((_HITS, 2), np.int64)
        words = np.zeros((_HITS, length), np.int8)
        left = True
        while left:
            tried, patterns, hits, left = kernel.scan(
                word, _CHUNK, self.n, *self.leads, self._rings, self._below, self._above,
                found, words,
            )  # fmt: skip
            for row in range(hits):
                yield _text(words[row]), int(found[row, 0])
            done(tried)
            yield patterns


def _letters(word: str) -> NDArray[np.int8]:
    return np.array([letter == "A" for letter in word], np.int8)


def _text(word: NDArray[np.int8]) -> str:
    return "".join("BA"[letter] for letter in word)


def words_up_to(longest: int) -> int:
    """Number of balanced words of even length up to `longest` that are tried: Catalan numbers."""
    return sum(comb(2 * k, k) // (k + 1) for k in range(1, longest // 2 + 1))


def is_repeated(word: str) -> bool:
    """Whether a word is a shorter one repeated."""
    return word in (word + word)[1:-1]


def applies(deck: Deck, rules: RuleSet) -> tuple[bool, bool] | None:
    """Whether the winner's card leads the pot of a single battle, for each winner.

    None where a game without a tie is not described by its results: more than two players,
    pots that do not go to the bottom, an automatic rank in the deck.
    """
    if rules.automatic_rank in dict(deck.counts) or deck.size > MOST_CARDS:
        return None
    return single_battle_orders(rules)


def lead_ins(table: Table, word: str, first: int, start: int, longest: int) -> Iterator[Pattern]:
    """Yield the ways into a loop from a packet of another size, shortest first.

    Parameters
    ----------
    table : Table
    word : str
    first : int
        Cards of the first player before `word` in the loop.
    start : int
        Cards of the first player in the deal.
    longest : int
        Results before the loop, beyond the fewest that lead to its packet sizes.
    """
    alike = table.leads[0] == table.leads[1]
    mirror = [(word.translate(_OTHER), table.n - first)] * alike
    places = [
        (size, turned[at:] + turned[:at])
        for turned, begin in [(word, first), *mirror]
        for at, size in enumerate(_sizes(turned, begin))
    ]
    fewest = min(abs(size - start) for size, _ in places)
    for length in range(fewest, fewest + longest + 1):
        for size, turned in places:
            for lead in _leads(length, size - start):
                pattern = table.follow(lead, turned, start)
                if pattern is not None:
                    yield pattern


_OTHER = str.maketrans("AB", "BA")


def _leads(length: int, more: int) -> Iterator[str]:
    """All sequences of results after which the first player has so many cards more."""
    wins, odd = divmod(length + more, 2)
    if odd or not 0 <= wins <= length:
        return
    for places in combinations(range(length), wins):
        yield "".join("A" if place in places else "B" for place in range(length))


def _sizes(word: str, first: int) -> Iterator[int]:
    for letter in word:
        yield first
        first += 1 if letter == "A" else -1


def deal_of(pattern: Pattern, deck: Deck, rules: RuleSet, variation: int = 0) -> Deal | None:
    """Give the cards of a pattern the strengths of a deck; None if they do not fit.

    Other values of `variation` give other deals, at random.

    Raises
    ------
    LimitError
        If that could not be decided.
    """
    counts = list(deck.counts)
    if rules.best == "lowest":
        counts.reverse()
    levels = fit(pattern.below, [copies for _, copies in counts])
    if levels is None:
        return None
    if variation:
        levels = vary(pattern.below, levels, Random(variation), _SWAPS)
    cards = [counts[level][0] for level in levels]
    first = pattern.sizes[0]
    return Deal((tuple(cards[:first]), tuple(cards[first:])), deck.naming)


@dataclass(frozen=True)
class PatternExtent:
    """What a search for loops without a tie covered.

    Attributes
    ----------
    longest_word, longest_lead_in : int
        `longest_lead_in` is counted beyond the fewest results that lead to the packet sizes.
    words, patterns : int
        Words tried, and pairs of a word and packet sizes. Mirror images count once.
    loops : int
        Those that go round on cards that all differ; repetitions of shorter words left out.
    unfit : int
        Loops (with every lead-in that was tried) whose order the deck does not fit.
    open : int
        Loops for which the fit was not decided.
    """

    longest_word: int
    longest_lead_in: int
    words: int
    patterns: int
    loops: int
    unfit: int
    open: int

    def to_dict(self) -> dict[str, int]:
        """The numbers by name."""
        return asdict(self)

    def __str__(self) -> str:
        told = f"no loop without a tie has a word of up to {self.longest_word} results"
        if self.loops:
            told = (
                f"{self.loops} loops without a tie have a word of up to {self.longest_word} "
                f"results; with lead-ins of up to {self.longest_lead_in} more than the fewest, "
                f"{self.unfit} do not fit the deck"
            )
        undecided = f", {self.open} undecided" * bool(self.open)
        return f"{told}{undecided} ({self.patterns:,} patterns of {self.words:,} words tried)"


def find(
    deck: Deck,
    rules: RuleSet,
    sizes: Sequence[int],
    longest_word: int,
    longest_lead_in: int,
    done: Callable[[int], None] = lambda words: None,
) -> tuple[Deal | None, Pattern | None, PatternExtent]:
    """Look for a deal that goes round without a tie, short words first.

    Parameters
    ----------
    deck : Deck
    rules : RuleSet
        Such that `applies`.
    sizes : sequence of int
        Cards of the two players.
    longest_word, longest_lead_in : int
        As in `PatternExtent`.
    done : callable
        Called with the number of words tried.

    Returns
    -------
    deal, pattern, extent
        Deal and pattern are None if nothing was found.
    """
    leads = applies(deck, rules)
    assert leads is not None
    table = Table(deck.size, leads)
    words = patterns = loops = unfit = undecided = 0

    def count(tried: int) -> None:
        nonlocal words
        words += tried
        done(words)

    def extent() -> PatternExtent:
        return PatternExtent(
            longest_word, longest_lead_in, words, patterns, loops, unfit, undecided
        )

    for length in range(2, longest_word + 1, 2):
        for hit in table.scan(length, count):
            if isinstance(hit, int):
                patterns += hit
                continue
            if is_repeated(hit[0]):
                continue
            loops += 1
            decided = True
            for pattern in lead_ins(table, *hit, sizes[0], longest_lead_in):
                try:
                    deal = deal_of(pattern, deck, rules)
                except LimitError:
                    decided = False
                    continue
                if deal is not None:
                    return deal, pattern, extent()
            unfit += decided
            undecided += not decided
    return None, None, extent()
