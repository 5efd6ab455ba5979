"""Memory, scratch, checkpoints: whatever happens, the same counts."""

import json
import subprocess
import sys
import time
from math import factorial

import pytest

from waranalysis.errors import FileError, LimitError
from waranalysis.order import enumerate_orders
from waranalysis.order import frontier as frontier_module
from waranalysis.order.frontier import Frontier
from waranalysis.order.layout import MAX_DEPTH, NO_DEPTH
from waranalysis.order.plan import Plan
from waranalysis.order.store import Store
from waranalysis.rules import load

RULES = load("distinct")
N, LITTLE = 12, 5_200_000


@pytest.fixture(scope="module")
def expected():
    return enumerate_orders(N, RULES, workers=1)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_change_nothing(expected, workers):
    assert enumerate_orders(N, RULES, workers=workers) == expected


@pytest.mark.parametrize("ends", [False, True])
def test_little_memory_spills_to_scratch(expected, tmp_path, ends):
    depth = NO_DEPTH if ends else MAX_DEPTH
    frontier = Frontier(Plan(N, 6, swap=True, ends=ends, depth=depth), 1, LITTLE, tmp_path)
    tallies = frontier.run()
    assert frontier.emptied > 5
    assert (tallies.nodes, tallies.laps) == (expected.nodes, {})
    # Multiplicities are not lost or doubled.
    if ends:
        assert sum(line[1] + line[2] for line in tallies.ended.values()) == factorial(N)
    else:
        assert tallies.longest[0] == expected.longest
    assert list(tmp_path.iterdir()) == []


def test_no_row_is_written_twice(expected, tmp_path):
    frontier = Frontier(Plan(N, 6, swap=True, depth=MAX_DEPTH), 2, scratch=tmp_path, pause=0.05)
    tallies = frontier.run()
    assert 0 < frontier.store.written <= tallies.rows
    assert tallies.nodes == expected.nodes


def test_too_little_memory_says_so():
    with pytest.raises(LimitError, match="too little for 16 cards: expected at least"):
        enumerate_orders(16, RULES, memory=1_000_000)
    with pytest.raises(LimitError, match="or a scratch directory"):
        enumerate_orders(N, RULES, workers=1, memory=LITTLE)


class StoppedError(Exception):
    pass


@pytest.mark.parametrize(("n", "at"), [(9, 20), (11, 30), (11, 48), (12, 1), (12, 65)])
def test_a_stopped_run_goes_on(tmp_path, n, at):
    def stop(layer, _layers, _nodes):
        if layer == at:
            raise StoppedError

    with pytest.raises(StoppedError):
        enumerate_orders(n, RULES, scratch=tmp_path, progress=stop, pause=0.02)
    layers = []
    counts = enumerate_orders(
        n, RULES, workers=1, scratch=tmp_path, progress=lambda layer, *_: layers.append(layer)
    )
    assert counts == enumerate_orders(n, RULES)
    assert layers[0] <= at + 1


def test_after_every_layer_there_is_a_checkpoint(tmp_path, monkeypatch):
    told = []
    save = Store.save

    def look(store, layer, state):
        save(store, layer, state)
        state = json.loads((tmp_path / "manifest.json").read_text())["state"]
        told.append((state["layer"], len(state["todo"])))

    monkeypatch.setattr(Store, "save", look)
    enumerate_orders(10, RULES, scratch=tmp_path)
    assert told == [(layer, 16) for layer in range(1, 46)]


@pytest.mark.parametrize("few", [0, 20_000, 1 << 22])
def test_rows_go_on_from_files_of_either_kind(expected, tmp_path, monkeypatch, few):
    monkeypatch.setattr(frontier_module, "_FEW", few)
    stopped_at(50, tmp_path)
    kinds = {path.name == "common.rows" for path in tmp_path.glob("*.rows")}
    assert kinds == {0: {False}, 20_000: {False, True}, 1 << 22: {True}}[few]
    assert enumerate_orders(N, RULES, scratch=tmp_path) == expected
    assert list(tmp_path.iterdir()) == []


