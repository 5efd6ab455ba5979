"""Checks that set two rule sets, or two plays of the same deal, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from waranalysis.census.compare import Comparison, comparison_of
from waranalysis.census.result import NEVER, UNDECIDED
from waranalysis.census.sample import Table
from waranalysis.census.shuffles import draws
from waranalysis.claims.finding import Measured, Number, exactly
from waranalysis.claims.sampling import (
    GAMES,
    games_of,
    interval,
    mean,
    rules_of,
    sample,
    sampled,
    share,
    table_of,
)
from waranalysis.decisions import Answer, Decision
from waranalysis.play import Game, play

Side = Mapping[str, Any]
_BOUND = 20_000
_OPEN = {NEVER, UNDECIDED}
# Games that are played move by move in plain Python.
_FEW = 150


def _table(side: Side) -> Table:
    rules = rules_of(side.get("rules", "classic"), side.get("changes"))
    return table_of(rules, side.get("deck", "standard"), side.get("split"))


def _compare(one: Table, two: Table, games: int, seed: int) -> Comparison:
    first, second = (games_of(table, games, seed) for table in (one, two))
    return comparison_of(first, second, 0)


def _never(table: Table, games: int, seed: int) -> Number:
    return share(sample(table, games, seed).census.never, games)


def battles(one: Side, two: Side, seed: int, games: int = GAMES) -> Measured:
    """Battles of the first rule set less those of the second, over the decks that end under both.

    `one` and `two` are the means of the games that end under either.
    """
    sides = _table(one), _table(two)
    means = [mean(sample(side, games, seed).census.lengths) for side in sides]
    found = _compare(sides[1], sides[0], games, seed).to_dict()
    return sampled(
        games,
        difference=interval(found["battles"], "mean"),
        one=means[0],
        two=means[1],
        never_one=_never(sides[0], games, seed),
        never_two=_never(sides[1], games, seed),
    )


def winners(one: Side, two: Side, seed: int, games: int = GAMES) -> Measured:
    """The same deals under two rule sets: how often the result differs, and whom that favours.

    `gain` is what the first player gains in chance of winning from `two` in place of `one`,
    among the deals that end under both.
    """
    sides = _table(one), _table(two)
    found = _compare(*sides, games, seed)
    gains = {-1: 0, 0: 0, 1: 0}
    for (first, second), many in found.pairs.items():
        if not {first, second} & _OPEN:
            gains[(second == "player 1") - (first == "player 1")] += many
    return sampled(
        games,
        changed=interval(found.to_dict()["changed"]),
        gain=mean(gains),
        never_one=_never(sides[0], games, seed),
        never_two=_never(sides[1], games, seed),
    )


def leaders(
    seed: int,
    battles: int,
    rules: str = "classic",
    changes: Side | None = None,
    games: int = GAMES,
) -> Measured:
    """Of the games that go on after so many battles: how often the leader would have won.

    The same decks are played to the end, and counted after so many battles. `changed` is the
    share of all games that the count gives to somebody else.
    """
    to_end = table_of(rules_of(rules, changes))
    counted = table_of(to_end.rules.changed({"max_battles": battles}))
    whole, cut = (games_of(table, games, seed) for table in (to_end, counted))
    played = zip(whole.kinds, whole.battles, cut.kinds, strict=True)
    going = [(end, count) for end, length, count in played if length > battles]
    led = [(end, count) for end, count in going if count != "draw"]
    changed = sum(a != b for a, b in zip(whole.kinds, cut.kinds, strict=True))
    return sampled(
        games,
        leader_wins=share(sum(end == count for end, count in led), len(led)),
        still_going=share(len(going), games),
        level=share(len(going) - len(led), len(going)),
        changed=share(changed, games),
    )


def replays(
    seed: int, rules: str = "classic", changes: Side | None = None, games: int = _FEW
) -> Measured:
    """Share of the deals that come out differently when they are played again.

    Nothing can under a deterministic rule set: a state has one successor.
    """
    chosen = rules_of(rules, changes)
    if chosen.kind == "deterministic":
        return exactly("proof", differ=0)
    table, differ = table_of(chosen), 0
    for game in range(games):
        deal, numbers = table.deal(seed, game), draws(seed, game, 1)
        plays = [play(deal, chosen, next(numbers), bound=_BOUND).ending for _ in range(2)]
        one, two = (end and end.winner for end in plays)
        differ += one != two
    return sampled(games, differ=share(differ, games))


def best_of_two(seed: int, rules: str = "teams", games: int = _FEW) -> Measured:
    """Share of wins of a side that always lays the higher of two cards, against the top card."""
    table = table_of(rules_of(rules))
    deals = [table.deal(seed, game) for game in range(games)]
    results = [play(deal, table.rules, policy=_higher_for_first, bound=_BOUND) for deal in deals]
    won = sum(result.ending is not None and result.ending.winner == 0 for result in results)
    undecided = sum(result.ending is None for result in results)
    return sampled(games, wins=share(won, games), undecided=share(undecided, games))


def _higher_for_first(game: Game, decision: Decision) -> Answer:
    return decision.seat == 0 and decision.cards[1] > decision.cards[0]
