"""Building state graphs, and the structure of graphs with one successor a node.

The README's command for benchmarks runs them. The structure of a random map is found by our
kernel (cycles, basins, tails), by scipy and, up to 10^6 nodes, by networkx (strongly connected
components only); the three agree on the number of nodes on cycles.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray
from pytest_benchmark.fixture import BenchmarkFixture
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from waranalysis.graph.build import state_graph
from waranalysis.graph.model import StateGraph
from waranalysis.graph.structure import Structure, structure
from waranalysis.kernels.structure import functional
from waranalysis.rules import RuleSet

ONE_DOWN = RuleSet(face_down=1)
SIZES = [100_000, 1_000_000, 10_000_000]


def random_map(nodes: int) -> NDArray[np.int32]:
    return np.random.default_rng(1).integers(0, nodes, nodes, dtype=np.int32)


def by_kernel(successor: NDArray[np.int32]) -> tuple[int, int]:
    """Cycles, and nodes on them."""
    fate, steps, cycle = (np.empty(len(successor), np.int32) for _ in range(3))
    cycles = functional(successor, 0, fate, steps, cycle)
    return cycles, int((steps == 0).sum())


def by_components(successor: NDArray[np.int32], labels: NDArray[np.int32]) -> tuple[int, int]:
    """The same from strongly connected components."""
    sizes = np.bincount(labels)
    loops = np.flatnonzero(successor == np.arange(len(successor)))
    return int((sizes > 1).sum()) + len(loops), int(sizes[sizes > 1].sum()) + len(loops)


def by_scipy(successor: NDArray[np.int32]) -> tuple[int, int]:
    nodes = len(successor)
    ones, indptr = np.ones(nodes, np.int8), np.arange(nodes + 1, dtype=np.int32)
    matrix = csr_array((ones, successor, indptr), shape=(nodes, nodes))
    return by_components(successor, connected_components(matrix, connection="strong")[1])


def by_networkx(successor: NDArray[np.int32]) -> tuple[int, int]:
    graph = nx.DiGraph(enumerate(successor.tolist()))
    labels = np.empty(len(successor), np.int32)
    for label, members in enumerate(nx.strongly_connected_components(graph)):
        labels[list(members)] = label
    return by_components(successor, labels)


def contest(benchmark: BenchmarkFixture, find: object, nodes: int) -> None:
    successor = random_map(nodes)
    assert callable(find)
    find(random_map(1000))  # compiled before the clock runs
    found = benchmark.pedantic(find, (successor,), rounds=1 if find is by_networkx else 3)
    if find is not by_kernel:
        assert found == by_kernel(successor)


@pytest.mark.slow
@pytest.mark.parametrize("nodes", SIZES)
@pytest.mark.parametrize("find", [by_kernel, by_scipy])
def bench_structure(benchmark: BenchmarkFixture, find: object, nodes: int) -> None:
    benchmark.group = f"random map of {nodes:,} nodes"
    contest(benchmark, find, nodes)


@pytest.mark.slow
@pytest.mark.parametrize("nodes", SIZES[:2])
def bench_networkx(benchmark: BenchmarkFixture, nodes: int) -> None:
    benchmark.group = f"random map of {nodes:,} nodes"
    contest(benchmark, by_networkx, nodes)


def whole(deck: str, rules: RuleSet) -> Structure:
    return structure(state_graph(deck, rules))


@pytest.mark.benchmark(group="5x2, one face down, build and structure")
def bench_ten_cards(benchmark: BenchmarkFixture) -> None:
    whole("3x2", ONE_DOWN)
    found = benchmark.pedantic(whole, ("5x2", ONE_DOWN), rounds=3)
    assert found.graph.nodes == 312_863


@pytest.mark.slow
@pytest.mark.benchmark(group="5x2, one face down, shuffled, build")
def bench_ten_cards_shuffled(benchmark: BenchmarkFixture) -> None:
    rules = ONE_DOWN.replace(capture="shuffled")
    state_graph("3x2", rules)
    graph: StateGraph = benchmark.pedantic(state_graph, ("5x2", rules), rounds=1)
    assert graph.positions == 1_020_600
