"""Certified bounds of the best probability of winning, where exact values take too long.

An *end component* is a set of nodes in which the player can stay for ever, chance not leading out
of it, and go from any to any other: all of it is worth what its best way out is worth. With every
end component taken as one node, a sweep from below 1 comes down to the same values as a sweep from
0 comes up to (Haddad and Monmege, Theoretical Computer Science 735 (2018)); each step of either
stays a bound, with every rounding outwards.

On the way up from 0 every node keeps the choice that raised it last. So at each node the lower
bounds are at most the mean of what these choices lead to. They never go round without end, either:
where they did, all nodes would be worth the same, and the one that was raised first would have been
raised by others that already were. Hence this strategy wins with at least the lower bounds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from waranalysis.chance.value import ULP
from waranalysis.choice.arena import CHANCE, Arena
from waranalysis.errors import LimitError

Floats = NDArray[np.float64]
_ENOUGH = 1e-10
_SWEEPS = 20_000
_TINY = 1e-290


def end_components(game: Arena) -> NDArray[np.int32]:
    """``(nodes,)``: the number of the maximal end component of each node; -1 for those in none.

    Every choice counts as one of the same player. Cost: a pass over the transitions for every
    round in which something falls away.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    sources = np.repeat(np.arange(game.nodes, dtype=np.int32), game.out_degree)
    alive = game.out_degree > 0
    kept = np.ones(len(game.indices), dtype=np.bool_)
    chance = game.owner == CHANCE
    while True:
        kept &= alive[sources] & alive[game.indices]
        edges = (sources[kept], game.indices[kept])
        matrix = csr_array((np.ones(len(edges[0]), np.int8), edges), shape=(game.nodes,) * 2)
        _, label = connected_components(matrix, connection="strong")
        kept &= label[sources] == label[game.indices]
        inside = np.bincount(sources[kept], minlength=game.nodes)
        stays = alive & np.where(chance, inside == game.out_degree, inside > 0)
        if (stays == alive).all():
            return np.where(alive, label, -1).astype(np.int32)
        alive = stays


def bound_best(
    game: Arena,
    goal: NDArray[np.bool_],
    starts: NDArray[np.int64],
    done: Callable[[int], None] = lambda _: None,
) -> tuple[Floats, Floats, dict[int, int]]:
    """Bound the greatest probability of reaching `goal` from every node.

    Parameters
    ----------
    game : Arena
        In which one seat chooses, without symbols.
    goal : (nodes,) bool
        Some of the ends.
    starts : (starts,) int64
        Where the bounds are to be close to each other.

    done : callable
        Told the number of sweeps.

    Returns
    -------
    lower, upper : (nodes,) float64
    policy : dict of int to int
        The transition to choose where a seat chooses and `lower` is above 0: from every node it
        wins with at least `lower`.

    Raises
    ------
    LimitError
        If they do not come within 1e-10 of each other.
    """
    sweep = _Sweep(game, goal)
    willing = [CHANCE, *range(game.graph.rules.players)]
    lower = goal.astype(np.float64)
    upper = (game.attract(goal, willing) >= 0).astype(np.float64)
    for sweeps in range(_SWEEPS):
        done(sweeps)
        lower, upper = sweep.up(lower), np.minimum(upper, sweep.down(upper))
        if (upper - lower)[starts].max(initial=0.0) < _ENOUGH:
            chosen = np.flatnonzero(sweep.policy >= 0)
            return lower, upper, {node: int(sweep.policy[node]) for node in chosen.tolist()}
    raise LimitError(f"no bounds within {_ENOUGH} of each other after {_SWEEPS:,} sweeps")


class _Sweep:
    """One step from values to the values they lead to, rounded outwards.

    Attributes
    ----------
    policy : (nodes,) int64
        The transition that raised a node last on the way up; -1 where none did.
    """

    def __init__(self, game: Arena, goal: NDArray[np.bool_]) -> None:
        self.game = game
        self.goal = goal
        self.part = end_components(game)
        self.inner = game.out_degree > 0
        self.begin = game.indptr[:-1][self.inner]
        self.chooses = game.owner[self.inner] != CHANCE
        self.sources = np.repeat(np.arange(game.nodes, dtype=np.int32), game.out_degree)
        values = np.array([float(value) for value in game.graph.values])
        self.weight = np.where(game.chances >= 0, values[game.chances], 1.0)
        part = self.part[self.sources]
        # Within an end component nothing is gained: only ways out count.
        self.leaves = (part < 0) | (part != self.part[game.indices])
        self.error = np.where(self.chooses, 0.0, (game.out_degree[self.inner] + 4) * ULP)
        self.members = np.flatnonzero(self.part >= 0)
        self.policy = np.full(game.nodes, -1, dtype=np.int64)

    def up(self, x: Floats) -> Floats:
        """Raise lower bounds."""
        reached, new = self._step(x[self.game.indices], -1)
        better = new > x
        # Written backwards, so that the first of several stays.
        edges = np.flatnonzero(better[self.sources] & (reached == new[self.sources]))[::-1]
        edges = edges[self.game.owner[self.sources[edges]] != CHANCE]
        self.policy[self.sources[edges]] = edges
        return np.where(better, new, x)

    def down(self, x: Floats) -> Floats:
        """Lower upper bounds."""
        _, new = self._step(np.where(self.leaves, x[self.game.indices], 0.0), 1)
        part = self.part[self.members]
        ways_out = np.where(self.game.owner[self.members] != CHANCE, new[self.members], 0.0)
        worth = np.zeros(self.game.nodes)
        np.maximum.at(worth, part, ways_out)
        new[self.members] = worth[part]
        return new

    def _step(self, x: Floats, side: int) -> tuple[Floats, Floats]:
        """What the transitions bring, and the nodes; `side` is -1 for lower bounds, else 1."""
        reached = self.weight * x
        best = np.maximum.reduceat(reached, self.begin)
        mean = np.add.reduceat(reached, self.begin) * (1 + side * self.error)
        mean = np.maximum(mean + side * _TINY, 0.0)
        new = self.goal.astype(np.float64)
        new[self.inner] = np.where(self.chooses, best, mean)
        return reached, np.clip(new, 0.0, 1.0)
