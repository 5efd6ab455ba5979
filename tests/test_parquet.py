"""Tables as Parquet: the rows of the CSV, with types, and what it takes to make them again."""

from __future__ import annotations

import csv
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from waranalysis.cli import run
from waranalysis.parquet import write_parquet

pq = pytest.importorskip("pyarrow.parquet")


def read(path: Path) -> Any:
    return pq.ParquetFile(path).read()


@pytest.mark.parametrize(
    "arguments",
    [
        ["enumerate", "5x1"],
        ["enumerate", "4x2", "--all-positions"],
        ["sample", "4x2", "--games", "50"],
        ["classify", "4 2 | 3 5 1", "1 4 | 2 3"],
        ["chance", "4x1"],
        ["choice", "3x1", "--set", "capture=chosen-side"],
        ["graph", "cycles", "5x1"],
        ["order", "6"],
        ["rules", "list"],
    ],
    ids=" ".join,
)
def test_the_rows_are_those_of_the_csv(arguments: list[str], tmp_path: Path) -> None:
    first, second, plain = (tmp_path / name for name in ("1.parquet", "2.parquet", "rows.csv"))
    for path in (first, second, plain):
        assert run([*arguments, "-o", str(path)]) == 0
    assert first.read_bytes() == second.read_bytes()
    table = read(first)
    with plain.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert table.column_names == header
    cells = [["" if cell is None else str(cell) for cell in row.values()] for row in
             table.to_pylist()]  # fmt: skip
    assert cells == rows


def test_types_and_origin(tmp_path: Path) -> None:
    path = tmp_path / "census.parquet"
    assert run(["enumerate", "5x1", "--split", "4/1", "-o", str(path)]) == 0
    schema = read(path).schema
    assert [str(kind) for kind in schema.types] == ["string", *["int64"] * 5]
    about = json.loads(schema.metadata[b"waranalysis"])
    assert about["schema"] == "waranalysis/enumerate/1"
    assert (about["deck"], about["split"]) == ("5x1", [4, 1])
    assert about["rules"]["capture"] == "winner-first"


def test_numbers_that_do_not_fit_are_text(tmp_path: Path) -> None:
    header = ["whole", "great", "real", "exact", "none"]
    rows = [[1, 2**70, 1, Fraction(1, 3), None], [None, 5, 0.5, None, None]]
    write_parquet(tmp_path / "t.parquet", header, rows, {})
    table = read(tmp_path / "t.parquet")
    assert [str(kind) for kind in table.schema.types] == [
        "int64", "string", "double", "string", "int64"
    ]  # fmt: skip
    assert table.column("great").to_pylist() == [str(2**70), "5"]
    write_parquet(tmp_path / "empty.parquet", header, [], {})
    assert read(tmp_path / "empty.parquet").num_rows == 0


def test_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["endless", "4x1", "-o", str(tmp_path / "x.parquet")]) == 2
    assert "expected a name ending in .json, .txt" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert run(["enumerate", "standard", "-o", str(tmp_path / "x.parquet")]) == 2
    assert "pip install 'waranalysis[data]'" in capsys.readouterr().err
