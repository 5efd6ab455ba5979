"""What `enumerate --all-positions` shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from waranalysis.cards import Deck
from waranalysis.census.backward import Positions
from waranalysis.cli.options import csv_lines
from waranalysis.cli.tables import rules_text, table
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet


def record(found: Positions, deck: Deck, rules: RuleSet) -> dict[str, Any]:
    """All positions of a deck as one JSON object."""
    return provenance("positions", rules, deck=str(deck)) | found.to_dict()


def lines(found: Positions, deck: Deck, rules: RuleSet) -> Iterator[str]:
    """All positions of a deck as text for people."""
    yield f"{deck}: {deck.size} cards, every position in which both players hold some"
    yield f"rules: {rules_text(rules)}"
    yield f"{found.positions:,} positions: {found.ends:,} end, {found.never:,} never do"
    yield f"The longest game that ends takes {found.longest:,} battles."
    yield ""
    body = [
        [cell if isinstance(cell, str) else f"{cell:,}" for cell in row] for row in _rows(found)
    ]
    yield from table(_HEADER, body, right=",".join(_HEADER))


def csv_rows(found: Positions) -> Iterator[str]:
    """One row for each split."""
    return csv_lines(_HEADER, _rows(found))


_HEADER = ["held", "positions", "player 1 wins", "player 2 wins", "draw", "never end"]


def _rows(found: Positions) -> Iterator[list[Any]]:
    for row in map(found.split, range(1, found.cards)):
        split = "/".join(map(str, row["split"]))
        yield [split, row["positions"], *row["wins"], row["draws"], row["never"]]
