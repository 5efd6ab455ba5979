"""Checks that set two rule sets, or two plays of the same deal, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from waranalysis.cards import JOKER
from waranalysis.claims.finding import Measured, Number, exactly
from waranalysis.claims.samples import holders
from waranalysis.claims.sampling import (
    GAMES,
    Played,
    difference,
    lengths,
    mean,
    random_deals,
    rules_of,
    sample,
    sampled,
    share,
)
from waranalysis.decisions import Answer, Decision
from waranalysis.play import Game, play

Side = Mapping[str, Any]
_BOUND = 20_000


def _sample(side: Side, games: int, seed: int) -> tuple[Played, ...]:
    rules = rules_of(side.get("rules", "classic"), side.get("changes"))
    split = tuple(side["split"]) if "split" in side else None
    return sample(rules, games, seed, side.get("deck", "standard"), split)


def _never(played: tuple[Played, ...]) -> Number:
    return share(sum(game.kind == "cycles" for game in played), len(played))


def battles(one: Side, two: Side, seed: int, games: int = GAMES) -> Measured:
    """Mean battles of the games that end on either side; shares of those that never end."""
    first, second = (_sample(side, games, seed) for side in (one, two))
    means = [mean(lengths(played)) for played in (first, second)]
    return sampled(
        games,
        difference=difference(*means),
        one=means[0],
        two=means[1],
        never_one=_never(first),
        never_two=_never(second),
    )


def winners(one: Side, two: Side, seed: int, games: int = GAMES) -> Measured:
    """The same deals under two rule sets: how often the result differs, and whom that favours.

    `gain` is what the first player gains in chance of winning from `two` in place of `one`,
    among the deals that end under both.
    """
    first, second = (_sample(side, games, seed) for side in (one, two))
    pairs = list(zip(first, second, strict=True))
    changed = sum((a.kind, a.winner) != (b.kind, b.winner) for a, b in pairs)
    ended = [(a, b) for a, b in pairs if a.kind == b.kind == "terminates"]
    return sampled(
        games,
        changed=share(changed, games),
        gain=mean([(b.winner == 0) - (a.winner == 0) for a, b in ended]),
        never_one=_never(first),
        never_two=_never(second),
    )


def replays(
    seed: int, rules: str = "classic", changes: Side | None = None, games: int = GAMES
) -> Measured:
    """Share of the deals that come out differently when they are played again.

    Nothing can under a deterministic rule set: a state has one successor.
    """
    chosen = rules_of(rules, changes)
    if chosen.kind == "deterministic":
        return exactly("proof", differ=0)
    plays = [sample(chosen, games, seed, replay=replay) for replay in (0, 1)]
    differ = sum(a.winner != b.winner for a, b in zip(*plays, strict=True))
    return sampled(games, differ=share(differ, games))


def best_of_two(seed: int, rules: str = "teams", games: int = GAMES) -> Measured:
    """Share of wins of a side that always lays the higher of two cards, against the top card."""
    chosen = rules_of(rules)
    deals = random_deals(chosen.read_deck("standard"), chosen, games, seed)
    results = [play(deal, chosen, policy=_higher_for_first, bound=_BOUND) for deal in deals]
    won = sum(result.ending is not None and result.ending.winner == 0 for result in results)
    undecided = sum(result.ending is None for result in results)
    return sampled(games, wins=share(won, games), undecided=share(undecided, games))


def _higher_for_first(game: Game, decision: Decision) -> Answer:
    return decision.seat == 0 and decision.cards[1] > decision.cards[0]


def joker_luck(seed: int, games: int = GAMES) -> Measured:
    """How far from 1/2 the chances of winning are, in the mean, once it is known who has jokers.

    With jokers anywhere that takes holding both; with one in each packet there is nothing to
    know. `anywhere` counts the advantage of who has both in the share of deals where one has.
    """
    changes = {"joker_deal": "any"}
    both = holders(seed, JOKER, 2, "jokers", changes, "standard+2j", games).numbers
    wins, part = both["wins"], 2 * both["part"].value
    edges = [part * (chance - 0.5) for chance in (wins.value, wins.low, wins.high)]
    return sampled(games, anywhere=Number(*edges), apart=Number.exact(0), wins=wins)
