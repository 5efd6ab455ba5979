"""Choice: what can be forced, checked against plain sets; strategies, best values, habits."""

from __future__ import annotations

import csv
import json
import re
from fractions import Fraction
from functools import partial
from itertools import product
from operator import eq, ne
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import waranalysis as war
from tests.test_cli import answer
from waranalysis.chance import exact
from waranalysis.choice import bounds
from waranalysis.choice import values as best_values
from waranalysis.choice.arena import CHANCE, arena
from waranalysis.choice.habits import habits
from waranalysis.choice.proof import best_lines, statement, verify_best
from waranalysis.choice.questions import QUESTIONS, SENSES, ask, end_forced
from waranalysis.choice.strategy import (
    chosen_actions,
    plans,
    strategy_lines,
    verify_strategy,
)
from waranalysis.choice.values import best_win
from waranalysis.cli import run
from waranalysis.errors import CertificateError, LimitError, RulesError
from waranalysis.graph.build import state_graph
from waranalysis.graph.export import export
from waranalysis.graph.structure import structure
from waranalysis.play import Ending, Outcome, State, successors
from waranalysis.rules import RuleSet

SIDE = RuleSet(face_down=1, capture="chosen-side")

# --- against plain sets ----------------------------------------------------------------------


class Plain:
    """Answers by repeated sweeps over dictionaries, from `successors` alone."""

    def __init__(self, starts: list[State], rules: RuleSet) -> None:
        self.rules = rules
        self.outcomes: dict[State, list[Outcome]] = {}
        todo = list(starts)
        while todo:
            state = todo.pop()
            if state not in self.outcomes:
                found = [o for o in successors(state, rules) if o.probability != 0]
                self.outcomes[state] = found
                todo += [o.turn.state for o in found if o.turn.ending is None]

    def tree(self, outcomes: list[Outcome], wants: Any, good: Any, first: int) -> bool:
        """Whether the owners that `wants` accepts can bring a turn to something good."""
        steps = [s for s in outcomes[0].path if s not in self.used]
        if not steps:
            return bool(good(outcomes[0]))
        hands = [s for s in steps if s.decision.kind == "hand"]
        step = next((s for s in hands if s.decision.seat == first), steps[0])
        branches: dict[Any, list[Outcome]] = {}
        for outcome in outcomes:
            same = next(
                s
                for s in outcome.path
                if s.decision.kind == step.decision.kind and s.decision.seat == step.decision.seat
            )
            branches.setdefault(same, []).append(outcome)
        owner = CHANCE if step.decision.by_chance else step.decision.seat
        told = []
        for taken, branch in branches.items():
            self.used.append(taken)
            told.append(self.tree(branch, wants, good, first))
            self.used.pop()
        return any(told) if wants(owner) else all(told)

    used: list[Any] = []  # noqa: RUF012

    def reach(self, wants: Any, target: Any, first: int, inside: set[State]) -> set[State]:
        """Positions in `inside` from which the willing reach an end that is wanted."""
        found: set[State] = set()

        def good(outcome: Outcome) -> bool:
            if outcome.turn.ending is not None:
                return bool(target(outcome.turn.ending.winner))
            return outcome.turn.state in found

        def drawn(state: State) -> bool:
            return self.tree(self.outcomes[state], wants, good, first)

        while new := set(filter(drawn, inside - found)):
            found.update(new)
        return found


RULES = [
    SIDE,
    SIDE.replace(face_down=0),
    SIDE.replace(capture=("chosen-side", "winner-first")),
    SIDE.replace(capture="chosen"),
    SIDE.replace(capture="winner-first", hand=2),
    SIDE.replace(capture="chosen-side", hand=2),
    SIDE.replace(capture="loser-first", hand=2, face_down=0, short="last-card"),
]


@pytest.mark.parametrize("rules", RULES, ids=lambda r: f"{r.capture}-{r.hand}-{r.face_down}")
@pytest.mark.parametrize("deck", ["4x1", "3x2"])
def test_attractors_against_plain_sets(deck: str, rules: RuleSet) -> None:
    graph = state_graph(deck, rules)
    states = [graph.state(node) for node in range(graph.positions)]
    plain = Plain([graph.state(int(node)) for node in graph.starts], rules)
    everywhere = set(plain.outcomes)
    assert everywhere == set(states)

    def same(question: str, player: int | None, expected: set[State]) -> None:
        for sense in SENSES:
            holds = ask(graph, question, player, sense).holds
            assert {s for s, yes in zip(states, holds, strict=False) if yes} == expected

    def anything(_: int | None) -> bool:
        return True

    together = plain.reach(lambda owner: True, anything, 0, everywhere)
    same("end", None, together)
    forced = plain.reach(lambda owner: False, anything, 0, everywhere)
    same("endless", None, everywhere - forced)
    assert {s for s, yes in zip(states, end_forced(graph), strict=False) if yes} == forced
    for player in (0, 1):
        ours, theirs = partial(eq, player), partial(ne, player)
        same("force-end", player, plain.reach(ours, anything, player, everywhere))
        same("force-win", player, plain.reach(ours, ours, player, everywhere))
        # To be prevented from going on, the other must find an answer to every pick.
        ended = plain.reach(theirs, anything, player, everywhere)
        same("force-endless", player, everywhere - ended)


