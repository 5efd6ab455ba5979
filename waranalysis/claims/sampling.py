"""Random games and their statistics: the one place where the checks draw at random.

Game number i of a seed has the same deal under all rules that deal the same deck alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from random import Random
from statistics import fmean, variance
from typing import Any

from waranalysis.cards import Deal, Deck, deal_out
from waranalysis.claims.finding import Measured, Number
from waranalysis.play import Ending, play
from waranalysis.rules import RuleSet, load
from waranalysis.termination import classify
from waranalysis.wilson import Z_95, wilson

GAMES = 600
BOUND = 100_000
Split = tuple[int, ...]


def rules_of(rules: str = "classic", changes: Mapping[str, Any] | None = None) -> RuleSet:
    """A preset with some fields changed."""
    return load(rules).changed(changes or {})


@dataclass(frozen=True)
class Played:
    """One random game.

    Attributes
    ----------
    kind : "terminates", "cycles" or "undecided"
    winner : int or None
    battles : int
        Of a game that ends.
    """

    kind: str
    winner: int | None
    battles: int


@lru_cache(maxsize=64)
def sample(
    rules: RuleSet,
    games: int,
    seed: int,
    deck: str = "standard",
    split: Split | None = None,
    replay: int = 0,
) -> tuple[Played, ...]:
    """Play the random deals that `random_deals` gives.

    Parameters
    ----------
    rules : RuleSet
        Without choices.
    games, seed : int
    deck : str
    split : tuple of int, optional
        Cards for each seat.
    replay : int
        Another number gives the same deals, and anew what is left to chance in their games.

    Notes
    -----
    About 1 ms a game of 52 cards on one core.
    """
    deals = random_deals(rules.read_deck(deck), rules, games, seed, split)
    return tuple(
        _played(deal, rules, stream(seed, number, replay)) for number, deal in enumerate(deals)
    )


def stream(seed: int, game: int, replay: int = 0) -> int:
    """The seed of one game."""
    return (seed << 64) + (replay << 32) + game


def random_deals(
    deck: Deck, rules: RuleSet, games: int, seed: int, split: Split | None = None
) -> Iterator[Deal]:
    """The deals of games 0 to `games`."""
    for number in range(games):
        generator = Random(stream(seed, number))
        if split is None:
            yield rules.shuffled_deal(deck, generator)
        else:
            cards = list(deck.cards)
            generator.shuffle(cards)
            yield Deal(deal_out(cards, split, rules.deal), deck.naming)


def _played(deal: Deal, rules: RuleSet, seed: int) -> Played:
    if rules.kind == "deterministic":
        verdict = classify(deal, rules, bound=BOUND)
        return _known(verdict.kind, verdict.ending, verdict.battles)
    result = play(deal, rules, seed, bound=BOUND)
    kind = "undecided" if result.ending is None else "terminates"
    return _known(kind, result.ending, result.battles)


def _known(kind: str, ending: Ending | None, battles: int) -> Played:
    return Played(kind, None if ending is None else ending.winner, battles)


def lengths(played: Sequence[Played]) -> list[int]:
    """Battles of the games that end."""
    return [game.battles for game in played if game.kind == "terminates"]


def sampled(games: int, **numbers: Number) -> Measured:
    """What so many random games told."""
    return Measured("sample", {**numbers, "games": Number.exact(games)})


# --- statistics -----------------------------------------------------------------------------


def share(count: int, of: int) -> Number:
    """A proportion with its interval at 95 % by Wilson (1927)."""
    if not of:
        return Number(0.0, 0.0, 1.0)
    low, high = wilson(count, of)
    return Number(count / of, low if count else 0.0, high if count < of else 1.0)


def mean(values: Sequence[float]) -> Number:
    """A mean with its normal interval at 95 %; nothing is known from fewer than two values."""
    if len(values) < 2:
        return Number(fmean(values or [0.0]), float("-inf"), float("inf"))
    value = fmean(values)
    reach = Z_95 * sqrt(variance(values) / len(values))
    return Number(value, value - reach, value + reach)


def difference(one: Number, two: Number) -> Number:
    """The difference of two means or proportions of separate samples."""
    value = one.value - two.value
    reach = sqrt((one.high - one.value) ** 2 + (two.high - two.value) ** 2)
    return Number(value, value - reach, value + reach)
