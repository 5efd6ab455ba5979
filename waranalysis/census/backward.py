"""Every position of a deck, backwards from the ends: shares no code with the forward census.

A position has cards with both players. The positions that end form trees, rooted where the next
turn ends the game; what no tree reaches never ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from waranalysis.cards import Deck, sequences
from waranalysis.errors import LimitError, RulesError
from waranalysis.rules import RuleSet
from waranalysis.termination import require_deterministic


@dataclass(frozen=True)
class Positions:
    """What becomes of every position of a deck.

    Attributes
    ----------
    cards : int
        Size of the deck.
    each : int
        Positions of each split; there are `cards` - 1 splits.
    endings : Counter of (cards of seat 0, winner, battles)
        Positions that end; a winner of None is a draw.
    """

    cards: int
    each: int
    endings: Counter[tuple[int, int | None, int]]

    @property
    def positions(self) -> int:
        """All positions in which both players hold cards."""
        return self.each * (self.cards - 1)

    @property
    def ends(self) -> int:
        """Positions that end."""
        return self.endings.total()

    @property
    def never(self) -> int:
        """Positions that never end."""
        return self.positions - self.ends

    @property
    def longest(self) -> int:
        """Battles of the longest game that ends."""
        return max((battles for _, _, battles in self.endings), default=0)

    def split(self, first: int) -> dict[str, Any]:
        """Counts of the positions in which seat 0 holds `first` cards."""
        found: Counter[int | None] = Counter()
        for (cards, winner, _), count in self.endings.items():
            if cards == first:
                found[winner] += count
        return {
            "split": [first, self.cards - first],
            "positions": self.each,
            "wins": [found[0], found[1]],
            "draws": found[None],
            "never": self.each - found.total(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Counts as programs read them."""
        depths: Counter[int] = Counter()
        for (_, _, battles), count in self.endings.items():
            depths[battles] += count
        return {
            "positions": self.positions,
            "ends": self.ends,
            "never": self.never,
            "longest": self.longest,
            "splits": [self.split(first) for first in range(1, self.cards)],
            "battles": {str(battles): depths[battles] for battles in sorted(depths)},
        }


def all_positions(
    deck: Deck, rules: RuleSet, done: Callable[[int], None] = lambda _: None
) -> Positions:
    """Count the positions of a deck by outcome and by battles to the end.

    Parameters
    ----------
    deck : Deck
        2 to 16 cards, or up to 20 of at most 8 strengths.
    rules : RuleSet
        Deterministic, two players, pots to the bottom, no limit of battles.
    done : callable
        Told how many splits are finished.

    Returns
    -------
    Positions

    Raises
    ------
    RulesError, LimitError
        If the rules or the deck are outside of that.

    Notes
    -----
    The cost is a few nanoseconds a position where pots are plain rows and short players lose; it
    grows with the number of ways a pot can have been laid elsewhere. Memory does not grow.
    """
    _check(deck, rules)
    each = sequences(tuple(copies for _, copies in deck.counts), deck.size)
    return Positions(deck.size, each, _endings(deck, rules, done))


def _check(deck: Deck, rules: RuleSet) -> None:
    require_deterministic(rules)
    if rules.limit is not None:
        raise RulesError(f"max_battles = {rules.limit}: the number of battles played is no part "
                         "of a position; expected rules without a limit")  # fmt: skip
    for field, expected in (("players", 2), ("recycle", "bottom"), ("joker_deal", "any")):
        value = getattr(rules, field)
        if value != expected:
            raise RulesError(f"{field} = {value}: the backward census expects {field} = {expected}")
    ranks = len(deck.counts)
    if deck.half or not (deck.size <= 16 or (deck.size <= 20 and ranks <= 8)):
        raise LimitError(
            f"deck '{deck}' has {deck.size} cards of {ranks} strengths: the backward census "
            "expects at most 16 cards, or 20 of 8 strengths"
        )


