"""Checks on random games of one rule set: how long they take, and how they come out."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from waranalysis.claims.finding import Measured
from waranalysis.claims.sampling import (
    GAMES,
    difference,
    lengths,
    mean,
    random_deals,
    rules_of,
    sample,
    sampled,
    share,
)

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
    played = sample(rules_of(rules, changes), games, seed)
    ended = [battles * seconds / 60 for battles in lengths(played)]
    within = sum(at_least <= length <= at_most for length in ended)
    shorter = sum(length < at_least for length in ended)
    return sampled(
        games,
        within=share(within, games),
        shorter=share(shorter, games),
        longer=share(games - within - shorter, games),
        minutes=mean(ended),
    )


def outcomes(
    seed: int, rules: str = "classic", changes: Changes | None = None, games: int = GAMES
) -> Measured:
    """Shares of games that never end, of draws, of wins of the first player; battles if it ends."""
    played = sample(rules_of(rules, changes), games, seed)
    drawn = sum(game.kind == "terminates" and game.winner is None for game in played)
    return sampled(
        games,
        never=share(sum(game.kind == "cycles" for game in played), games),
        undecided=share(sum(game.kind == "undecided" for game in played), games),
        draws=share(drawn, games),
        wins_1=share(sum(game.winner == 0 for game in played), games),
        battles=mean(lengths(played)),
    )


def holders(
    seed: int,
    strength: int,
    copies: int,
    rules: str = "classic",
    changes: Changes | None = None,
    deck: str = "standard",
    games: int = GAMES,
) -> Measured:
    """Share of the games that a player wins who was dealt so many cards of a strength."""
    chosen = rules_of(rules, changes)
    deals = random_deals(chosen.read_deck(deck), chosen, games, seed)
    won = [
        game.winner == seat
        for game, deal in zip(sample(chosen, games, seed, deck), deals, strict=True)
        for seat, packet in enumerate(deal.packets)
        if packet.count(strength) == copies
    ]
    return sampled(games, wins=share(sum(won), len(won)), part=share(len(won), 2 * games))


def even_hands(
    seed: int, rules: str = "classic", changes: Changes | None = None, games: int = GAMES
) -> Measured:
    """Battles of the evener half of the deals, and of the other half.

    Evenness is how close the sums of strengths of the two packets are.
    """
    chosen = rules_of(rules, changes)
    deals = random_deals(chosen.read_deck("standard"), chosen, games, seed)
    gaps = [abs(sum(deal.packets[0]) - sum(deal.packets[1])) for deal in deals]
    played = list(zip(sample(chosen, games, seed), gaps, strict=True))
    middle = median(gaps)
    even = mean(lengths([game for game, gap in played if gap <= middle]))
    uneven = mean(lengths([game for game, gap in played if gap > middle]))
    return sampled(games, difference=difference(even, uneven), even=even, uneven=uneven)
