"""The compiled census, forward and backward, and 52-card games, by CPU time of one core.

With the README's command for benchmarks. The ratio that matters for the census of 4x4 is that to
the fastest public engine, which plays about 40 million battles a second on such a core and looks
for no loops; for 52 cards it is that to plain Python.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from waranalysis.cards import Deck
from waranalysis.census import backward, forward, plain
from waranalysis.census.sample import Table, play_games
from waranalysis.kernels import MOST_CARDS, ring
from waranalysis.rules import RuleSet
from waranalysis.termination import classify

ONE_DOWN = RuleSet(face_down=1)
NATURAL = RuleSet(face_down=0, capture="natural")
cpu = time.process_time


@pytest.mark.benchmark(group="all 63,063,000 deals of 4x4", timer=cpu)
@pytest.mark.parametrize("rules", [ONE_DOWN, NATURAL], ids=["one down", "natural"])
def bench_forward(benchmark: BenchmarkFixture, rules: RuleSet) -> None:
    deals = rules.deals(Deck.parse("4x4"))
    forward.take_census(deals, rules, 0, 1000)
    census = benchmark.pedantic(forward.take_census, (deals, rules), rounds=2)
    assert census.deals == 63_063_000
    benchmark.extra_info["ns a battle"] = benchmark.stats["min"] / census.total_battles * 1e9


@pytest.mark.benchmark(group="4x4, 20,000 deals", timer=cpu)
@pytest.mark.parametrize("engine", [plain, forward], ids=["plain", "compiled"])
def bench_engines(benchmark: BenchmarkFixture, engine: object) -> None:
    deals = ONE_DOWN.deals(Deck.parse("4x4"))
    take = plain.take_census if engine is plain else forward.take_census
    start = 30_000_000
    census = benchmark.pedantic(take, (deals, ONE_DOWN, start, start + 20_000), rounds=2)
    assert census.deals == 20_000


@pytest.mark.benchmark(group="all 945,945,000 positions of 4x4", timer=cpu)
def bench_backward(benchmark: BenchmarkFixture) -> None:
    backward.all_positions(Deck.parse("2x2"), ONE_DOWN)
    found = benchmark.pedantic(backward.all_positions, (Deck.parse("4x4"), ONE_DOWN), rounds=1)
    assert found.never == 0
    benchmark.extra_info["ns a position"] = benchmark.stats["min"] / found.positions * 1e9


@pytest.mark.benchmark(group="100 games of 52 cards, natural", timer=cpu)
def bench_plain_games(benchmark: BenchmarkFixture) -> None:
    table = Table(Deck.parse("standard"), NATURAL)
    deals = [table.deal(1, game) for game in range(100)]
    benchmark.pedantic(lambda: [classify(deal, NATURAL) for deal in deals], rounds=2)


@pytest.mark.benchmark(group="100 games of 52 cards, natural", timer=cpu)
def bench_compiled_games(benchmark: BenchmarkFixture) -> None:
    table = Table(Deck.parse("standard"), NATURAL)
    places = [[card - 2 for card in table.deal(1, game).cards] for game in range(100)]
    deals = np.zeros((10_000, MOST_CARDS), np.uint8)
    deals[:, :52] = np.array(places * 100, np.uint8)
    player = forward.Player(NATURAL, table.deck.cards, 10**6)
    fates = benchmark(player.fates, deals, (26, 26))
    battles = fates[:, ring.PLAYED].sum()
    benchmark.extra_info["100 times as many games; ns a battle"] = (
        benchmark.stats["min"] / battles * 1e9
    )


@pytest.mark.benchmark(group="10,000 games of 52 cards by chance", timer=cpu)
@pytest.mark.parametrize("capture", ["shuffled", "coin"])
def bench_sample(benchmark: BenchmarkFixture, capture: str) -> None:
    rules = RuleSet(capture=capture)
    table = Table(Deck.parse("standard"), rules)
    games = benchmark(play_games, table, 1, 0, 10_000)
    assert len(games.kinds) == 10_000
