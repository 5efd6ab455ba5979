"""Speed of the order enumeration; run with ``pytest tests/bench/bench_order.py --benchmark-only``.

Kernels are compiled before the clock starts.
"""

import pytest

from waranalysis.order import enumerate_orders
from waranalysis.rules import load

RULES = load("distinct")


@pytest.mark.parametrize(("n", "never"), [(13, 4880546113), (14, 3790165176), (15, 1095264882758)])
def test_winner_first(benchmark, n, never):
    enumerate_orders(5, RULES)
    counts = benchmark.pedantic(enumerate_orders, (n, RULES), rounds=1)
    assert counts.never == never


@pytest.mark.slow
@pytest.mark.parametrize(("n", "never"), [(16, 0), (17, 312707435743775)])
def test_large(benchmark, n, never):
    enumerate_orders(5, RULES)
    counts = benchmark.pedantic(enumerate_orders, (n, RULES), rounds=1)
    assert counts.never == never
