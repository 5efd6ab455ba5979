"""The tables in `data/` against the program, and what is written for people against the tables."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.tables import DATA, TABLES, digits, read
from waranalysis.chance.survey import survey
from waranalysis.chance.table import COLUMNS, table_rows
from waranalysis.choice.habits import habits
from waranalysis.graph.build import state_graph
from waranalysis.rules import FIXED_ORDERS, RuleSet


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.parent.stem)
def test_what_is_shown_is_what_the_files_have(path: Path) -> None:
    assert path.read_text() == "\n".join(TABLES[path]()) + "\n"


def test_decimals_that_two_bounds_share() -> None:
    assert digits("443/120", "443/120") == "443/120"
    assert digits("1.2345678901", "1.2345678902") == "1.234567890"
    assert digits("1.23449", "1.23451") == "1.2345"
    assert digits("", "") == ""


def test_the_stated_list_is_complete_and_every_chain_ends() -> None:
    decks = [f"{n}x1" for n in range(2, 9)]
    decks += ["2x2", "3x2", "4x2", "5x2", "2x3", "3x3", "2x4", "3x4"]
    for deck in decks:
        rows = read(DATA / "chance" / f"endings-{deck}.csv")
        assert len(rows) == (2 if deck.endswith("x1") else 30)
        for row in rows:
            assert row["ending_certain"] == "1"
            assert row["closed_classes"] == row["ends"]
            assert bool(row["battles_lower"]) == (int(row["transitions"]) <= 20_000_000)


@pytest.mark.parametrize("deck", ["4x1", "2x2", "3x2"])
def test_rows_are_made_again(deck: str) -> None:
    with (DATA / "chance" / f"endings-{deck}.csv").open(newline="") as file:
        written = list(csv.reader(file))
    rules = RuleSet()
    made = [[row.get(c) for c in COLUMNS] for row in table_rows(rules.read_deck(deck), rules)]
    assert [["" if v is None else str(v) for v in row] for row in made] == written[1:]


@pytest.mark.parametrize("deck", ["5x1", "3x2", "2x3"])
def test_habits_are_made_again(deck: str) -> None:
    name = "distinct" if deck.endswith("x1") else "1-down"
    rows = [r for r in read(DATA / "choice" / f"habits-{name}.csv") if r["deck"] == deck]
    pairs = list(habits([deck], RuleSet(face_down=1), FIXED_ORDERS))
    assert len(rows) == len(pairs) == 36
    for row, pair in zip(rows, pairs, strict=True):
        assert (row["player 1"], row["player 2"]) == pair.habits
        told = [Fraction(row[f"{n} lower"]) for n in ("player 1 wins", "player 2 wins", "draw")]
        assert told == [*pair.outlook.winners, pair.outlook.draw]
        assert Fraction(row["never upper"]) == pair.outlook.never
        assert sum(told) + pair.outlook.never == 1


@pytest.mark.slow
def test_a_row_of_ten_cards_by_another_route() -> None:
    """Positions by a formula, closed classes by scipy, loops by the graph of one order."""
    from scipy.sparse.csgraph import connected_components

    rows = read(DATA / "chance" / "endings-5x2.csv")
    one = next(r for r in rows if (r["capture"], r["face_down"]) == ("shuffled", "1"))
    assert int(one["positions"]) == 113_400 * 9  # 10! / 2!^5 orders, 9 ways to cut
    three = next(
        r for r in rows if (r["capture"], r["face_down"], r["short"]) == ("coin", "3", "last-card")
    )
    rules = RuleSet(face_down=3, short="last-card", capture="coin")
    graph = state_graph("5x2", rules)
    _, label = connected_components(graph.adjacency(), connection="strong")
    leaving = label[graph.sources] != label[graph.indices]
    closed = np.setdiff1d(label, label[graph.sources[leaving]])
    assert len(closed) == len(graph.ends) == int(three["closed_classes"])
    assert survey("5x2", rules).graph.transitions == graph.transitions == int(three["transitions"])
