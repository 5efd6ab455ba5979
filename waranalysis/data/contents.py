"""The content of each kind of dataset, computed again row by row or replayed.

A check is given the files and a choice, and yields file, what was looked at, and what is false
about it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from waranalysis.cards import Deck
from waranalysis.certificate import read
from waranalysis.certificate import verify as verify_certificate
from waranalysis.chance.table import table_rows
from waranalysis.data.decks import DECKS
from waranalysis.data.distinct import DISTINCT
from waranalysis.data.shuffled import SHUFFLED
from waranalysis.data.table import Row, Table, read_csv
from waranalysis.dealfile import read_path
from waranalysis.files import read_text
from waranalysis.order.counts import enumerate_orders
from waranalysis.rules import RuleSet
from waranalysis.termination import classify

T = TypeVar("T")
Checked = Iterator[tuple[Path, str, str | None]]
_FEW_CARDS = 12
_FEW_POSITIONS = 500
_SHORT_LOOP = 5_000


@dataclass(frozen=True)
class Choice:
    """Which rows are computed again: one at random of those that take seconds, or all."""

    random: Random
    all: bool

    def of(self, items: Sequence[T], quick: Callable[[T], bool] = lambda _: True) -> list[T]:
        """The chosen items."""
        if self.all:
            return list(items)
        few = list(filter(quick, items))
        return [self.random.choice(few)] if few else []


def _difference(stated: dict[str, Any], found: dict[str, Any]) -> str | None:
    """The first cell that is not what was found."""
    for name, value in found.items():
        if stated.get(name) != value:
            return f"{name} is {value}, not {stated.get(name)}"
    return None


# --- the atlas -------------------------------------------------------------------------------


def check_of(table: Table) -> Callable[[Sequence[Path], Choice], Checked]:
    """The check of a table of the atlas: no gap, and rows computed again."""

    def check(paths: Sequence[Path], choice: Choice) -> Checked:
        (path,) = paths
        _, rows = read_csv(path)
        keys = list(map(table.key, rows))
        yield path, f"{len(table.keys):,} rows, no gap", _gap(table, keys)
        for row in choice.of(rows, table.quick):
            yield path, " ".join(table.key(row)), _row(table, row, path)

    return check


def _gap(table: Table, keys: Sequence[tuple[str, ...]]) -> str | None:
    if tuple(keys) == table.keys:
        return None
    odd = set(keys) ^ set(table.keys)
    return f"a row for {' '.join(min(odd))} is missing or too many" if odd else "rows out of order"


def _row(table: Table, row: Row, path: Path) -> str | None:
    if table.key(row) not in table.keys:
        return "there is no such row"
    made = table.make(table.key(row))
    if problem := _difference(row, table.text(made)):
        return problem
    if made.certificate is None:
        return None
    proof = json.loads(read_text(path.parent / row["certificate"]))
    return _difference(proof, dict(made.certificate))


# --- distinct cards --------------------------------------------------------------------------


def _b_files(paths: Sequence[Path], choice: Choice) -> Checked:
    for path in paths:
        capture = path.stem.removeprefix("b-")
        lines = [line for line in read_text(path).splitlines() if not line.startswith("#")]
        terms = [(int(n), int(never)) for n, never in map(str.split, lines)]
        numbers = [n for n, _ in terms]
        gap = None if numbers == list(range(1, len(terms) + 1)) else "numbers are out of order"
        yield path, f"{len(terms)} terms", gap
        for n, never in choice.of(terms, lambda term: term[0] <= _FEW_CARDS):
            found = enumerate_orders(n, RuleSet(capture=capture), workers=1)
            yield path, f"n = {n}", _difference({"never": never}, {"never": found.never})


def _growth(paths: Sequence[Path], choice: Choice) -> Checked:
    for path in paths:
        _, rows = read_csv(path)
        for row in choice.of(rows, lambda row: int(row["n"]) <= _FEW_CARDS):
            found = enumerate_orders(int(row["n"]), RuleSet(capture=row["capture"]), workers=1)
            names = ("nodes", "leaves", "longest")
            texts = {name: str(getattr(found, name)) for name in names}
            yield path, f"{row['capture']}, n = {row['n']}", _difference(row, texts)


# --- chance ----------------------------------------------------------------------------------


def _endings(paths: Sequence[Path], choice: Choice) -> Checked:
    tables = [(path, *read_csv(path)) for path in paths]
    for path, header, rows in choice.of(tables, lambda table: _few(table[2])):
        players = rows[0]["split"].count("/") + 1
        made = table_rows(Deck.parse(rows[0]["deck"]), RuleSet(players=players))
        found = [{name: _text(row.get(name)) for name in header} for row in made]
        numbers = None if len(found) == len(rows) else f"{len(found)} rows, not {len(rows)}"
        problems = map(_difference, rows, found)
        yield path, f"all {len(rows)} rows", numbers or next(filter(None, problems), None)


def _few(rows: Sequence[Row]) -> bool:
    return all(int(row["positions"]) <= _FEW_POSITIONS for row in rows)


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


# --- deals and certificates ------------------------------------------------------------------


def _catalogue(paths: Sequence[Path], choice: Choice) -> Checked:
    for path in paths:
        records = [json.loads(line) for line in read_text(path).splitlines()]
        dealt = [record for record in records if record["deal"] is not None]
        for record in choice.of(dealt, lambda record: record["period"] <= _SHORT_LOOP):
            rules = RuleSet.from_dict(record["rules"])
            found = classify(rules.read_deal(record["deal"]), rules).to_dict()
            loop = {name: found.get(name) for name in ("tail", "period") if name in record}
            yield path, record.get("name", record["deal"]), _difference(record, loop)


def _certificates(paths: Sequence[Path], choice: Choice) -> Checked:
    for path in choice.of(paths):
        yield path, "replayed", verify_certificate(read(read_text(path)))


def _deals(paths: Sequence[Path], choice: Choice) -> Checked:
    entries = [(path, entry) for path in paths for entry in read_path(path, None, [])]
    for path, entry in choice.of(entries):
        verdict = classify(entry.deal, entry.rules)
        told: dict[str, Any] = {"never ends": "loop" in entry.name or "rank 1 high" in entry.name}
        found: dict[str, Any] = {"never ends": verdict.kind == "cycles"}
        if period := re.search(r"loop of (\d+)", entry.name):
            told["period"], found["period"] = int(period[1]), verdict.period
        yield path, entry.name, _difference(told, found)


CHECKS: dict[str, Callable[[Sequence[Path], Choice], Checked]] = {
    "decks": check_of(DECKS),
    "distinct": check_of(DISTINCT),
    "shuffled": check_of(SHUFFLED),
    "b-files": _b_files,
    "growth": _growth,
    "endings": _endings,
    "catalogue": _catalogue,
    "certificates": _certificates,
    "deals": _deals,
}
TABLES = (DECKS, DISTINCT, SHUFFLED)
