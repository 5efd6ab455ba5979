from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import naive
from tests.strategies import SEAT_BLIND, chance_rules, choice_rules, fixed_rules, packets
from waranalysis.cards import Deal
from waranalysis.decisions import Decision, Orders, options
from waranalysis.errors import RulesError
from waranalysis.play import (
    Game,
    Reason,
    State,
    cards_by_rank,
    play,
    start,
    successors,
    turn,
)
from waranalysis.rules import RuleSet, load
from waranalysis.termination import classify

GAMES = list(map(json.loads, (Path(__file__).parent / "games.jsonl").read_text().splitlines()))


def deal_of(hands: list[list[int]]) -> Deal:
    return Deal(tuple(map(tuple, hands)))


@pytest.mark.parametrize("game", GAMES, ids=[game["id"] for game in GAMES])
def test_games_on_which_two_other_programs_agree(game: dict[str, Any]) -> None:
    rules = RuleSet.from_dict(game["rules"])
    assert classify(rules.read_deal(game["deal"]), rules).to_dict() == game["expect"]


@settings(max_examples=600)
@given(st.data())
def test_the_second_implementation_agrees_on_whole_games(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 4))
    table = data.draw(fixed_rules(players))
    hands = data.draw(packets(players))
    ours = classify(deal_of(hands), RuleSet.from_dict(table), bound=2_000)
    theirs = naive.play(hands, table, bound=2_000)
    assert ours.to_dict() == theirs


def outcome_of(result: Any) -> naive.Outcome:
    if result.ending is not None:
        return (), (), (), True, result.ending.winner, result.wars
    return (*result.state, False, None, result.wars)


def states(draw: Any, players: int, piles: bool) -> State:
    hands = draw(packets(players, most=3, ranks=2))
    won = draw(packets(players, most=2, ranks=2)) if piles else [[]] * players
    return State(tuple(map(tuple, hands)), tuple(tuple(sorted(pile)) for pile in won))


@settings(max_examples=250)
@given(st.data())
def test_the_second_implementation_agrees_on_chance(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 3))
    table = data.draw(chance_rules(players))
    state = states(data.draw, players, table["recycle"] != "bottom")
    rules = RuleSet.from_dict(table)
    if Game(rules, state).ending is not None:
        return
    ours: dict[naive.Outcome, Fraction] = {}
    for outcome in successors(state, rules):
        key = outcome_of(outcome.turn)
        ours[key] = ours.get(key, Fraction(0)) + outcome.probability
    theirs = naive.outcomes(state.packets, state.piles, state.table, table)
    assert {k: p for k, p in ours.items() if p} == {k: p for k, p in theirs.items() if p}
    assert sum(ours.values()) == 1


@settings(max_examples=250)
@given(st.data())
def test_the_second_implementation_agrees_on_choice(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 3))
    table = data.draw(choice_rules(players))
    state = states(data.draw, players, table["recycle"] != "bottom")
    rules = RuleSet.from_dict(table)
    if Game(rules, state).ending is not None:
        return
    ours = {outcome_of(outcome.turn) for outcome in successors(state, rules)}
    assert ours == naive.choices(state.packets, state.piles, state.table, table)


@settings(max_examples=200)
@given(st.data())
def test_cards_are_conserved_in_every_turn(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 4))
    make = data.draw(st.sampled_from([fixed_rules, chance_rules, choice_rules]))
    rules = RuleSet.from_dict(data.draw(make(players)))
    deal = deal_of(data.draw(packets(players)))
    game = start(deal, rules, seed=data.draw(st.integers(0, 99)))
    while game.ending is None and game.battles < 100:
        game.turn()
        state = game.state()
        cards = [card for part in (*state.packets, *state.piles, state.table) for card in part]
        if game.ending is not None and game.ending.reason in (Reason.SHORT, Reason.NOBODY_LEFT):
            cards += [card for row in game.rows for card in row]
        assert Counter(cards) == deal.counts()


@settings(max_examples=300)
@given(st.data())
def test_swapping_the_packets_swaps_the_winner(data: st.DataObject) -> None:
    table = data.draw(fixed_rules(2, SEAT_BLIND))
    if isinstance(table["capture"], list):
        table["capture"] = table["capture"][0]
    table["all_short"] = "draw"
    rules = RuleSet.from_dict(table)
    hands = data.draw(packets(2))
    one = classify(deal_of(hands), rules, bound=5_000)
    two = classify(deal_of(hands[::-1]), rules, bound=5_000)
    if one.ending is not None and two.ending is not None and one.ending.winner is not None:
        assert two.ending.winner == 1 - one.ending.winner
        assert (one.battles, one.wars) == (two.battles, two.wars)
    else:
        assert one.to_dict() == two.to_dict()


@settings(max_examples=200)
@given(st.permutations(range(2, 13)), st.integers(1, 10), st.data())
def test_the_winner_held_the_highest_card(cards: list[int], size: int, data: st.DataObject) -> None:
    table = data.draw(fixed_rules(2))
    for field in ("max_battles", "automatic_rank"):
        table.pop(field, None)
    hands = [cards[:size], cards[size:]]
    verdict = classify(deal_of(hands), RuleSet.from_dict(table | {"best": "highest"}), bound=5_000)
    if verdict.ending is not None:
        assert verdict.ending.winner == (12 not in hands[0])


@settings(max_examples=300)
@given(st.data())
def test_the_short_way_through_a_single_battle_is_the_full_turn(data: st.DataObject) -> None:
    rules = RuleSet.from_dict(data.draw(fixed_rules(2)))
    deal = deal_of(data.draw(packets(2)))
    short, full = start(deal, rules), start(deal, rules)
    while short.ending is None and short.battles < 200:
        short.turn()
        full._full_turn()
        assert (short.state(), short.ending) == (full.state(), full.ending)
        assert (short.battles, short.wars, short.captor) == (full.battles, full.wars, full.captor)
        assert short.rows == full.rows