def _endings(
    deck: Deck, rules: RuleSet, done: Callable[[int], None]
) -> Counter[tuple[int, int | None, int]]:
    from waranalysis.kernels import trees
    from waranalysis.kernels.encode import encode

    code = encode(rules, deck.cards)
    p = _parameters(deck, rules)
    copies = np.array([copies for _, copies in deck.counts], np.int64)
    left = copies[::-1].copy() if rules.best == "lowest" else copies
    work = np.zeros((8, 2 * trees.MOST_CARDS + 2), np.int64)
    stack = np.zeros((trees.STACK, 3), np.int64)
    counts = np.zeros(trees.DEPTHS * trees.DEPTH, np.int64)
    drawn, where = _tails(p)
    for first in range(1, deck.size):
        words, above = _words(drawn, first, p)
        if not trees.roots(first, left, above, where, words, p, code, work, stack, counts):
            raise LimitError(f"a game of deck '{deck}' takes more than {trees.DEPTHS - 2} battles")
        done(first)
    return _counter(counts.reshape(-1, 4, trees.SIZES), deck.size, bool(p[trees.MIRROR]))


def _tails(p: Any) -> tuple[Any, Any]:
    """All arrangements of a few cards, and where those of the same cards begin."""
    from waranalysis.kernels import trees

    size = min(trees.TAIL, p[trees.CARDS])
    drawn = np.indices((p[trees.RANKS],) * size).reshape(size, -1)
    code = np.sort(drawn, axis=0).T @ 16 ** np.arange(size)[::-1]
    where = np.cumsum(np.bincount(code + 1, minlength=16**trees.TAIL + 1))
    return drawn[:, np.argsort(code)], where


def _words(drawn: Any, first: int, p: Any) -> tuple[Any, Any]:
    """Both words of each arrangement of the cards turned up last; all bits but theirs."""
    from waranalysis.kernels import trees

    bits, cards = p[trees.BITS], p[trees.CARDS]
    shared = 2 * min(first, cards - first)
    words = np.zeros((drawn.shape[1], 2), np.int64)
    above = np.full(2, -1)
    for level, card in enumerate(drawn, cards - len(drawn)):
        seat, layer = level % 2, level // 2
        if level >= shared:
            seat, layer = int(2 * first < cards), level - shared // 2
        words[:, seat] |= card << bits * layer
        above[seat] &= ~(((1 << bits) - 1) << bits * layer)
    return words, above


def _parameters(deck: Deck, rules: RuleSet) -> Any:
    from waranalysis.kernels import trees

    p = np.zeros(trees.PARAM_SIZE, np.int64)
    alike = isinstance(rules.face_down, int) and rules.automatic_rank is None
    rows = set(rules.captures) <= {"winner-first", "loser-first", "seat-first"}
    simple = rows and rules.layout == "rows" and not rules.reverse
    p[trees.BITS] = 4 if deck.size <= 16 else 3
    p[trees.CARDS], p[trees.RANKS] = deck.size, len(deck.counts)
    p[trees.STRIDE] = min(int(rules.face_down), 64) + 1 if alike else 0
    p[trees.PLAIN] = alike and simple and rules.short in ("lose", "draw")
    same = len(set(rules.captures)) == 1 and rules.captures[0] != "seat-first"
    p[trees.MIRROR] = same and rules.all_short == "draw"
    for seat, order in enumerate(rules.captures):
        p[trees.LEADS + seat] = order == "winner-first" or (order == "seat-first" and seat == 0)
    return p


def _counter(counts: Any, size: int, mirror: bool) -> Counter[tuple[int, int | None, int]]:
    endings: Counter[tuple[int, int | None, int]] = Counter()
    for battles, outcome, first in zip(*np.nonzero(counts), strict=True):
        found = int(counts[battles, outcome, first])
        winner = None if outcome == 2 else int(outcome)
        endings[int(first), winner, int(battles)] += found
        if mirror and winner is not None:
            endings[size - int(first), 1 - winner, int(battles)] += found
    return endings
