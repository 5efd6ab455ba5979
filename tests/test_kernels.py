"""The compiled kernels against the plain definition of the game."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from waranalysis.cards import Deal
from waranalysis.census.forward import Player
from waranalysis.census.shuffles import draws, shuffled
from waranalysis.kernels import MOST_CARDS, encode, packed, ring
from waranalysis.kernels.random import shuffled_decks
from waranalysis.play import Reason, State, turn
from waranalysis.rules import FIXED_ORDERS, RuleSet
from waranalysis.termination import classify

orders = st.sampled_from(FIXED_ORDERS)
rule_sets = st.builds(
    RuleSet,
    best=st.sampled_from(["highest", "lowest"]),
    face_down=st.sampled_from([0, 1, 2, 3, "by-rank"]),
    short=st.sampled_from(["lose", "use-remaining", "last-card", "short-packet", "draw"]),
    all_short=st.sampled_from(["draw", "first-player-loses"]),
    automatic_rank=st.sampled_from([None, None, 2, 4]),
    capture=orders | st.tuples(orders, orders),
    layout=st.sampled_from(["rows", "layers"]),
    reverse=st.booleans(),
    recycle=st.sampled_from(["bottom", "pile-stacked"]),
    max_battles=st.sampled_from([None, None, None, 0, 1, 7, 40]),
)
few_ranks = st.lists(st.integers(1, 4), min_size=1, max_size=20)
many_ranks = st.lists(st.integers(1, 40), min_size=1, max_size=64)


def fate(deal: Deal, rules: RuleSet, bound: int) -> list[int]:
    place = encode.places(deal.cards, rules)
    row = np.zeros((1, MOST_CARDS), np.uint8)
    row[0, : len(deal.cards)] = [place[card] for card in deal.cards]
    return Player(rules, deal.cards, bound).fates(row, deal.sizes)[0].tolist()


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(rules=rule_sets, cards=few_ranks | many_ranks, cut=st.floats(0, 1))
def test_ring_plays_as_the_definition_does(rules: RuleSet, cards: list[int], cut: float) -> None:
    first = round(cut * len(cards))
    deal = Deal((tuple(cards[:first]), tuple(cards[first:])))
    verdict = classify(deal, rules, bound=3000)
    outcome, battles, wars, tail, period = fate(deal, rules, 3000)
    if verdict.ending is not None:
        winner = ring.DRAW if verdict.ending.winner is None else verdict.ending.winner
        assert (outcome, battles, wars) == (winner, verdict.battles, verdict.wars)
    elif verdict.kind == "cycles":
        assert (outcome, tail, period) == (ring.CYCLE, verdict.tail, verdict.period)
    else:
        assert outcome == ring.UNDECIDED


def test_spivey_loop_of_31920_battles() -> None:
    text = (
        "27 7 52 46 45 26 44 25 24 6 51 43 42 23 41 22 21 5 50 40 39 20 38 19 18 4 | 37 17 36 16 15"
        " 3 49 35 34 14 33 13 12 2 48 32 31 11 30 10 9 1 47 29 28 8"
    )
    outcome, _, _, tail, period = fate(Deal.parse(text), RuleSet(face_down=1), 1_000_000)
    assert (outcome, tail, period) == (ring.CYCLE, 0, 31920)


def test_a_bound_makes_a_loop_undecided() -> None:
    deal, rules = Deal.parse("4 2 | 3 5 1"), RuleSet()
    assert fate(deal, rules, 5)[0] == ring.UNDECIDED
    assert fate(deal, rules, 6)[0] == ring.CYCLE


def word(cards: list[int], bits: int) -> int:
    return sum(card << (bits * place) for place, card in enumerate(cards))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    one=st.lists(st.integers(0, 3), min_size=1, max_size=9),
    two=st.lists(st.integers(0, 3), min_size=1, max_size=9),
    down=st.integers(0, 3),
    capture=st.sampled_from(["winner-first", "loser-first", "seat-first"]),
    bits=st.sampled_from([3, 4]),
)
def test_a_turn_without_branches(
    one: list[int], two: list[int], down: int, capture: str, bits: int
) -> None:
    if len(one) + len(two) > 63 // bits:
        return
    leads = {"winner-first": (1, 0), "loser-first": (0, 1), "seat-first": (1, 1)}[capture]
    p = np.zeros(packed.PARAM_SIZE, np.int64)
    size = len(one) + len(two)
    p[packed.BITS], p[packed.TOTAL] = bits, bits * size
    p[packed.UP] = sum(1 << (bits * place) for place in range(0, 63 // bits, down + 1))
    p[packed.FLIP], p[packed.FLIP_1] = -(leads[0] ^ leads[1]), -leads[1]
    lanes = np.zeros((packed.LANE_ROWS, 8), np.int64)
    lanes[: packed.STORY, 0] = word(one, bits), word(two, bits), bits * len(one)
    packed.two_turns(lanes, 8, p)
    rules = RuleSet(face_down=down, capture=capture)
    state = State(tuple(tuple(c + 1 for c in packet) for packet in (one, two)), ((), ()))
    battles = 0
    while battles < 2 and all(state.packets):
        step = turn(state, rules)
        if step.ending is not None and step.ending.reason is Reason.SHORT:
            break
        state, battles = step.state, battles + 1
    after = [word([c - 1 for c in packet], bits) for packet in state.packets]
    kept = (1 << 64) - 1
    assert [lanes[0, 0].item() & kept, lanes[1, 0].item() & kept] == after
    assert lanes[packed.LENGTH, 0] == bits * len(state.packets[0])
    assert lanes[packed.STORY, 0] & packed.BATTLE_MASK == battles


def test_shuffles_are_the_same_in_both_engines() -> None:
    decks = np.zeros((5, 52), np.uint8)
    shuffled_decks(np.uint64(7), np.uint64(3), np.zeros(1, np.uint64), decks)
    plain = [shuffled(52, draws(7, game, 0)) for game in range(3, 8)]
    assert decks.tolist() == plain


@pytest.mark.parametrize("capture", ["shuffled", "coin"])
def test_games_of_chance_do_not_depend_on_the_batch(capture: str) -> None:
    rules = RuleSet(capture=capture, recycle="pile-shuffled")
    cards = [2, 3, 4, 5] * 3
    player = Player(rules, cards, 1000)
    rows = np.zeros((50, MOST_CARDS), np.uint8)
    rows[:, :12] = [0, 1, 2, 3] * 3
    whole = player.fates(rows, (6, 6), seed=5, start=100)
    parts = [player.fates(rows[:20], (6, 6), 5, 100), player.fates(rows[20:], (6, 6), 5, 120)]
    assert np.array_equal(whole, np.concatenate(parts))
    assert len(set(whole[:, ring.PLAYED].tolist())) > 5
