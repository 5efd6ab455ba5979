"""The datasets: real values, two routes to them, and what `data verify` says of broken files."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from tests import naive
from waranalysis.cards import Deck
from waranalysis.census.backward import all_positions
from waranalysis.census.engine import take_census
from waranalysis.certificate import read, verify
from waranalysis.chance.table import MOST_TRANSITIONS
from waranalysis.cli import run
from waranalysis.data import contents
from waranalysis.data.about import read_about
from waranalysis.data.decks import (
    DECKS,
    FACE_DOWN,
    ONE_SUIT,
    SHORTS,
    computed,
    deck_specs,
    one_suit,
    rules_of,
)
from waranalysis.data.distinct import DISTINCT
from waranalysis.data.package import package_text, page, parquet_differs, sums_text, typed_rows
from waranalysis.data.shuffled import SHUFFLED
from waranalysis.data.table import Key, Made, Row, read_csv, spectrum
from waranalysis.rules import FIXED_ORDERS

DATA = Path(__file__).parent.parent / "data"
ABOUT = read_about(DATA)
TABLES = [pytest.param(table, id=table.name) for table in contents.TABLES]
COUNTS = ("deals", "wins_0", "wins_1", "never", "cycle_lengths", "longest", "total_battles")


def answer(*args: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(args)
    return code, out.getvalue(), err.getvalue()


def rows_of(table: Any) -> dict[Key, Row]:
    return {table.key(row): row for row in read_csv(table.path(DATA / "atlas"))[1]}


def periods(row: Row) -> dict[int, int]:
    pairs = (pair.split(":") for pair in filter(None, row["cycle_lengths"].split(";")))
    return {int(period): int(deals) for period, deals in pairs}


# --- what is there ---------------------------------------------------------------------------


def test_the_files_are_as_they_are_made() -> None:
    # After any change of a dataset: waranalysis data build
    made = {"README.md": page, "datapackage.json": package_text, "SHA256SUMS": sums_text}
    for name, text in made.items():
        assert (DATA / name).read_text() == text(ABOUT), f"{name}: run 'waranalysis data build'"
    assert ABOUT.strangers() == []


def test_parquet_has_the_rows_of_the_csv() -> None:
    pytest.importorskip("pyarrow")
    assert not [d.name for d in ABOUT.datasets if d.parquet and parquet_differs(ABOUT, d)]


@pytest.mark.parametrize("table", TABLES)
def test_no_gap(table: Any) -> None:
    header, rows = read_csv(table.path(DATA / "atlas"))
    assert tuple(header) == table.columns
    assert tuple(map(table.key, rows)) == table.keys


def test_the_grid() -> None:
    specs = deck_specs()
    assert len(specs) == len(set(specs)) == 11 + 6 + 4 + 3 + 1
    assert {"12x1", "6x2", "4x3", "3x4", "4x4", "1x2"} < set(specs)
    assert "1x1" not in specs
    assert len(DECKS.keys) == 25 * 6 * 3 * 2


def test_the_data_package() -> None:
    package = json.loads((DATA / "datapackage.json").read_text())
    jsonschema.validate(package, PROFILE)
    names = [resource["name"] for resource in package["resources"]]
    assert len(names) == len(set(names))
    for resource in package["resources"]:
        path = DATA / resource["path"]
        assert path.stat().st_size == resource["bytes"]
        if path.suffix == ".csv":
            header, rows = read_csv(path)
            schema = resource["schema"]
            assert [field["name"] for field in schema["fields"]] == header
            keys = [tuple(row[name] for name in schema.get("primaryKey", header)) for row in rows]
            assert len(keys) == len(set(keys))


# The parts of the published profile of a data package that concern this one.
PROFILE = {
    "type": "object",
    "required": ["name", "resources", "licenses"],
    "properties": {
        "profile": {"const": "data-package"},
        "name": {"type": "string", "pattern": "^([-a-z0-9._/])+$"},
        "licenses": {
            "type": "array",
            "minItems": 1,
            "items": {"required": ["name", "path"]},
        },
        "sources": {"type": "array", "items": {"required": ["title"]}},
        "resources": {
            "type": "array",
            "minItems": 1,
            "items": {
                "required": ["name", "path"],
                "properties": {
                    "name": {"type": "string", "pattern": "^([-a-z0-9._/])+$"},
                    "path": {"type": "string", "pattern": r"^(?=^[^./~])(^((?!\.{2}).)*$).*$"},
                    "bytes": {"type": "integer"},
                    "hash": {"type": "string", "pattern": "^sha256:[a-f0-9]{64}$"},
                    "schema": {
                        "required": ["fields"],
                        "properties": {
                            "fields": {
                                "type": "array",
                                "minItems": 1,
                                "items": {
                                    "required": ["name", "type", "description"],
                                    "properties": {
                                        "type": {"enum": ["string", "integer", "number"]},
                                        "description": {"minLength": 1},
                                    },
                                },
                            },
                            "missingValues": {"type": "array", "items": {"type": "string"}},
                        },
                    },
                },
            },
        },
    },
}


# --- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "values"),
    [
        (("4x4", "winner-first", "1", "lose"), (31_162_018, 31_162_018, 738_964, 0)),
        (("4x4", "winner-first", "3", "lose"), (28_811_851, 28_811_851, 5_439_298, 0)),
        (("4x4", "winner-first", "0", "lose"), (31_431_426, 31_431_426, 200_148, 0)),
        (("3x4", "natural", "0", "lose"), (16_579, 16_579, 772, 720)),
        (("3x4", "descending", "0", "lose"), (16_829, 16_829, 992, 0)),
    ],
    ids=lambda value: " ".join(map(str, value)),
)
def test_published_counts(key: Key, values: tuple[int, ...]) -> None:
    row = rows_of(DECKS)[key]
    assert tuple(int(row[name]) for name in ("wins_0", "wins_1", "draws", "never")) == values


def test_published_loops_and_lengths() -> None:
    rows = rows_of(DECKS)
    natural = rows["4x4", "natural", "0", "lose"]
    assert (periods(natural), natural["draws"], natural["longest"]) == (
        {24: 17_090},
        "111146",
        "145",
    )
    descending = rows["4x4", "descending", "0", "lose"]
    assert (descending["never"], descending["draws"], descending["longest"]) == (
        "0",
        "131858",
        "102",
    )
    assert periods(rows["3x4", "natural", "0", "lose"]) == {19: 720}


@pytest.mark.parametrize("capture", ["winner-first", "loser-first"])
def test_distinct_cards_agree_with_the_sequences(capture: str) -> None:
    lines = (DATA / "order" / f"b-{capture}.txt").read_text().splitlines()
    terms = dict(line.split() for line in lines if not line.startswith("#"))
    rows = rows_of(DISTINCT)
    assert all(rows[str(n), capture]["never"] == terms[str(n)] for n in range(1, 18))


def test_dealing_and_not_dealing_agree() -> None:
    """Both tables count distinct cards: one deals them, the other does not."""
    decks, distinct = rows_of(DECKS), rows_of(DISTINCT)
    for n in range(2, 11):
        for capture in ("winner-first", "loser-first", "seat-first"):
            dealt, counted = (
                decks[f"{n}x1", capture, "0", "lose"],
                distinct[str(n), capture],
            )
            assert [dealt[name] for name in COUNTS] == [counted[name] for name in COUNTS]


def test_each_row_adds_up() -> None:
    for (deck, capture, down, short), row in rows_of(DECKS).items():
        won = [int(row[name]) for name in ("wins_0", "wins_1", "draws", "never")]
        assert sum(won) == int(row["deals"])
        assert sum(periods(row).values()) == int(row["never"])
        assert int(row["total_battles"]) <= int(row["longest"]) * (sum(won) - won[3])
        if int(row["cards"]) % 2 == 0 and capture != "seat-first":
            # Exchanging the packets exchanges the players.
            assert won[0] == won[1]
        assert (row["never_deal"] == "") == (row["certificate"] == "") == (won[3] == 0)
        like = computed(deck, ONE_SUIT[capture] if one_suit(deck) else capture, down, short)
        assert row["same_as"] == ("" if like == (capture, down, short) else " ".join(like))


@pytest.mark.parametrize("deck", ["5x1", pytest.param("6x1", marks=pytest.mark.slow)])
def test_rows_that_stand_for_others(deck: str) -> None:
    """Of one suit one row in twelve is computed: here all are."""
    rows = rows_of(DECKS)
    for key in DECKS.keys:
        if key[0] == deck:
            rules = rules_of(*key[1:])
            deals = rules.deals(Deck.parse(deck))
            census = take_census(deals, rules, 0, deals.ranks)
            row = rows[key]
            assert row["never"] == str(census.never)
            assert row["cycle_lengths"] == spectrum(census.cycle_lengths)
            assert row["total_battles"] == str(census.total_battles)
            assert row["same_as"].split()[:1] in ([], [ONE_SUIT[key[1]]])


BACKWARD = [
    *("2x2", "3x2", "2x3", "1x4"),
    *(pytest.param(deck, marks=pytest.mark.slow) for deck in ("3x3", "4x2", "3x4", "5x2")),
]


@pytest.mark.parametrize("deck", BACKWARD)
def test_backward_from_the_ends(deck: str) -> None:
    """The census of all positions shares no code with the one of the deals."""
    for key, row in rows_of(DECKS).items():
        if key[0] == deck:
            assert_backward(key, row)


def assert_backward(key: Key, row: Row) -> None:
    first = int(row["split"].split("/")[0])
    found = all_positions(Deck.parse(key[0]), rules_of(*key[1:]))
    part = found.split(first)
    endings = {ending: n for ending, n in found.endings.items() if ending[0] == first}
    lengths = [battles for _, _, battles in endings]
    assert [str(count) for count in (*part["wins"], part["draws"], part["never"])] == [
        row[name] for name in ("wins_0", "wins_1", "draws", "never")
    ]
    assert row["longest"] == str(max(lengths, default=0))
    assert row["total_battles"] == str(sum(b * n for (_, _, b), n in endings.items()))


@pytest.mark.parametrize("deck", ["2x2", "1x3", "2x3", "3x2", "4x1"])
def test_the_second_implementation(deck: str) -> None:
    for key, row in rows_of(DECKS).items():
        if key[0] == deck:
            rules = rules_of(*key[1:])
            told = {"capture": key[1], "face_down": int(key[2]), "short": key[3]}
            results = [
                naive.play([list(packet) for packet in deal.packets], told)
                for deal in rules.deals(Deck.parse(deck)).iterate()
            ]
            loops = Counter(r["period"] for r in results if r["verdict"] == "cycles")
            ends = [r["battles"] for r in results if r["verdict"] == "terminates"]
            assert (row["cycle_lengths"], row["total_battles"], row["longest"]) == (
                spectrum(loops),
                str(sum(ends)),
                str(max(ends, default=0)),
            )


def test_certificates_belong_to_their_rows() -> None:
    rows = [*rows_of(DECKS).values(), *rows_of(DISTINCT).values()]
    for row in rows:
        if row["certificate"] not in ("", "-"):
            record = read((DATA / "atlas" / row["certificate"]).read_text())
            assert record["deal"] == row["never_deal"]
            assert record["period"] in periods(row)
            assert record["rules"]["capture"] in (row["capture"], ONE_SUIT[row["capture"]])
    files = {path.name for path in (DATA / "atlas" / "certificates").iterdir()}
    assert {Path(row["certificate"]).name for row in rows} - {"", "-"} == files


@pytest.mark.parametrize("part", range(8))
def test_certificates_are_true(part: int) -> None:
    for path in sorted((DATA / "atlas" / "certificates").iterdir())[part::8]:
        assert verify(read(path.read_text())) is None


# --- chance ----------------------------------------------------------------------------------


def test_expected_battles() -> None:
    rows = rows_of(SHUFFLED)
    assert rows["3x2", "shuffled", "1", "lose"]["battles_lower"] == "443/120"
    for n in range(2, 9):
        row = rows[f"{n}x1", "shuffled", "3", "use-remaining"]
        assert row["battles_lower"] == row["battles_upper"] == str((n // 2) * (n - n // 2))
        assert Fraction(row["wins_0_lower"]) == Fraction(n - n // 2, n)
    for key, value, width in (("4x2", 7.244885838754, 1e-9), ("5x2", 11.643362570846, 1e-6)):
        row = rows[key, "shuffled", "1", "lose"]
        lower, upper = Fraction(row["battles_lower"]), Fraction(row["battles_upper"])
        assert lower - Fraction(1, 10**11) <= Fraction(value) <= upper + Fraction(1, 10**11)
        assert upper - lower < width


def test_dashes_stand_for_large_chains_only() -> None:
    large = {"9x1", "10x1", "11x1", "12x1", "6x2", "4x3", "4x4"}
    for (deck, *_), row in rows_of(SHUFFLED).items():
        assert (row["positions"] == "-") == (deck in large)
        counted = deck not in large and (
            int(row["positions"]) <= 1_000_000 or int(row["transitions"]) <= MOST_TRANSITIONS
        )
        assert (row["battles_lower"] == "-") == (not counted)
        assert row["ending_certain"] == ("-" if deck in large else "1")


def test_expected_battles_agree_with_the_tables_of_endings() -> None:
    rows = rows_of(SHUFFLED)
    for path in DATA.glob("chance/endings-?x?.csv"):
        with path.open(newline="") as file:
            for other in csv.DictReader(file):
                key = (other["deck"], other["capture"], other["face_down"] or "0", "lose")
                if other["short"] in ("", "lose") and other["battles_lower"]:
                    mine = rows[key]
                    assert mine["positions"] == other["positions"]
                    assert Fraction(mine["battles_lower"]) <= Fraction(other["battles_upper"])
                    assert Fraction(other["battles_lower"]) <= Fraction(mine["battles_upper"])


# --- growing ---------------------------------------------------------------------------------


def test_a_table_that_is_stopped_goes_on(tmp_path: Path) -> None:
    keys = tuple(key for key in DECKS.keys if key[0] in ("3x1", "2x2"))[:60]
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    whole.mkdir()
    halves.mkdir()
    replace(DECKS, keys=keys).fill(whole)
    calls = []

    def make(key: Key) -> Made:
        calls.append(key)
        if len(calls) == 41:
            raise KeyboardInterrupt
        return DECKS.make(key)

    table = replace(DECKS, keys=keys, make=make)
    with pytest.raises(KeyboardInterrupt):
        table.fill(halves)
    assert len(read_csv(table.path(halves))[1]) == 40
    table.fill(halves)
    assert calls == [*keys[:41], *keys[40:]]
    assert {path.relative_to(whole): path.read_bytes() for path in whole.rglob("*.*")} == {
        path.relative_to(halves): path.read_bytes() for path in halves.rglob("*.*")
    }
    assert (whole / "decks.csv").read_text() == "".join(
        line
        for line in (DATA / "atlas" / "decks.csv").read_text().splitlines(keepends=True)
        if line.startswith(("deck,", "3x1,")) or tuple(line.split(",")[:4]) in keys
    )


def test_a_table_with_other_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "about.toml").write_text((DATA / "about.toml").read_text())
    (tmp_path / "atlas").mkdir()
    (tmp_path / "atlas" / "decks.csv").write_text("deck,deals\n2x1,2\n")
    code, _, err = answer("data", "fill", str(tmp_path))
    assert code == 2
    assert "other columns" in err


# --- verify ----------------------------------------------------------------------------------

SMALL = ("order-counts", "order-growth", "order-runs", "deals", "endless-longest")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A copy of a few datasets, with their own descriptions and checksums."""
    head, *tables = (DATA / "about.toml").read_text().split("[[dataset]]\n")
    kept = [t for t in tables if t.startswith(tuple(f'name = "{name}"\n' for name in SMALL))]
    assert len(kept) == len(SMALL)
    directory = tmp_path / "data"
    directory.mkdir()
    (directory / "about.toml").write_text("[[dataset]]\n".join([head, *kept]))
    for place in ("order", "deals", "endless/longest"):
        shutil.copytree(DATA / place, directory / place)
    build(directory)
    return directory


