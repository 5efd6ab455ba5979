"""Chance: certainty of the end, exact, lumped and certified values, certificates, symbols."""

from __future__ import annotations

import csv
import json
import re
import time
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import waranalysis as war
from tests import naive
from tests.strategies import chance_rules, packets
from tests.test_cli import answer
from waranalysis.chance import exact
from waranalysis.chance import solve as solving
from waranalysis.chance.certified import enclose
from waranalysis.chance.compare import compare
from waranalysis.chance.distribution import _certified, distribution
from waranalysis.chance.ends import find_ends
from waranalysis.chance.ranks import rank_lines, verify_ranks
from waranalysis.chance.solve import solve
from waranalysis.chance.survey import survey
from waranalysis.chance.symbols import at
from waranalysis.chance.value import Interval
from waranalysis.cli import progress, run
from waranalysis.errors import CertificateError, LimitError, RulesError
from waranalysis.graph.build import state_graph
from waranalysis.play import State, turn
from waranalysis.rules import FIXED_ORDERS, RuleSet, load

SHUFFLED = RuleSet(face_down=1, capture="shuffled")
COIN = load("coin")
SHORTS = ("lose", "use-remaining", "last-card", "short-packet", "draw")

# --- against plain arithmetic ----------------------------------------------------------------


def reached(start: Any, fields: dict[str, Any]) -> dict[Any, list[tuple[Fraction, Any]]]:
    """Every state and its outcomes by the second implementation of the game."""
    moves: dict[Any, list[tuple[Fraction, Any]]] = {}
    todo = [start]
    while todo:
        state = todo.pop()
        if state in moves:
            continue
        found: dict[Any, Fraction] = {}
        for after, probability in naive.outcomes(*state, fields).items():
            *parts, ended, winner, _ = after
            key = ("end", winner) if ended else tuple(parts)
            found[key] = found.get(key, Fraction(0)) + probability
        moves[state] = [(p, key) for key, p in found.items() if p]
        todo += [key for p, key in moves[state] if key[0] != "end"]
    return moves


