"""A state graph as integer arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from waranalysis.cards import Naming
from waranalysis.decisions import Answer
from waranalysis.errors import CardsError, quoted
from waranalysis.play import State
from waranalysis.rules import RuleSet
from waranalysis.trace import state_text

if TYPE_CHECKING:
    import networkx as nx
    from scipy.sparse import csr_array


class Choice(NamedTuple):
    """One choice of a player: `kind` and `answer` as in `waranalysis.play.Decision`."""

    seat: int
    kind: str
    answer: Answer


@dataclass(frozen=True, eq=False, repr=False)
class Positions(ABC):
    """Everything that can be reached, without the turns from one to another.

    Nodes are numbered: positions first, in the order in which a breadth-first search meets them
    (deals first, by rank), then *moments*, then ends. A moment is a point inside a turn where a
    choice follows chance, such as a pot arranged after a recognition left to chance; only rule
    sets that mix both have any.

    Attributes
    ----------
    rules : RuleSet
    deck, split : str or None
        What the graph was built from, if it was a deck.
    naming : Naming
        How cards are written.
    packed : (positions, width) uint8
        Strengths of packets, then of piles, then of the table, top card first, a 0 behind each
        part but the last, filled up with 0.
    moments : (moments,) int64
        The position in whose turn each moment lies.
    ends : tuple of int or None
        The winner at each end: seats in order, then None for a draw; only those reached.
    starts : (starts,) int64
        The nodes that deals start at, ascending.
    deals : (starts,) int64
        How many deals start there.
    """

    rules: RuleSet
    deck: str | None
    split: str | None
    naming: Naming
    packed: NDArray[np.uint8]
    moments: NDArray[np.int64]
    ends: tuple[int | None, ...]
    starts: NDArray[np.int64]
    deals: NDArray[np.int64]

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.deck or 'given deals'}: {self.positions:,} positions, "
            f"{len(self.ends)} ends, {self.transitions:,} transitions)"
        )

    @property
    def positions(self) -> int:
        """Number of positions: nodes 0 to positions - 1."""
        return len(self.packed)

    @property
    def first_end(self) -> int:
        """The node of the first end."""
        return len(self.packed) + len(self.moments)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.first_end + len(self.ends)

    @property
    @abstractmethod
    def transitions(self) -> int:
        """Number of transitions."""

    def state(self, position: int) -> State:
        """The state at a position."""
        return unpack(bytes(self.packed[position]), self.rules.players)

    def text(self, node: int) -> str:
        """A node on one line: a state, a moment in a turn, "player 1 wins" or "draw"."""
        if node < self.positions:
            return state_text(self.state(node), self.naming)
        if node < self.first_end:
            return f"in the turn of {self.text(int(self.moments[node - self.positions]))}"
        winner = self.ends[node - self.first_end]
        return "draw" if winner is None else f"player {winner + 1} wins"

    def node(self, state: State) -> int:
        """The position of a state; raise `CardsError` if the graph has none such."""
        order, rows = self._sorted
        width = self.packed.shape[1]
        wanted = pack(state).ljust(width, b"\0")
        if wanted[width:].strip(b"\0"):
            raise CardsError(f"no position {quoted(state_text(state, self.naming))}")
        key = np.frombuffer(wanted[:width], dtype=rows.dtype)
        place = int(np.searchsorted(rows, key)[0])
        if place == len(rows) or rows[place] != key[0]:
            raise CardsError(f"no position {quoted(state_text(state, self.naming))}")
        return int(order[place])

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Positions in the order of their packed states, and these as single items."""
        width = self.packed.shape[1]
        rows = np.ascontiguousarray(self.packed).view(f"S{width}").ravel()
        order = np.argsort(rows)
        return order, rows[order]