def build(directory: Path) -> str:
    code, out, err = answer("data", "build", str(directory))
    assert (code, err) == (0, "")
    return out


def verified(directory: Path, *options: str) -> tuple[int, list[str]]:
    code, out, err = answer("data", "verify", str(directory), "--seed", "3", *options)
    assert err == ""
    return code, [line for line in out.splitlines() if line.startswith("false")]


def test_all_is_true_and_building_again_changes_nothing(small: Path) -> None:
    assert verified(small) == (0, [])
    assert build(small) == ""
    assert answer("data", "verify", str(small), "--seed", "3") == answer(
        "data", "verify", str(small), "--seed", "3"
    )


def test_the_seed_is_told_and_json_says_the_same(small: Path) -> None:
    code, out, _ = answer("data", "verify", str(small), "--json", "--seed", "3")
    record = json.loads(out)
    assert (code, record["true"], record["seed"]) == (0, True, 3)
    assert all(finding["true"] for finding in record["findings"])
    _, out, _ = answer("data", "verify", str(small))
    assert "--seed" in out.splitlines()[-1]


def test_a_changed_file_has_another_checksum(small: Path) -> None:
    with (small / "deals" / "spivey-52.txt").open("a") as file:
        file.write("# more\n")
    code, lines = verified(small)
    assert code == 1
    assert "false  deals/spivey-52.txt  checksum: has another checksum" in lines