@pytest.mark.parametrize("short", ["lose", "use-remaining", "last-card", "short-packet", "draw"])
@pytest.mark.parametrize("face_down", [0, 1, 3, "by-rank"])
def test_three_thousand_equal_cards_each(short: str, face_down: int | str) -> None:
    deal = deal_of([[7] * 3000] * 2)
    result = play(deal, RuleSet(face_down=face_down, short=short))
    assert result.ending is not None
    assert result.ending.winner is None
    assert result.battles == 1
    reach = {0: 3000, 1: 1500, 3: 750, "by-rank": 375}[face_down]
    assert result.wars in (reach, reach + 1)


def test_a_deep_war_that_is_decided() -> None:
    deal = deal_of([[7] * 3000 + [8], [7] * 3000 + [9]])
    result = play(deal, RuleSet(face_down=0))
    assert result.ending is not None
    assert (result.ending.winner, result.battles, result.wars) == (1, 1, 3000)


def test_cards_laid_in_a_war_by_rank() -> None:
    assert [cards_by_rank(s) for s in (1, 2, 9, 10, 11, 13, 14, 15, 16, 255)] == [
        1, 2, 9, 10, 10, 10, 11, 11, 11, 11,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "rules", "reason"),
    [
        ("3 | 2", RuleSet(), Reason.ALL_CARDS),
        ("3 | 3", RuleSet(face_down=0, short="use-remaining"), Reason.SHORT),
        ("3 4 | 2 5", RuleSet(max_battles=1), Reason.LIMIT),
        ("3 | 2 2 | 2 2", RuleSet(players=3, end="first-out"), Reason.ALL_CARDS),
        ("3 3 | 2 | 2 2 2", RuleSet(players=3, end="first-out"), Reason.FIRST_OUT),
        ("3 | 3 | 3", RuleSet(players=3), Reason.NOBODY_LEFT),
    ],
)
def test_why_a_game_ended(text: str, rules: RuleSet, reason: Reason) -> None:
    result = play(rules.read_deal(text), rules)
    assert result.ending is not None
    assert result.ending.reason in (reason, Reason.FIRST_OUT)


def test_successors_of_a_fixed_turn() -> None:
    state = State.of(Deal.parse("4 2 | 3 5 1"))
    (only,) = successors(state, RuleSet())
    assert only.turn == turn(state, RuleSet())
    assert only.turn.state.packets == ((2, 4, 3), (5, 1))
    assert (only.path, only.probability) == ((), 1)


def test_equal_cards_are_shuffled_once() -> None:
    state = State.of(Deal.parse("7 1 9 7 | 7 1 2 7"))
    found = list(successors(state, RuleSet(face_down=1, capture="shuffled")))
    assert sum(outcome.probability for outcome in found) == 1
    pots = [outcome.turn.state.packets[0][-6:] for outcome in found]
    assert len(pots) == len(set(pots)) == 180
    assert {outcome.probability for outcome in found} == {Fraction(1, 180)}


def test_a_symbol_is_carried_exactly() -> None:
    import sympy

    p = sympy.Symbol("p")
    rules = RuleSet(capture="coin", winner_first_probability="p")
    found = list(successors(State.of(Deal.parse("4 2 | 3 5 1")), rules))
    assert [outcome.probability for outcome in found] == [p, 1 - p]
    with pytest.raises(RulesError, match="'p' is a symbol"):
        play(Deal.parse("4 2 | 3 5 1"), rules)


def test_choices_are_told_with_their_seat() -> None:
    rules = RuleSet(hand=2, capture="chosen-side")
    found = [outcome.choices for outcome in successors(State.of(Deal.parse("4 2 | 3 5")), rules)]
    assert len(found) == 8
    assert {choices[0][0] for choices in found} == {0}
    assert {choices[1][0] for choices in found} == {1}


def test_orders_are_made_when_asked_for() -> None:
    orders = Orders(tuple(range(1, 21)))
    assert len(orders) == 2432902008176640000
    assert orders[0] == tuple(range(1, 21))
    assert orders[len(orders) - 1] == tuple(range(20, 0, -1))
    with pytest.raises(IndexError):
        orders[len(orders)]


def test_a_game_of_chance_is_the_same_for_the_same_seed() -> None:
    deal = RuleSet().read_deal("7 2 3 9 4 | 6 5 7 2 8")
    games = [play(deal, load("children"), seed=seed) for seed in (1, 1, 2, 3, 4, 5)]
    assert games[0] == games[1]
    assert len(set(games)) > 1


def test_a_policy_decides_for_the_players() -> None:
    deal = Deal.parse("4 2 | 3 5 1")
    rules = RuleSet(capture="chosen-side")
    forever = play(deal, rules, policy=lambda game, decision: True, bound=500)
    assert (forever.ending, forever.battles) == (None, 500)
    asked: list[tuple[int, Decision]] = []

    def loser_first(game: Game, decision: Decision) -> bool:
        asked.append((game.battles, decision))
        return False

    ended = play(deal, rules, policy=loser_first, bound=500)
    assert ended == play(deal, RuleSet(capture="loser-first"), bound=500)
    assert [decision.seat for _, decision in asked[:3]] == [0, 1, 0]
    assert options(asked[0][1]) == (True, False)


def test_no_turn_after_the_end() -> None:
    with pytest.raises(ValueError, match="no turn is left"):
        turn(State.of(Deal.parse("4 2 |")), RuleSet())
