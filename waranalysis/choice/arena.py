"""State graphs with choices as game graphs: every node belongs to one seat or to chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.errors import RulesError
from waranalysis.graph.model import Choice, StateGraph

CHANCE = -1


@dataclass(frozen=True, eq=False)
class Arena:
    """A game graph.

    The first nodes are those of `graph`; behind them come points inside a turn: where chance acts
    after a choice, or a second choice follows a first.

    Attributes
    ----------
    graph : StateGraph
    owner : (nodes,) int8
        The seat that chooses, or `CHANCE` (also where there is nothing to choose).
    indptr : (nodes + 1,) int64
        Rows of transitions; ends have none.
    indices : (transitions,) int32
        Node reached.
    labels : (transitions,) int32
        Where a seat chooses, the place of its choices in `choices`; else 0.
    choices : tuple of tuple of Choice
        The first is empty.
    chances : (transitions,) int32
        Place of the probability in ``graph.values``; -1 for transitions that are chosen.
    """

    graph: StateGraph
    owner: NDArray[np.int8]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    labels: NDArray[np.int32]
    choices: tuple[tuple[Choice, ...], ...]
    chances: NDArray[np.int32]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.owner)

    @cached_property
    def out_degree(self) -> NDArray[np.int32]:
        """``(nodes,)``: transitions that leave each node."""
        return np.diff(self.indptr).astype(np.int32)

    @cached_property
    def reversed(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Rows of predecessors."""
        from waranalysis.kernels.structure import reverse

        rows: tuple[NDArray[np.int64], NDArray[np.int32]] = reverse(self.indptr, self.indices)
        return rows

    def ends(self, accept: Callable[[int | None], bool] = lambda _: True) -> NDArray[np.bool_]:
        """``(nodes,)``: the ends whose winner (None for a draw) is accepted."""
        found = np.zeros(self.nodes, dtype=np.bool_)
        for place, winner in enumerate(self.graph.ends):
            found[self.graph.first_end + place] = accept(winner)
        return found

    def attract(
        self,
        target: NDArray[np.bool_],
        willing: Iterable[int],
        alive: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int32]:
        """Layers from which `target` is reached if the owners in `willing` want to, chance too
        if it is among them, and the others do not; -1 for nodes that are not drawn in.

        Only nodes that are `alive` are drawn in.
        """
        from waranalysis.kernels import attract

        wants = np.isin(self.owner, np.array([*willing], dtype=np.int8))
        need = np.where(wants, np.minimum(self.out_degree, 1), self.out_degree).astype(np.int32)
        if alive is not None:
            need[~alive] = 0
        ranks: NDArray[np.int32] = attract.attract(*self.reversed, need, target)
        return ranks


def arena(graph: StateGraph, first: int = 0) -> Arena:
    """Turn a state graph into a game graph.

    Parameters
    ----------
    graph : StateGraph
    first : int
        With ``hand = 2`` both sides pick a card without seeing the other's pick. The seat that
        picks first here gets no more than it can be sure of: let it be the player asked about.

    Raises
    ------
    RulesError
        If that cannot be: a pile shuffled before the second side picks shows what the first did.
    """
    late = graph.labels[graph.actions[graph.positions] :]
    if first and any(c.kind == "hand" for place in np.unique(late) for c in graph.choices[place]):
        raise RulesError(
            f"hand = 2 with recycle = pile-shuffled: expected player 1, not {first + 1}, who may "
            "see the other's pick before picking"
        )
    if any(len(label) > 1 for label in graph.choices):
        return _Unfolding(graph, first).arena()
    return _flat(graph)