@pytest.mark.parametrize(
    "rules",
    [
        SIDE.replace(capture=("chosen-side", "shuffled")),
        SIDE.replace(capture=("coin", "chosen")),
        SIDE.replace(recognition="3/4"),
        SIDE.replace(capture="chosen-side", recycle="pile-shuffled"),
    ],
    ids=["side-shuffled", "coin-chosen", "speed", "pile-shuffled"],
)
def test_chance_and_choice_against_plain_sets(rules: RuleSet) -> None:
    deck = "4x1" if rules.recognition or rules.recycle != "bottom" else "3x2"
    graph = state_graph(deck, rules)
    states = [graph.state(node) for node in range(graph.positions)]
    plain = Plain([graph.state(int(node)) for node in graph.starts], rules)

    def holds(question: str, player: int | None, sense: str) -> set[State]:
        found = ask(graph, question, player, sense).holds
        return {s for s, yes in zip(states, found, strict=False) if yes}

    for player in (0, 1):
        for question in ("force-end", "force-win"):

            def target(w: int | None, q: str = question, p: int = player) -> bool:
                return q == "force-end" or w == p

            def ours(owner: int, p: int = player) -> bool:
                return owner in (p, CHANCE)

            inside = set(plain.outcomes)
            luck = plain.reach(ours, target, player, inside)
            assert holds(question, player, "positive") == luck
            sure = plain_almost_sure(plain, ours, target, player)
            assert holds(question, player, "almost-sure") == sure
        ended = plain.reach(lambda o, p=player: o != p, lambda w: True, player, set(states))
        assert holds("force-endless", player, "almost-sure") == set(states) - ended


def plain_almost_sure(plain: Plain, ours: Any, target: Any, player: int) -> set[State]:
    """The largest set in which luck can always lower a rank and nothing leads out."""
    inside = set(plain.outcomes)
    while True:
        # Outcomes that leave the set count as lost, whatever chance says.
        found: set[State] = set()
        grown = True
        while grown:
            grown = False
            for state in inside - found:
                if safe_and_lower(plain, state, ours, target, player, inside, found):
                    found.add(state)
                    grown = True
        if found == inside:
            return inside
        inside = found


def safe_and_lower(
    plain: Plain,
    state: State,
    ours: Any,
    target: Any,
    player: int,
    inside: set[State],
    found: set[State],
) -> bool:
    """Whether some choice of the player keeps every outcome inside and lets luck lower the rank.

    One seat chooses once a turn here: each of its answers is tried in turn.
    """
    outcomes = plain.outcomes[state]
    own = {
        step.answer
        for o in outcomes
        for step in o.path
        if not step.decision.by_chance and step.decision.seat == player
    }

    def stays(outcome: Outcome) -> bool:
        if outcome.turn.ending is not None:
            return bool(target(outcome.turn.ending.winner))
        return outcome.turn.state in inside

    def lower(outcome: Outcome) -> bool:
        return outcome.turn.ending is not None or outcome.turn.state in found

    plans: list[list[Outcome]] = [outcomes]
    if own:
        plans = consistent_plans(outcomes, player)
    for plan in plans:
        if all(map(stays, plan)) and plain.tree(plan, lambda o: o == CHANCE, lower, player):
            return True
    return False


def consistent_plans(outcomes: list[Outcome], player: int) -> list[list[Outcome]]:
    """Outcomes left under each of the player's plans: an answer for every history of the turn."""
    options: dict[tuple[Any, ...], dict[Any, None]] = {}
    for o in outcomes:
        for at, step in enumerate(o.path):
            if not step.decision.by_chance and step.decision.seat == player:
                options.setdefault(o.path[:at], {})[step.answer] = None
    plans = []
    for answers in product(*options.values()):
        plan = dict(zip(options, answers, strict=True))
        plans.append(
            [
                o
                for o in outcomes
                if all(plan.get(o.path[:at], s.answer) == s.answer for at, s in enumerate(o.path))
            ]
        )
    return plans


# --- what it must show -----------------------------------------------------------------------


@pytest.mark.parametrize(("deck", "forced", "on"), [("4x2", 1100, 1420), ("3x2", 66, 24)])
def test_published_counts_of_chosen_sides(deck: str, forced: int, on: int) -> None:
    found = war.choice(deck, SIDE)
    assert (found.end_forced, found.can_go_on["almost-sure"]) == (forced, on)
    assert found.deals == forced + on
    if deck == "4x2":
        assert (found.graph.positions, len(found.graph.ends)) == (14_504, 3)
    for what, deals in found.player_can_force["almost-sure"].items():
        assert deals[0] == deals[1], what


def test_what_one_player_can_force_with_4x2() -> None:
    found = war.choice("4x2", SIDE).player_can_force["almost-sure"]
    assert found == {"end": [2380, 2380], "win": [966, 966], "endless": [140, 140]}


