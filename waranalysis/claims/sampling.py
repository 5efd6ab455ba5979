"""Random games and their statistics: the one place where the checks draw at random.

Games are those of `waranalysis.census.sample`, so ``waranalysis sample --seed 1`` plays the same
ones; game number i of a seed has the same shuffled deck under all rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING, Any

from waranalysis.census.sample import (
    Games,
    Sample,
    Table,
    order_of,
    play_games,
    proportion,
    sample_of,
)
from waranalysis.claims.finding import Measured, Number
from waranalysis.rules import RuleSet, load
from waranalysis.wilson import Z_95

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GAMES = 50_000
WATCHED = 1_200
Split = tuple[int, ...]


def rules_of(rules: str = "classic", changes: Mapping[str, Any] | None = None) -> RuleSet:
    """A preset with some fields changed."""
    return load(rules).changed(changes or {})


def table_of(rules: RuleSet, deck: str = "standard", split: Sequence[int] | None = None) -> Table:
    """Where random deals come from."""
    return Table(rules.read_deck(deck), rules, None if split is None else tuple(split))


@lru_cache(maxsize=64)
def games_of(table: Table, games: int, seed: int) -> Games:
    """Play the first games of a seed: some 100,000 a second where they are compiled, else 300."""
    table.check()
    return play_games(table, seed, 0, games)


def sample(table: Table, games: int, seed: int) -> Sample:
    """What became of the first games of a seed."""
    return sample_of(games_of(table, games, seed))


def dealt(table: Table, games: int, seed: int) -> NDArray[np.int64]:
    """Strengths of the cards of `Table.deal`, packet after packet: a row for each game."""
    import numpy as np

    from waranalysis.kernels.random import shuffled_decks

    decks = np.zeros((games, table.deck.size), np.uint8)
    shuffled_decks(np.uint64(seed), np.uint64(0), np.zeros(1, np.uint64), decks)
    return np.array(table.deck.cards)[decks[:, order_of(table)]]


def sampled(games: int, **numbers: Number) -> Measured:
    """What so many random games told."""
    return Measured("sample", {**numbers, "games": Number.exact(games)})


# --- statistics -----------------------------------------------------------------------------


def interval(found: Mapping[str, float], name: str = "value") -> Number:
    """A number with its ends, as `waranalysis.census.sample` gives it."""
    return Number(found[name], found["low"], found["high"])


def share(count: int, of: int) -> Number:
    """A proportion at 95 %; where none or all were seen, by the rule of three."""
    return interval(proportion(count, of))


def mean(histogram: Mapping[int, int] | Mapping[float, int]) -> Number:
    """The mean of numbers with its normal interval at 95 %; nothing is known from fewer than two.

    The histogram says how often each number was seen.
    """
    many = sum(histogram.values())
    value = sum(number * n for number, n in histogram.items()) / max(many, 1)
    if many < 2:
        return Number(value, float("-inf"), float("inf"))
    squares = sum(n * (number - value) ** 2 for number, n in histogram.items())
    reach = Z_95 * sqrt(squares / (many - 1) / many)
    return Number(value, value - reach, value + reach)


def mean_of(values: Iterable[float]) -> Number:
    """The mean of single numbers."""
    return mean(Counter(values))


def difference(one: Number, two: Number) -> Number:
    """The difference of two means or proportions of separate samples."""
    value = one.value - two.value
    reach = sqrt((one.high - one.value) ** 2 + (two.high - two.value) ** 2)
    return Number(value, value - reach, value + reach)
