"""The structure of a state graph: components, closed classes, cycles, basins, distances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.errors import CardsError
from waranalysis.graph.model import StateGraph
from waranalysis.play import State
from waranalysis.rules import RuleSet


@dataclass(frozen=True, eq=False)
class Cycle:
    """A loop of a deterministic graph.

    Attributes
    ----------
    nodes : (period,) int32
        In the order of play, the least state first: packets compared card by card.
    basin : int
        Positions that lead to it, its own included.
    deals : int
        Deals that fall into it.
    entries : tuple of int
        Its positions that are also reached from outside the loop, ascending.
    longest_tail : int
        Most battles from a position of the graph to the loop.
    own_image : bool or None
        Whether swapping the players maps the loop to itself; None where the rules do not treat
        both alike. The second half of such a loop is then the first with the players swapped;
        `nodes` and `period` are the unfolded loop.
    """

    nodes: NDArray[np.int32]
    basin: int
    deals: int
    entries: tuple[int, ...]
    longest_tail: int
    own_image: bool | None

    @property
    def period(self) -> int:
        """Battles around the loop."""
        return len(self.nodes)


@dataclass(frozen=True, eq=False)
class Marks:
    """A strategy, to be shown on a graph.

    Attributes
    ----------
    region : (nodes,) bool
        Where it brings about what it is for.
    rank : (nodes,) int32
        How far that is; -1 outside the region.
    chosen : (actions,) bool
        What it chooses there.
    """

    region: NDArray[np.bool_]
    rank: NDArray[np.int32]
    chosen: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Structure:
    """What `structure` finds in a graph; arrays have one item a node.

    Attributes
    ----------
    graph : StateGraph
    component : int32
        The least node of the strongly connected component a node is in.
    distance : int32
        Fewest turns to an end, choices and chance willing; -1 where there is no way to one.
    in_degree : int32
        Transitions that come in.
    fate : int32 or None
        Deterministic graphs: the number of the cycle that a node leads to, or -1 - k for end k.
    tail : int32 or None
        Deterministic graphs: turns until the node's cycle or end is reached.
    cycles : tuple of Cycle
        Deterministic graphs: every cycle, ordered by period and least state.
    cycles_up_to_swap : int or None
        Cycles when those that swapping the players maps to each other count once; None for chance,
        for choice, and for rules that do not treat both players alike.
    marks : Marks or None
        A strategy to be written into files with the graph.
    """

    graph: StateGraph
    component: NDArray[np.int32]
    distance: NDArray[np.int32]
    in_degree: NDArray[np.int32]
    fate: NDArray[np.int32] | None = None
    tail: NDArray[np.int32] | None = None
    cycles: tuple[Cycle, ...] = ()
    cycles_up_to_swap: int | None = None
    marks: Marks | None = None

    @cached_property
    def component_sizes(self) -> dict[int, int]:
        """Nodes of every component, by its least node."""
        least, sizes = np.unique(self.component, return_counts=True)
        return dict(zip(least.tolist(), sizes.tolist(), strict=True))

    @cached_property
    def chosen(self) -> NDArray[np.bool_]:
        """``(transitions,)``: whether the strategy that is marked chooses each."""
        graph = self.graph
        if self.marks is None:
            return np.zeros(graph.transitions, dtype=np.bool_)
        return np.repeat(self.marks.chosen, np.diff(graph.indptr))

    @cached_property
    def closed_classes(self) -> tuple[int, ...]:
        """Components that nothing leaves, by their least node; the ends are the last."""
        graph = self.graph
        inside = self.component[graph.sources] == self.component[graph.indices]
        left = np.unique(self.component[graph.sources[~inside]])
        closed = np.setdiff1d(self.component, left)
        return tuple(closed.tolist())

    @cached_property
    def garden_of_eden(self) -> NDArray[np.int64]:
        """Positions without a predecessor in this graph (for all splits: with none at all)."""
        return np.flatnonzero(self.in_degree[: self.graph.positions] == 0)

    @cached_property
    def on_cycle(self) -> NDArray[np.bool_]:
        """Whether a node of a deterministic graph is on a cycle."""
        if self.fate is None or self.tail is None:
            raise ValueError("only a deterministic graph has cycles that cannot be left")
        on_cycle: NDArray[np.bool_] = (self.fate >= 0) & (self.tail == 0)
        return on_cycle

    @cached_property
    def periods(self) -> dict[int, int]:
        """Number of cycles of every period, ascending."""
        return dict(sorted(Counter(cycle.period for cycle in self.cycles).items()))

    @property
    def never_end(self) -> int:
        """Positions from which no end can be reached."""
        return int((self.distance[: self.graph.positions] < 0).sum())

    @property
    def deals_never_end(self) -> int:
        """Deals from which no end can be reached."""
        graph = self.graph
        return int(graph.deals[self.distance[graph.starts] < 0].sum())

    @cached_property
    def game_lengths(self) -> dict[int, int]:
        """Deals by their distance to an end, those that have one, ascending."""
        graph = self.graph
        lengths: Counter[int] = Counter()
        for length, deals in zip(self.distance[graph.starts].tolist(), graph.deals, strict=True):
            lengths[length] += int(deals)
        return {length: lengths[length] for length in sorted(lengths) if length >= 0}


def structure(graph: StateGraph) -> Structure:
    """Take a graph to pieces, in time linear in its transitions.

    Returns
    -------
    Structure
        Cycles, fates and tails for deterministic graphs; for the others components by scipy.
    """
    in_degree = np.bincount(graph.indices, minlength=graph.nodes).astype(np.int32)
    if graph.deterministic and not graph.rules.choice_fields:
        return _functional(graph, in_degree)
    return Structure(graph, _components(graph), _distances(graph), in_degree)


def _components(graph: StateGraph) -> NDArray[np.int32]:
    """Strongly connected components, named by their least node."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(graph.transitions, dtype=np.int8)
    indptr = graph.arrows
    if graph.transitions < 1 << 31:
        indptr = indptr.astype(np.int32)
    matrix = csr_array((ones, graph.indices, indptr), shape=(graph.nodes, graph.nodes))
    _, labels = connected_components(matrix, directed=True, connection="strong")
    return _named(labels)