def test_missing_and_unlisted_files(small: Path) -> None:
    (small / "deals" / "spivey-52.txt").unlink()
    (small / "deals" / "more.txt").write_text("2 | 3\n")
    code, lines = verified(small)
    assert code == 1
    assert "false  deals/spivey-52.txt  checksum: is missing" in lines
    assert "false  deals/more.txt  checksum: does not stand in SHA256SUMS" in lines


def test_without_checksums(small: Path) -> None:
    (small / "SHA256SUMS").unlink()
    assert verified(small) == (1, ["false  SHA256SUMS  checksums: is missing"])


def test_a_false_number_with_a_right_checksum(small: Path) -> None:
    path = small / "order" / "growth.csv"
    header, *rows = path.read_text().splitlines()
    false = [",".join([*row.split(",")[:-1], "1000"]) for row in rows]
    path.write_text("\n".join([header, *false]) + "\n")
    build(small)
    code, (line,) = verified(small)
    assert code == 1
    assert line.startswith("false  order/growth.csv  ")
    assert line.endswith("not 1000")


def test_a_false_certificate(small: Path) -> None:
    path = small / "endless" / "longest" / "standard_natural.json"
    for other in set(path.parent.iterdir()) - {path}:
        other.unlink()  # one certificate is chosen by chance
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"battles": record["battles"] + 1}) + "\n")
    build(small)
    code, lines = verified(small)
    assert code == 1
    assert lines == [
        f"false  endless/longest/standard_natural.json  replayed: battles is {record['battles']}, "
        f"not {record['battles'] + 1}"
    ]
    path.write_text("{}\n")
    build(small)
    assert "schema" in verified(small)[1][0]


