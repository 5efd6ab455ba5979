"""Components, cycles, basins and distances, against networkx and against single games."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from waranalysis.cards import Deck
from waranalysis.graph.build import state_graph
from waranalysis.graph.model import StateGraph
from waranalysis.graph.structure import Structure, condensation, structure, swapped
from waranalysis.kernels.structure import distances, functional, reverse
from waranalysis.play import State
from waranalysis.rules import RuleSet, load
from waranalysis.termination import classify

ONE_DOWN = RuleSet(face_down=1)
NONE_DOWN = RuleSet(face_down=0)
GRAPHS = [
    ("4x2", ONE_DOWN),
    ("5x1", ONE_DOWN),
    ("3x3", NONE_DOWN.replace(capture="natural")),
    ("7x1", ONE_DOWN.replace(capture="seat-first")),
    ("3x2", ONE_DOWN.replace(capture="shuffled")),
    ("6x1", ONE_DOWN.replace(capture="coin")),
    ("3x2", ONE_DOWN.replace(capture="chosen-side")),
    ("4x1", ONE_DOWN.replace(hand=2)),
    ("4x1", ONE_DOWN.replace(capture="chosen-side", recognition="1/2")),
    ("3x2", load("three-players")),
    ("3x2", load("won-pile")),
]


def plain(graph: StateGraph) -> nx.DiGraph:
    """The graph for networkx, straight from the arrays."""
    result = nx.DiGraph()
    result.add_nodes_from(range(graph.nodes))
    result.add_edges_from(zip(graph.sources.tolist(), graph.indices.tolist(), strict=True))
    return result


@pytest.fixture(scope="module", params=GRAPHS, ids=lambda p: f"{p[0]}-{p[1].capture}-{p[1].kind}")
def found(request: pytest.FixtureRequest) -> Structure:
    deck, rules = request.param
    return structure(state_graph(deck, rules))


def test_components(found: Structure) -> None:
    for members in nx.strongly_connected_components(plain(found.graph)):
        assert {int(found.component[v]) for v in members} == {min(members)}
    assert sum(found.component_sizes.values()) == found.graph.nodes


def test_closed_classes(found: Structure) -> None:
    attracting = {min(c) for c in nx.attracting_components(plain(found.graph))}
    ends = set(range(found.graph.first_end, found.graph.nodes))
    assert set(found.closed_classes) == attracting >= ends
    if found.fate is not None:
        loops = {min(c.nodes.tolist()) for c in found.cycles}
        assert set(found.closed_classes) == loops | ends


def test_distances(found: Structure) -> None:
    backward = plain(found.graph).reverse()
    ends = range(found.graph.first_end, found.graph.nodes)
    wanted = nx.multi_source_dijkstra_path_length(backward, ends)
    assert found.distance.tolist() == [wanted.get(v, -1) for v in range(found.graph.nodes)]


def test_degrees_and_the_garden_of_eden(found: Structure) -> None:
    multiple = nx.MultiDiGraph(list(zip(found.graph.sources, found.graph.indices, strict=True)))
    multiple.add_nodes_from(range(found.graph.nodes))
    assert found.in_degree.tolist() == [multiple.in_degree(v) for v in range(found.graph.nodes)]
    none = {v for v in range(found.graph.positions) if not multiple.in_degree(v)}
    assert set(found.garden_of_eden.tolist()) == none
    assert none <= set(found.graph.starts.tolist())


def test_condensation(found: Structure) -> None:
    wanted = nx.condensation(plain(found.graph))
    least = {v: min(members) for v, members in wanted.nodes(data="members")}
    ours = condensation(found)
    edges = {
        (int(ours.least[v]), int(ours.least[w]))
        for v in range(len(ours.least))
        for w in ours.indices[ours.indptr[v] : ours.indptr[v + 1]]
    }
    assert edges == {(least[v], least[w]) for v, w in wanted.edges}
    assert len(ours.indices) == len(edges)
    assert dict(zip(ours.least.tolist(), ours.sizes.tolist(), strict=True)) == (
        found.component_sizes
    )


def test_cycles(found: Structure) -> None:
    if found.fate is None:
        assert found.cycles == ()
        return
    graph = found.graph
    wanted = {frozenset(cycle) for cycle in nx.simple_cycles(plain(graph))}
    assert {frozenset(cycle.nodes.tolist()) for cycle in found.cycles} == wanted
    for number, cycle in enumerate(found.cycles):
        nodes = cycle.nodes.tolist()
        assert graph.successor[nodes].tolist() == nodes[1:] + nodes[:1]
        assert graph.state(nodes[0]) == min(graph.state(v) for v in nodes)
        basin = nx.ancestors(plain(graph), nodes[0]) | {nodes[0]}
        assert cycle.basin == len(basin) == (found.fate == number).sum()
        starts = dict(zip(graph.starts.tolist(), graph.deals.tolist(), strict=True))
        assert cycle.deals == sum(starts.get(v, 0) for v in basin)
        outside = basin - set(nodes)
        entered = {int(graph.successor[v]) for v in outside} & set(nodes)
        assert set(cycle.entries) == entered
        assert cycle.longest_tail == max(found.tail[list(basin)])


def test_every_game_agrees_with_the_graph(found: Structure) -> None:
    graph = found.graph
    if found.fate is None or graph.deck is None:
        return
    deals = graph.rules.deals(Deck.parse(graph.deck))
    for deal in deals.iterate(0, min(deals.ranks, 200)):
        verdict = classify(deal, graph.rules)
        node = graph.node(State.of(deal))
        if verdict.ending is not None:
            assert graph.ends[-1 - found.fate[node]] == verdict.ending.winner
            assert found.distance[node] == found.tail[node] == verdict.battles
        else:
            assert found.tail[node] == verdict.tail
            assert found.cycles[found.fate[node]].period == verdict.period


# --- what it must show -----------------------------------------------------------------------


def test_the_deck_of_eight() -> None:
    found = structure(state_graph("4x2", ONE_DOWN))
    assert found.periods == {8: 6}
    assert found.cycles_up_to_swap == 6
    assert all(cycle.own_image for cycle in found.cycles)
    assert int(found.on_cycle.sum()) == 48
    assert (found.never_end, found.deals_never_end) == (182, 70)
    assert sum(cycle.deals for cycle in found.cycles) == 70
    for cycle in found.cycles:
        half = [found.graph.state(v) for v in cycle.nodes[:4]]
        assert [found.graph.state(v) for v in cycle.nodes[4:]] == list(map(swapped, half))


def test_the_deck_of_ten_has_no_cycle() -> None:
    found = structure(state_graph("5x2", ONE_DOWN))
    ends = tuple(range(found.graph.first_end, found.graph.nodes))
    assert (found.cycles, found.never_end, found.closed_classes) == ((), 0, ends)


def test_natural_order_has_two_cycles_that_mirror_each_other() -> None:
    found = structure(state_graph("3x4", NONE_DOWN.replace(capture="natural")))
    assert found.periods == {19: 2}
    assert found.cycles_up_to_swap == 1
    assert [cycle.own_image for cycle in found.cycles] == [False, False]
    one, two = ({found.graph.state(v) for v in cycle.nodes} for cycle in found.cycles)
    assert set(map(swapped, one)) == two
    assert found.deals_never_end == 720


DISTINCT = [
    ("5x1", {6: 2}, 30),
    ("7x1", {8: 52}, 2304),
    ("9x1", {20: 144, 30: 192}, 218_680),
    pytest.param("10x1", {60: 48}, 395_940, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("deck", "cycles", "deals"), DISTINCT)
def test_cycles_of_distinct_cards(deck: str, cycles: dict[int, int], deals: int) -> None:
    found = structure(state_graph(deck, ONE_DOWN))
    assert found.cycles_up_to_swap == sum(cycles.values())
    seen: dict[int, set[frozenset[State]]] = {}
    for cycle in found.cycles:
        states = [found.graph.state(v) for v in cycle.nodes]
        both = frozenset(states) | frozenset(map(swapped, states))
        seen.setdefault(cycle.period, set()).add(both)
    assert {period: len(classes) for period, classes in seen.items()} == cycles
    assert found.deals_never_end == deals


@pytest.mark.slow
def test_all_states_of_nine_cards() -> None:
    found = structure(state_graph("9x1", ONE_DOWN, "all"))
    assert found.graph.positions == 2_903_040
    assert found.never_end == 1_155_462
    assert found.distance.max() == 31


def test_shuffled_decks_always_end() -> None:
    found = structure(state_graph("4x2", ONE_DOWN.replace(capture="shuffled")))
    assert found.closed_classes == tuple(range(found.graph.first_end, found.graph.nodes))
    assert (found.distance >= 0).all()


def test_seats_are_swapped_only_where_the_rules_treat_them_alike() -> None:
    for fields in (
        {"capture": "seat-first"},
        {"capture": ("winner-first", "loser-first")},
        {"all_short": "first-player-loses"},
    ):
        found = structure(state_graph("5x1", ONE_DOWN.replace(**fields)))
        assert found.cycles_up_to_swap is None
        assert all(cycle.own_image is None for cycle in found.cycles)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux to measure")
def test_ten_cards_take_little_time_and_memory() -> None:
    code = """