def _named(labels: NDArray[Any]) -> NDArray[np.int32]:
    _, least, place = np.unique(labels, return_index=True, return_inverse=True)
    return least[place].astype(np.int32)


def _distances(graph: StateGraph) -> NDArray[np.int32]:
    from waranalysis.kernels.structure import distances, reverse

    far = np.full(graph.nodes, -1, dtype=np.int32)
    ends = np.arange(graph.first_end, graph.nodes, dtype=np.int32)
    distances(*reverse(graph.arrows, graph.indices), ends, far)
    return far


# --- one successor a position ----------------------------------------------------------------


def _functional(graph: StateGraph, in_degree: NDArray[np.int32]) -> Structure:
    from waranalysis.kernels.structure import functional

    fate, tail, around = (np.empty(graph.nodes, dtype=np.int32) for _ in range(3))
    count = functional(graph.successor, len(graph.ends), fate, tail, around)
    on_cycle = (fate >= 0) & (tail == 0)
    loops = np.split(around[: on_cycle.sum()], _borders(fate[on_cycle], count))
    images = _Images(graph) if treats_alike(graph.rules) else None
    cycles = list(_cycles(graph, in_degree, fate, tail, loops[:count], images))
    order = sorted(range(count), key=lambda place: _rank(graph, cycles[place]))
    number = np.empty(count, dtype=np.int32)
    number[order] = np.arange(count, dtype=np.int32)
    component = np.arange(graph.nodes, dtype=np.int32)
    for loop in loops[:count]:
        component[loop] = loop[0]
    distance = np.where(fate < 0, tail, -1).astype(np.int32)
    fate[fate >= 0] = number[fate[fate >= 0]]
    ordered = tuple(cycles[place] for place in order)
    swapped = None if images is None else images.classes(ordered)
    return Structure(graph, component, distance, in_degree, fate, tail, ordered, swapped)


