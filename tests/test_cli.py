from __future__ import annotations

import io
import json
import os
import resource
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from waranalysis.census.plain import take_census
from waranalysis.cli import COMMANDS, interrupts, run
from waranalysis.cli.progress import Progress
from waranalysis.rules import RuleSet, load

ROOT = Path(__file__).parent.parent
LOOP = "4 2 | 3 5 1"


def settings_of(rules: dict[str, Any]) -> list[str]:
    """The fields of a rule set as options."""
    args = []
    for field, value in rules.items():
        text = "/".join(value) if isinstance(value, list) else str(value)
        args += ["--set", f"{field}={text.lower() if isinstance(value, bool) else text}"]
    return args


def answer(capsys: pytest.CaptureFixture[str], *args: str, code: int = 0) -> Any:
    assert run([*args, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def program(*args: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "waranalysis", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def test_all_games_through_jsonl() -> None:
    games = (ROOT / "tests/games.jsonl").read_text()
    done = program("classify", "--jsonl", "-", input=games)
    assert (done.returncode, done.stderr) == (0, "")
    given = list(map(json.loads, games.splitlines()))
    found = list(map(json.loads, done.stdout.splitlines()))
    assert found == [{"id": game["id"]} | game["expect"] for game in given]


def test_a_bad_line_of_jsonl_is_answered_and_the_rest_too(tmp_path: Path) -> None:
    lines = [
        '{"id": 1, "deal": "4 2 | 3 5 1"}',
        '{"id": 2, "deal": "4 X | 3"}',
        "no json",
        '{"id": 4, "deal": "4 2 | 3", "rules": {"face_down": -1}}',
        '{"id": 5}',
        "[1]",
        '{"id": 7, "deal": "2 | 3", "rules": 5}',
        '{"id": "\\ud800", "deal": "2 | 3"}',
        '{"id": 9, "deal": "' + "2 " * 600_000 + '| 3"}',
        '{"id": 10, "deal": "2 | 3", "rules": {"capture": "shuffled"}}',
    ]
    path = tmp_path / "deals.jsonl"
    path.write_bytes("\n".join(lines).encode() + b"\n\xff\n" + lines[0].encode())
    done = program("classify", "--jsonl", str(path))
    assert (done.returncode, done.stderr) == (2, "")
    found = list(map(json.loads, done.stdout.splitlines()))
    assert [record.get("id") for record in found] == [
        1, 2, None, 4, 5, None, 7, "\ud800", None, 10, None, 1,
    ]  # fmt: skip
    assert ["error" in record for record in found] == [
        False, True, True, True, True, True, True, False, True, True, True, False,
    ]  # fmt: skip


def test_undecided_leaves_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["classify", LOOP, "--bound", "3"]) == 3
    assert "undecided" in capsys.readouterr().out
    assert run(["play", LOOP, "--bound", "3"]) == 3
    assert "undecided: not over after 3 battles" in capsys.readouterr().out
    found = answer(capsys, "enumerate", "5x1", "--bound", "4", code=3)
    assert found["undecided"] + found["never"] + sum(found["wins"]) == 120
    assert found["never"] == 0


def test_the_published_deals(capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(map(str, (ROOT / "data/deals").glob("*.txt")))
    found = answer(capsys, "classify", *files)["deals"]
    told = {deal["name"]: deal.get("period") or deal["battles"] for deal in found}
    assert told == {
        "14 cards, loop of 96": 96, "14 cards, loop of 112": 112, "3x4 natural, loop": 19,
        "3x4 natural, longest": 37, "5x4 natural, most laid": 453, "13x4 natural, longest": 5_610,
        "Spivey, rank 1 high": 31_920, "Spivey, rank 1 low": 276, "three players, loop": 9,
    }  # fmt: skip


def test_one_face_down(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "enumerate", "5x1", "--set", "face_down=1")
    assert (found["deals"], found["never"], found["cycle_lengths"]) == (120, 30, {"6": 30})


def test_examples_and_extremes_are_what_they_are_said_to_be(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = answer(capsys, "enumerate", "4x2", "--examples", "3", "--set", "capture=seat-first")
    rules = RuleSet.from_dict(found["rules"])
    deals = [deal for kind in found["examples"].values() for deal in kind]
    assert all(len(kind) == 3 for kind in found["examples"].values())
    told = answer(capsys, "classify", *deals, *settings_of(rules.to_dict()))["deals"]
    kinds = ["player 1"] * 3 + ["player 2"] * 3 + ["draw"] * 3 + ["never"] * 3
    assert [
        "never" if deal["verdict"] == "cycles"
        else "draw" if deal["winner"] is None else f"player {deal['winner'] + 1}"
        for deal in told
    ] == [kind for kind in kinds if kind in found["examples"]]  # fmt: skip
    ends = [found["longest_deal"], found["shortest_deal"]]
    told = answer(capsys, "classify", *ends, *settings_of(rules.to_dict()))["deals"]
    assert [deal["battles"] for deal in told] == [found["longest"], found["shortest"]]


def test_parts_of_a_census_merge_in_any_order() -> None:
    rules = load("natural")
    deals = rules.deals(rules.read_deck("2x4"))
    whole = take_census(deals, rules, keep=2)
    cuts = [0, 11, 12, 40, 70]
    parts = [take_census(deals, rules, a, b, keep=2) for a, b in pairwise(cuts)]
    for order in (parts, parts[::-1], parts[2:] + parts[:2]):
        merged = order[0]
        for part in order[1:]:
            merged = merged.merge(part)
        assert merged == whole


def test_one_joker_each_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    free = answer(capsys, "enumerate", "2x1+2j", "--split", "2/2")
    apart = answer(
        capsys, "enumerate", "2x1+2j", "--split", "2/2", "--set", "joker_deal=one-each",
        "--examples", "99",
    )  # fmt: skip
    assert (free["deals"], apart["deals"]) == (12, 8)
    shown = [deal for kind in apart["examples"].values() for deal in kind]
    assert len(shown) == 8
    assert all(packet.count("*") == 1 for deal in shown for packet in deal.split("|"))


def test_certificates_are_written_and_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "found"
    assert run(["enumerate", "5x1", "--certificates", str(folder)]) == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["never-1.json", "player-1-1.json", "player-2-1.json"]
    assert run(["verify", *map(str, folder.iterdir())]) == 0
    assert capsys.readouterr().out.count("true ") == 3
    false = json.loads((folder / "never-1.json").read_text()) | {"period": 12}
    (folder / "false.json").write_text(json.dumps(false))
    assert run(["verify", *map(str, sorted(folder.iterdir()))]) == 1
    out = capsys.readouterr().out
    assert (out.count("true "), out.count("false ")) == (3, 1)
    found = answer(capsys, "verify", *map(str, sorted(folder.iterdir())), code=1)
    assert (found["schema"], found["true"]) == ("waranalysis/verify/1", False)
    assert [record["true"] for record in found["certificates"]] == [False, True, True, True]
    assert found["certificates"][1]["statement"] == "never ends, tail 3, period 6"
    (folder / "bad.json").write_text("{}")
    assert run(["verify", str(folder / "bad.json")]) == 2
    assert run(["enumerate", "5x1", "--certificates", str(folder)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert run(["classify", LOOP, "--certificates", str(folder), "--force"]) == 0
    assert run(["verify", str(folder / "deal-1.json")]) == 0


def test_files_are_written_whole_and_only_by_force_over_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "census.json"
    assert run(["enumerate", "5x1", "-o", str(path)]) == 0
    assert json.loads(path.read_text())["never"] == 30
    before = path.read_bytes()
    assert run(["enumerate", "4x1", "-o", str(path)]) == 2
    assert path.read_bytes() == before
    assert run(["enumerate", "4x1", "-o", str(path), "--force"]) == 0
    assert json.loads(path.read_text())["deals"] == 24
    assert run(["enumerate", "5x1", "-o", str(tmp_path / "census.csv")]) == 0
    assert (tmp_path / "census.csv").read_text().startswith("outcome,winner,battles,tail,period")
    assert run(["play", LOOP, "-o", str(tmp_path / "game.tex")]) == 0
    assert "\\begin{tabular}" in (tmp_path / "game.tex").read_text()
    assert {entry.name for entry in tmp_path.iterdir()} == {
        "census.json", "census.csv", "game.tex",
    }  # fmt: skip
    capsys.readouterr()


def test_the_rules_shown_can_be_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    run(["rules", "show", "natural", "--set", "face_down=1"])
    path.write_text(capsys.readouterr().out)
    found = answer(capsys, "classify", LOOP, "--rules", str(path))
    assert found["deals"][0]["rules"]["face_down"] == 1
    assert found["deals"][0]["rules"]["capture"] == "natural"


def test_a_shuffled_game_tells_its_seed(capsys: pytest.CaptureFixture[str]) -> None:
    first = answer(capsys, "play", "--seed", "5", "--rules", "jokers")
    again = answer(capsys, "play", first["deal"], "--rules", "jokers")
    assert first["seed"] == 5
    assert [packet.count("*") for packet in first["deal"].split("|")] == [1, 1]
    assert {k: v for k, v in first.items() if k != "seed"} == again
    half = answer(capsys, "play", "--rules", "half-deck")
    assert len(half["deal"].split()) == 27


def test_deals_from_standard_input() -> None:
    done = program("classify", "-", input="rules = natural\nloop: 3 2 1 1 2 1 | 2 1 3 2 3 3\n")
    assert done.returncode == 0
    assert "19" in done.stdout


BAD = [
    (["classify", "4 X | 3"], "unknown card 'X'"),
    (["classify", ""], "no card in ''"),
    (["classify", "|"], "no card in '|'"),
    (["classify"], "no deal"),
    (["classify", "4 2"], "'4 2': expected a deal"),
    (["classify", "4 | 2 | 3"], "expected players = 2"),
    (["classify", "4 | 2", "--set", "players=3"], "expected players = 3"),
    (["classify", "."], "Is a directory"),
    (["classify", "--jsonl", "."], "Is a directory"),
    (["classify", "--jsonl", "none"], "No such file"),
    (["classify", "--jsonl", "none", "4 | 2"], "exclude each other"),
    (["classify", "4 | 2", "--bound", "-1"], "'-1': expected a number of 0 or more"),
    (["classify", "4 | 2", "--detector", "floyd"], "floyd"),
    (["classify", "4 | 2", "--rules", "teams"], "waranalysis choice"),
    (["classify", "* * | 2", "--rules", "jokers"], "different packets"),
    (["enumerate"], "Missing argument 'DECK'"),
    (["enumerate", "5x-1"], "deck '5x-1'"),
    (["enumerate", "5"], "deck '5'"),
    (["enumerate", "A:-1"], "deck 'A:-1'"),
    (["enumerate", "J-Ax4", "--set", "ace=low"], "backwards"),
    (["enumerate", "5x1", "--examples", "-1"], "'-1': expected a number"),
    (["enumerate", "5x1", "--split", "3/3"], "'3/3' does not fit"),
    (["enumerate", "5x1", "--split", "3/1/1"], "has 3 packets"),
    (["enumerate", "5x1", "--split", "3/x"], "'3/x'"),
    (["enumerate", "5x1", "--split", "3/-1"], "'3/-1'"),
    (["enumerate", "half:4x2"], "only be sampled"),
    (["enumerate", "5x1", "--rules", "children"], "waranalysis chance"),
    (["enumerate", "5x1", "--rules", "clasic"], "near: classic"),
    (["enumerate", "5x1", "--set", "facedown=1"], "near: face_down"),
    (["enumerate", "5x1", "--set", "face_down=-1"], "face_down = -1"),
    (["enumerate", "5x1", "--set", "short=loose"], "near: lose"),
    (["enumerate", "5x1", "--set", "short"], "expected field=value"),
    (["enumerate", "5x1", "--json", "--csv"], "exclude each other"),
    (["enumerate", "5x1", "-o", "."], "is a directory"),
    (["enumerate", "5x1", "-o", "none/x.json"], "no directory"),
    (["enumerate", "5x1", "-o", "x.xml"], "ending in .json, .csv, .parquet, .txt"),
    (["enumerate", "5x1", "-o", "/dev/full", "--json"], "No space left"),
    (["play", "4 | 2", "--deck", "5x1"], "exclude each other"),
    (["play", "--deck", "7"], "deck '7'"),
    (["play", "4 2 | 3", "--seed", "x"], "'x': expected a number"),
    (["play", "4 2 | 3", "--set", "capture=coin", "--set", "winner_first_probability=p"], "symbol"),
    (["rules", "show", "clasic"], "near: classic"),
    (["rules", "hide"], "hide"),
    (["verify"], "Missing argument"),
    (["verify", "none"], "No such file"),
    (["verify", "."], "Is a directory"),
    (["clasify"], "classify"),
    (["--frob"], "--frob"),
]


@pytest.mark.parametrize(("args", "why"), BAD, ids=[" ".join(args) for args, _ in BAD])
def test_wrong_input_has_one_clear_line_and_writes_nothing(
    args: list[str],
    why: str,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(args) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    assert why in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a: 4 2 | 3\nb: 4 2 | 5\n", "line 2: '4 2 | 5' has other cards"),
        (b"4 2 | 3 \xff\n", "line 1: not UTF-8"),
        (b"2 " * 5_000_000 + b"| 3\n", "line 1: line too long"),
        (b"", "no deal in"),
        (b"# only a comment\n", "no deal in"),
        (b"\n4 2\n", "line 2: '4 2': expected a deal"),
        (b"4 | 2\nface_down = 1\n", "line 2: 'face_down = 1': expected all settings before"),
        (b"face_dwn = 1\n4 | 2\n", "line 2: unknown field 'face_dwn'; near: face_down"),
        (b"rules = clasic\n4 | 2\n", "line 2: no preset 'clasic'; near: classic"),
    ],
)
def test_wrong_deal_files(
    content: bytes, why: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "deals.txt"
    path.write_bytes(content)
    assert run(["classify", str(path)]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert why in err


def test_a_deal_file_names_its_rules_and_the_command_line_overrides_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "deals.txt"
    path.write_text("\ufeff# a comment\nrules = natural  # none down\nface_down = 1\n4 2|3 5 1\n")
    (own,) = answer(capsys, "classify", str(path))["deals"]
    assert (own["rules"]["capture"], own["rules"]["face_down"]) == ("natural", 1)
    (other,) = answer(capsys, "classify", str(path), "--rules", "classic")["deals"]
    assert (other["rules"]["capture"], other["rules"]["face_down"]) == ("winner-first", 1)
    (third,) = answer(capsys, "classify", str(path), "--set", "face_down=2")["deals"]
    assert (third["rules"]["capture"], third["rules"]["face_down"]) == ("natural", 2)


@pytest.mark.parametrize(
    "args", [["enumerate", "5x1"], ["classify", LOOP], ["rules", "list"], ["play", LOOP]]
)
def test_a_full_device_is_told_in_one_line(args: list[str]) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "waranalysis", *args]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "Error: cannot write to standard output: No space left on device\n"


def test_a_closed_pipe_ends_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "waranalysis", "enumerate", "5x1"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_leaves_with_130() -> None:
    import signal

    command = [sys.executable, "-m", "waranalysis", "enumerate", "12x1", "--verbose"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert running.stderr.readline().startswith("engine: ")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, "", "\nError: interrupted\n")


def test_an_interrupt_that_got_lost_is_made_good(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("no compiled object yet")

    monkeypatch.setattr("waranalysis.cli.classify.classify", broken)
    with pytest.raises(RuntimeError, match="no compiled object"):
        run(["classify", LOOP])
    monkeypatch.setattr(interrupts, "seen", True)
    assert run(["classify", LOOP]) == 130
    assert capsys.readouterr().err == "Error: interrupted\n"
    assert run(["enumerate", "5x1"]) == 130
    assert capsys.readouterr().err == "\nError: interrupted\n"


@pytest.mark.parametrize("name", [*COMMANDS, "rules list", "rules show"])
def test_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*name.split(), "-h"]) == 0
    assert f"waranalysis {name}" in capsys.readouterr().out


def test_the_list_of_commands_loads_no_engine() -> None:
    code = (
        "import sys; from waranalysis.cli import run; run(['--help']); "
        "print([m for m in ('waranalysis.play', 'numpy', 'sympy', 'networkx') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_enumerating_a_tiny_deck_needs_no_compiler_and_under_a_second() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = program("enumerate", "4x2", "--json")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert json.loads(done.stdout)["deals"] == 2_520
    assert spent < 3, "1 s of CPU on an idle machine"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs a TeX")
@pytest.mark.parametrize(
    "args",
    [
        [LOOP],
        ["7 4 Q 2 9 | 7 K 5 3 10", "--rules", "one-down"],
        ["2 2 2 3 | 3 3 3 2", "--set", "capture=seat-first", "--set", "recycle=pile-stacked"],
        ["--seed", "3"],
    ],
)
def test_the_latex_table_compiles(args: list[str], tmp_path: Path) -> None:
    table = program("play", *args, "--latex").stdout
    document = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\\scriptsize\n"
    (tmp_path / "game.tex").write_text(f"{document}{table}\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "game.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "game.pdf").exists()


def test_progress_reckons_with_what_this_run_did(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, 20.0, 30.0])
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    progress = Progress(1000, "deals")
    for done in (500, 600, 700):
        progress(done)
    lines = [line.strip() for line in shown.getvalue().split("\r")[1:]]
    assert lines == ["50.0 %", "60.0 %  10 deals/s  0:40 left", "70.0 %  10 deals/s  0:30 left"]
