"""Model checkers that share nothing with this package agree with it."""

from __future__ import annotations

import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from waranalysis.cards import Deck
from waranalysis.graph.build import state_graph
from waranalysis.graph.export import export
from waranalysis.graph.structure import structure
from waranalysis.rules import RuleSet

ONE_DOWN = RuleSet(face_down=1)


# --- SPIN ------------------------------------------------------------------------------------

# One step of this model is one turn: two rows on the table, the winner's goes under first. Before
# that the deck goes from one order to the next until it is dealt. What is "hidden" is no part of
# SPIN's state.
PROMELA = """
byte p[{cards}], q[{cards}];
byte np, nq, over;
hidden byte a[{cards}], b[{cards}];
hidden int i;
hidden byte k, w;

inline finish(result) {{
  over = result; np = 0; nq = 0; i = 0;
  do :: i < {cards} -> p[i] = 0; q[i] = 0; i = i + 1 :: else -> break od
}}

init {{
  d_step {{ {sorted_deck} }};
  do
  :: d_step {{
    i = {cards} - 2;
    do :: i >= 0 && p[i] >= p[i + 1] -> i = i - 1 :: else -> break od;
    if
    :: i >= 0 ->
      k = {cards} - 1;
      do :: p[k] <= p[i] -> k = k - 1 :: else -> break od;
      w = p[k]; p[k] = p[i]; p[i] = w
    :: else -> skip
    fi;
    i = i + 1; k = {cards} - 1;
    do
    :: i < k -> w = p[k]; p[k] = p[i]; p[i] = w; i = i + 1; k = k - 1
    :: else -> break
    od;
    i = 0
  }}
  :: d_step {{
    np = {first}; nq = {cards} - {first}; i = 0;
    do
    :: i < nq -> q[i] = p[np + i]; p[np + i] = 0; i = i + 1
    :: else -> break
    od;
    i = 0
  }};
    break
  od;
{label}: do
  :: d_step {{
    over == 0 ->
    k = 1; w = 0;
    do
    :: w == 0 && p[k - 1] > q[k - 1] -> w = 1
    :: w == 0 && p[k - 1] < q[k - 1] -> w = 2
    :: w == 0 && p[k - 1] == q[k - 1] ->
      if
      :: np - k < {need} && nq - k < {need} -> w = 5
      :: np - k < {need} && nq - k >= {need} -> w = 4
      :: np - k >= {need} && nq - k < {need} -> w = 3
      :: else -> k = k + {need}
      fi
    :: else -> break
    od;
    i = 0;
    do :: i < k -> a[i] = p[i]; b[i] = q[i]; i = i + 1 :: else -> break od;
    if
    :: w > 2 -> finish(w - 2)
    :: w == 1 -> {first_wins}
    :: w == 2 -> {second_wins}
    fi;
    if
    :: over == 0 && nq == 0 -> finish(1)
    :: over == 0 && np == 0 -> finish(2)
    :: else -> skip
    fi
  }}
  {leave}
  od
}}
"""


def take(side: str) -> str:
    """Promela that takes k cards off the top of a packet."""
    return (
        f"i = 0; do :: i < n{side} - k -> {side}[i] = {side}[i + k]; i = i + 1 "
        f":: i >= n{side} - k && i < n{side} -> {side}[i] = 0; i = i + 1 :: else -> break od; "
        f"n{side} = n{side} - k; "
    )


def put(side: str, row: str) -> str:
    """Promela that puts a row of k cards under a packet."""
    return (
        f"i = 0; do :: i < k -> {side}[n{side} + i] = {row}[i]; i = i + 1 :: else -> break od; "
        f"n{side} = n{side} + k; "
    )


def promela(deck: str, face_down: int, label: str) -> str:
    cards = Deck.parse(deck).cards
    laid = take("p") + take("q")
    return PROMELA.format(
        cards=len(cards),
        first=(len(cards) + 1) // 2,
        sorted_deck="; ".join(f"p[{place}] = {card}" for place, card in enumerate(cards)),
        label=label,
        need=face_down + 1,
        # Waiting at an end for ever would count as a loop too.
        leave=":: over > 0 -> break" if label == "accept" else "",
        first_wins=laid + put("p", "a") + put("p", "b"),
        second_wins=laid + put("q", "b") + put("q", "a"),
    )


