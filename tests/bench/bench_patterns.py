"""Patterns of results tried per second: words of 14 results on 52 cards, from every size.

The table has patterns tried per second.
"""

from __future__ import annotations

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench.conftest import Note
from waranalysis.construct.pattern import Table


@pytest.mark.benchmark(group="patterns of 14 results on 52 cards")
@pytest.mark.parametrize("winner_first", [True, False])
def bench_patterns(benchmark: BenchmarkFixture, note: Note, winner_first: bool) -> None:
    table = Table(52, (winner_first, winner_first))

    def patterns() -> int:
        return sum(hit for hit in table.scan(14, lambda _: None) if isinstance(hit, int))

    patterns()
    tried = benchmark(patterns)
    assert tried == 10_159
    benchmark.extra_info["patterns"] = tried
    if benchmark.stats:  # none where benchmarks are switched off
        order = "winner-first" if winner_first else "loser-first"
        note(f"patterns a second, {order}", tried / benchmark.stats.stats.min, "", "")
