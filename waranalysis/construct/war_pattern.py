"""Periodic sequences of results with wars in them, fitted to a deck.

`waranalysis.kernels.war_pattern` plays them. A tie that comes again in every round of the pattern
makes equal all cards that ever meet there, so the cards fall into classes, and the classes are
ordered by the battles that are won.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from waranalysis.cards import Deal, Deck
from waranalysis.construct.fit import bits, fit
from waranalysis.errors import LimitError
from waranalysis.kernels import war_pattern as kernel
from waranalysis.kernels.pattern import RING
from waranalysis.play import Game, State
from waranalysis.rules import ROW_ORDERS, RuleSet

MOST_CARDS = 64
WARS = 1
_CHUNK = 500
_HITS = 500
_POTS = {
    "natural": kernel.NATURAL,
    "descending": kernel.SORTED,
    "winner-first": kernel.ROWS,
    "loser-first": kernel.ROWS,
}


def alike(deck: Deck, rules: RuleSet) -> bool:
    """Whether two players fight wars that are all alike, with cards that fit the kernels."""
    return (
        rules.players == 2
        and rules.recycle == "bottom"
        and rules.automatic_rank not in dict(deck.counts)
        and not rules.reverse
        and rules.best == "highest"
        and isinstance(rules.face_down, int)
        and deck.size <= MOST_CARDS
    )


def applies(deck: Deck, rules: RuleSet) -> bool:
    """Whether the kernel plays these rules."""
    return (
        alike(deck, rules)
        and isinstance(rules.capture, str)
        and rules.capture in _POTS
        and (rules.capture in ROW_ORDERS or rules.face_down == 0)
        and (rules.capture not in ROW_ORDERS or rules.layout == "rows")
    )


@dataclass(frozen=True)
class WarPattern:
    """Results with wars that go round for ever.

    Attributes
    ----------
    word : str
        A letter for each pair of cards laid, ``A`` where the first player captures it.
    turns : tuple of int
        Pairs laid in each turn; they sum to the length of the word.
    first : int
        Cards of the first player before the word.
    below, not_above : tuple of int
        Bit y of entry x is set where card y is weaker than card x, or not stronger.
    """

    word: str
    turns: tuple[int, ...]
    first: int
    below: tuple[int, ...]
    not_above: tuple[int, ...]

    def __str__(self) -> str:
        parts, at = [], 0
        for pairs in self.turns:
            letter = self.word[at]
            parts.append(letter if pairs == 1 else f"({letter}{pairs})")
            at += pairs
        return "".join(parts)


@dataclass(frozen=True)
class WarExtent:
    """What a search for loops with wars covered; as `PatternExtent`, by number of cards laid.

    `most_wars` is None where any stretch of equal letters may hold wars.
    """

    longest_word: int
    most_wars: int | None
    words: int
    patterns: int
    loops: int
    unfit: int
    open: int

    def to_dict(self) -> dict[str, int | None]:
        """The numbers by name."""
        return asdict(self)

    def __str__(self) -> str:
        wars = "wars wherever they change nothing"
        if self.most_wars is not None:
            wars = f"1 to {self.most_wars} wars each"
        fitting = f"{self.unfit} of {self.loops} loops do not fit the deck or its packet sizes"
        undecided = f", {self.open} are undecided" * bool(self.open)
        return (
            f"words of up to {self.longest_word} pairs of cards with {wars}: {fitting}{undecided} "
            f"({self.patterns:,} patterns of {self.words:,} words tried)"
        )


class WarTable:
    """The kernel with its workspace, for one deck size and one rule set that `applies`."""

    def __init__(self, n: int, rules: RuleSet, most_equal: int) -> None:
        assert isinstance(rules.capture, str) and isinstance(rules.face_down, int)
        pots = _POTS[rules.capture]
        self.n = n
        self._how = (n, rules.face_down, pots, rules.capture != "loser-first", most_equal)
        self._rings = np.zeros((2, RING), np.int64)
        self._order = np.zeros((3, n), np.uint64)

    def scan(
        self, length: int, wars: int, done: Callable[[int], None]
    ) -> Iterator[WarPattern | int]:
        """Try all words of a length; yield loops, and numbers of patterns tried."""
        half = length // 2
        word = np.array([1] * half + [0] * half, np.int8)
        turns = np.ones(length, np.int64)
        found, words = np.zeros((_HITS, 2), np.int64), np.zeros((_HITS, length), np.int8)
        lengths = np.zeros((_HITS, length), np.int64)
        left = True
        while left:
            tried, patterns, hits, left = kernel.scan(
                word, _CHUNK, *self._how, wars, turns, self._rings, self._order,
                found, words, lengths,
            )  # fmt: skip
            for row in range(hits):
                yield self._pattern(words[row], lengths[row], int(found[row, 0]))
            done(tried)
            yield patterns

    def _pattern(self, word: kernel.Word, lengths: kernel.Array, first: int) -> WarPattern:
        kernel.follow(word, lengths, first, *self._how, self._rings, self._order)
        below = tuple(map(int, self._order[kernel.STRICT]))
        not_above = tuple(map(int, self._order[kernel.BELOW]))
        turns, at = [], 0
        while at < len(word):
            turns.append(int(lengths[at]))
            at += turns[-1]
        text = "".join("BA"[letter] for letter in word)
        return WarPattern(text, tuple(turns), first, below, not_above)


def state_of(pattern: WarPattern, deck: Deck) -> Deal | None:
    """Give the cards of a pattern the strengths of a deck, as a deal that may be uneven.

    Raises
    ------
    LimitError
        If that could not be decided.
    """
    n = len(pattern.below)
    leader = list(range(n))
    for card in range(n):
        equal = pattern.not_above[card] & ~pattern.below[card]
        leader[card] = min([card, *(x for x in bits(equal) if pattern.not_above[x] >> card & 1)])
    leaders = sorted(set(leader))
    place = {card: number for number, card in enumerate(leaders)}
    below = [
        sum(
            1 << p
            for p in {place[leader[x]] for x in bits(pattern.not_above[card])} - {place[card]}
        )
        for card in leaders
    ]
    weights = [leader.count(card) for card in leaders]
    levels = fit(below, [copies for _, copies in deck.counts], weights=weights)
    if levels is None:
        return None
    cards = [deck.counts[levels[place[card]]][0] for card in leader]
    return Deal((tuple(cards[: pattern.first]), tuple(cards[pattern.first :])), deck.naming)


def deal_near(state: Deal, rules: RuleSet, sizes: Sequence[int], steps: int = 200) -> Deal | None:
    """A deal of given sizes that leads into the loop of a state, or lies on it.

    The loop is searched for the sizes; failing that, single battles are taken back from every
    state of the loop.
    """
    game = Game(rules, State.of(state))
    frontier = [game.state()]
    while True:
        game.turn()
        if game.ending is not None:
            return None
        if game.state() == frontier[0]:
            break
        frontier.append(game.state())
    for _ in range(steps):
        for now in frontier:
            if tuple(map(len, now.packets)) == tuple(sizes):
                return Deal(now.packets, state.naming)
        frontier = [before for now in frontier[:_HITS] for before in _before(now, rules)]
    return None


def _before(state: State, rules: RuleSet) -> Iterator[State]:
    """States from which a single battle leads to this one."""
    for seat in (0, 1):
        packet, other = state.packets[seat], state.packets[1 - seat]
        if len(packet) > 1:
            one, two = packet[-2:]
            winner, loser = (two, one) if rules.capture == "loser-first" else (one, two)
            if winner > loser:
                packets = (winner, *packet[:-2]), (loser, *other)
                yield State(packets if seat == 0 else packets[::-1], ((), ()))


def find(
    deck: Deck,
    rules: RuleSet,
    sizes: Sequence[int],
    longest_word: int,
    wars: int = WARS,
    done: Callable[[int], None] = lambda words: None,
) -> tuple[Deal | None, WarPattern | None, WarExtent]:
    """Look for a deal whose game goes round with wars, short words first.

    Parameters as for `waranalysis.construct.pattern.find`; `wars` is the most wars of one word.
    """
    table = WarTable(deck.size, rules, max(copies for _, copies in deck.counts))

    def hits(length: int, count: Callable[[int], None]) -> Iterator[WarPattern | int]:
        return table.scan(length, wars, count)

    def deal(hit: WarPattern) -> Deal | None:
        state = state_of(hit, deck)
        return state and deal_near(state, rules, sizes)

    return first_deal(hits, deal, longest_word, wars, done)


def first_deal(
    hits: Callable[[int, Callable[[int], None]], Iterable[WarPattern | int]],
    deal_of: Callable[[WarPattern], Deal | None],
    longest_word: int,
    wars: int | None,
    done: Callable[[int], None],
) -> tuple[Deal | None, WarPattern | None, WarExtent]:
    """Try the words of each length until one gives a deal; say how far the search went.

    Parameters
    ----------
    hits : callable
        For a length and a function that is told the words tried: words that may go round, and
        from time to time a number of patterns tried.
    deal_of : callable
        The deal of a word, None if there is none; raises `LimitError` if that is undecided.
    longest_word : int
    wars : int or None
        The most wars of one word, as the extent tells it.
    done : callable
        Told all words tried so far.
    """
    words = patterns = loops = unfit = undecided = 0

    def count(tried: int) -> None:
        nonlocal words
        words += tried
        done(words)

    def extent() -> WarExtent:
        return WarExtent(longest_word, wars, words, patterns, loops, unfit, undecided)

    for length in range(2, longest_word + 1, 2):
        for hit in hits(length, count):
            if isinstance(hit, int):
                patterns += hit
                continue
            loops += 1
            try:
                deal = deal_of(hit)
            except LimitError:
                undecided += 1
                continue
            if deal:
                return deal, hit, extent()
            unfit += 1
    return None, None, extent()
