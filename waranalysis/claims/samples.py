"""Checks on random games of one rule set: how long they take, and how they come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waranalysis.cards import JOKER
from waranalysis.census.sample import quantile
from waranalysis.claims.finding import Measured, Number
from waranalysis.claims.sampling import (
    GAMES,
    dealt,
    difference,
    games_of,
    interval,
    mean,
    mean_of,
    rules_of,
    sample,
    sampled,
    share,
    table_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Changes = Mapping[str, Any]


def minutes(
    seed: int,
    seconds: float,
    at_least: float = 0,
    at_most: float = float("inf"),
    rules: str = "classic",
    changes: Changes | None = None,
    games: int = GAMES,
) -> Measured:
    """Share of the games that take `at_least` to `at_most` minutes, and the mean.

    A game without an end takes longer than any.
    """
    census = sample(table_of(rules_of(rules, changes)), games, seed).census
    ends = Counter({battles * seconds / 60: n for battles, n in census.lengths.items()})
    within = sum(n for length, n in ends.items() if at_least <= length <= at_most)
    shorter = sum(n for length, n in ends.items() if length < at_least)
    return sampled(
        games,
        within=share(within, games),
        shorter=share(shorter, games),
        longer=share(games - within - shorter, games),
        minutes=mean(ends),
    )


def outcomes(
    seed: int,
    rules: str = "classic",
    changes: Changes | None = None,
    deck: str = "standard",
    games: int = GAMES,
) -> Measured:
    """Shares of games that never end, of draws, of wins of the first player; battles if it ends.

    `ratio` is how many times as many battles 19 of 20 games stay within as 1 of 20 do.
    """
    census = sample(table_of(rules_of(rules, changes), deck), games, seed).census
    few, many = (quantile(census.lengths, part) for part in (0.05, 0.95))
    return sampled(
        games,
        never=share(census.never, games),
        undecided=share(census.undecided, games),
        draws=share(census.draws, games),
        wins_1=share(census.wins[0], games),
        battles=mean(census.lengths),
        longest=Number.exact(max(census.lengths)),
        ratio=Number.exact(many / few),
    )


def holders(
    seed: int,
    copies: int,
    rules: str = "classic",
    changes: Changes | None = None,
    games: int = GAMES,
) -> Measured:
    """Share of the games that the first player wins who was dealt so many aces."""
    held = sample(table_of(rules_of(rules, changes)), games, seed).by_copies()[copies]
    return sampled(games, wins=interval(held["win"]), part=share(held["games"], games))


def joker_luck(
    seed: int, rules: str = "classic", changes: Changes | None = None, games: int = GAMES
) -> Measured:
    """How far from 1/2 the chances of winning are, in the mean, once it is known who has jokers.

    With jokers anywhere that takes holding both; with one in each packet there is nothing to
    know. `anywhere` counts the advantage of who has both in the share of deals where one has.
    """
    table = table_of(rules_of(rules, {"joker_deal": "any", **(changes or {})}), "standard+2j")
    first = dealt(table, games, seed)[:, : table.sizes[0]]
    jokers = (first == JOKER).sum(axis=1).tolist()
    kinds = games_of(table, games, seed).kinds
    holder = {0: "player 2", 2: "player 1"}
    won = [kind == holder[held] for kind, held in zip(kinds, jokers, strict=True) if held != 1]
    wins, part = share(sum(won), len(won)), share(len(won), games)
    edges = [part.value * (chance - 0.5) for chance in (wins.value, wins.low, wins.high)]
    return sampled(games, anywhere=Number(*edges), apart=Number.exact(0), wins=wins, part=part)


def even_hands(
    seed: int, rules: str = "classic", changes: Changes | None = None, games: int = GAMES
) -> Measured:
    """Battles of the evener half of the deals, and of the other half.

    Evenness is how close the sums of strengths of the two packets are.
    """
    table = table_of(rules_of(rules, changes))
    cards, size = dealt(table, games, seed), table.sizes[0]
    gaps = abs(cards[:, :size].sum(axis=1) - cards[:, size:].sum(axis=1)).tolist()
    middle = sorted(gaps)[(games - 1) // 2]
    played = list(zip(games_of(table, games, seed).battles, gaps, strict=True))
    even = mean_of(battles for battles, gap in played if gap <= middle)
    uneven = mean_of(battles for battles, gap in played if gap > middle)
    return sampled(games, difference=difference(even, uneven), even=even, uneven=uneven)


def early_ties(
    seed: int,
    many: int,
    rules: str = "classic",
    changes: Changes | None = None,
    games: int = GAMES,
) -> Measured:
    """Battles of the games with many wars in the first round, and of those with fewer.

    The first round lasts while there are dealt cards; those that lie face down do not count.
    """
    table = table_of(rules_of(rules, changes))
    cards, size, down = dealt(table, games, seed), table.sizes[0], table.rules.face_down
    assert isinstance(down, int)
    wars = _first_wars(cards[:, :size] == cards[:, size:], down).tolist()
    played = list(zip(games_of(table, games, seed).battles, wars, strict=True))
    some = mean_of(battles for battles, early in played if early >= many)
    few = mean_of(battles for battles, early in played if early < many)
    return sampled(games, difference=difference(some, few), many=some, few=few)


def _first_wars(tied: NDArray[np.bool_], down: int) -> NDArray[np.int64]:
    """Wars of each game (row) while its dealt cards last; `tied` tells of each pair of cards."""
    import numpy as np

    wars, covered = np.zeros(len(tied), np.int64), np.zeros(len(tied), np.int64)
    for pair in tied.T:
        war = pair & (covered == 0)
        wars += war
        covered = np.where(war, down, np.maximum(covered - 1, 0))
    return wars
