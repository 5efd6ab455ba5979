"""What a turn leaves to chance or to a player, and everything that can come of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import Any

from waranalysis.cards import Packet, unrank_sequence
from waranalysis.errors import RulesError
from waranalysis.rules import Probability


@dataclass(frozen=True)
class Decision:
    """Something inside a turn that the rules leave open.

    Attributes
    ----------
    kind : str
        By chance: ``shuffle`` (an order of `cards`), ``coin`` (winner first), ``recognise`` (the
        rightful winner sees it). By the player in `seat`: ``order`` (of `cards`), ``side``
        (winner first), ``hand`` (play the second card).
    seat : int
        Whose packet, pile or pot it concerns.
    cards : packet
        The cards to be put in order, or to choose from.
    probability : Fraction or str
        Of True, for a coin or a recognition; a str is a symbol.
    """

    kind: str
    seat: int
    cards: Packet = ()
    probability: Probability = Fraction(1, 2)

    @property
    def by_chance(self) -> bool:
        """Whether chance decides, not a player."""
        return self.kind in ("shuffle", "coin", "recognise")


Answer = Packet | bool
Decide = Callable[[Decision], Answer]


class Orders(Sequence[Packet]):
    """The distinct orders of some cards, in lexicographic order, made when asked for."""

    def __init__(self, cards: Packet) -> None:
        self._counts = {card: cards.count(card) for card in cards}
        self._length = len(cards)
        self._size = factorial(len(cards)) // prod(map(factorial, self._counts.values()))

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: Any) -> Any:
        if not 0 <= index < self._size:
            raise IndexError(index)
        return unrank_sequence(self._counts, self._length, index)


def options(decision: Decision) -> Sequence[Answer]:
    """Every answer to a decision; orders of equal cards count once."""
    if decision.kind in ("shuffle", "order"):
        return Orders(decision.cards)
    if decision.kind == "hand" and decision.cards[0] == decision.cards[1]:
        return (False,)
    return (True, False)


def chance_of(decision: Decision, answer: Answer, ways: int) -> Any:
    """Probability of an answer: a Fraction, or a sympy expression for a symbol."""
    if decision.kind == "shuffle":
        return Fraction(1, ways)
    probability: Any = decision.probability
    if isinstance(probability, str):
        import sympy

        probability = sympy.Symbol(probability)
    return probability if answer else 1 - probability


def seeded(seed: int) -> Decide:
    """Answer every decision at random, the same way for the same seed."""
    generator = random.Random(seed)

    def decide(decision: Decision) -> Answer:
        if decision.kind in ("shuffle", "order"):
            cards = list(decision.cards)
            generator.shuffle(cards)
            return tuple(cards)
        if isinstance(decision.probability, str):
            raise RulesError(
                f"probability '{decision.probability}' is a symbol: expected a number to play with"
            )
        chance = decision.probability
        return generator.randrange(chance.denominator) < chance.numerator

    return decide