def _borders(fates: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """Where one cycle stops and the next begins."""
    return np.cumsum(np.bincount(fates, minlength=count))[:-1]


def _rank(graph: StateGraph, cycle: Cycle) -> tuple[int, bytes]:
    return cycle.period, bytes(graph.packed[cycle.nodes[0]])


def _cycles(
    graph: StateGraph,
    in_degree: NDArray[np.int32],
    fate: NDArray[np.int32],
    tail: NDArray[np.int32],
    loops: list[NDArray[np.int32]],
    images: _Images | None,
) -> Iterator[Cycle]:
    count = len(loops)
    looping = fate >= 0
    basins = np.bincount(fate[looping], minlength=count)
    longest = np.zeros(count, dtype=np.int32)
    np.maximum.at(longest, fate[looping], tail[looping])
    deals = np.zeros(count, dtype=np.int64)
    fall_in = looping[graph.starts]
    np.add.at(deals, fate[graph.starts[fall_in]], graph.deals[fall_in])
    for place in range(count):
        loop = _least_first(graph, loops[place])
        yield Cycle(
            loop,
            int(basins[place]),
            int(deals[place]),
            tuple(sorted(loop[in_degree[loop] > 1].tolist())),
            int(longest[place]),
            None if images is None else images.maps_to_itself(loop),
        )


def _least_first(graph: StateGraph, loop: NDArray[np.int32]) -> NDArray[np.int32]:
    least = min(range(len(loop)), key=lambda place: bytes(graph.packed[loop[place]]))
    return np.roll(loop, -least)


# --- swapping the players --------------------------------------------------------------------


def treats_alike(rules: RuleSet) -> bool:
    """Whether swapping two players turns a game into a game under the same rules."""
    one, *others = rules.captures
    return (
        rules.players == 2 and others == [one] and one != "seat-first" and rules.all_short == "draw"
    )


def swapped(state: State) -> State:
    """The state with two players swapped."""
    return State(state.packets[::-1], state.piles[::-1], state.table)


class _Images:
    """Looks for positions with the players swapped."""

    def __init__(self, graph: StateGraph) -> None:
        self.graph = graph

    def _image(self, node: int) -> int | None:
        try:
            return self.graph.node(swapped(self.graph.state(node)))
        except CardsError:
            return None

    def maps_to_itself(self, loop: NDArray[np.int32]) -> bool:
        """Whether swapping maps a loop to itself; one state of it tells."""
        return self._image(int(loop[0])) in set(loop.tolist())

    def classes(self, cycles: tuple[Cycle, ...]) -> int:
        """Count the cycles, those that are images of one another once."""
        home = {node: place for place, cycle in enumerate(cycles) for node in cycle.nodes.tolist()}
        images = [self._image(int(cycle.nodes[0])) for cycle in cycles]
        return sum(
            image is None or home.get(image, place) >= place for place, image in enumerate(images)
        )


# --- condensation ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Condensation:
    """The graph of components; it has no cycles.

    Attributes
    ----------
    least : (components,) int32
        The least node of each, ascending; components are numbered in this order.
    sizes : (components,) int64
        Nodes in each.
    indptr, indices : int64, int32
        The components that each leads to directly, ascending, itself left out.
    """

    least: NDArray[np.int32]
    sizes: NDArray[np.int64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]


def condensation(found: Structure) -> Condensation:
    """Contract every strongly connected component to a point.

    Cost: sorting the transitions between components.
    """
    graph = found.graph
    least, place, sizes = np.unique(found.component, return_inverse=True, return_counts=True)
    pairs = place[graph.sources].astype(np.int64) * len(least) + place[graph.indices]
    between = np.unique(pairs[place[graph.sources] != place[graph.indices]])
    leaving = np.bincount(between // len(least), minlength=len(least))
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(leaving)])
    return Condensation(least, sizes, indptr, (between % len(least)).astype(np.int32))
