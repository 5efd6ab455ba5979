"""What can be brought about by choosing, from every position: attractors, no numbers.

Without chance a player can either force something or not. With chance the answers come in two
strengths: with probability one, or with some probability above 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from waranalysis.choice.arena import CHANCE, Arena, arena
from waranalysis.errors import RulesError, quoted
from waranalysis.graph.model import StateGraph

QUESTIONS = ("end", "endless", "force-end", "force-win", "force-endless")
SENSES = ("almost-sure", "positive")


@dataclass(frozen=True, eq=False)
class Region:
    """Where the answer to a question is yes.

    Attributes
    ----------
    arena : Arena
    question : str
        One of `QUESTIONS`.
    player : int or None
        The seat that is asked about; None for all of them together.
    sense : "almost-sure" or "positive"
    ranks : (nodes,) int32
        -1 where the answer is no. Go to lower ranks, or stay where the goal is to keep away from
        the ends: all are 0 where that can be done surely.
    target : (nodes,) bool
        The ends to reach; none for endless games.
    """

    arena: Arena
    question: str
    player: int | None
    sense: str
    ranks: NDArray[np.int32]
    target: NDArray[np.bool_]

    @property
    def holds(self) -> NDArray[np.bool_]:
        """``(nodes of the graph,)``: whether the answer is yes."""
        return self.ranks[: self.arena.graph.nodes] >= 0

    @property
    def positions(self) -> int:
        """Positions from which the answer is yes."""
        return int(self.holds[: self.arena.graph.positions].sum())

    @property
    def deals(self) -> int:
        """Deals from which the answer is yes."""
        graph = self.arena.graph
        return int(graph.deals[self.holds[graph.starts]].sum())

    @property
    def ours(self) -> tuple[int, ...]:
        """The seats that choose to bring it about."""
        seats = range(self.arena.graph.rules.players)
        return tuple(seats) if self.player is None else (self.player,)

    @cached_property
    def edges(self) -> dict[int, int]:
        """The transition to choose at every node of the region that belongs to its players.

        The one to the lowest rank; the first of several.
        """
        game, ranks = self.arena, self.ranks
        found: dict[int, int] = {}
        for node in range(game.nodes):
            if ranks[node] >= 0 and game.owner[node] in self.ours:
                span = range(int(game.indptr[node]), int(game.indptr[node + 1]))
                inside = [edge for edge in span if ranks[game.indices[edge]] >= 0]
                found[node] = min(inside, key=lambda edge: int(ranks[game.indices[edge]]))
        return found


def ask(
    graph: StateGraph, question: str, player: int | None = None, sense: str = "almost-sure"
) -> Region:
    """Answer a question for every position of a graph.

    Parameters
    ----------
    graph : StateGraph
    question : str
        "end" and "endless": can the players together end the game, or go on for ever?
        "force-end", "force-win", "force-endless": can `player`, whatever the others do?
    player : int, optional
        A seat, for the last three.
    sense : str
        "almost-sure", or "positive" for some probability above 0; the same without chance.

    Raises
    ------
    RulesError
        If there is no such question, player or sense.
    """
    if question not in QUESTIONS:
        raise RulesError(f"question {quoted(question)}: expected {', '.join(QUESTIONS)}")
    if sense not in SENSES:
        raise RulesError(f"sense {quoted(sense)}: expected {' or '.join(SENSES)}")
    alone = question.startswith("force")
    if alone != (player is not None):
        raise RulesError(f"question '{question}': expected {'a' if alone else 'no'} player")
    seats = range(graph.rules.players)
    if player is not None and player not in seats:
        raise RulesError(f"player {player + 1}: expected 1 to {len(seats)}")
    game = arena(graph, player or 0)
    ours = list(seats) if player is None else [player]
    theirs = [seat for seat in seats if seat not in ours]
    if question in ("endless", "force-endless"):
        ranks = _endless(game, ours, theirs, sense)
        return Region(game, question, player, sense, ranks, np.zeros(game.nodes, np.bool_))
    target = game.ends((lambda winner: winner == player) if question == "force-win" else _any)
    ranks = reach(game, target, ours, theirs, sense)
    return Region(game, question, player, sense, ranks, target)


def _any(_: int | None) -> bool:
    return True


def reach(
    game: Arena, target: NDArray[np.bool_], ours: Iterable[int], theirs: Iterable[int], sense: str
) -> NDArray[np.int32]:
    """Ranks of the nodes from which `ours` can reach `target` against `theirs`.

    Almost surely: as long as there are nodes without any chance of it, `ours` have to keep away
    from them, and so from everything that `theirs` or bad luck may turn into them. Cost: one
    pass over the transitions for every round, of which there are few in practice.
    """
    willing = [*ours, CHANCE]
    if sense == "positive":
        return game.attract(target, willing)
    ranks, _ = _surely(game, target, willing, [*theirs, CHANCE])
    return ranks


def _surely(
    game: Arena, target: NDArray[np.bool_], willing: list[int], against: list[int]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Ranks of the nodes that reach `target` almost surely, and of those that may miss it.

    A node of the second kind can be led, by those in `against`, to a lower rank with some
    probability above 0, or else keeps to its own rank and lower ones for ever.
    """
    doubt = np.full(game.nodes, -1, dtype=np.int32)
    while True:
        alive = doubt < 0
        ranks = game.attract(target & alive, willing, alive)
        hopeless = (ranks < 0) & alive
        if not hopeless.any():
            return ranks, doubt
        layer = game.attract(~alive | hopeless, against, ~target)
        new = alive & (layer >= 0)
        doubt[new] = layer[new] + doubt.max(initial=-1) + 1


def _endless(
    game: Arena, ours: Iterable[int], theirs: Iterable[int], sense: str
) -> NDArray[np.int32]:
    """Ranks of the nodes from which `ours` can keep away from every end, -1 for the others.

    Almost surely is surely here, and all ranks are 0; with some probability above 0 is where the
    others cannot make the end certain.
    """
    ends = game.ends()
    if sense == "positive":
        return _surely(game, ends, [*theirs, CHANCE], [*ours, CHANCE])[1]
    lost = game.attract(ends, [*theirs, CHANCE]) >= 0
    return np.where(lost, -1, 0).astype(np.int32)


def end_forced(graph: StateGraph) -> NDArray[np.bool_]:
    """``(nodes,)``: whether the game ends with probability one, whatever anyone chooses."""
    game = arena(graph)
    ranks = reach(game, game.ends(), [], range(graph.rules.players), "almost-sure")
    return ranks[: graph.nodes] >= 0
