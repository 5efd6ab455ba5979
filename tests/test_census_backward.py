"""The backward census, which shares no code with the forward one, must agree with it."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from waranalysis.census import forward
from waranalysis.census.backward import all_positions
from waranalysis.errors import LimitError, RulesError
from waranalysis.rules import FIXED_ORDERS, RuleSet

SHORTS = ("lose", "use-remaining", "last-card", "short-packet", "draw")
GRID = list(product(FIXED_ORDERS, SHORTS, ("rows", "layers"), (False, True)))


def check_splits(spec: str, rules: RuleSet) -> None:
    deck = rules.read_deck(spec)
    found = all_positions(deck, rules)
    for first in range(1, deck.size):
        deals = rules.deals(deck, (first, deck.size - first))
        census = forward.take_census(deals, rules, bound=20_000)
        assert not census.undecided
        ends = {(w, n): count for (held, w, n), count in found.endings.items() if held == first}
        assert ends == dict(census.endings)
        assert found.split(first)["never"] == census.never


@pytest.mark.parametrize(("capture", "short", "layout", "reverse"), GRID)
def test_agrees_with_forward(capture: str, short: str, layout: str, reverse: bool) -> None:
    chance = random.Random(f"{capture} {short} {layout} {reverse}")
    rules = RuleSet(
        capture=capture,
        short=short,
        layout=layout,
        reverse=reverse,
        face_down=chance.choice([0, 1, 2, "by-rank"]),
        best=chance.choice(["highest", "lowest"]),
        automatic_rank=chance.choice([None, None, 3]),
    )
    check_splits(chance.choice(["3x2", "2x3", "2:1,3:2,5:3"]), rules)


@pytest.mark.parametrize("down", [0, 1])
def test_agrees_on_a_habit_for_each_seat(down: int) -> None:
    rules = RuleSet(face_down=down, capture=("natural", "seat-first"))
    check_splits("3x2", rules)


def test_distinct_cards_in_every_split() -> None:
    rules = RuleSet(face_down=1)
    found = all_positions(rules.read_deck("9x1"), rules)
    assert (found.positions, found.never, found.longest) == (2_903_040, 1_155_462, 31)
    assert found.split(5)["never"] == 218_680
    battles: Counter[int] = Counter()
    for (_, _, length), count in found.endings.items():
        battles[length] += count
    assert battles.total() == found.ends


@pytest.mark.slow
def test_every_position_of_4x4_ends() -> None:
    rules = RuleSet(face_down=1)
    found = all_positions(rules.read_deck("4x4"), rules)
    assert found.positions == found.ends == 945_945_000
    even = found.split(8)
    assert (even["wins"], even["draws"]) == ([31_162_018, 31_162_018], 738_964)


@pytest.mark.parametrize(
    "rules",
    [
        RuleSet(max_battles=10),
        RuleSet(recycle="pile-stacked"),
        RuleSet(players=3),
        RuleSet(capture="coin"),
    ],
)
def test_refuses_other_rules(rules: RuleSet) -> None:
    with pytest.raises(RulesError, match="expect"):
        all_positions(rules.read_deck("4x2"), rules)


def test_refuses_decks_that_do_not_fit() -> None:
    with pytest.raises(LimitError, match="52 cards of 13 strengths"):
        all_positions(RuleSet().read_deck("standard"), RuleSet())
