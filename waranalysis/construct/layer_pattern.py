"""Periodic sequences of results with wars that change nothing, fitted to a deck.

`waranalysis.kernels.layer_pattern` says why a word moves the cards alike with and without wars
where pots lie in layers, and finds words that may go round. Which stretches of a game hold a war,
and which strengths the cards have, is settled at once by a SAT solver.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise

import numpy as np

from waranalysis.cards import Deal, Deck
from waranalysis.construct.war_pattern import WarExtent, WarPattern, alike, deal_near, first_deal
from waranalysis.errors import LimitError, MissingError
from waranalysis.kernels import layer_pattern as kernel
from waranalysis.kernels.pattern import RING
from waranalysis.rules import RuleSet

# Longer loops are left open: no such loop was ever fitted.
MOST_LAID = 200_000
CONFLICTS = 100_000
_CHUNK = 5000
_HITS = 500
_ORDERS = ("winner-first", "loser-first")

Clause = list[int]
# The pairs of one stretch that one player wins: the winner's card and the loser's.
Stretch = tuple[tuple[int, int], ...]


def applies(deck: Deck, rules: RuleSet) -> bool:
    """Whether the kernel plays these rules."""
    return alike(deck, rules) and rules.capture in _ORDERS and rules.layout == "layers"


def require_solver() -> None:
    """Raise `MissingError` if python-sat is not installed."""
    try:
        import pysat.solvers  # noqa: F401
    except ImportError:
        raise MissingError(
            "words with wars by layers need python-sat: pip install 'waranalysis[endless]'"
        ) from None


def candidates(
    n: int, rules: RuleSet, length: int, done: Callable[[int], None]
) -> Iterator[WarPattern | int]:
    """Words of a length that may go round; and from time to time a number of patterns tried.

    Their relations hold whatever is a war, so the fit may fail. Words that are a shorter one
    repeated are left out.
    """
    assert isinstance(rules.face_down, int)
    how = (n, rules.face_down, rules.capture == "winner-first")
    word = np.array([1] * (length // 2) + [0] * (length // 2), np.int8)
    known, rings = np.zeros(length, np.int64), np.zeros((2, RING), np.int64)
    order = np.zeros((3, n), np.uint64)
    found, words = np.zeros((_HITS, 2), np.int64), np.zeros((_HITS, length), np.int8)
    left = True
    while left:
        tried, patterns, hits, left = kernel.scan(
            word, _CHUNK, *how, known, rings, order, found, words
        )
        for row in range(hits):
            text = "".join("BA"[letter] for letter in words[row])
            yield WarPattern(text, (1,) * length, int(found[row, 0]), (), ())
        done(tried)
        yield patterns


def stretches(word: str, first: int, n: int, leads: bool) -> tuple[set[Stretch], Deal]:
    """All stretches of equal letters around a loop, and where the cards lie before it.

    The loop begins where a stretch does. Cards are numbered from 0; the deal shows card x as
    strength x + 1.

    Raises
    ------
    LimitError
        For loops of more than `MOST_LAID` pairs.
    """
    packets = deque(range(first)), deque(range(first, n))
    begin = next(i for i in range(len(word)) if word[i] != word[i - 1])

    def lay(letter: str) -> tuple[int, int]:
        winner = "AB".index(letter)
        pair = packets[winner].popleft(), packets[1 - winner].popleft()
        packets[winner].extend(pair if leads else pair[::-1])
        return pair

    for letter in word[:begin]:
        lay(letter)
    word = word[begin:] + word[:begin]
    start = tuple(map(tuple, packets))
    found: set[Stretch] = set()
    for _ in range(MOST_LAID // len(word)):
        found |= {tuple(map(lay, letters)) for _, letters in groupby(word)}
        if packets[0][0] == start[0][0] and tuple(map(tuple, packets)) == start:
            return found, Deal(tuple(tuple(card + 1 for card in packet) for packet in start))
    raise LimitError(f"a loop of more than {MOST_LAID:,} pairs of cards")


class _Formula:
    """Strengths of cards and results of their comparisons as clauses.

    Strengths are written in order encoding: variable ``at_least[x][k]`` says that card x has
    level k + 1 or more.
    """

    def __init__(self, n: int, copies: Sequence[int]) -> None:
        self.clauses: list[Clause] = []
        self._variables = 0
        self._stronger: dict[tuple[int, int], int] = {}
        self._equal: dict[tuple[int, int], int] = {}
        self.at_least = [[self.variable() for _ in copies[1:]] for _ in range(n)]
        for card in self.at_least:
            self.clauses += [[-high, low] for low, high in pairwise(card)]
        above = n
        for level, count in enumerate(copies[:-1]):
            above -= count
            self._count([card[level] for card in self.at_least], above)

    def variable(self) -> int:
        self._variables += 1
        return self._variables

    def _count(self, literals: Sequence[int], wanted: int) -> None:
        """Exactly so many hold: ``row[k]`` says that more than k of those so far do."""
        row: list[int] = []
        for place, literal in enumerate(literals):
            left = len(literals) - place - 1
            new = [self.variable() for _ in range(min(place + 1, wanted + 1))]
            for k, more in enumerate(new):
                if k < len(row):
                    self.clauses += [[-row[k], more], [row[k], literal, -more]]
                else:
                    self.clauses.append([literal, -more])
                if k > 0:
                    self.clauses += [[-row[k - 1], -literal, more], [row[k - 1], -more]]
                else:
                    self.clauses.append([-literal, more])
            if wanted < len(new):
                self.clauses.append([-new[wanted]])
            least = wanted - left
            if least > 0:
                self.clauses.append([new[least - 1]])
            row = new

    def stronger(self, card: int, other: int) -> int:
        """A literal that makes one card stronger than another."""
        if (card, other) not in self._stronger:
            literal = self._stronger[card, other] = self.variable()
            high, low = self.at_least[card], self.at_least[other]
            self.clauses += [[-literal, high[0]], [-literal, -low[-1]]]
            self.clauses += [[-literal, -low[k], high[k + 1]] for k in range(len(low) - 1)]
        return self._stronger[card, other]

    def equal(self, card: int, other: int) -> int:
        """A literal that makes two cards equal."""
        key = min(card, other), max(card, other)
        if key not in self._equal:
            literal = self._equal[key] = self.variable()
            for one, two in zip(self.at_least[card], self.at_least[other], strict=True):
                self.clauses += [[-literal, -one, two], [-literal, one, -two]]
        return self._equal[key]

    def add_stretch(self, stretch: Stretch, down: int) -> None:
        """Single battles and wars that the player wins one after the other."""
        turned_up = [self.variable() for _ in stretch]
        self.clauses.append([turned_up[0]])
        for place, (winner, loser) in enumerate(stretch):
            wins = self.stronger(winner, loser)
            if place + 1 < len(stretch):
                self.clauses.append([-turned_up[place], -wins, turned_up[place + 1]])
            if place + down + 1 < len(stretch):
                ties = self.equal(winner, loser)
                self.clauses.append([-turned_up[place], wins, ties])
                self.clauses.append([-turned_up[place], -ties, turned_up[place + down + 1]])
            else:
                self.clauses.append([-turned_up[place], wins])


def fit(found: set[Stretch], n: int, copies: Sequence[int], down: int) -> list[int] | None:
    """The level of each card, from 0, such that every stretch goes as told; None if none does.

    Raises
    ------
    LimitError
        After `CONFLICTS` conflicts without an answer.
    """
    from pysat.solvers import Glucose4

    formula = _Formula(n, copies)
    for stretch in sorted(found):
        formula.add_stretch(stretch, down)
    with Glucose4(bootstrap_with=formula.clauses) as solver:
        solver.conf_budget(CONFLICTS)
        answer = solver.solve_limited()
        if answer is None:
            raise LimitError(f"no assignment of strengths in {CONFLICTS:,} conflicts")
        model = set(solver.get_model() or ())
    if not answer:
        return None
    return [sum(variable in model for variable in card) for card in formula.at_least]


def state_of(pattern: WarPattern, deck: Deck, rules: RuleSet) -> Deal | None:
    """Give the cards of a word the strengths of a deck, as a deal that may be uneven.

    Raises
    ------
    LimitError
        If that could not be decided.
    """
    assert isinstance(rules.face_down, int)
    leads = rules.capture == "winner-first"
    found, start = stretches(pattern.word, pattern.first, deck.size, leads)
    levels = fit(found, deck.size, [copies for _, copies in deck.counts], rules.face_down)
    if levels is None:
        return None
    strengths = [strength for strength, _ in deck.counts]
    packets = tuple(tuple(strengths[levels[x - 1]] for x in packet) for packet in start.packets)
    return Deal(packets, deck.naming)


def find(
    deck: Deck,
    rules: RuleSet,
    sizes: Sequence[int],
    longest_word: int,
    done: Callable[[int], None] = lambda words: None,
) -> tuple[Deal | None, WarPattern | None, WarExtent]:
    """Look for a deal whose game goes round with wars in some of its stretches, short words first.

    Parameters as for `waranalysis.construct.pattern.find`.

    Raises
    ------
    MissingError
        Without python-sat.
    """
    require_solver()

    def hits(length: int, count: Callable[[int], None]) -> Iterator[WarPattern | int]:
        return candidates(deck.size, rules, length, count)

    def deal(hit: WarPattern) -> Deal | None:
        state = state_of(hit, deck, rules)
        return state and deal_near(state, rules, sizes)

    return first_deal(hits, deal, longest_word, None, done)