def test_one_player_picks_and_the_other_shuffles() -> None:
    found = war.choice("4x2", SIDE.replace(capture=("chosen-side", "shuffled"))).to_dict()
    assert found["end_forced"] == found["deals"] - found["can_go_on"] == 1137
    assert found["can_go_on_almost_surely"] == 120
    assert found["player_can_force"]["endless"] == [120, 0]
    assert found["player_has_a_chance_of"]["endless"] == [1383, 0]


def test_three_players() -> None:
    graph = state_graph("6x1", RuleSet(players=3, capture="chosen-side"))
    wins = [ask(graph, "force-win", seat).deals for seat in range(3)]
    assert wins == [240, 240, 240]  # those who hold the greatest card


def test_the_greatest_card_decides() -> None:
    # It never changes hands, and its holder can always bring the game to an end.
    for capture in (("chosen", "shuffled"), ("chosen", "winner-first"), ("chosen-side", "coin")):
        found = best_win(state_graph("5x1", RuleSet(capture=capture)), 0)
        assert found.random_deal == Fraction(3, 5)


# --- strategies ------------------------------------------------------------------------------


WITH_CHANCE = [
    SIDE.replace(capture=("chosen-side", "shuffled")),
    SIDE.replace(capture=("coin", "chosen")),
    SIDE.replace(recognition="3/4"),
    SIDE.replace(capture="chosen-side", recycle="pile-shuffled"),
    SIDE.replace(capture="winner-first", recycle="pile-shuffled", hand=2),
]


@pytest.mark.parametrize("rules", [*RULES, *WITH_CHANCE], ids=str)
def test_strategy_certificates(rules: RuleSet) -> None:
    deck = "4x1" if rules.recognition or rules.recycle != "bottom" else "3x2"
    graph = state_graph(deck, rules)
    late = rules.hand == 2 and rules.recycle == "pile-shuffled"
    for question in QUESTIONS:
        for player in (0, 1 - late) if question.startswith("force") else (None,):
            for sense in SENSES if rules.chance_fields else ("almost-sure",):
                region = ask(graph, question, player, sense)
                lines = list(strategy_lines(region))
                assert len(lines) == region.positions + 1
                assert verify_strategy(lines) is None, (question, player, sense)
    header = json.loads(lines[0]) | {"yes": region.deals + 1}
    assert "deals are listed" in str(verify_strategy([json.dumps(header), *lines[1:]]))


@pytest.mark.parametrize("rules", WITH_CHANCE, ids=str)
def test_more_is_not_certified(rules: RuleSet) -> None:
    """A strategy for the weaker sense is none for the stronger, where it covers more."""
    graph = state_graph("4x1" if rules.recognition or rules.recycle != "bottom" else "3x2", rules)
    for question, player in (("force-win", 0), ("force-endless", 0), ("endless", None)):
        weak = ask(graph, question, player, "positive")
        lines = list(strategy_lines(weak))
        header = json.loads(lines[0]) | {"sense": "almost-sure"}
        false = verify_strategy([json.dumps(header), *lines[1:]])
        more = weak.positions > ask(graph, question, player).positions
        assert not more or false is not None, question


def test_an_answer_that_is_missing_is_noticed() -> None:
    rules = SIDE.replace(hand=2)  # the pot is arranged after the other's pick
    lines = list(strategy_lines(ask(state_graph("4x1", rules), "force-win", 0)))
    assert verify_strategy(lines) is None
    broken = 0
    for place, line in enumerate(lines[1:], 1):
        rank, parts, answers = json.loads(line)
        for gone in range(len(answers)):
            fewer = json.dumps([rank, parts, answers[:gone] + answers[gone + 1 :]])
            found = verify_strategy([*lines[:place], fewer, *lines[place + 1 :]])
            assert found is not None
            broken += 1
        if broken > 30:
            return


def test_a_pick_that_was_seen_is_not_answered_for() -> None:
    graph = state_graph("4x1", SIDE.replace(recycle="pile-shuffled", hand=2))
    with pytest.raises(RulesError, match="expected player 1, not 2"):
        ask(graph, "force-win", 1)


def test_false_strategies() -> None:
    graph = state_graph("4x2", SIDE)
    lines = list(strategy_lines(ask(graph, "force-win", 0)))
    assert verify_strategy(lines) is None
    start = next(n for n, line in enumerate(lines) if line.startswith("[3"))
    assert "not listed" in str(verify_strategy(lines[:1] + lines[start:]))
    flat = [lines[0], *("[9" + line[2:] for line in lines[1:])]
    assert "lower rank" in str(verify_strategy(flat))
    header = json.loads(lines[0])
    for change in ({"question": "force-endless"}, {"player": 1}):
        assert verify_strategy([json.dumps(header | change), *lines[1:]]) is not None
    for change in ({"question": "win"}, {"question": "end"}, {"player": None}):
        with pytest.raises(CertificateError):
            verify_strategy([json.dumps(header | change), *lines[1:]])
    endless = list(strategy_lines(ask(graph, "force-endless", 1)))
    swap = {"true": "false", "false": "true"}
    turned = [re.sub("true|false", lambda m: swap[m[0]], line) for line in endless[1:]]
    assert verify_strategy([endless[0], *turned]) is not None