def test_a_false_row_of_the_atlas(tmp_path: Path) -> None:
    keys = tuple(key for key in DECKS.keys if key[0] == "3x2")
    table = replace(DECKS, keys=keys)
    shutil.copytree(DATA / "atlas" / "certificates", tmp_path / "certificates")
    table.fill(tmp_path)
    path = table.path(tmp_path)
    check = contents.check_of(table)

    everything = contents.Choice(Random(0), all=True)
    assert not [why for _, _, why in check([path], everything) if why]
    text = path.read_text()
    path.write_text(text.replace(",3:16,", ",3:17,", 1))
    told = [(what, why) for _, what, why in check([path], everything) if why]
    assert told == [("3x2 loser-first 0 lose", "cycle_lengths is 3:16, not 3:17")]
    path.write_text(text.replace("3x2,loser-first,0,lose", "3x2,loser-first,7,lose"))
    told = [(what, why) for _, what, why in check([path], everything) if why]
    assert len(told) == 2
    assert told[1] == ("3x2 loser-first 7 lose", "there is no such row")


def test_cells_have_the_types_of_their_columns(small: Path) -> None:
    path = small / "order" / "growth.csv"
    path.write_text(path.read_text().replace("winner-first,5,30", "winner-first,5,many"))
    code, lines = verified(small)
    assert code == 1
    assert any("never = 'many': expected a whole number" in line for line in lines)
    code, _, err = answer("data", "build", str(small))
    assert code == 2
    assert "expected a whole number" in err