def test_after_every_bucket_there_can_be_a_checkpoint(tmp_path):
    counts = enumerate_orders(10, RULES, scratch=tmp_path, pause=0)
    assert counts == enumerate_orders(10, RULES)


@pytest.mark.parametrize("n", [11, 12])
def test_a_run_killed_again_and_again_comes_to_the_same_answer(tmp_path, n):
    program = (
        "from waranalysis.order import enumerate_orders; from waranalysis.rules import load\n"
        "from pathlib import Path\n"
        f"enumerate_orders({n}, load('distinct'), scratch=Path({str(tmp_path)!r}), pause=0)\n"
    )
    manifest = tmp_path / "manifest.json"
    for moment in (0.0, 0.3):
        before = manifest.read_bytes() if manifest.exists() else b""
        process = subprocess.Popen([sys.executable, "-c", program])
        while process.poll() is None and (not manifest.exists() or manifest.read_bytes() == before):
            time.sleep(0.01)
        time.sleep(moment)
        process.kill()
        process.wait()
    assert enumerate_orders(n, RULES, scratch=tmp_path) == enumerate_orders(n, RULES)
    assert list(tmp_path.iterdir()) == []


def stopped_at(layer, scratch):
    frontier = Frontier(Plan(N, 6, swap=True, depth=MAX_DEPTH), 1, scratch=scratch, pause=0.02)

    def stop(done, _layers, _nodes):
        if done == layer:
            raise StoppedError

    with pytest.raises(StoppedError):
        frontier.run(stop)
    return frontier


def test_what_was_written_after_the_last_checkpoint_is_cut_off(expected, tmp_path):
    stopped_at(30, tmp_path)
    for path in tmp_path.glob("*.rows"):
        with open(path, "ab") as file:
            file.write(b"\1" * 1000)
    (tmp_path / "066.rows").write_bytes(b"\1" * 1000)
    (tmp_path / ".manifest.torn").write_bytes(b"{")
    assert enumerate_orders(N, RULES, scratch=tmp_path) == expected


def test_damaged_scratch_is_refused(tmp_path):
    stopped_at(30, tmp_path)
    path = max(tmp_path.glob("*.rows"), key=lambda path: path.stat().st_size)
    with open(path, "r+b") as file:
        file.truncate(path.stat().st_size - 8)
    with pytest.raises(FileError, match="bytes of rows, found"):
        enumerate_orders(N, RULES, scratch=tmp_path)
    path.unlink()
    with pytest.raises(FileError, match="No such file"):
        enumerate_orders(N, RULES, scratch=tmp_path)
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(FileError, match="not of this program"):
        enumerate_orders(N, RULES, scratch=tmp_path)


def test_a_full_disk_keeps_the_last_checkpoint(expected, tmp_path):
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from waranalysis.errors import LimitError\n"
        "from waranalysis.order import enumerate_orders; from waranalysis.rules import load\n"
        "run = lambda n: enumerate_orders("
        "n, load('distinct'), scratch=Path(sys.argv[1]), pause=0.02)\n"
        "run(5)\n"  # What is compiled is written before the limit is set.
        "resource.setrlimit(resource.RLIMIT_FSIZE, (80_000, 80_000))\n"
        "try: run(12)\n"
        "except LimitError as error: print(error)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert told.stdout.count("\n") == 1
    assert "File too large; the last checkpoint is kept" in told.stdout
    layers = []
    counts = enumerate_orders(
        N, RULES, scratch=tmp_path, progress=lambda layer, *_: layers.append(layer)
    )
    assert counts == expected
    assert layers[0] > 10


def test_scratch_of_another_run_is_refused(tmp_path):
    frontier = Frontier(Plan(9, 5), scratch=tmp_path)
    frontier.checkpoint()
    with pytest.raises(FileError, match="holds another enumeration"):
        Frontier(Plan(10, 5), scratch=tmp_path)


def test_scratch_that_is_a_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(FileError, match="scratch directory"):
        Frontier(Plan(9, 5), scratch=path)