def test_wrong_questions() -> None:
    graph = state_graph("3x1", SIDE)
    for args in (("win",), ("force-win",), ("end", 0), ("force-win", 2), ("end", None, "perhaps")):
        with pytest.raises(RulesError):
            ask(graph, *args)


# --- best values -----------------------------------------------------------------------------


def test_the_best_value_by_trying_every_policy() -> None:
    graph = state_graph("2x2", RuleSet(face_down=0, capture=("chosen-side", "shuffled")))
    found = best_win(graph, 0)
    game = arena(graph)
    goal = game.ends(lambda winner: winner == 0)
    nodes = np.flatnonzero(game.owner == 0).tolist()
    assert 0 < len(nodes) < 14
    every = product(*(range(game.indptr[n], game.indptr[n + 1]) for n in nodes))
    tried = [
        best_values._evaluate(game, dict(zip(nodes, edges, strict=True)), goal) for edges in every
    ]
    for node in range(graph.nodes):
        assert found.values[node] == max(exact.fraction(v[node]) for v in tried)


def test_best_values() -> None:
    shuffled = best_win(state_graph("3x2", SIDE.replace(capture=("chosen", "shuffled"))), 0)
    assert shuffled.random_deal == Fraction(13141, 23040)
    fixed = state_graph("3x2", SIDE.replace(capture=("chosen", "winner-first")))
    found = best_win(fixed, 0)
    # Without chance a value is 1 where a win can be forced, else 0.
    wins = ask(fixed, "force-win", 0).holds
    assert found.values[: fixed.nodes] == list(map(int, wins))
    assert found.random_deal == Fraction(19, 30)


def test_best_values_that_are_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RulesError, match="chooses, too"):
        best_win(state_graph("3x1", SIDE), 0)
    graph = state_graph("3x1", SIDE.replace(capture=("chosen", "coin")))
    symbol = graph.rules.replace(winner_first_probability="p")
    with pytest.raises(RulesError, match="symbol"):
        best_win(state_graph("3x1", symbol), 0)
    monkeypatch.setattr(bounds, "_SWEEPS", 2)
    monkeypatch.setattr(best_values, "_LARGEST", 3)
    with pytest.raises(LimitError, match="no bounds"):
        best_win(graph, 0)