def test_files_and_columns_without_a_description(small: Path) -> None:
    (small / "order" / "notes.csv").write_text("a\n1\n")
    code, _, err = answer("data", "build", str(small))
    assert (code, err) == (2, "Error: 'order/notes.csv' belongs to no dataset of about.toml\n")
    (small / "order" / "notes.csv").unlink()
    path = small / "order" / "growth.csv"
    path.write_text(path.read_text().replace("leaves", "twigs"))
    code, _, err = answer("data", "build", str(small))
    assert code == 2
    assert "column 'twigs' of order-growth" in err


def test_no_data_here(tmp_path: Path) -> None:
    for command in ("list", "verify", "build", "fill"):
        code, out, err = answer("data", command, str(tmp_path / "none"))
        assert (code, out) == (2, "")
        assert "about.toml" in err
    (tmp_path / "about.toml").write_text("title = 3\n")
    code, _, err = answer("data", "list", str(tmp_path))
    assert code == 2
    assert "about.toml" in err


def test_list() -> None:
    code, out, _ = answer("data", "list", str(DATA), "--json")
    records = json.loads(out)["datasets"]
    assert code == 0
    assert [record["dataset"] for record in records] == [d.name for d in ABOUT.datasets]
    assert all(record["number"] for record in records)


def test_rows_have_types() -> None:
    (dataset,) = [d for d in ABOUT.datasets if d.name == "atlas-shuffled"]
    columns, rows = typed_rows(ABOUT, dataset)
    row = dict(zip(columns, rows[0], strict=True))
    assert (row["deck"], row["positions"], row["battles_lower"]) == ("2x1", 2, "1")
    assert row["same_as"] is None


@pytest.mark.slow
def test_the_whole_directory() -> None:
    assert run(["data", "verify", str(DATA), "--seed", "1"]) == 0
    assert {rules_of(*key[1:]).kind for key in DECKS.keys} == {"deterministic"}
    assert set(FIXED_ORDERS) == set(ONE_SUIT)
    assert len(FACE_DOWN) * len(SHORTS) == 6
