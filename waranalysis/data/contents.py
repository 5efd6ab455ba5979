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

from waranalysis.cards import Deal, Deck
from waranalysis.census.work import census_campaign, count_deals, merged
from waranalysis.certificate import read
from waranalysis.certificate import verify as verify_certificate
from waranalysis.chance.table import table_rows
from waranalysis.choice.habits import habits
from waranalysis.claims import chosen, run
from waranalysis.claims.register import claim_of
from waranalysis.data.decks import DECKS
from waranalysis.data.distinct import DISTINCT
from waranalysis.data.shuffled import SHUFFLED
from waranalysis.data.table import Row, Table, read_csv
from waranalysis.dealfile import read_path
from waranalysis.files import read_text
from waranalysis.order.counts import enumerate_orders
from waranalysis.rules import RuleSet
from waranalysis.termination import BOUND, classify

T = TypeVar("T")
Checked = Iterator[tuple[Path, str, str | None]]
_FEW_CARDS = 12
_FEW_HABITS = 8
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
            names = ("never", "nodes", "leaves", "longest", "cycles")
            texts = {name: str(getattr(found, name)) for name in names}
            yield path, f"{row['capture']}, n = {row['n']}", _difference(row, texts)


def _runs(paths: Sequence[Path], choice: Choice) -> Checked:
    for path in paths:
        told = [json.loads(line) for line in read_text(path).splitlines()]
        games = [line for line in told if "longest_deal" in line]
        problems = filter(None, map(_longest, games))
        yield path, f"{len(games)} longest games", next(problems, None)
        for line in choice.of(told, lambda line: line["n"] <= _FEW_CARDS):
            found = enumerate_orders(line["n"], RuleSet(capture=line["capture"]), workers=1)
            again = json.loads(json.dumps(found.to_dict()))
            yield path, f"{line['capture']}, n = {line['n']}", _difference(line, again)


def _longest(run: dict[str, Any]) -> str | None:
    game = classify(Deal.parse(run["longest_deal"]), RuleSet(capture=run["capture"]))
    return _difference(run, {"longest": game.battles})


# --- census, chance and choice ---------------------------------------------------------------


def _looks(paths: Sequence[Path], choice: Choice) -> Checked:
    for path in paths:
        look = json.loads(read_text(path))
        rules = RuleSet.from_dict(look["rules"])
        seen = sum(look["wins"]) + look["draws"] + look["never"] + look["undecided"]
        yield path, "adds up", _difference(look, {"deals": seen})
        game = classify(Deal.parse(look["longest_deal"]), rules)
        yield path, "longest game", _difference(look, {"longest": game.battles})
        if choice.all:
            deals = rules.deals(rules.read_deck(look["deck"]), look["split"])
            campaign = census_campaign(deals, rules, 1, BOUND, (look["part"][0], look["part"][1]))
            found = merged([count_deals(campaign.about, *shard) for shard in campaign.shards])
            told = json.loads(json.dumps(found.to_dict()))
            yield path, "counted", _difference(look, told)


def _habits(paths: Sequence[Path], choice: Choice) -> Checked:
    for path in paths:
        down = path.stem.removeprefix("habits-").removesuffix("-down")
        rules = RuleSet(face_down=int(down) if down.isdecimal() else 3)
        _, rows = read_csv(path)
        for row in choice.of(rows, lambda row: Deck.parse(row["deck"]).size <= _FEW_HABITS):
            orders = [row["player 1"], row["player 2"]]
            pair = list(habits([row["deck"]], rules, orders))[1]
            (one, two), draw = pair.outlook.winners, pair.outlook.draw
            told = {"player 1 wins": one, "player 2 wins": two, "draw": draw}
            texts = {f"{name} lower": str(value) for name, value in told.items()}
            yield path, " ".join([row["deck"], *orders]), _difference(row, texts)


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


def _claims(paths: Sequence[Path], choice: Choice) -> Checked:
    for path in paths:
        told = json.loads(read_text(path))
        claims = {claim["id"]: claim for claim in told["claims"]}
        quick = [claim.id for claim in chosen() if claim.id in claims]
        for name in claims if choice.all else choice.of(quick):
            (finding,) = run([claim_of(name)], told["seed"])
            yield path, name, _difference(claims[name], json.loads(json.dumps(finding.to_dict())))


CHECKS: dict[str, Callable[[Sequence[Path], Choice], Checked]] = {
    "decks": check_of(DECKS),
    "distinct": check_of(DISTINCT),
    "shuffled": check_of(SHUFFLED),
    "b-files": _b_files,
    "growth": _growth,
    "runs": _runs,
    "looks": _looks,
    "habits": _habits,
    "claims": _claims,
    "endings": _endings,
    "catalogue": _catalogue,
    "certificates": _certificates,
    "deals": _deals,
}
TABLES = (DECKS, DISTINCT, SHUFFLED)
