"""Exact and certified values against the solvers of sympy and scipy, and the speed of the parts.

sympy's exact solver of dense systems gets the 72 positions of four distinct cards, the others
the 3,600 of six; scipy's sparse solver gives floats without a bound. Run with the README's command
for benchmarks.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from waranalysis.chance.ends import find_ends
from waranalysis.chance.solve import solve
from waranalysis.graph.build import state_graph
from waranalysis.graph.model import StateGraph
from waranalysis.rules import RuleSet, load


@pytest.fixture(scope="module")
def six() -> StateGraph:
    return state_graph("6x1", load("coin"))


@pytest.fixture(scope="module")
def four() -> StateGraph:
    return state_graph("4x1", load("coin"))


def mean(graph: StateGraph, values: Any) -> Any:
    return sum(values[node] for node in graph.starts) / len(graph.starts)


def with_sympy(graph: StateGraph) -> Any:
    import sympy

    size = graph.positions
    matrix = sympy.eye(size)
    for edge, (source, target) in enumerate(zip(graph.sources, graph.indices, strict=True)):
        if target < size:
            p = graph.probability(edge)
            matrix[int(source), int(target)] -= sympy.Rational(p.numerator, p.denominator)
    return mean(graph, matrix.LUsolve(sympy.ones(size, 1)))


def with_scipy(graph: StateGraph) -> Any:
    from scipy.sparse import csr_array, eye_array
    from scipy.sparse.linalg import spsolve

    shape = (graph.nodes, graph.nodes)
    chain = csr_array((graph.probabilities(), graph.indices, graph.arrows), shape=shape)
    inner = graph.positions
    system = (eye_array(inner) - chain[:inner, :inner]).tocsc()
    return mean(graph, spsolve(system, np.ones(inner)))


@pytest.mark.slow
@pytest.mark.benchmark(group="expected battles, 72 positions")
def bench_sympy_four_cards(benchmark: BenchmarkFixture, four: StateGraph) -> None:
    assert benchmark.pedantic(with_sympy, (four,), rounds=1) == 4


@pytest.mark.benchmark(group="expected battles, 72 positions")
def bench_exact_four_cards(benchmark: BenchmarkFixture, four: StateGraph) -> None:
    assert benchmark(solve, four).random_deal.battles == 4


@pytest.mark.benchmark(group="expected battles, 3,600 positions")
def bench_exact_six_cards(benchmark: BenchmarkFixture, six: StateGraph) -> None:
    assert benchmark(solve, six, "exact").random_deal.battles == 9


@pytest.mark.benchmark(group="expected battles, 3,600 positions")
def bench_lumped_six_cards(benchmark: BenchmarkFixture, six: StateGraph) -> None:
    assert benchmark(solve, six, "lumped").random_deal.battles == 9


@pytest.mark.benchmark(group="expected battles, 3,600 positions")
def bench_certified_six_cards(benchmark: BenchmarkFixture, six: StateGraph) -> None:
    assert Fraction(9) in benchmark(solve, six, "certified").random_deal.battles


@pytest.mark.benchmark(group="expected battles, 3,600 positions")
def bench_scipy_six_cards(benchmark: BenchmarkFixture, six: StateGraph) -> None:
    assert benchmark(with_scipy, six) == pytest.approx(9)


@pytest.mark.slow
@pytest.mark.benchmark(group="a million positions")
@pytest.mark.parametrize("part", ["ranks", "components", "certified"])
def bench_million(benchmark: BenchmarkFixture, part: str) -> None:
    graph = state_graph("5x2", RuleSet(face_down=1, capture="shuffled"))
    ends = find_ends(graph)
    if part == "ranks":
        assert benchmark.pedantic(find_ends, (graph,), rounds=1).certain
    elif part == "components":
        count = benchmark.pedantic(strong_components, (graph,), rounds=1)
        assert count == 482_482
    else:
        found = benchmark.pedantic(solve, (graph, "certified"), rounds=1)
        assert ends.certain
        assert found.random_deal.battles.width < 1e-6


def strong_components(graph: StateGraph) -> int:
    from scipy.sparse.csgraph import connected_components

    count, _ = connected_components(graph.adjacency(), connection="strong")
    return int(count)
