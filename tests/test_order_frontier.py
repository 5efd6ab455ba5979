"""Memory, scratch, checkpoints: whatever happens, the same counts."""

import subprocess
import sys
import time
from math import factorial

import pytest

from waranalysis.errors import FileError, LimitError
from waranalysis.order import enumerate_orders
from waranalysis.order.frontier import Frontier
from waranalysis.order.plan import Plan
from waranalysis.rules import load

RULES = load("distinct")
N, LITTLE = 12, 5_200_000


@pytest.fixture(scope="module")
def expected():
    return enumerate_orders(N, RULES, workers=1)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_change_nothing(expected, workers):
    assert enumerate_orders(N, RULES, workers=workers) == expected


def test_little_memory_spills_to_scratch(expected, tmp_path):
    frontier = Frontier(Plan(N, 6, swap=True, depth=1), 1, LITTLE, tmp_path)
    tallies = frontier.run()
    assert frontier.sequence > 100
    assert (tallies.nodes, tallies.longest[0]) == (expected.nodes, expected.longest)
    assert list(tmp_path.iterdir()) == []


def test_spilled_multiplicities_are_not_lost_or_doubled(tmp_path):
    frontier = Frontier(Plan(N, 6, swap=True, ends=True), 1, LITTLE, tmp_path)
    tallies = frontier.run()
    assert frontier.sequence > 100
    assert sum(line[1] + line[2] for line in tallies.ended.values()) == factorial(N)


def test_too_little_memory_says_so():
    with pytest.raises(LimitError, match="too little for 16 cards: expected at least"):
        enumerate_orders(16, RULES, memory=1_000_000)
    with pytest.raises(LimitError, match="or a scratch directory"):
        enumerate_orders(N, RULES, workers=1, memory=LITTLE)


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("at", [1, 20, 45, 65])
def test_a_stopped_run_goes_on(expected, tmp_path, at):
    def stop(layer, _layers, _nodes):
        if layer == at:
            raise StoppedError

    with pytest.raises(StoppedError):
        enumerate_orders(N, RULES, scratch=tmp_path, progress=stop, pause=0)
    layers = []
    counts = enumerate_orders(
        N, RULES, workers=1, scratch=tmp_path, progress=lambda layer, *_: layers.append(layer)
    )
    assert counts == expected
    assert layers[0] == max(at, 1)


def test_a_killed_run_goes_on(expected, tmp_path):
    program = (
        "from waranalysis.order import enumerate_orders; from waranalysis.rules import load\n"
        "from pathlib import Path\n"
        f"enumerate_orders({N}, load('distinct'), scratch=Path({str(tmp_path)!r}), pause=0)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program])
    while not (tmp_path / "manifest.json").exists() and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)
    process.kill()
    process.wait()
    assert enumerate_orders(N, RULES, scratch=tmp_path) == expected
    assert not list(tmp_path.glob("[!.]*"))


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
