"""How much finding a loop costs over bare play, on the 52-card loop of 31,920 battles.

With the README's command for benchmarks, each is printed as a ratio to a bare loop over two deques
that does nothing but play that many battles. Brent's method plays about three times as many.
"""

from __future__ import annotations

from collections import deque

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.test_termination import SPIVEY
from waranalysis.rules import load
from waranalysis.termination import classify

PERIOD = 31_920


def bare_loop() -> tuple[int, ...]:
    one, two = map(deque, SPIVEY.packets)
    for _ in range(PERIOD):
        a, b = one.popleft(), two.popleft()
        if a > b:
            one += a, b
        else:
            two += b, a
    return tuple(one)


@pytest.mark.benchmark(group="loop of 31,920 battles")
def bench_bare_deques(benchmark: BenchmarkFixture) -> None:
    assert benchmark(bare_loop) == SPIVEY.packets[0]


@pytest.mark.benchmark(group="loop of 31,920 battles")
@pytest.mark.parametrize("detector", ["visited", "brent"])
def bench_detector(benchmark: BenchmarkFixture, detector: str) -> None:
    verdict = benchmark(classify, SPIVEY, load("distinct"), detector)
    assert verdict.period == PERIOD
