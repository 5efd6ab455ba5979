"""The compiled census, forward and backward, and 52-card games, by CPU time of one core.

With the README's command for benchmarks, which prints the figures as one table after the run. The
fastest public engine plays about 40 million battles a second on such a core and looks for no loops.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench.conftest import Note
from waranalysis.cards import Deck
from waranalysis.census import backward, forward, plain
from waranalysis.census.campaign import inline, processes, run_campaign
from waranalysis.census.sample import Table, play_games
from waranalysis.census.work import census_campaign
from waranalysis.kernels import MOST_CARDS, ring
from waranalysis.rules import RuleSet
from waranalysis.termination import classify

ONE_DOWN = RuleSet(face_down=1)
NATURAL = RuleSet(face_down=0, capture="natural")
cpu = time.process_time


@pytest.mark.benchmark(group="all 63,063,000 deals of 4x4", timer=cpu)
@pytest.mark.parametrize("rules", [ONE_DOWN, NATURAL], ids=["one down", "natural"])
def bench_forward(benchmark: BenchmarkFixture, rules: RuleSet, note: Note) -> None:
    deals = rules.deals(Deck.parse("4x4"))
    forward.take_census(deals, rules, 0, 1000)
    census = benchmark.pedantic(forward.take_census, (deals, rules), rounds=2)
    assert census.deals == 63_063_000
    seconds = benchmark.stats["min"]
    if rules == ONE_DOWN:
        note("forward, 4x4, one down: CPU", seconds, "s", "at most 4.2, goal 2.5")
        note("forward: ns a battle", seconds / census.total_battles * 1e9, "ns", "at most 5")
        note(
            "times the fastest public engine", census.total_battles / seconds / 40e6, "", "several"
        )
    else:
        note("forward, 4x4, natural, none down: CPU", seconds, "s", "")


def bench_two_workers(note: Note) -> None:
    """By the clock, on two idle cores; kernels loaded."""
    deals = ONE_DOWN.deals(Deck.parse("4x4"))
    campaign = census_campaign(deals, ONE_DOWN, 1, 10**6)
    campaign.load()
    clock = dict.fromkeys(("one", "two"), 1e9)
    for _ in range(3):
        for name, executor in (("one", inline), ("two", processes(2))):
            begun = time.perf_counter()
            run_campaign(campaign, executor)
            clock[name] = min(clock[name], time.perf_counter() - begun)
    note("two workers against one, 4x4, one down", clock["one"] / clock["two"], "times", "1.8")


def bench_first_call(note: Note, tmp_path: Path) -> None:
    """CPU of a command that has to compile, less that of the same command afterwards."""
    for what, arguments in (
        ("packed and ring kernels", ["enumerate", "4x3", "--rules", "one-down"]),
        ("ring kernel", ["sample", "4x2", "--games", "9"]),
        ("tree kernel", ["enumerate", "2x2", "--all-positions"]),
    ):
        cache = str(tmp_path / arguments[0] / what.split()[0])
        cold, warm = (_cpu_of(arguments, cache) for _ in range(2))
        note(f"first call compiles: {what}", cold - warm, "s", "at most 15")
    note("enumerate 4x2: CPU", _cpu_of(["enumerate", "4x2"], str(tmp_path)), "s", "under 1")


def _cpu_of(arguments: list[str], cache: str) -> float:
    def children() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = children()
    command = [sys.executable, "-m", "waranalysis", *arguments]
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    return children() - before


@pytest.mark.benchmark(group="4x4, 20,000 deals", timer=cpu)
@pytest.mark.parametrize("engine", [plain, forward], ids=["plain", "compiled"])
def bench_engines(benchmark: BenchmarkFixture, engine: object) -> None:
    deals = ONE_DOWN.deals(Deck.parse("4x4"))
    take = plain.take_census if engine is plain else forward.take_census
    start = 30_000_000
    census = benchmark.pedantic(take, (deals, ONE_DOWN, start, start + 20_000), rounds=2)
    assert census.deals == 20_000


@pytest.mark.benchmark(group="all 945,945,000 positions of 4x4", timer=cpu)
def bench_backward(benchmark: BenchmarkFixture, note: Note) -> None:
    backward.all_positions(Deck.parse("2x2"), ONE_DOWN)
    found = benchmark.pedantic(backward.all_positions, (Deck.parse("4x4"), ONE_DOWN), rounds=1)
    assert found.never == 0
    each = benchmark.stats["min"] / found.positions * 1e9
    note("backward, 4x4, one down: ns a position", each, "ns", "under 20")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    note("memory of all these, at most", most, "MB", "under 400")


@pytest.mark.benchmark(group="10,000 games of 52 cards, natural", timer=cpu)
def bench_compiled_games(benchmark: BenchmarkFixture, note: Note) -> None:
    table = Table(Deck.parse("standard"), NATURAL)
    dealt = [table.deal(1, game) for game in range(100)]
    begun = cpu()
    verdicts = [classify(deal, NATURAL) for deal in dealt]
    slow = (cpu() - begun) / sum(verdict.battles for verdict in verdicts)
    deals = np.zeros((10_000, MOST_CARDS), np.uint8)
    deals[:, :52] = np.array([[card - 2 for card in deal.cards] for deal in dealt] * 100, np.uint8)
    player = forward.Player(NATURAL, table.deck.cards, 10**6)
    player.fates(deals[:1], (26, 26))
    fates = benchmark(player.fates, deals, (26, 26))
    each = benchmark.stats["min"] / fates[:, ring.PLAYED].sum()
    note("52 cards, natural, none down: ns a battle", each * 1e9, "ns", "at most 8")
    note("times play.py with detection", slow / each, "", "at least 150")


@pytest.mark.benchmark(group="10,000 games of 52 cards by chance", timer=cpu)
@pytest.mark.parametrize("capture", ["shuffled", "coin"])
def bench_sample(benchmark: BenchmarkFixture, capture: str) -> None:
    rules = RuleSet(capture=capture)
    table = Table(Deck.parse("standard"), rules)
    games = benchmark(play_games, table, 1, 0, 10_000)
    assert len(games.kinds) == 10_000