@pytest.mark.parametrize("other", ["shuffled", "coin", "winner-first", "natural"])
@pytest.mark.parametrize("own", ["chosen", "chosen-side"])
def test_bounds_hold_the_best_values(own: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for deck, captures, player in (("3x2", (own, other), 0), ("2x3", (other, own), 1)):
        graph = state_graph(deck, SIDE.replace(capture=captures))
        exactly = best_win(graph, player)
        monkeypatch.setattr(best_values, "_LARGEST", 3)
        found = best_win(graph, player)
        monkeypatch.undo()
        assert all(v in b for v, b in zip(exactly.values, found.values, strict=True))
        assert exactly.random_deal in found.random_deal
        assert found.random_deal.width < 1e-9


def test_end_components_against_plain_sets() -> None:
    graph = state_graph("5x1", SIDE.replace(capture=("chosen-side", "winner-first")))
    game = arena(graph)
    found = bounds.end_components(game)
    edges = [
        (source, int(game.indices[edge]), edge)
        for source in range(game.nodes)
        for edge in range(int(game.indptr[source]), int(game.indptr[source + 1]))
    ]
    kept = {edge for *_, edge in edges}
    while True:
        plain = nx.DiGraph((a, b) for a, b, edge in edges if edge in kept)
        part = {v: k for k, c in enumerate(nx.strongly_connected_components(plain)) for v in c}
        inside = {e for a, b, e in edges if e in kept and part[a] == part[b]}
        for v in range(game.nodes):
            own = {e for a, _, e in edges if a == v}
            if game.owner[v] == CHANCE and not own <= inside:
                inside -= own
        if inside == kept:
            break
        kept = inside
    members = {a for a, _, e in edges if e in kept}
    assert set(np.flatnonzero(found >= 0).tolist()) == members != set()
    for v in members:
        assert {w for w in members if part[w] == part[v]} == {
            w for w in members if found[w] == found[v]
        }


def test_storm_finds_the_same_best_value(tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy", reason="needs Storm")
    graph = state_graph("3x2", SIDE.replace(capture=("chosen-side", "shuffled")))
    (path,) = export(structure(graph), tmp_path / "war.drn")
    model = stormpy.build_model_from_drn(str(path))
    (wanted,) = stormpy.parse_properties('Pmax=? [F "player_1"]')
    result = stormpy.model_checking(model, wanted).get_value_vector()
    found = best_win(graph, 0)
    for node in graph.starts.tolist():
        assert abs(result[node] - found.values[node]) < 1e-5


# --- strategies for the best probability --------------------------------------------------------

BEST = [
    ("2x2", ("chosen-side", "shuffled"), 0),
    ("3x2", ("chosen", "shuffled"), 0),
    ("3x2", ("coin", "chosen-side"), 1),
    ("3x2", ("chosen-side", "winner-first"), 0),  # with loops that win nothing
    ("2x3", ("loser-first", "chosen"), 1),
    ("5x1", ("chosen-side", "loser-first"), 0),
    ("5x1", ("shuffled", "chosen"), 1),
    ("2:3,4:1,9:2", ("chosen", "natural"), 0),
]
Moves = dict[State, list[tuple[Fraction, Any]]]


def best_rules(captures: tuple[str, str]) -> RuleSet:
    return SIDE.replace(capture=captures)


def text(state: State) -> str:
    return " | ".join(" ".join(map(str, packet)) for packet in state.packets)


def words(answer: Any) -> str:
    if isinstance(answer, bool):
        return "winner-first" if answer else "loser-first"
    return " ".join(map(str, answer))


def moves_of(rows: list[dict[str, str]], rules: RuleSet, deck: str) -> Moves:
    """Play by the table: every state met, and with which probabilities it leads where."""
    choose = {row["position"]: row["choose"] for row in rows}
    assert not any(row["after"] for row in rows)
    todo = [State.of(deal.strengths()) for deal in rules.deals(rules.read_deck(deck)).iterate()]
    moves: Moves = {}
    while todo:
        state = todo.pop()
        if state in moves:
            continue
        moves[state] = []
        for outcome in successors(state, rules):
            own = [words(s.answer) for s in outcome.path if not s.decision.by_chance]
            if outcome.probability and all(w == choose.get(text(state), w) for w in own):
                share = outcome.probability
                # What is chosen where nothing can be won does not matter: all of it, one by one.
                ending = outcome.turn.ending
                moves[state].append((share, ending or outcome.turn.state))
                todo += [] if ending else [outcome.turn.state]
    return moves


def winning(moves: Moves, player: int) -> set[State]:
    """The states from which a win can be reached."""
    found: set[State] = set()

    def leads(after: Any) -> bool:
        return after.winner == player if isinstance(after, Ending) else after in found

    while new := {s for s in moves if s not in found and any(leads(a) for _, a in moves[s])}:
        found |= new
    return found


@pytest.mark.parametrize(("deck", "captures", "player"), BEST)
def test_what_a_strategy_wins_with_is_the_best_value(
    deck: str,
    captures: tuple[str, str],
    player: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The table alone, played by `successors`: its values solve the equations of its chain."""
    path, rules = tmp_path / "best.csv", best_rules(captures)
    setting = f"capture={'/'.join(captures)}"
    asked = ["choice", deck, "--set", setting, "--set", "face_down=1", "--best", "--json"]
    assert run([*asked, "--strategy", str(path)]) == 0
    said = Fraction(json.loads(capsys.readouterr().out)["best_win"]["value"])
    rows = list(csv.DictReader(path.read_text().splitlines()))
    value = {row["position"]: Fraction(row["best win"]) for row in rows}
    moves = moves_of(rows, rules, deck)

    def worth(after: Any) -> Fraction:
        if isinstance(after, Ending):
            return Fraction(after.winner == player)
        return value.get(text(after), Fraction(0))

    # Above 0 just where a win can be reached: then the equations have one solution only.
    assert {state for state in moves if worth(state)} == winning(moves, player)
    for state, found in moves.items():
        if worth(state):
            assert sum(share for share, _ in found) == 1
            assert worth(state) == sum(share * worth(after) for share, after in found)
    deals = [State.of(deal.strengths()) for deal in rules.deals(rules.read_deck(deck)).iterate()]
    assert said == sum(map(worth, deals)) / len(deals)


@pytest.mark.parametrize(("deck", "captures", "player"), BEST)
def test_the_strategy_of_bounds_wins_with_what_lies_between_them(
    deck: str, captures: tuple[str, str], player: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_values, "_LARGEST", 3)
    best = best_win(state_graph(deck, best_rules(captures)), player)
    game = best.arena
    goal = game.ends(lambda winner: winner == player)
    won = best_values._evaluate(game, with_any_choice(best), goal)
    for node, bounds_of in enumerate(best.values):
        assert exact.fraction(won[node]) in bounds_of
    assert verify_best(best_lines(best)) is None


def with_any_choice(best: Any) -> dict[int, int]:
    """A strategy for every node: the last choice where nothing can be won."""
    nodes = np.flatnonzero(best.arena.owner == best.player).tolist()
    return {node: best.edges.get(node, int(best.arena.indptr[node + 1]) - 1) for node in nodes}


@pytest.mark.parametrize(
    "rules",
    [
        SIDE.replace(recognition="3/4", capture=("chosen-side", "winner-first")),
        SIDE.replace(capture=("chosen-side", "coin"), recycle="pile-shuffled"),
        RuleSet(players=3, face_down=0, capture=("coin", "chosen-side", "winner-first")),
    ],
    ids=["speed", "pile-shuffled", "three players"],
)
def test_best_strategies_after_what_chance_did(rules: RuleSet) -> None:
    player = rules.captures.index("chosen-side")
    best = best_win(state_graph("4x1", rules), player)
    lines = list(best_lines(best))
    assert verify_best(lines) is None
    told = [before for _, plan in plans(best) for before, _ in plan]
    assert any(told) == (rules.players == 2)
    assert best.random_deal == Fraction(json.loads(lines[0])["value"])


def test_a_best_strategy_marked_in_a_graph(tmp_path: Path) -> None:
    path = tmp_path / "best.graphml"
    asked = ["choice", "3x2", "--set", "capture=chosen-side/shuffled", "--set", "face_down=1"]
    assert run([*asked, "--best", "--strategy", str(path)]) == 0
    graph = nx.read_graphml(path, node_type=int, force_multigraph=True)
    inside = [node for node, told in graph.nodes(data="region") if told]
    place = {node: number for number, node in enumerate(inside)}
    matrix, right = np.eye(len(inside)), np.zeros(len(inside))
    for node in inside:
        if graph.nodes[node]["kind"] == "end":
            right[place[node]] = 1.0
            continue
        edges = list(graph.out_edges(node, data=True))
        for _, after, told in [e for e in edges if e[2]["chosen"]] or edges:
            if after in place:
                matrix[place[node], place[after]] -= float(Fraction(told["probability"]))
    found = best_win(state_graph("3x2", SIDE.replace(capture=("chosen-side", "shuffled"))), 0)
    solved = np.linalg.solve(matrix, right)
    for node in inside:
        assert solved[place[node]] == pytest.approx(float(found.values[node]))
    assert {node for node, value in enumerate(found.values) if value} == set(inside)


@pytest.mark.parametrize("habit", ["winner-first", "loser-first"])
def test_a_strategy_that_goes_round_is_not_certified(habit: str) -> None:
    """Every answer is turned round, one by one: what is still certified wins as much."""
    rules = RuleSet(face_down=0, capture=("chosen-side", habit))
    best = best_win(state_graph("2x3", rules), 0)
    lines = list(best_lines(best))
    game, endless = best.arena, 0
    goal = game.ends(lambda winner: winner == 0)
    for node, edge in best.edges.items():
        line = json.loads(lines[node + 1])
        ((before, taken),) = line[2]
        line[2] = [(before, not taken)]
        false = verify_best([*lines[: node + 1], json.dumps(line), *lines[node + 2 :]])
        (other,) = {int(game.indptr[node]), int(game.indptr[node]) + 1} - {edge}
        won = best_values._evaluate(game, with_any_choice(best) | {node: other}, goal)
        keeps = all(exact.fraction(w) == v for w, v in zip(won, best.values, strict=True))
        assert false is not None or keeps
        # The same value after the turn, but nothing won with it: a loop.
        endless += not keeps and best.values[game.indices[other]] == best.values[node]
    assert endless


def test_false_certificates_of_best_values() -> None:
    best = best_win(state_graph("3x2", SIDE.replace(capture=("chosen", "shuffled"))), 0)
    lines = list(best_lines(best))
    assert verify_best(lines) is None
    header = json.loads(lines[0])
    assert "13141/23040" in statement(lines)
    place = next(n for n, line in enumerate(lines[1:], 1) if line.endswith('"1/2"]\n'))
    line = json.loads(lines[place])
    for value, why in (("3/4", "win with less than 3/4"), ("1/4", "more than 1/4")):
        changed = [*lines[:place], json.dumps([*line[:3], value]), *lines[place + 1 :]]
        assert why in str(verify_best(changed))
    flat = [lines[0], *("[9" + line[2:] for line in lines[1:])]
    assert "leads to a lower rank" in str(verify_best(flat))
    for value in ("13142/23040", "13140/23040", {"lower": 0.58, "upper": 0.6}):
        told = json.dumps(header | {"value": value})
        assert "mean over the deals" in str(verify_best([told, *lines[1:]]))
    assert verify_best([lines[0], *lines[2:]]) is not None  # what is missing may be a win
    assert (
        verify_best([json.dumps(header | {"value": {"lower": 0.5, "upper": 0.6}}), *lines[1:]])
        is None
    )
    other = header["rules"] | {"capture": ["chosen", "chosen"]}
    for change in ({"player": 2}, {"value": "half"}, {"rules": other}, {"deck": "x"}):
        with pytest.raises(CertificateError):
            verify_best([json.dumps(header | change), *lines[1:]])
    for bad in ("[1]", "[1,[[2],[3]],[],0,1,2]", "{", '[1,[[2],[3]],[],"x"]'):
        with pytest.raises(CertificateError):
            verify_best([*lines, bad])
    with pytest.raises(CertificateError, match="field 'value'"):
        verify_best([json.dumps({k: v for k, v in header.items() if k != "value"})])


@pytest.mark.slow
def test_the_best_strategy_of_a_deck_with_bounds() -> None:
    best = best_win(state_graph("7x1", RuleSet(capture=("shuffled", "chosen-side"))), 1)
    assert best.arena.nodes > best_values._LARGEST
    assert Fraction(3, 7) in best.random_deal  # who holds the greatest card
    assert best.random_deal.width < 1e-9
    assert verify_best(best_lines(best)) is None


def test_a_game_that_is_over_has_no_strategy() -> None:
    graph = state_graph("3 2 |", SIDE.replace(capture=("chosen", "shuffled")))
    best, region = best_win(graph, 0), ask(graph, "force-win", 0)
    assert (best.random_deal, region.deals) == (1, 1)
    for lines in (best_lines(best), strategy_lines(region)):
        with pytest.raises(CertificateError, match="over before the first battle"):
            list(lines)


def test_decks_that_are_not_dealt_out_are_weighed() -> None:
    rules = RuleSet(capture=("chosen", "shuffled"))
    best = best_win(state_graph("3:1,4:2,5:2", rules, (2, 2)), 0)
    assert verify_best(best_lines(best)) is None


def test_best_strategies_from_the_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["choice", "3x2", "--set", "capture=shuffled/chosen-side", "--best", "--strategy"]
    path = tmp_path / "best.jsonl"
    assert run([*asked, str(path)]) == 0
    capsys.readouterr()
    assert run(["verify", str(path)]) == 0
    assert "player 2 wins with probability" in capsys.readouterr().out
    path.write_text(path.read_text().replace('"player": 1', '"player": 0'))
    assert run(["verify", str(path)]) != 0
    monkeypatch.setattr(best_values, "_LARGEST", 3)
    for name in ("bounds.csv", "bounds.jsonl", "bounds.drn"):
        assert run([*asked, str(tmp_path / name)]) == 0
    header = (tmp_path / "bounds.csv").read_text().splitlines()[0]
    assert header == "position,rank,seat,after,choose,best win lower,best win upper"
    capsys.readouterr()
    assert run(["verify", str(tmp_path / "bounds.jsonl")]) == 0
    assert "0.274603174603" in capsys.readouterr().out
    assert "_chosen [0]" in (tmp_path / "bounds.drn").read_text()


# --- habits -------------------------------------------------------------------------------------


def test_habits() -> None:
    orders = ["winner-first", "loser-first", "shuffled"]
    pairs = {p.habits: p.outlook for p in habits(["3x2"], RuleSet(face_down=1), orders)}
    assert len(pairs) == 9
    for (one, two), outlook in pairs.items():
        assert outlook.winners == pairs[two, one].winners[::-1]
        assert sum(outlook.winners) + outlook.draw + outlook.never == 1
    assert pairs["winner-first", "loser-first"].winners == (Fraction(13, 30), Fraction(1, 2))
    assert pairs["shuffled", "shuffled"].battles == Fraction(443, 120)
    with pytest.raises(RulesError, match="no habit"):
        list(habits(["3x2"], RuleSet(), ["chosen"]))
    with pytest.raises(RulesError, match="for two"):
        list(habits(["3x2"], RuleSet(players=3), orders))


# --- the command -----------------------------------------------------------------------------


def test_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--set", "capture=chosen-side", "--set", "face_down=1"]
    found = answer(capsys, "choice", "3x2", *options)
    assert (found["deals"], found["end_forced"], found["can_go_on"]) == (90, 66, 24)
    assert found["player_can_force"]["win"] == [29, 29]
    one = answer(capsys, "choice", "3x2", *options, "--question", "force-win", "--player", "2")
    assert (one["player"], one["deals_yes"], one["question"]) == (1, 29, "force-win")
    deal = answer(capsys, "choice", "--deal", "2 4 3 | 2 4 3", *options, "--question", "end")
    assert (deal["deals"], deal["deals_yes"]) == (1, 1)
    best = ["--set", "capture=chosen/shuffled", "--best"]
    assert answer(capsys, "choice", "3x2", *options, *best)["best_win"]["value"] == "13141/23040"
    assert run(["choice", "3x2", *options]) == 0
    assert "ends whatever is chosen" in capsys.readouterr().out
    assert run(["choice", "3x2", *options, "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 91


def test_strategies_from_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, certificate = tmp_path / "s.csv", tmp_path / "s.jsonl"
    for path in (table, certificate):
        asked = ["--set", "face_down=1", "--question", "force-win", "--strategy", str(path)]
        assert run(["choice", "4x2", *asked]) == 0
    capsys.readouterr()
    rows = table.read_text().splitlines()
    assert rows[0] == "position,rank,seat,after,choose"
    assert any(row.endswith(",0,,loser-first") for row in rows)
    assert run(["verify", str(certificate)]) == 0
    assert "player 1: force-win from" in capsys.readouterr().out


def test_a_strategy_marked_in_a_graph(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ["choice", "3x2", "--set", "face_down=1", "--question", "force-win", "--strategy"]
    path = tmp_path / "win.graphml"
    assert run([*asked, str(path)]) == 0
    graph = nx.read_graphml(path, node_type=int, force_multigraph=True)
    graph_of = state_graph("3x2", SIDE)
    region = ask(graph_of, "force-win", 0)
    marked = {node for node, told in graph.nodes(data="region") if told}
    assert marked == set(np.flatnonzero(region.holds).tolist())
    # What is chosen goes down; where nothing is chosen by the player everything does.
    for node in marked:
        edges = list(graph.out_edges(node, data=True))
        own = [e for e in edges if e[2].get("choice", "").startswith("player 1")]
        chosen = [e for e in edges if e[2]["chosen"]]
        assert len(chosen) == (len(own) == 2)
        for _, after, _ in chosen or edges:
            assert graph.nodes[after]["rank"] < graph.nodes[node]["rank"]
    for name in ("json", "gexf", "dot", "tikz", "tex", "aut", "tra", "drn"):
        assert run([*asked, str(tmp_path / f"win.{name}"), "--force"]) == 0
        capsys.readouterr()
    assert '"chosen": true' in (tmp_path / "win.json").read_text()
    assert "penwidth" in (tmp_path / "win.dot").read_text()
    assert "; chosen" in (tmp_path / "win.aut").read_text()
    assert "_chosen [0]" in (tmp_path / "win.drn").read_text()
    assert "region" in (tmp_path / "win.lab").read_text()
    assert run([*asked, str(tmp_path / "w.csv"), "--format", "csv"]) == 0
    assert "chosen" in (tmp_path / "w-edges.csv").read_text().splitlines()[0]
    assert run([*asked, str(tmp_path / "w.doc")]) == 2
    assert run([*asked, str(tmp_path / "w.dot"), "--format", "doc"]) == 2


def test_both_picks_of_a_hand_are_marked() -> None:
    rules = SIDE.replace(capture="winner-first", hand=2)
    for question, player in (("end", None), ("force-win", 1)):
        region = ask(state_graph("4x1", rules), question, player)
        graph, chosen = region.arena.graph, chosen_actions(region)
        for node in np.flatnonzero(region.holds[: graph.positions]).tolist():
            span = slice(int(graph.actions[node]), int(graph.actions[node + 1]))
            labels = [graph.choices[label] for label in graph.labels[span]]
            own = {tuple(c for c in label if c.seat in region.ours) for label in labels}
            if len(own) > 1:
                # Of the picks of those who are asked about exactly one is chosen.
                taken = [la for la, yes in zip(labels, chosen[span], strict=True) if yes]
                assert len({tuple(c for c in la if c.seat in region.ours) for la in taken}) == 1
                assert len(taken) * len(own) == len(labels)


def test_habits_from_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "choice", "2x2,3x2", "--habits", "fixed", "--set", "face_down=1")
    assert len(found["pairs"]) == 72
    assert run(["choice", "2x2", "--habits", "winner-first,shuffled"]) == 0
    assert "never" in capsys.readouterr().out
    assert run(["choice", "2x2", "--habits", "coin", "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["3x2", "--rules", "classic"], "'enumerate' answers that"),
        (["3x2", "--rules", "coin"], "'chance' answers that"),
        (["3x2", "--player", "1"], "goes with --question"),
        (["3x2", "--question", "end", "--player", "1"], "goes with --question"),
        (["3x2", "--question", "force-win", "--player", "3"], "expected 1 to 2"),
        (["3x2", "--strategy", "s.csv"], "goes with --question or with --best"),
        (["3x2", "--best", "--question", "end", "--strategy", "s.csv"], "not with both"),
        (["3x2", "--question", "end", "--strategy", "s.doc"], "expected a name ending in"),
        (["3x2", "--best"], "one player who chooses"),
        (["2 | 3", "--habits", "fixed"], "compared on decks"),
        (["3x2", "--habits", "fixed", "--best"], "--habits stands alone"),
        (["3x2", "--habits", "always"], "expected"),
        ([], "expected a deck"),
    ],
)
def test_wrong_input(args: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["choice", *args]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "said", "unsaid"),
    [
        (["3x4", "--set", "capture=chosen", "--memory", "200M"], "chosen-side has two", "larger"),
        (["4x3", "--set", "capture=chosen", "--memory", "100M"], "or more memory", "two choices"),
        (["5x1", "--set", "capture=chosen", "--memory", "90K"], "winner-first/shuffled", "x limit"),
        (["standard"], "'waranalysis sample' plays", "larger limit"),
        (["standard", "--habits", "fixed"], "'waranalysis sample' plays", "larger limit"),
        (["3x3", "--set", "players=3", "--memory", "1M"], "or more memory", "two choices"),
    ],
)
def test_limits(
    args: list[str], said: str, unsaid: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["choice", *args]) == 3
    shown = capsys.readouterr().err
    assert said in shown
    assert unsaid not in shown
    assert shown.count("\n") == 1


def test_habits_of_another_split(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["choice", "5x1", "--habits", "winner-first", "--split", "4/1"]
    (pair,) = answer(capsys, *args)["pairs"]
    counted = answer(capsys, "enumerate", "5x1", "--split", "4/1", "--rules", "distinct")
    assert Fraction(pair["winners"][0]) == Fraction(counted["wins"][0], counted["deals"])


def test_choices_lead_down() -> None:
    region = ask(state_graph("3x2", SIDE), "force-win", 0)
    for node, edge in region.edges.items():
        assert region.ranks[region.arena.indices[edge]] < region.ranks[node]
