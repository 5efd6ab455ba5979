"""Mutated input of every kind: an answer or one line of complaint, never a traceback."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from waranalysis.cli import run

SEEDS = [
    b"rules = natural\n# loop\nloop: 3 2 1 1 2 1 | 2 1 3 2 3 3\n",
    b"players = 3\n7 1 2 | 3 11 8 4 | 5 9 12 6 10\n",
    'A\u2660 K\u2665 * | T 2c *+\n'.encode(),
]  # fmt: skip
JSONL = [
    b'{"id": 1, "deal": "4 2 | 3 5 1", "rules": {"face_down": 1, "capture": "natural"}}\n',
    b'{"id": "x", "deal": "A K | * 2", "rules": {"minutes": 2, "reverse": true}}\n',
]
CERTIFICATE = json.dumps(
    {
        "schema": "waranalysis/certificate/1", "version": "0", "rules": {}, "deal": "4 2 | 3 5 1",
        "verdict": "cycles", "tail": 0, "period": 6,
        "state": {"packets": [[4, 2], [3, 5, 1]], "piles": [[], []], "table": []},
    }
).encode()  # fmt: skip
TOML = b'name = "mine"\nface_down = 1\ncapture = ["natural", "winner-first"]\nminutes = 2.5\n'


@st.composite
def mutated(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    data = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 3))
        data[at : at + cut] = draw(st.one_of(st.binary(max_size=3), st.sampled_from(WORDS)))
    return bytes(data)


WORDS = [*b'| * = : 9 -1 \n { " \xff none 1e9'.split(b" "), b"9" * 30]


def check(*args: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(args)
    assert code in (0, 1, 2, 3)
    assert err.getvalue().count("\n") <= 1
    assert "Traceback" not in out.getvalue() + err.getvalue()
    if code == 2:
        assert err.getvalue().startswith("Error: ") or '"error"' in out.getvalue()


def check_file(data: bytes, suffix: str, *args: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"input{suffix}"
        path.write_bytes(data)
        check(*[word.replace("FILE", str(path)) for word in args])


@settings(max_examples=250)
@given(mutated(SEEDS))
def test_deal_files(data: bytes) -> None:
    check_file(data, ".txt", "classify", "FILE", "--bound", "300")


@settings(max_examples=250)
@given(mutated(JSONL))
def test_jsonl(data: bytes) -> None:
    check_file(data, ".jsonl", "classify", "--jsonl", "FILE", "--bound", "300")


@settings(max_examples=250)
@given(mutated([CERTIFICATE]))
def test_certificates(data: bytes) -> None:
    check_file(data, ".json", "verify", "FILE")


@settings(max_examples=200)
@given(mutated([TOML]))
def test_rules_files(data: bytes) -> None:
    check_file(data, ".toml", "classify", "4 2 | 3 5 1", "--rules", "FILE", "--bound", "300")


@settings(max_examples=250)
@given(st.text(max_size=12).filter(lambda text: not text.startswith("-")), st.text(max_size=12))
def test_words_of_the_command_line(deck: str, setting: str) -> None:
    check("play", f"{deck} | 3", "--set", setting, "--bound", "50")
    if "x" not in deck:
        check("enumerate", deck, "--bound", "50")
    check("classify", deck, "--bound", "50")
    check("rules", "show", deck)
