"""Certified bounds of the best probability of winning, where exact values take too long.

An *end component* is a set of nodes in which the player can stay for ever, chance not leading out
of it, and go from any to any other: all of it is worth what its best way out is worth. With every
end component taken as one node, a sweep from below 1 comes down to the same values as a sweep from
0 comes up to (Haddad and Monmege, Theoretical Computer Science 735 (2018)); each step of either
stays a bound, with every rounding outwards.
"""

from __future__ import annotations

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
    game: Arena, goal: NDArray[np.bool_], starts: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Bound the greatest probability of reaching `goal` from every node.

    Parameters
    ----------
    game : Arena
        In which one seat chooses, without symbols.
    goal : (nodes,) bool
        Some of the ends.
    starts : (starts,) int64
        Where the bounds are to be close to each other.

    Returns
    -------
    lower, upper : (nodes,) float64

    Raises
    ------
    LimitError
        If they do not come within 1e-10 of each other.
    """
    sweep = _Sweep(game, goal)
    willing = [CHANCE, *range(game.graph.rules.players)]
    lower = goal.astype(np.float64)
    upper = (game.attract(goal, willing) >= 0).astype(np.float64)
    for _ in range(_SWEEPS):
        lower, upper = np.maximum(lower, sweep(lower, -1)), np.minimum(upper, sweep(upper, 1))
        if (upper - lower)[starts].max(initial=0.0) < _ENOUGH:
            return lower, upper
    raise LimitError(f"no bounds within {_ENOUGH} of each other after {_SWEEPS:,} sweeps")


class _Sweep:
    """One step from values to the values they lead to, rounded outwards."""

    def __init__(self, game: Arena, goal: NDArray[np.bool_]) -> None:
        self.game = game
        self.goal = goal
        self.part = end_components(game)
        self.inner = game.out_degree > 0
        self.begin = game.indptr[:-1][self.inner]
        self.chooses = game.owner[self.inner] != CHANCE
        values = np.array([float(value) for value in game.graph.values])
        weight = np.where(game.chances >= 0, values[game.chances], 1.0)
        part = self.part[np.repeat(np.arange(game.nodes), game.out_degree)]
        # Within an end component nothing is gained: only ways out count.
        self.weight = np.where((part >= 0) & (part == self.part[game.indices]), 0.0, weight)
        self.error = np.where(self.chooses, 0.0, (game.out_degree[self.inner] + 4) * ULP)
        self.members = np.flatnonzero(self.part >= 0)

    def __call__(self, x: Floats, side: int) -> Floats:
        """Apply a step to `x`; `side` is -1 for lower bounds, 1 for upper ones."""
        reached = self.weight * x[self.game.indices]
        best = np.maximum.reduceat(reached, self.begin)
        mean = np.add.reduceat(reached, self.begin) * (1 + side * self.error)
        mean = np.maximum(mean + side * _TINY, 0.0)
        new = self.goal.astype(np.float64)
        new[self.inner] = np.where(self.chooses, best, mean)
        part = self.part[self.members]
        ways_out = np.where(self.game.owner[self.members] != CHANCE, new[self.members], 0.0)
        worth = np.zeros(self.game.nodes)
        np.maximum.at(worth, part, ways_out)
        new[self.members] = worth[part]
        return np.clip(new, 0.0, 1.0)