import re, time
from pathlib import Path
from waranalysis.graph.build import state_graph
from waranalysis.graph.structure import structure
from waranalysis.rules import RuleSet
rules = RuleSet(face_down=1)
structure(state_graph("3x2", rules))
begun = time.process_time()
found = structure(state_graph("5x2", rules))
spent = time.process_time() - begun
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(found.graph.nodes, spent, peak)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    nodes, seconds, kilobytes = done.stdout.split()
    assert int(nodes) == 312_863
    assert float(seconds) < 3
    assert int(kilobytes) < 400_000


# --- deep and large --------------------------------------------------------------------------


def test_a_chain_of_a_million() -> None:
    nodes = 1_000_000
    successor = np.arange(1, nodes + 1, dtype=np.int32)
    successor[-1] = nodes - 1
    fate, steps, cycle = (np.empty(nodes, np.int32) for _ in range(3))
    assert functional(successor, 1, fate, steps, cycle) == 0
    assert (fate == -1).all()
    assert np.array_equal(steps, np.arange(nodes - 1, -1, -1))
    arrows = np.minimum(np.arange(nodes + 1), nodes - 1)
    far = np.full(nodes, -1, np.int32)
    distances(*reverse(arrows, successor[:-1]), np.array([nodes - 1], np.int32), far)
    assert np.array_equal(far, steps)


def test_a_cycle_of_a_million() -> None:
    nodes = 1_000_000
    successor = np.roll(np.arange(nodes, dtype=np.int32), -1)
    fate, steps, cycle = (np.empty(nodes, np.int32) for _ in range(3))
    assert functional(successor, 0, fate, steps, cycle) == 1
    assert not fate.any()
    assert not steps.any()
    assert np.array_equal(cycle, np.arange(nodes))
