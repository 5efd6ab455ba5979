"""Exhaustive counts: each stands with its source in `counts/`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.test_cli import answer, settings_of

COUNTS = Path(__file__).parent / "counts"
SLOW = {"8x1", "9x1"}


def cases(name: str) -> list[Any]:
    found = list(map(json.loads, (COUNTS / name).read_text().splitlines()))
    return [
        pytest.param(
            case,
            id=f"{case['deck']}-{case['rules'].get('capture')}-{number}",
            marks=[pytest.mark.slow] if case["deck"] in SLOW else [],
        )
        for number, case in enumerate(found)
    ]


@pytest.mark.parametrize("case", cases("small_decks.jsonl"))
def test_counts_on_which_two_other_programs_agree(
    case: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    split = "/".join(map(str, case["split"]))
    found = answer(capsys, "enumerate", case["deck"], "--split", split, *settings_of(case["rules"]))
    assert {field: found[field] for field in case["expect"]} == case["expect"]
    assert found["split"] == case["split"]
    assert sum(found["wins"]) + found["draws"] + found["never"] == found["deals"]
    battles = {int(length): deals for length, deals in found["battles"].items()}
    assert sum(length * deals for length, deals in battles.items()) == found["total_battles"]


@pytest.mark.parametrize("case", cases("published.jsonl"))
def test_published_counts(case: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    assert case["source"]
    found = answer(capsys, "enumerate", case["deck"], *settings_of(case["rules"]))
    assert {field: found[field] for field in case["expect"]} == case["expect"]