def gauss(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Solve a system by plain elimination."""
    size = len(matrix)
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = next(r for r in range(column, size) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [x / rows[column][column] for x in rows[column]]
        for r in range(size):
            if r != column and rows[r][column]:
                factor = rows[r][column]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[column], strict=True)]
    return [row[-1] for row in rows]


@given(st.data())
@settings(max_examples=30)
def test_exact_values_are_those_of_plain_elimination(data: st.DataObject) -> None:
    fields = data.draw(chance_rules(2))
    deal = data.draw(packets(2, most=3, ranks=3))
    rules = RuleSet.from_dict(fields)
    graph = state_graph(" | ".join(" ".join(map(str, p)) for p in deal), rules)
    if not graph.positions or graph.positions > 40:
        return
    found = solve(graph, "exact")
    parts = found.graph.state(int(graph.starts[0]))
    moves = reached(tuple(parts), fields)
    assert len(moves) == graph.positions
    alive = can_end(moves)
    assert found.ends.certain == (len(alive) == len(moves))
    order = list(alive)
    matrix = [
        [Fraction(one == two) - sum(p for p, key in moves[one] if key == two) for two in order]
        for one in order
    ]
    start = tuple(parts)
    for seat, value in [*enumerate(found.random_deal.winners), (None, found.random_deal.draw)]:
        right = [sum((p for p, k in moves[s] if k == ("end", seat)), Fraction(0)) for s in order]
        solved = dict(zip(order, gauss(matrix, right), strict=True))
        assert value == solved.get(start, 0)
    if found.random_deal.never == 0:
        solved = dict(zip(order, gauss(matrix, [Fraction(1)] * len(order)), strict=True))
        assert found.random_deal.battles == solved[start]
        assert found.random_deal.variance >= 0
    else:
        assert found.random_deal.battles is None


def can_end(moves: dict[Any, list[tuple[Fraction, Any]]]) -> dict[Any, None]:
    alive: dict[Any, None] = {}
    grown = True
    while grown:
        grown = False
        for state, found in moves.items():
            if state not in alive and any(k[0] == "end" or k in alive for _, k in found):
                alive[state] = None
                grown = True
    return alive


@pytest.mark.parametrize("capture", ["shuffled", "coin"])
@pytest.mark.parametrize("deck", ["3x2", "2x3", "5x1", "2:3,4:1,9:2"])
def test_certified_bounds_hold_the_exact_values(deck: str, capture: str) -> None:
    graph = state_graph(deck, RuleSet(face_down=1, capture=capture))
    one, two = solve(graph, "exact"), solve(graph, "certified")
    for (_, _, sharp), (_, _, bounds) in zip(one.deals(), two.deals(), strict=True):
        for name in ("draw", "never", "battles", "variance", "ends"):
            assert getattr(sharp, name) in getattr(bounds, name)
        assert all(w in b for w, b in zip(sharp.winners, bounds.winners, strict=True))
    assert one.random_deal.battles in two.random_deal.battles
    assert two.random_deal.battles.width < 1e-9


def test_bounds_of_a_game_that_may_never_end() -> None:
    rules = RuleSet(capture=("winner-first", "coin"), winner_first_probability=1)
    graph = state_graph("5x1", rules)
    for method in ("exact", "certified"):
        found = solve(graph, method)
        assert not found.ends.certain
        assert found.random_deal.battles is None
    assert solve(graph, "exact").random_deal.never == Fraction(1, 4)
    assert Fraction(1, 4) in found.random_deal.never
    assert Fraction(3, 4) in found.random_deal.ends


@pytest.mark.parametrize("fill", [0, 20, 10**9])
def test_dense_and_sparse_elimination_agree(fill: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "_FILL", fill)
    assert war.chance("5x1", COIN, method="exact").random_deal.battles == 6
    assert war.chance("3x2", SHUFFLED, method="exact").random_deal.battles == Fraction(443, 120)


def test_a_wrong_solution_is_noticed() -> None:
    graph = state_graph("4x1", COIN)
    absorbing = find_ends(graph).rank <= 0
    chain = exact.chain_of(graph, absorbing, exact.rational)
    parts = exact.components(graph.sources, graph.indices, absorbing)
    solution = exact.solve(chain, parts, [[graph.first_end]])
    solution.battles[5] += exact.rational(Fraction(1, 10**30))
    with pytest.raises(ArithmeticError, match="equations"):
        exact.check(chain, solution)


# --- what it must show -----------------------------------------------------------------------


def test_published_expectation_of_3x2() -> None:
    found = war.chance("3x2", SHUFFLED)
    assert found.method == "exact"
    assert found.random_deal.battles == Fraction(443, 120)
    assert found.random_deal.ends == 1
    assert sum(found.random_deal.winners) + found.random_deal.draw == 1


def test_certified_values_of_4x2() -> None:
    found = war.chance("4x2", SHUFFLED, method="certified")
    battles, draw = found.random_deal.battles, found.random_deal.draw
    assert (found.graph.positions, len(found.graph.ends)) == (17_496, 3)
    assert 7.244885838754 in battles
    assert battles.width < 1e-9
    assert round(draw.lower, 6) == round(draw.upper, 6) == 0.086055


@pytest.mark.slow
def test_exact_values_of_4x2() -> None:
    found = war.chance("4x2", SHUFFLED).random_deal
    assert found.battles == Fraction(
        142593190984278367097280634287501250401445897666402587195409,
        found.battles.denominator,
    )
    assert f"{float(found.battles):.12f}" == "7.244885838754"
    assert f"{float(found.draw):.6f}" == "0.086055"


@pytest.mark.slow
def test_certified_values_of_5x2() -> None:
    begun = time.process_time()
    found = war.chance("5x2", SHUFFLED)
    assert found.method == "certified"
    assert time.process_time() - begun < 60
    battles = found.random_deal.battles
    assert (found.graph.positions, found.ends.certain) == (1_020_600, True)
    assert 11.643362570846 in battles
    assert battles.width < 1e-6
    assert found.random_deal.draw.lower < 0.0130148121 < found.random_deal.draw.upper + 1e-6


@pytest.mark.parametrize(
    ("deal", "battles"),
    [
        ("4 2 | 3 5 1", Fraction(65, 6)),
        ("1 4 | 2 3", Fraction(4)),
        ("4 1 | 2 3", Fraction(20, 3)),
        ("2 | 1 3", Fraction(11, 3)),
    ],
)
def test_published_expectations_with_a_coin(deal: str, battles: Fraction) -> None:
    found = war.chance(deal, COIN)
    assert found.random_deal.battles == battles
    assert found.ends.certain


@pytest.mark.parametrize("cards", range(2, 7))
def test_the_gamblers_law_exactly(cards: int) -> None:
    for held in range(1, cards):
        found = war.chance(f"{cards}x1", COIN, split=(held, cards - held), method="exact")
        assert found.random_deal.battles == held * (cards - held)
        assert found.random_deal.winners == (
            Fraction(held, cards),
            Fraction(cards - held, cards),
        )


@pytest.mark.parametrize(("cards", "held"), [(6, 2), (7, 1), (7, 3), (8, 4)])
def test_the_gamblers_law_by_packet_sizes(cards: int, held: int) -> None:
    found = war.chance(f"{cards}x1", COIN, split=(held, cards - held), method="lumped")
    assert found.random_deal.battles == held * (cards - held)
    assert found.random_deal.winners[0] == Fraction(held, cards)
    with pytest.raises(LimitError, match="single deals"):
        next(found.deals())


@pytest.mark.slow
@pytest.mark.parametrize("cards", [7, 8, 9])
def test_the_gamblers_law_for_every_split(cards: int) -> None:
    for held in range(1, cards):
        found = war.chance(f"{cards}x1", COIN, split=(held, cards - held))
        assert found.method == "lumped"
        assert found.random_deal.battles == held * (cards - held)
        assert found.random_deal.winners[0] == Fraction(held, cards)


def test_packet_sizes_are_no_chain_with_wars_or_an_unfair_coin() -> None:
    with pytest.raises(LimitError, match="no chain"):
        war.chance("3x2", SHUFFLED, method="lumped")
    with pytest.raises(LimitError, match="no chain"):
        war.chance("5x1", COIN.replace(winner_first_probability="1/3"), method="lumped")


@pytest.mark.parametrize("capture", ["shuffled", "coin"])
@pytest.mark.parametrize("down", [0, 1, 3])
@pytest.mark.parametrize("short", SHORTS)
def test_the_end_is_certain_on_small_decks(capture: str, down: int, short: str) -> None:
    rules = RuleSet(capture=capture, face_down=down, short=short)
    for deck in ("2x2", "3x2", "2x3"):
        assert find_ends(state_graph(deck, rules, "all")).certain


@pytest.mark.parametrize("capture", ["shuffled", "coin"])
def test_the_end_is_certain_for_three_players(capture: str) -> None:
    for short in SHORTS:
        rules = RuleSet(players=3, capture=capture, face_down=1, short=short)
        for deck in ("4x1", "5x1", "3x2"):
            graph = state_graph(deck, rules)
            found = solve(graph)
            assert found.ends.certain
            assert sum(found.random_deal.winners) + found.random_deal.draw == 1
    assert verify_ranks(list(rank_lines(found.ends))) is None


def test_an_exact_answer_for_six_cards_is_quick() -> None:
    graph = state_graph("6x1", COIN)
    solve(graph)
    begun = time.process_time()
    assert solve(graph).random_deal.battles == 9
    assert time.process_time() - begun < 0.5


def test_both_worlds_side_by_side() -> None:
    fixed = compare("5x1", COIN, "winner-first")
    assert (fixed.deals, fixed.never) == (120, 30)
    assert compare("5x1", COIN, "loser-first").never == 64
    speed = load("speed")
    assert compare("5x1", speed, "winner-first").never == 30
    with pytest.raises(RulesError, match="to compare with"):
        compare("5x1", COIN, "shuffled")


# --- certificates ----------------------------------------------------------------------------


@pytest.mark.parametrize("split", [None, "all"])
@pytest.mark.parametrize(
    "rules", [SHUFFLED, COIN, load("speed"), RuleSet(recycle="pile-shuffled", face_down=1)]
)
def test_rank_certificates(rules: RuleSet, split: str | None) -> None:
    lines = list(rank_lines(find_ends(state_graph("4x1", rules, split))))
    assert verify_ranks(lines) is None
    assert "twice" in str(verify_ranks([*lines, lines[-1]]))
    first = json.loads(lines[1])
    swapped = json.dumps([first[0], first[1][::-1], first[2]])
    assert verify_ranks([lines[0], swapped, *lines[2:]]) is not None


def test_false_rank_certificates() -> None:
    lines = list(rank_lines(find_ends(state_graph("3x2", SHUFFLED))))
    assert "not listed" in str(verify_ranks(lines[:-1]))
    assert "not listed" in str(verify_ranks([lines[0], *lines[2:]]))
    last = next(n for n, line in enumerate(lines) if line.startswith("[3"))
    flat = [lines[0], *("[9" + line[2:] for line in lines[1:])]
    assert "lower rank" in str(verify_ranks(flat))
    for broken in ("[3,[[2]],[]", "[3]", '{"a": 1}', "[0,[[2],[3]],[]]", "nothing"):
        with pytest.raises(CertificateError):
            verify_ranks([*lines[:last], broken])
    for header in ("", "[]", '{"schema": "waranalysis/ranks/1"}'):
        with pytest.raises(CertificateError):
            verify_ranks([header, *lines[1:]])
    wrong = json.loads(lines[last])
    wrong[2] = [[2, 2, 2, 2]]
    with pytest.raises(CertificateError, match="no answer"):
        verify_ranks([*lines[:last], json.dumps(wrong)])


def test_a_coin_that_never_falls_is_no_way_out() -> None:
    lines = list(rank_lines(find_ends(state_graph("3x1", COIN))))
    header = json.loads(lines[0])
    header["rules"]["winner_first_probability"] = "0"
    with pytest.raises(CertificateError, match="no answer"):
        verify_ranks([json.dumps(header), *lines[1:]])


def test_nothing_is_certified_where_games_go_on() -> None:
    with pytest.raises(CertificateError, match="nothing to certify"):
        list(rank_lines(find_ends(state_graph("5x1", RuleSet()))))


def test_closed_classes_without_an_end() -> None:
    found = find_ends(state_graph("5x1", RuleSet()))
    assert sorted(map(len, found.traps)) == [6] * 4 or sum(map(len, found.traps)) > 0
    assert len(found.traps) == 4


@pytest.mark.parametrize("deck", ["4x1", "3x2", "2x3"])
@pytest.mark.parametrize("split", [None, "all"])
def test_a_survey_finds_what_the_graph_has(deck: str, split: str | None) -> None:
    for capture, down, short in [
        ("shuffled", 1, "lose"),
        ("shuffled", 3, "use-remaining"),
        ("coin", 0, "last-card"),
        (("coin", "winner-first"), 1, "short-packet"),
        (("shuffled", "loser-first"), 1, "draw"),
        ("winner-first", 1, "lose"),
    ]:
        rules = RuleSet(capture=capture, face_down=down, short=short)
        one, two = survey(deck, rules, split), find_ends(state_graph(deck, rules, split))
        assert one.to_dict() == two.to_dict()
        assert (one.rank == two.rank).all()
        assert (one.graph.packed == two.graph.packed).all()
        assert (one.graph.starts == two.graph.starts).all()
        for mine, theirs in zip(one.traps, two.traps, strict=True):
            assert (mine == theirs).all()


def test_a_survey_of_other_rules_takes_the_graph() -> None:
    rules = RuleSet(players=3, capture="shuffled")
    assert survey("3x2", rules).to_dict() == find_ends(state_graph("3x2", rules)).to_dict()
    with pytest.raises(RulesError, match="leaves something"):
        survey("3x2", RuleSet(capture="chosen"))
    with pytest.raises(RulesError, match="limit"):
        survey("3x2", RuleSet(capture="shuffled", max_battles=9))
    with pytest.raises(LimitError, match="bytes"):
        survey("5x1", SHUFFLED, memory=50_000)


def test_a_survey_is_certified_like_a_graph() -> None:
    rules = RuleSet(capture="shuffled", face_down=3, short="use-remaining")
    lines = list(rank_lines(survey("3x2", rules)))
    assert lines == list(rank_lines(find_ends(state_graph("3x2", rules))))
    assert verify_ranks(lines) is None


@pytest.mark.slow
def test_300_million_transitions_in_little_memory() -> None:
    begun = time.process_time()
    found = survey("5x2", RuleSet(capture="shuffled", face_down=3, short="use-remaining"))
    assert (found.graph.positions, found.graph.transitions) == (1_017_000, 300_257_280)
    assert found.certain
    assert time.process_time() - begun < 60


@pytest.mark.parametrize(
    ("ranks", "down", "short", "positions", "transitions"),
    [
        (4, 1, "lose", 17_496, 122_688),
        pytest.param(5, 3, "use-remaining", 1_017_000, 300_257_280, marks=pytest.mark.slow),
    ],
)
def test_transitions_counted_by_plain_turns(
    ranks: int, down: int, short: str, positions: int, transitions: int
) -> None:
    """The same counts without a kernel: every position is played on once by `play.turn`.

    Where a pot comes to lie is the same for all its orders, so these are counted, and gone
    through only once for each pot and rest.
    """
    rules = RuleSet(face_down=down, short=short, capture="shuffled")
    pots: list[Any] = []

    def take(decision: Any) -> Any:
        pots.append(decision)
        return decision.cards

    deck = tuple(sorted([*range(2, 2 + ranks)] * 2))
    todo = [deal[:ranks] + b"\0" + deal[ranks:] for deal in orders(deck)]
    met, fans, counted, ends = set(todo), set(), 0, set()
    while todo:
        one, two = map(tuple, todo.pop().split(b"\0"))
        pots.clear()
        result = turn(State((one, two), ((), ()), ()), rules, take)
        if result.ending is not None:
            counted += 1
            ends.add(result.ending.winner)
            continue
        (pot,) = pots
        every = orders(tuple(sorted(pot.cards)))
        counted += len(every)
        first, second = map(bytes, result.state.packets)
        kept = len(result.state.packets[pot.seat]) - len(pot.cards)
        fan = (pot.seat, (first[:kept], second) if pot.seat == 0 else (first, second[:kept]))
        if fan in fans:
            continue
        fans.add(fan)
        head, tail = fan[1]
        for order in every:
            after = head + order + b"\0" + tail if pot.seat == 0 else head + b"\0" + tail + order
            if after not in met:
                met.add(after)
                todo.append(after)
    assert (len(met), counted, ends) == (positions, transitions, {0, 1, None})
    found = survey(f"{ranks}x2", rules).graph
    assert (found.positions, found.transitions) == (positions, transitions)


@cache
def orders(cards: tuple[int, ...]) -> list[bytes]:
    """The distinct orders of sorted cards."""
    if not cards:
        return [b""]
    return [
        bytes([first]) + rest
        for place, first in enumerate(cards)
        if not place or first != cards[place - 1]
        for rest in orders(cards[:place] + cards[place + 1 :])
    ]


def test_only_the_ends_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["chance", "4x2", "--set", "face_down=1", "--method", "ends"]
    found = answer(capsys, *args, "--compare", "winner-first")
    assert (found["positions"], found["transitions"]) == (17_496, 122_688)
    assert (found["closed_classes"], found["ends"], found["probability_ends"]) == (3, 3, "1")
    assert found["compare"][0]["never"] == 70
    assert "expected_battles" not in found
    assert run(args) == 0
    assert "ends with probability one" in capsys.readouterr().out
    for more in (["--csv"], ["--latex"], ["--horizon", "3"], ["--plot", "p.png"]):
        assert run([*args, *more]) == 2
        assert "finds no values" in capsys.readouterr().err


# --- distributions ---------------------------------------------------------------------------


def test_distribution_against_the_expectation() -> None:
    graph = state_graph("3x2", SHUFFLED)
    found = distribution(graph, 120)
    assert found.method == "exact"
    mean = sum(n * found.at(n) for n in range(121))
    assert 0 < Fraction(443, 120) - mean < Fraction(1, 10**6)
    assert found.within(120) + sum(found.counted) == 1
    assert found.at(1) == Fraction(1, 5)
    bounds = _certified(graph, 120, lambda _: None)
    for n in range(121):
        assert all(a in b for a, b in zip(found.battles[n], bounds.battles[n], strict=True))
    assert all(a in b for a, b in zip(found.counted, bounds.counted, strict=True))
    assert found.outlook().battles in bounds.outlook().battles
    assert found.outlook().variance in bounds.outlook().variance


def test_the_gamblers_distribution() -> None:
    # A fair purse of 2 of 4 is empty or full after 2, 4, 6, ... battles: 1/2, 1/4, 1/8, ...
    found = distribution(state_graph("4x1", COIN), 12)
    assert [found.at(n) for n in range(0, 13, 2)] == [0, *(Fraction(1, 2**k) for k in range(1, 7))]
    assert not any(found.at(n) for n in range(1, 13, 2))


def test_minutes_are_a_horizon(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["chance", "4x1", "--rules", "coin", "--set", "minutes=1", "--set"]
    found = answer(capsys, *args, "seconds_per_battle=15")
    assert found["horizon"] == 4
    assert found["over_within"] == "3/4"
    # What is left is counted at 2 and 2, or at 1 and 3.
    assert Fraction(found["draw"]) == Fraction(1, 4)
    assert found["winners"] == ["3/8", "3/8"]
    assert found["expected_battles"] == "3"


# --- symbols ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "fields"),
    [
        ("3x1", {"capture": "coin", "winner_first_probability": "p"}),
        ("3x1", {"recognition": "p"}),
        ("3x2", {"capture": "coin", "winner_first_probability": "p", "face_down": 1}),
        ("2 | 1 3", {"capture": "coin", "winner_first_probability": "p"}),
        ("3x1", {"capture": "coin", "winner_first_probability": "q", "recognition": "p"}),
    ],
)
def test_symbols_agree_with_numbers(start: str, fields: dict[str, Any]) -> None:
    symbolic = war.chance(start, RuleSet.from_dict(fields)).random_deal
    for p in (Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)):
        point = {"p": p, "q": Fraction(2, 7)}
        numbers = {k: str(point[v]) if v in point else v for k, v in fields.items()}
        exactly = war.chance(start, RuleSet.from_dict(numbers)).random_deal
        for name in ("draw", "battles", "variance"):
            assert at(getattr(symbolic, name), point) == getattr(exactly, name)
        told = tuple(at(value, point) for value in symbolic.winners)
        assert told == exactly.winners


def test_symbols_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    coin = ["chance", "3x1", "--set", "capture=coin", "--set", "winner_first_probability=p"]
    assert answer(capsys, *coin)["expected_battles"] == "(4*p + 1)/(3*p)"
    picture = tmp_path / "p.svg"
    assert run([*coin, "--latex", "--plot", str(picture)]) == 0
    assert r"\frac{4 p + 1}{3 p}" in capsys.readouterr().out
    assert picture.read_text().startswith("<?xml")
    assert run([*coin, "--method", "certified"]) == 2
    assert run([*coin, "--plot", str(tmp_path / "p.txt")]) == 2
    assert run(["chance", "3x1", "--rules", "coin", "--plot", str(tmp_path / "q.svg")]) == 2
    assert run([*coin, "--horizon", "5"]) == 2
    assert sorted(tmp_path.iterdir()) == [picture]


# --- the command -----------------------------------------------------------------------------


def test_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "chance", "3x2", "--set", "capture=shuffled", "--set", "face_down=1")
    assert found["expected_battles"] == "443/120"
    assert (found["positions"], found["ends"], found["transitions"]) == (354, 3, 594)
    assert found["probability_ends"] == "1"
    assert found["winners"] == ["667/1560", "667/1560"]
    assert found["draw"] == "113/780"
    assert found["closed_classes"] == 3
    found = answer(capsys, "chance", "--deal", "4 2 | 3 5 1", "--rules", "coin")
    assert (found["deal"], found["expected_battles"]) == ("4 2 | 3 5 1", "65/6")
    bounds = answer(capsys, "chance", "3x2", "--method", "certified", "--set", "face_down=1")
    assert set(bounds["expected_battles"]) == {"lower", "upper"}


def test_the_command_compares_and_certifies(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "ranks.jsonl"
    options = ["--rules", "coin", "--compare", "winner-first", "--certificate", str(path)]
    found = answer(capsys, "chance", "5x1", *options)
    assert found["compare"][0]["never"] == 30
    assert run(["verify", str(path)]) == 0
    assert "480 positions end with probability one" in capsys.readouterr().out
    path.write_text(path.read_text().rsplit("\n", 2)[0] + "\n")
    assert run(["verify", str(path)]) == 1
    assert "not listed" in capsys.readouterr().out


def test_traps_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["5x1", "--rules", "coin", "--set", "winner_first_probability=1"]
    found = answer(capsys, "chance", *options)
    assert (found["probability_ends"], found["expected_battles"]) == ("3/4", None)
    assert [trap["positions"] for trap in found["without_end"]] == [6] * 4
    assert run(["chance", *options]) == 0
    assert "Not certain to end" in capsys.readouterr().out


def test_csv_has_every_deal_where_a_random_one_is_known_by_packet_sizes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(solving, "_QUICK", 2)
    assert answer(capsys, "chance", "4x1", "--rules", "coin")["method"] == "lumped"
    assert run(["chance", "4x1", "--rules", "coin", "--csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) == 24
    assert {row["deal"]: row["battles"] for row in rows}["5 2 | 3 4"] == "20/3"
    assert sum(Fraction(row["battles"]) for row in rows) == 24 * 4
    assert run(["chance", "4x1", "--rules", "coin", "--method", "lumped", "--csv"]) == 2
    assert "no values of single deals" in capsys.readouterr().err
    assert run(["chance", "4x1", "--method", "ends", "-o", "never.parquet"]) == 2


def test_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["chance", "3x1", "--rules", "coin", "--csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "deal,deals,player 1,player 2,draw,never,battles,variance"
    assert len(lines) == 7
    assert run(["chance", "3x1", "--rules", "coin", "--csv", "--horizon", "3"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert run(["chance", "3x1", "--rules", "coin", "--csv", "--method", "certified"]) == 0
    assert "draw lower,draw upper" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["3x2", "--rules", "classic"], "'enumerate' answers that"),
        (["3x2", "--set", "capture=winner-first"], "'enumerate' answers that"),
        (["3x2", "--set", "capture=chosen"], "'choice' answers that"),
        (["3x2", "--rules", "coin", "--set", "winner_first_probability=2"], "from 0 to 1"),
        (["3x2", "--rules", "coin", "--set", "winner_first_probability=1/0"], "from 0 to 1"),
        (["3x2", "--rules", "coin", "--set", "winner_first_probability=?"], "from 0 to 1"),
        (["3x2", "--compare", "shuffled"], "to compare with"),
        ([], "expected a deck"),
        (["3x2", "--deal", "2 | 3"], "exclude each other"),
        (["--deal", "2 3"], "separated by |"),
    ],
)
def test_wrong_input(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["chance", *args]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.out == ""


def test_limits(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["chance", "standard"]) == 3
    shown = capsys.readouterr().err
    assert "random games" in shown
    assert "--method ends" not in shown
    assert "larger limit" not in shown
    assert run(["chance", "4x4"]) == 3
    shown = capsys.readouterr().err
    assert "63,063,000 deals alone; expected a smaller deck or more memory; 'waranalysis" in shown
    assert run(["chance", "4x4", "--method", "ends", "--memory", "1G"]) == 3
    assert "takes more than 1,000,000,000 bytes: there are" in capsys.readouterr().err
    assert run(["chance", "5x1", "--memory", "50K"]) == 3
    shown = capsys.readouterr().err
    assert "or more memory; --method ends says whether all games end with --memory 1M;" in shown
    # Three players go through no kernel: the same graph is needed.
    assert run(["chance", "6x1", "--set", "players=3", "--memory", "50K"]) == 3
    assert "--method ends" not in capsys.readouterr().err
    assert run(["chance", "--deal", "2 3 4 5 | 6 7 8 9", "--memory", "50K"]) == 3
    assert "'waranalysis play' plays a deal once" in capsys.readouterr().err
    monkeypatch.setattr(solving, "_EXACT", 10)
    assert run(["chance", "4x1", "--rules", "coin", "--method", "exact"]) == 3
    shown = capsys.readouterr().err
    assert "'certified' gives bounds" in shown
    assert "sample" not in shown


class Terminal:
    """A standard error that is one, and keeps what it was told."""

    def __init__(self) -> None:
        self.told = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.told += text
        return len(text)

    def flush(self) -> None: ...


@pytest.mark.parametrize(
    ("args", "units"),
    [
        (["chance", "4x1", "--rules", "coin", "--horizon", "9"], ["positions", "steps", "battles"]),
        (["chance", "3x2", "--method", "certified"], ["positions", "steps"]),
        (["chance", "3x2", "--method", "ends", "--compare", "natural"], ["positions"]),
        (["chance", "3x1", "--table"], ["rows"]),
        (["choice", "3x2", "--set", "capture=chosen/coin", "--best"], ["questions", "steps"]),
        (["choice", "3x2", "--habits", "coin,natural"], ["pairs"]),
    ],
)
def test_long_parts_show_their_progress(
    args: list[str], units: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(progress, "_QUIET", 0.0)
    monkeypatch.setattr(progress, "_PAUSE", 0.0)
    monkeypatch.setattr("sys.stderr", terminal)
    assert run(args) == 0
    for unit in units:
        assert re.search(rf"\r[^\r]*\d {unit}", terminal.told), unit
    assert terminal.told.endswith("\r" + " " * 60 + "\r")


# --- against Storm ---------------------------------------------------------------------------


@pytest.mark.parametrize(("deck", "rules"), [("4x2", SHUFFLED), ("5x1", COIN)])
def test_storms_answers_lie_inside(deck: str, rules: RuleSet, tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy", reason="needs Storm")
    from waranalysis.graph.export import export
    from waranalysis.graph.structure import structure

    graph = state_graph(deck, rules)
    (path,) = export(structure(graph), tmp_path / "war.drn")
    model = stormpy.build_model_from_drn(str(path))
    found = solve(graph, "certified")
    bounds = {node: outlook for node, _, outlook in found.deals()}
    for formula, name in (('R=? [F "end"]', "battles"), ('P=? [F "end"]', "ends")):
        (wanted,) = stormpy.parse_properties(formula)
        result = stormpy.model_checking(model, wanted).get_value_vector()
        for node, outlook in bounds.items():
            bound = getattr(outlook, name)
            # Storm's own answers are floats, good to 1e-6.
            assert bound.lower - 1e-5 < result[node] < bound.upper + 1e-5


def test_bounds_are_intervals() -> None:
    graph = state_graph("3x2", SHUFFLED)
    ends = find_ends(graph)
    goal = np.arange(graph.nodes) == graph.first_end
    found = enclose(graph, ends.rank, [goal])
    assert (found.battles[0] <= found.battles[1]).all()
    assert Interval(1.0, 2.0).width >= 1.0


@pytest.mark.parametrize("order", FIXED_ORDERS)
def test_fixed_orders_loop_where_shuffling_ends(order: str) -> None:
    assert find_ends(state_graph("7x1", COIN, "all")).certain
    looping = compare("7x1", COIN, order, "all").positions_never > 0
    assert looping == (order != "seat-first")
