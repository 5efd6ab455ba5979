"""What a command says when an extra that it needs is not there, and that it leaves nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HIDE = """
import sys
sys.modules.update(dict.fromkeys(["matplotlib", "matplotlib.figure", "dask", "distributed"]))
from waranalysis.cli import main
main(sys.argv[1:])
"""
TWO = ["--rules", "classic", "--rules", "peace"]
SYMBOL = ["--deal", "4 2 | 3 5 1", "--rules", "coin", "--set", "winner_first_probability=p"]


@pytest.mark.parametrize(
    ("extra", "args"),
    [
        ("papers", ["graph", "draw", "5x1", "-o", "war.svg"]),
        ("papers", ["graph", "draw", "5x1", "--what", "lengths", "-o", "war.pdf"]),
        ("papers", ["chance", *SYMBOL, "--plot", "war.svg", "-o", "war.json"]),
        ("distributed", ["enumerate", "4x1", "--dask", "tcp://localhost:1", "-o", "war.json"]),
        ("distributed", ["sample", "--dask", "tcp://localhost:1", "-o", "war.json"]),
        ("distributed", ["order", "6", "--dask", "tcp://localhost:1", "-o", "war.json"]),
        (
            "distributed",
            [
                "compare",
                "--rules",
                "classic",
                "--rules",
                "peace",
                "--dask",
                "tcp://localhost:1",
                "-o",
                "war.json",
            ],
        ),
    ],
)
def test_a_missing_extra_is_named_in_one_line(extra: str, args: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", HIDE, *args]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.count("\n") == 1
    assert found.stderr.startswith("Error: ")
    assert f"pip install 'waranalysis[{extra}]'" in found.stderr
    assert list(tmp_path.iterdir()) == []
