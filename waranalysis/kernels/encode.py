"""Rule sets and decks as integer arrays for the compiled kernels.

A card becomes its place among the deck's strengths, the best place being the greatest number, so
that kernels compare one way only.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from waranalysis.kernels import MOST_CARDS, MOST_STRENGTHS
from waranalysis.play import cards_by_rank
from waranalysis.rules import RuleSet

# Names of places in arrays are numpy's numbers here and in the kernels: every Python number would
# be a type of its own, and indexing by each would be worked out anew, which takes seconds.
# Places in the array of a rule set.
SHORT, ALL_SHORT, AUTOMATIC, ORDER, LAYERS, REVERSE, RECYCLE, LIMIT = map(
    np.int64, (0, 1, 2, 3, 5, 6, 7, 8)
)
FIRST, HEADS, FIXED_DOWN, DOWN, RULES_SIZE = map(np.int64, (9, 11, 13, 14, 14 + MOST_STRENGTHS))
# `short`
LOSE, USE_REMAINING, LAST_CARD, SHORT_PACKET, SHORT_DRAW = map(np.int64, range(5))
SHORTS = ("lose", "use-remaining", "last-card", "short-packet", "draw")
# `capture`, strengths being places
WINNER_FIRST, LOSER_FIRST, SEAT_FIRST = map(np.int64, range(3))
NATURAL_BEST, NATURAL_WORST, BEST_DOWN, WORST_UP, SHUFFLED, COIN = map(np.int64, range(3, 9))
# `recycle`
BOTTOM, STACKED, PILE_SHUFFLED = map(np.int64, range(3))
RECYCLES = ("bottom", "pile-stacked", "pile-shuffled")
# FIRST: the winner's card of a single battle comes first: never, always, by a coin
BY_CHANCE = np.int64(2)

Array = NDArray[np.int64]


def places(strengths: Sequence[int], rules: RuleSet) -> dict[int, int]:
    """The number that stands for each strength of a deck."""
    ordered = sorted(set(strengths), reverse=rules.best == "lowest")
    return {strength: place for place, strength in enumerate(ordered)}


def _order(order: str, best_is_highest: bool) -> int:
    if order == "natural":
        return NATURAL_BEST if best_is_highest else NATURAL_WORST
    if order in ("descending", "ascending"):
        return BEST_DOWN if (order == "descending") == best_is_highest else WORST_UP
    return {"winner-first": 0, "loser-first": 1, "seat-first": 2, "shuffled": 7, "coin": 8}[order]


def _first(code: int, seat: int, reverse: bool) -> int:
    """Whether the winner's card comes first in a pot of two."""
    if code in (SHUFFLED, COIN):
        return BY_CHANCE
    first = seat == 0 if code == SEAT_FIRST else code in (WINNER_FIRST, NATURAL_BEST, BEST_DOWN)
    return int(first != reverse)


def _heads(code: int, rules: RuleSet) -> int:
    """Greatest 63-bit number that counts as "winner's card first" in a pot of two."""
    chance = Fraction(1, 2)
    if code == COIN:
        assert isinstance(rules.winner_first_probability, Fraction)
        chance = rules.winner_first_probability
        chance = 1 - chance if rules.reverse else chance
    return int(chance * 2**63) - 1


def encode(rules: RuleSet, strengths: Sequence[int]) -> Array:
    """Return the rules for the cards of a deck as the kernels read them.

    Parameters
    ----------
    rules : RuleSet
        Two players; no choice, no recognition, no symbols.
    strengths : sequence of int
        The deck's strengths, in any order.

    Returns
    -------
    ndarray of int64, shape (RULES_SIZE,)
    """
    place = places(strengths, rules)
    code = np.zeros(RULES_SIZE, np.int64)
    code[SHORT] = SHORTS.index(rules.short)
    code[ALL_SHORT] = rules.all_short == "first-player-loses"
    code[AUTOMATIC] = place.get(rules.automatic_rank or 0, -1)
    code[LAYERS], code[REVERSE] = rules.layout == "layers", rules.reverse
    code[RECYCLE] = RECYCLES.index(rules.recycle)
    code[LIMIT] = -1 if rules.limit is None else min(rules.limit, 2**62)
    for seat, order in enumerate(rules.captures):
        code[ORDER + seat] = _order(order, rules.best == "highest")
        code[FIRST + seat] = _first(int(code[ORDER + seat]), seat, rules.reverse)
        code[HEADS + seat] = _heads(int(code[ORDER + seat]), rules)
    fixed = isinstance(rules.face_down, int)
    for strength, number in place.items():
        down = int(rules.face_down) if fixed else cards_by_rank(strength)
        code[DOWN + number] = min(down, MOST_CARDS)
    code[FIXED_DOWN] = min(int(rules.face_down), MOST_CARDS) if fixed else -1
    return code