def spin(directory: Path, model: str, *compiler: str, run: tuple[str, ...]) -> str:
    (directory / "war.pml").write_text(model)
    for command in (
        ["spin", "-a", "war.pml"],
        ["gcc", "-O0", "-w", "-DNOREDUCE", *compiler, "-o", "pan", "pan.c"],
        ["./pan", "-m100000", *run],
    ):
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not (shutil.which("spin") and shutil.which("gcc")), reason="needs SPIN")
@pytest.mark.parametrize(("deck", "down"), [("5x1", 1), ("6x1", 3), ("4x2", 0), ("4x2", 1)])
def test_spin_finds_the_same_states_and_loops(deck: str, down: int, tmp_path: Path) -> None:
    found = structure(state_graph(deck, RuleSet(face_down=down)))
    safety = spin(tmp_path, promela(deck, down, "end"), "-DSAFETY", run=())
    assert "errors: 0" in safety
    stored = int(re.search(r"(\d+) states, stored", safety)[1])  # type: ignore[index]
    # SPIN also counts the orders of the deck, and the state before it has any.
    assert stored == found.graph.nodes + found.graph.deals.sum() + 1
    loops = spin(tmp_path, promela(deck, down, "accept"), run=("-a",))
    assert ("acceptance cycle (" in loops) == bool(found.cycles)


# --- Storm -----------------------------------------------------------------------------------


@pytest.fixture
def stormpy() -> Any:
    return pytest.importorskip("stormpy", reason="needs Storm")


def values(stormpy: Any, model: Any, formula: str) -> list[Any]:
    (wanted,) = stormpy.parse_properties(formula)
    result = stormpy.model_checking(model, wanted)
    return list(result.get_value_vector())


DETERMINISTIC = [("5x1", ONE_DOWN), ("4x2", ONE_DOWN)]
CHANCE = [("3x2", ONE_DOWN.replace(capture="shuffled")), ("4x2", ONE_DOWN.replace(capture="coin"))]


@pytest.mark.parametrize("form", ["drn", "storm"])
@pytest.mark.parametrize(("deck", "rules"), DETERMINISTIC + CHANCE)
def test_storm_reads_the_same_chain(
    stormpy: Any, deck: str, rules: RuleSet, form: str, tmp_path: Path
) -> None:
    found = structure(state_graph(deck, rules))
    graph = found.graph
    files = list(map(str, export(found, tmp_path / f"war.{form}", form)))
    if form == "drn":
        model = stormpy.build_model_from_drn(files[0])
    else:
        model = stormpy.build_model_from_explicit(*files[:2], state_rewards=files[2])
    assert model.nr_states == graph.nodes
    assert model.nr_transitions == graph.transitions + len(graph.ends)
    assert sorted(model.initial_states) == graph.starts.tolist()
    ends = values(stormpy, model, 'P=? [F "end"]')
    assert np.allclose(ends, found.distance >= 0)
    assert sum(value < 0.5 for value in ends) == found.never_end


def test_storm_gets_the_published_expectation_exactly(stormpy: Any, tmp_path: Path) -> None:
    found = structure(state_graph("3x2", ONE_DOWN.replace(capture="shuffled")))
    graph = found.graph
    (path,) = export(found, tmp_path / "war.drn")
    model = stormpy.build_model_from_drn[stormpy.Rational](str(path))
    battles = values(stormpy, model, 'R=? [F "end"]')
    mean = sum(Fraction(str(battles[start])) for start in graph.starts) / len(graph.starts)
    assert mean == Fraction(443, 120)


def test_storm_plays_a_decision_process(stormpy: Any, tmp_path: Path) -> None:
    found = structure(state_graph("3x2", ONE_DOWN.replace(capture="chosen-side")))
    graph = found.graph
    (path,) = export(found, tmp_path / "war.drn")
    model = stormpy.build_model_from_drn(str(path))
    assert (model.nr_states, model.nr_choices) == (graph.nodes, len(graph.labels) + 3)
    # Deals that end whatever is chosen: the published 66 of 90.
    forced = values(stormpy, model, 'Pmin=? [F "end"]')
    assert sum(forced[start] == 1 for start in graph.starts) == 66
    assert np.allclose(values(stormpy, model, 'Pmax=? [F "end"]'), found.distance >= 0)