@dataclass(frozen=True, eq=False, repr=False)
class StateGraph(Positions):
    """Positions, ends, and every turn from one to another.

    A node has *actions*, an action has *outcomes*: its transitions, with probabilities that sum
    to 1. Without choices every position has exactly one action, without chance every action has
    exactly one outcome.

    An action stands for the answers to all choices that follow one another with no chance in
    between, in the order in which they are made: with ``hand = 2`` seat 0 picks its card, then
    seat 1, then the captor arranges the pot (``chosen``, ``chosen-side``). Read as prefixes the
    actions of a node form a tree in which every branching belongs to one seat. To let both sides
    pick a card without seeing the other's pick, group the actions by the answers of one seat.

    Outcomes that lead to the same node by the same action are one transition, their probabilities
    added up; transitions of probability 0 are left out.

    Attributes
    ----------
    rules, deck, split, naming, packed, moments, ends, starts, deals
        See `Positions`.
    actions : (nodes + 1,) int64
        Node v has actions ``actions[v]`` to ``actions[v + 1]``; ends have none.
    labels : (actions,) int32
        Place of an action in `choices`.
    choices : tuple of tuple of Choice
        The first is empty: nothing to choose.
    indptr : (actions + 1,) int64
        Action a has transitions ``indptr[a]`` to ``indptr[a + 1]``.
    indices : (transitions,) int32
        Node reached.
    chances : (transitions,) int32
        Place of the probability in `values`.
    values : tuple of Fraction or sympy expression
        Distinct probabilities, numbers ascending, then expressions.
    weights : (starts,) int64
        Relative probability of starting there when a shuffled deck is dealt: the same as `deals`
        unless cards are set aside.
    """

    actions: NDArray[np.int64]
    labels: NDArray[np.int32]
    choices: tuple[tuple[Choice, ...], ...]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    chances: NDArray[np.int32]
    values: tuple[Any, ...]
    weights: NDArray[np.int64]

    @property
    def transitions(self) -> int:
        """Number of transitions."""
        return len(self.indices)

    @property
    def deterministic(self) -> bool:
        """Whether every position has one successor."""
        return len(self.indices) == self.first_end

    @cached_property
    def arrows(self) -> NDArray[np.int64]:
        """``(nodes + 1,)``: node v has transitions ``arrows[v]`` to ``arrows[v + 1]``."""
        return self.indptr[self.actions]

    @cached_property
    def sources(self) -> NDArray[np.int32]:
        """``(transitions,)``: the node each transition leaves."""
        return np.repeat(np.arange(self.nodes, dtype=np.int32), np.diff(self.arrows))

    @property
    def successor(self) -> NDArray[np.int32]:
        """``(nodes,)``: the successor of each position of a deterministic graph; ends map to
        themselves."""
        if not self.deterministic:
            raise ValueError("only a deterministic graph has one successor a position")
        ends = np.arange(self.first_end, self.nodes, dtype=np.int32)
        return np.concatenate([self.indices, ends])

    def adjacency(self) -> csr_array:
        """Nodes by nodes, the number of transitions between two; ends have none.

        Loops on ends are not added, parallel transitions are added up.
        """
        from scipy.sparse import csr_array

        ones = np.ones(self.transitions, dtype=np.int32)
        matrix = csr_array((ones, self.indices, self.arrows), shape=(self.nodes, self.nodes))
        matrix.sum_duplicates()
        return matrix

    def probabilities(self) -> NDArray[np.float64]:
        """``(transitions,)``: probabilities as floats, for graphs without symbols."""
        return np.array([float(value) for value in self.values])[self.chances]

    def probability(self, transition: int) -> Fraction | Any:
        """The exact probability of a transition."""
        return self.values[self.chances[transition]]

    def to_networkx(self) -> nx.DiGraph[int]:
        """See `waranalysis.graph.records.to_networkx`."""
        from waranalysis.graph.records import to_networkx

        return to_networkx(self)


def pack(state: State) -> bytes:
    """Return a state as bytes: each part, and a 0 between two; trailing zeros are dropped."""
    parts = (*state.packets, *state.piles, state.table)
    return b"\0".join(map(bytes, parts)).rstrip(b"\0")


def unpack(packed: bytes, players: int) -> State:
    """Return the state that `pack` packed."""
    parts = packed.split(b"\0")
    parts += [b""] * (2 * players + 1 - len(parts))
    packets = tuple(map(tuple, parts[:players]))
    piles = tuple(map(tuple, parts[players : 2 * players]))
    return State(packets, piles, tuple(parts[2 * players]))
