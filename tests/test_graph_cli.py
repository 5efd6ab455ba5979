"""The command graph."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from waranalysis.cli import run

ONE = ["--rules", "one-down"]


def answer(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    assert run(["graph", *args, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def complaint(capsys: pytest.CaptureFixture[str], *args: str, code: int = 2) -> str:
    assert run(["graph", *args]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (
            ["4x2", *ONE],
            {
                "positions": 6438,
                "ends": 3,
                "transitions": 6438,
                "cycles": 6,
                "cycles_up_to_swap": 6,
                "on_cycles": 48,
                "never_end": 182,
                "deals_never_end": 70,
                "cycle_lengths": {"8": 6},
                "closed_classes": 9,
                "closed_classes_without_end": 6,
                "winners": [0, 1, None],
            },
        ),
        (
            ["3x4", "--rules", "natural"],
            {"cycles": 2, "cycles_up_to_swap": 1, "cycle_lengths": {"19": 2}},
        ),
        (["3x2", *ONE], {"positions": 192, "ends": 3}),
        (["3x3", *ONE], {"positions": 4177, "ends": 2}),
        (
            ["4x2", *ONE, "--set", "capture=shuffled"],
            {"positions": 17_496, "ends": 3, "transitions": 122_688, "closed_classes": 3},
        ),
        (["5x1", *ONE, "--split", "all"], {"deals": 480, "split": "all"}),
        (["4 2 | 3 5 1"], {"positions": 6, "ends": 0, "cycles": 1, "deals": 1}),
    ],
)
def test_stats(args: list[str], wanted: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "stats", *args)
    assert {field: found[field] for field in wanted} == wanted


def test_stats_of_chance_tell_no_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "stats", "3x2", "--set", "capture=shuffled")
    assert not {"cycles", "cycles_up_to_swap", "on_cycles", "cycle_lengths"} & set(found)
    assert found["kind"] == "chance"


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["graph", "stats", "4x2", *ONE]) == 0
    out = capsys.readouterr().out
    assert "positions                       6,438\n" in out
    assert out.endswith("Periods of the cycles: 8 (6)\n")
    assert run(["graph", "stats", "4x2", *ONE, "--csv"]) == 0
    assert "positions,6438\n" in capsys.readouterr().out
    assert run(["graph", "cycles", "5x1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("5x1, dealt 3/2; rules: classic: 4 cycles, 2 up to swapping players\n")
    assert run(["graph", "cycles", "4x1"]) == 0
    assert capsys.readouterr().out == "4x1, dealt 2/2; rules: classic: 0 cycles\n"


def test_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "cycles", "4x2", *ONE)["cycles"]
    assert [cycle["period"] for cycle in found] == [8] * 6
    assert sum(cycle["deals"] for cycle in found) == 70
    assert sum(cycle["basin"] for cycle in found) == 182
    assert found[0]["states"][0] == "2 3 3 5 4 | 2 5 4"
    assert len(found[0]["states"]) == 8
    err = complaint(capsys, "cycles", "4x2", "--rules", "coin")
    assert "capture = 'coin' brings chance into the game" in err


def test_export_to_standard_output_and_to_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = "4 2 | 3 5 1"
    assert run(["graph", "export", loop, "--format", "json"]) == 0
    printed = capsys.readouterr().out
    assert run(["graph", "export", loop, "-o", str(tmp_path / "war.json")]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"wrote {tmp_path / 'war.json'}\n")
    assert (tmp_path / "war.json").read_text() == printed
    assert run(["graph", "export", loop, "3 | 2", "-o", str(tmp_path / "war.csv")]) == 0
    assert len(list(tmp_path.iterdir())) == 4


def test_draw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "war.svg"
    assert run(["graph", "draw", "5x1", "--what", "loop", "--cycle", "1", "-o", str(path)]) == 0
    assert capsys.readouterr().err == f"wrote {path}\n"
    assert "exists: expected a new file" in complaint(capsys, "draw", "5x1", "-o", str(path))


def test_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    err = complaint(capsys, "export", "4x2", "--format", "xyz")
    assert "format 'xyz': expected json, graphml, gexf, dot, tikz, tex, csv, aut" in err
    assert "no file and no format" in complaint(capsys, "export", "4x2")
    assert "csv is more than one file" in complaint(capsys, "export", "4x2", "--format", "csv")
    assert "is a directory" in complaint(capsys, "export", "4x2", "-o", str(tmp_path))
    assert "is a directory" in complaint(capsys, "draw", "4x2", "-o", str(tmp_path))
    assert "expected a name ending in" in complaint(capsys, "draw", "4x2", "-o", "war.gif")
    assert "expected one deck, or deals" in complaint(capsys, "stats", "4x2", "2 | 3")
    assert "expected sizes such as 5/3" in complaint(capsys, "stats", "4x2", "--split", "x")
    assert "not part of the state" in complaint(capsys, "stats", "4x2", "--rules", "rounds-100")
    err = complaint(capsys, "stats", "13x4", code=3)
    assert "'13x4' takes more than 30,000,000 nodes: there are 9.20e+49 deals alone" in err
    err = complaint(capsys, "stats", "4x2", *ONE, "--limit", "3000", code=3)
    assert re.search(r"more than 3,000 nodes \(\d,\d+ nodes found, \d,\d+ of them played on\)", err)
    err = complaint(capsys, "stats", "4x2", "--memory", "400K", code=3)
    assert "more than 400,000 bytes" in err
    assert list(tmp_path.iterdir()) == []


def test_help_loads_no_engine() -> None:
    code = (
        "import sys; from waranalysis.cli import run; run(['graph', 'export', '-h']); "
        "print([m for m in ('numpy', 'numba', 'scipy', 'networkx', 'matplotlib', 'sympy') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")
