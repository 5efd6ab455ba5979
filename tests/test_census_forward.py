"""The compiled census: equal to the plain one, in one piece or in many."""

from __future__ import annotations

import random
from functools import reduce
from itertools import pairwise
from typing import Any

import pytest

from waranalysis.census import engine, forward, plain
from waranalysis.census.result import Census
from waranalysis.rules import FIXED_ORDERS, RuleSet

SHORTS = ("lose", "use-remaining", "last-card", "short-packet", "draw")
DECKS = ("2x4", "3x2", "4x2", "5x1", "6x1", "3x3", "2:1,3:2,5:3", "7:2,9:1,2:2", "4:2,3:2,2:4")


def random_rules(chance: random.Random) -> RuleSet:
    one, two = chance.choices(FIXED_ORDERS, k=2)
    return RuleSet(
        best=chance.choice(["highest", "lowest"]),
        face_down=chance.choice([0, 0, 1, 1, 2, 3, "by-rank"]),
        short=chance.choice(SHORTS),
        all_short=chance.choice(["draw", "draw", "first-player-loses"]),
        automatic_rank=chance.choice([None, None, None, 3]),
        capture=chance.choice([one, one, (one, two)]),
        layout=chance.choice(["rows", "layers"]),
        reverse=chance.random() < 0.25,
        recycle=chance.choice(["bottom", "bottom", "pile-stacked"]),
        max_battles=chance.choice([None] * 6 + [0, 3, 12]),
    )


@pytest.mark.parametrize("seed", range(40))
def test_equals_the_plain_census(seed: int) -> None:
    check_random_rules(seed)


@pytest.mark.slow
def test_thousands_of_rule_sets() -> None:
    for seed in range(1000, 4000):
        check_random_rules(seed)


def check_random_rules(seed: int) -> None:
    chance = random.Random(seed)
    rules = random_rules(chance)
    deck = rules.read_deck(chance.choice(DECKS))
    first = chance.choice([None, None, chance.randint(0, deck.size)])
    deals = rules.deals(deck, None if first is None else (first, deck.size - first))
    start = 0 if deals.ranks < 700 else chance.randint(0, deals.ranks - 200)
    stop = None if deals.ranks < 700 else start + 200
    keep = chance.choice([1, 3])
    fast = forward.take_census(deals, rules, start, stop, keep, 3000)
    assert fast == plain.take_census(deals, rules, start, stop, keep, 3000)


@pytest.mark.parametrize(
    ("deck", "settings"),
    [
        ("4x2", {"face_down": 1}),
        ("3x3", {"face_down": 0, "capture": "natural"}),
        ("6x1", {"capture": "loser-first"}),
        ("2x4", {"best": "lowest", "capture": "ascending", "short": "last-card"}),
    ],
)
def test_mirror_images_save_half_and_change_nothing(deck: str, settings: dict[str, Any]) -> None:
    rules = RuleSet(**settings)
    deals = rules.deals(rules.read_deck(deck))
    whole = forward.take_census(deals, rules, keep=3, mirror=False)
    assert whole == forward.take_census(deals, rules, keep=3)
    cuts = [0, 1, deals.ranks // 3, deals.ranks // 2, deals.ranks]
    parts = [
        forward.take_census(deals, rules, start, stop, keep=3, mirror=engine.mirrors(deals, rules))
        for start, stop in pairwise(cuts)
    ]
    assert reduce(Census.merge, reversed(parts)) == whole


def test_twenty_cards_take_three_bits() -> None:
    rules = RuleSet(capture="natural", face_down=0)
    deals = rules.deals(rules.read_deck("5x4"))
    assert engine.packs(deals, rules)
    start = 123_456_789_012
    fast = forward.take_census(deals, rules, start, start + 60)
    assert fast == plain.take_census(deals, rules, start, start + 60)


@pytest.mark.parametrize(
    ("capture", "draws", "loops", "longest"),
    [("natural", 772, {19: 720}, 37), ("descending", 992, {}, 34)],
)
def test_delahaye_and_mathieu_3x4(
    capture: str, draws: int, loops: dict[int, int], longest: int
) -> None:
    rules = RuleSet(face_down=0, capture=capture)
    deals = rules.deals(rules.read_deck("3x4"))
    assert engine.by_kernels(deals, rules)
    census = engine.take_census(deals, rules, 0, deals.ranks)
    assert census.deals == 34_650
    assert (census.draws, census.cycle_lengths) == (draws, loops)
    assert census.longest is not None
    assert census.longest[0] == longest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "wins", "draws", "loops", "longest"),
    [
        ({"face_down": 1}, 31_162_018, 738_964, {}, 158),
        ({"face_down": 3}, 28_811_851, 5_439_298, {}, 66),
        ({"face_down": 0}, 31_431_426, 200_148, {}, 186),
        ({"face_down": 0, "capture": "natural"}, 31_467_382, 111_146, {24: 17_090}, 145),
        ({"face_down": 0, "capture": "descending"}, 31_465_571, 131_858, {}, 102),
    ],
)
def test_4x4(
    settings: dict[str, Any], wins: int, draws: int, loops: dict[int, int], longest: int
) -> None:
    rules = RuleSet(**settings)
    census = forward.take_census(rules.deals(rules.read_deck("4x4")), rules)
    assert census.wins == [wins, wins]
    assert (census.draws, census.cycle_lengths) == (draws, loops)
    assert census.longest is not None
    assert census.longest[0] == longest
    if settings == {"face_down": 1}:
        assert census.total_battles == 834_068_862
