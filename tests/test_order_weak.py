"""Weak orders against the plain census: two routes that share no code."""

import pytest

from waranalysis.census import enumerate as census
from waranalysis.errors import CardsError, RulesError
from waranalysis.order.weak import enumerate_weak_orders
from waranalysis.rules import load


def agrees(ranks, copies, rules, split=None):
    counts = enumerate_weak_orders(ranks, copies, rules, split)
    truth = census(f"{ranks}x{copies}", rules, split=split)
    assert counts.wins == list(truth.wins)
    assert (counts.draws, counts.never) == (truth.draws, truth.never)
    assert counts.cycle_lengths == dict(truth.cycle_lengths)
    assert counts.total_battles == truth.total_battles
    assert counts.longest == (truth.longest[0] if truth.longest else 0)


@pytest.mark.parametrize("capture", ["winner-first", "loser-first", "seat-first"])
@pytest.mark.parametrize("down", [0, 1])
def test_small_decks(capture, down):
    rules = load("distinct").changed({"capture": capture, "face_down": down})
    for ranks, copies in ((2, 2), (3, 2), (4, 2), (2, 3)):
        agrees(ranks, copies, rules)
    agrees(3, 2, rules, (4, 2))
    agrees(3, 2, rules.changed({"reverse": True}))


@pytest.mark.slow
@pytest.mark.parametrize("capture", ["winner-first", "loser-first"])
@pytest.mark.parametrize("down", [0, 1])
def test_five_ranks_twice(capture, down):
    agrees(5, 2, load("distinct").changed({"capture": capture, "face_down": down}))


@pytest.mark.parametrize(
    ("changes", "told"),
    [({"short": "draw"}, "short = draw"), ({"capture": "natural"}, "natural"),
     ({"capture": "coin"}, "chance"), ({"face_down": "by-rank"}, "face down")],
)  # fmt: skip
def test_other_rules_are_refused(changes, told):
    with pytest.raises(RulesError, match=told):
        enumerate_weak_orders(2, 2, load("distinct").changed(changes))
    with pytest.raises(CardsError, match="'4/1'"):
        enumerate_weak_orders(2, 2, load("distinct"), (4, 1))