def _flat(graph: StateGraph) -> Arena:
    """At most one choice a turn: a node with several actions belongs to the seat that chooses."""
    per_node = np.diff(graph.actions)
    chooses = per_node > 1
    seats = np.array([CHANCE, *(label[0].seat for label in graph.choices[1:])], dtype=np.int8)
    # With nothing but one answer the action is labelled, too, but there is no choice.
    action_seat = seats[graph.labels] if len(graph.labels) else seats[:0]
    owner = np.full(graph.nodes, CHANCE, dtype=np.int8)
    owner[chooses] = action_seat[graph.actions[:-1][chooses]]
    chosen = np.repeat(chooses, per_node)
    outcomes = np.diff(graph.indptr)
    inner = chosen & (outcomes > 1)
    inner_node = graph.nodes + np.cumsum(inner) - 1
    entry = graph.indices[graph.indptr[:-1]]
    into = np.where(inner, inner_node, entry).astype(np.int32)
    # Rows of the graph's nodes: actions of those that choose, else outcomes; then inner nodes.
    rows = [np.where(chooses, per_node, np.diff(graph.arrows)), outcomes[inner]]
    by_choice = np.repeat(chosen, outcomes)
    within = np.repeat(inner, outcomes)
    places = np.repeat(np.arange(len(chosen)), outcomes)
    loose = ~by_choice
    size = int(rows[0].sum())
    indices = np.empty(size + int(rows[1].sum()), dtype=np.int32)
    labels, chances = np.zeros(len(indices), np.int32), np.full(len(indices), -1, np.int32)
    slot = _merged(chosen, places[loose])
    indices[slot[0]], labels[slot[0]] = into[chosen], graph.labels[chosen]
    indices[slot[1]], chances[slot[1]] = graph.indices[loose], graph.chances[loose]
    indices[size:], chances[size:] = graph.indices[within], graph.chances[within]
    return Arena(
        graph,
        np.concatenate([owner, np.full(int(inner.sum()), CHANCE, np.int8)]),
        np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(rows))]),
        indices,
        labels,
        graph.choices,
        chances,
    )


def _merged(
    chosen: NDArray[np.bool_], loose: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where chosen actions and loose outcomes go when they are put in the order of actions."""
    actions = np.flatnonzero(chosen)
    order = np.argsort(np.concatenate([actions, loose]), kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[: len(actions)], place[len(actions) :]


class _Unfolding:
    """Several choices a turn, one after the other: `first` picks, the others pick, then the rest.

    Plain Python: only rule sets that the plain builder of graphs takes have such turns.
    """

    def __init__(self, graph: StateGraph, first: int) -> None:
        self.graph = graph
        self.first = first
        self.owner = [CHANCE] * graph.nodes
        self.rows: list[list[tuple[int, int, int]]] = [[] for _ in range(graph.nodes)]
        self.choices: dict[tuple[Choice, ...], int] = {(): 0}

    def arena(self) -> Arena:
        graph = self.graph
        for node in range(graph.first_end):
            actions = range(int(graph.actions[node]), int(graph.actions[node + 1]))
            self._grow(node, [(self._sorted(action), action) for action in actions])
        flat = [edge for row in self.rows for edge in row]
        columns = np.array(flat, dtype=np.int32).reshape(-1, 3).T
        degrees = np.array([0, *map(len, self.rows)], dtype=np.int64)
        return Arena(
            graph,
            np.array(self.owner, dtype=np.int8),
            np.cumsum(degrees),
            columns[0],
            columns[1],
            tuple(self.choices),
            columns[2],
        )

    def _sorted(self, action: int) -> tuple[Choice, ...]:
        label = self.graph.choices[self.graph.labels[action]]
        return tuple(
            sorted(
                label, key=lambda c: (c.kind != "hand", c.kind == "hand" and c.seat != self.first)
            )
        )

    def _grow(self, node: int, actions: list[tuple[tuple[Choice, ...], int]]) -> None:
        """Give `node` a transition for every first choice of `actions`."""
        graph = self.graph
        if not actions[0][0]:
            ((_, action),) = actions
            span = range(int(graph.indptr[action]), int(graph.indptr[action + 1]))
            self.rows[node] = [(int(graph.indices[e]), 0, int(graph.chances[e])) for e in span]
            return
        self.owner[node] = actions[0][0][0].seat
        groups: dict[Choice, list[Any]] = {}
        for (choice, *rest), action in actions:
            groups.setdefault(choice, []).append((tuple(rest), action))
        for choice, group in groups.items():
            place = self.choices.setdefault((choice,), len(self.choices))
            self.rows[node].append((self._target(group), place, -1))

    def _target(self, group: list[tuple[tuple[Choice, ...], int]]) -> int:
        rest, action = group[0]
        begin, end = int(self.graph.indptr[action]), int(self.graph.indptr[action + 1])
        if not rest and end - begin == 1:
            return int(self.graph.indices[begin])
        node = len(self.rows)
        self.rows.append([])
        self.owner.append(CHANCE)
        self._grow(node, group)
        return node
