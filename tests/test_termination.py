from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import fixed_rules, packets
from waranalysis.cards import Deal
from waranalysis.errors import RulesError
from waranalysis.play import Game, State, play
from waranalysis.rules import RuleSet, load
from waranalysis.termination import classify

# Spivey, Cycles in War, INTEGERS 10 (2010) G2, with rank 1 read as the highest.
SPIVEY = Deal.parse(
    "27 7 52 46 45 26 44 25 24 6 51 43 42 23 41 22 21 5 50 40 39 20 38 19 18 4 | "
    "37 17 36 16 15 3 49 35 34 14 33 13 12 2 48 32 31 11 30 10 9 1 47 29 28 8"
)


@pytest.mark.parametrize("detector", ["auto", "visited", "brent"])
def test_the_loop_of_31_920_battles(detector: str) -> None:
    verdict = classify(SPIVEY, load("distinct"), detector)
    assert (verdict.kind, verdict.tail, verdict.period) == ("cycles", 0, 31_920)
    assert verdict.loop == State.of(SPIVEY)


@settings(max_examples=300)
@given(st.data())
def test_the_detectors_agree(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 4))
    rules = RuleSet.from_dict(data.draw(fixed_rules(players)))
    deal = Deal(tuple(map(tuple, data.draw(packets(players)))))
    found = [classify(deal, rules, name, bound=3_000) for name in ("visited", "brent")]
    found.append(classify(deal, rules, memory=data.draw(st.integers(0, 20_000)), bound=9_000))
    assert found[0].to_dict() == found[1].to_dict() == found[2].to_dict()
    assert found[0].loop == found[1].loop == found[2].loop


def test_a_bound_that_is_hit_is_undecided() -> None:
    for detector in ("auto", "visited", "brent"):
        verdict = classify(SPIVEY, load("distinct"), detector, bound=20_000)
        assert verdict.to_dict() == {"verdict": "undecided"}
        assert verdict.battles == 20_000
    short_of_memory = classify(SPIVEY, load("distinct"), "visited", memory=1_000_000)
    assert short_of_memory.kind == "undecided"
    assert classify(SPIVEY, load("distinct"), "auto", memory=1_000_000).detector == "brent"


def test_an_end_at_the_bound_is_an_end() -> None:
    deal = Deal.parse("1 4 | 2 3")
    assert classify(deal, load(), bound=4).battles == 4
    assert classify(deal, load(), bound=4).kind == "terminates"
    assert classify(deal, load(), bound=3).kind == "undecided"
    assert classify(Deal.parse("2 3 |"), load(), bound=0).battles == 0


def identity_period_by_playing(deal: Deal, rules: RuleSet, tail: int) -> int:
    game = Game(rules, State.of(deal.labelled()))
    for _ in range(tail):
        game.turn()
    first = game.state()
    game.turn()
    battles = 1
    while game.state() != first:
        game.turn()
        battles += 1
    return battles


@settings(max_examples=400)
@given(st.data())
def test_the_period_of_the_identities(data: st.DataObject) -> None:
    table: dict[str, Any] = data.draw(fixed_rules(2)) | {"max_battles": None}
    rules = RuleSet.from_dict(table | {"capture": "seat-first"})
    deal = Deal(tuple(map(tuple, data.draw(packets(2, most=5, ranks=3)))))
    verdict = classify(deal, rules, bound=2_000, identities=True)
    if verdict.kind == "cycles":
        assert verdict.tail is not None
        played = identity_period_by_playing(deal, rules, verdict.tail)
        assert verdict.identity_period == played


def test_identities_of_the_four_suit_loop() -> None:
    deal = Deal.parse("3 2 1 1 2 1 | 2 1 3 2 3 3")
    verdict = classify(deal, load("natural"), identities=True)
    assert (verdict.period, verdict.identity_period) == (19, 114)
    assert verdict.identity_period == identity_period_by_playing(deal, load("natural"), 0)


@settings(max_examples=300)
@given(st.data())
def test_with_a_limit_every_game_ends_as_it_is_played(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 3))
    table = data.draw(fixed_rules(players)) | {"max_battles": data.draw(st.integers(0, 300))}
    rules = RuleSet.from_dict(table)
    deal = Deal(tuple(map(tuple, data.draw(packets(players)))))
    verdict, played = classify(deal, rules), play(deal, rules)
    assert (verdict.ending, verdict.battles, verdict.wars) == (
        played.ending, played.battles, played.wars,
    )  # fmt: skip


def test_a_distant_limit_is_reached_by_whole_laps() -> None:
    rules = RuleSet(max_battles=10**15 + 3)
    verdict = classify(Deal.parse("4 2 | 3 5 1"), rules)
    assert verdict.kind == "terminates"
    assert verdict.battles == 10**15 + 3
    near = classify(Deal.parse("4 2 | 3 5 1"), RuleSet(max_battles=(10**15 + 3) % 6))
    assert verdict.ending == near.ending


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (RuleSet(capture="shuffled"), "a repeated state is no loop.*waranalysis chance"),
        (load("speed"), "recognition = 9/10 brings chance"),
        (load("won-pile"), "pile-shuffled"),
        (load("teams"), "hand = 2 leaves a choice.*waranalysis choice"),
        (RuleSet(capture=("chosen", "shuffled")), "leaves a choice"),
    ],
)
def test_no_verdict_under_chance_or_choice(rules: RuleSet, why: str) -> None:
    with pytest.raises(RulesError, match=why):
        classify(Deal.parse("4 2 | 3 5 1"), rules)


def test_an_unknown_detector_is_refused() -> None:
    with pytest.raises(RulesError, match="detector 'floyd': expected auto, visited, brent"):
        classify(SPIVEY, load(), "floyd")


# A state is more than any of these: each repeats in a game that ends.
@pytest.mark.parametrize("text", ["1 4 | 2 3", "1 2 | 2 1", "2 1 | 1 2"])
def test_what_is_no_state_would_find_loops_that_are_not_there(text: str) -> None:
    rules = RuleSet(face_down=0)
    game = Game(rules, State.of(rules.read_deal(text)))
    less = set()
    repeats = False
    while game.ending is None:
        sizes, first, hands = (
            tuple(map(len, game.packets)), tuple(game.packets[0]), tuple(map(sorted, game.packets)),
        )  # fmt: skip
        for part in ("sizes", sizes), ("one packet", first), ("sorted", str(hands)):
            repeats = repeats or part in less
            less.add(part)
        game.turn()
    assert repeats
    assert classify(rules.read_deal(text), rules).kind == "terminates"


def test_the_memory_of_each_detector() -> None:
    import tracemalloc

    peaks = {}
    for detector in ("brent", "visited"):
        tracemalloc.start()
        classify(SPIVEY, load("distinct"), detector)
        peaks[detector] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks["brent"] < 100_000
    # The estimate that the bound on memory goes by is generous, and not absurd.
    assert 0.5 * 31_920 * 906 < peaks["visited"] < 31_920 * 906
