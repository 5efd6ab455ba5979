"""Checks on the course of random games, turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from waranalysis.census.shuffles import draws
from waranalysis.claims.finding import Measured
from waranalysis.claims.sampling import (
    WATCHED,
    difference,
    mean_of,
    rules_of,
    sampled,
    share,
    table_of,
)
from waranalysis.play import Game, start
from waranalysis.rules import RuleSet

Changes = Mapping[str, Any]
_BOUND = 20_000
_HIGH = 11


@dataclass(frozen=True)
class Course:
    """How a game of two went.

    Attributes
    ----------
    winner : int or None
    held : tuple of int
        Cards of the first player after each battle.
    cards : int
    largest_pot : int
        Most cards on the table in one turn.
    """

    winner: int | None
    held: tuple[int, ...]
    cards: int
    largest_pot: int

    def least(self, seat: int) -> int:
        """Fewest cards that a player held before the last battle."""
        held = self.held[:-1] or self.held
        return min(held) if seat == 0 else self.cards - max(held)


@lru_cache(maxsize=8)
def courses(rules: RuleSet, games: int, seed: int) -> tuple[Course, ...]:
    """Watch random games of the standard deck; those without an end in sight are left out."""
    found = (_course(game) for game in _games(rules, games, seed))
    return tuple(course for course in found if course is not None)


def _games(rules: RuleSet, games: int, seed: int) -> Iterator[Game]:
    table = table_of(rules)
    for number in range(games):
        yield start(table.deal(seed, number), rules, next(draws(seed, number, 1)))


def _course(game: Game) -> Course | None:
    cards = sum(map(len, game.packets))
    held, largest = [], 0
    while game.ending is None:
        if game.battles == _BOUND:
            return None
        game.turn()
        held.append(len(game.packets[0]))
        largest = max(largest, sum(map(len, game.rows)))
    return Course(game.ending.winner, tuple(held), cards, largest)


def pots(
    seed: int,
    cards: int,
    rules: str = "classic",
    changes: Changes | None = None,
    games: int = WATCHED,
) -> Measured:
    """Share of the games with so many cards on the table in one turn, at least."""
    found = courses(rules_of(rules, changes), games, seed)
    return sampled(games, share=share(sum(c.largest_pot >= cards for c in found), len(found)))


def comebacks(
    seed: int,
    cards: int,
    rules: str = "classic",
    changes: Changes | None = None,
    games: int = WATCHED,
) -> Measured:
    """How often a player wins who was once down to so many cards."""
    found = courses(rules_of(rules, changes), games, seed)
    down = [c.winner == seat for c in found for seat in (0, 1) if c.least(seat) <= cards]
    won = sum(c.winner is not None and c.least(c.winner) <= cards for c in found)
    return sampled(games, of_games=share(won, len(found)), from_there=share(sum(down), len(down)))


def clustering(
    seed: int,
    battles: int,
    against: Changes | None = None,
    rules: str = "classic",
    changes: Changes | None = None,
    games: int = WATCHED,
) -> Measured:
    """High cards next to each other after so many battles, less what chance would have there.

    `against` holds changes to the rules; the difference is to games played with those.
    """
    chosen = rules_of(rules, changes)
    excess = mean_of(_excesses(chosen, games, seed, battles))
    if against is None:
        return sampled(games, difference=excess)
    other = mean_of(_excesses(chosen.changed(against), games, seed, battles))
    return sampled(games, difference=difference(excess, other), one=excess, two=other)


@lru_cache(maxsize=8)
def _excesses(rules: RuleSet, games: int, seed: int, battles: int) -> tuple[float, ...]:
    found = []
    for game in _games(rules, games, seed):
        while game.ending is None and game.battles < battles:
            game.turn()
        if game.ending is None:
            found.append(sum(map(_excess, map(tuple, game.packets))))
    return tuple(found)


def _excess(packet: Sequence[int]) -> float:
    """Neighbours that are both high, less their expected number in a shuffled packet."""
    high = [card >= _HIGH for card in packet]
    return sum(a and b for a, b in pairwise(high)) - sum(high) * (sum(high) - 1) / len(packet)
