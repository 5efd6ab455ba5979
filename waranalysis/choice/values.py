"""The best probability of winning for a player who stacks, against chance and fixed habits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.chance import exact
from waranalysis.chance.exact import fraction
from waranalysis.chance.value import Interval, Value, mean
from waranalysis.choice.arena import CHANCE, Arena, arena
from waranalysis.choice.bounds import bound_best
from waranalysis.errors import LimitError, RulesError
from waranalysis.graph.model import StateGraph

_LARGEST = 20_000  # nodes with exact values: 16,000 take some 15 seconds
_ROUNDS = 100


@dataclass(frozen=True, eq=False)
class Best:
    """The best that one player can do, and how.

    Attributes
    ----------
    arena : Arena
    player : int
    values : list of Fraction or Interval
        For every node the greatest probability that the player wins.
    edges : dict of int to int
        The transition to choose where the player chooses and can win. These choices win with the
        probability in `values`; where that is an interval, with one in it.
    ranks : (nodes,) int32
        Fewest transitions to a win, chance willing, by these choices; -1 where there is no way.
    random_deal : Fraction or Interval
        The mean over the deals.
    """

    arena: Arena
    player: int
    values: list[Value]
    edges: dict[int, int]
    ranks: NDArray[np.int32]
    random_deal: Value

    @property
    def ours(self) -> tuple[int, ...]:
        """The seat that chooses."""
        return (self.player,)


def best_win(graph: StateGraph, player: int, done: Callable[[int], None] = lambda _: None) -> Best:
    """Find the greatest probability of winning for a player who sees everything.

    Policies are improved until none of their choices can be bettered; then the values, exact
    solutions of the policy's equations, are also at least what any other choice brings, and that
    is checked. So no strategy does better: values with this property bound every strategy's.
    Beyond 20,000 nodes there are bounds, see `waranalysis.choice.bounds`.

    Parameters
    ----------
    graph : StateGraph
        In which nobody else chooses, and without symbols.
    player : int
    done : callable
        Told the number of sweeps towards bounds, or of rounds of better choices.

    Raises
    ------
    RulesError
        If others choose, too, or there are symbols.
    LimitError
        If bounds do not come near enough to each other.
    """
    game = arena(graph, player)
    others = [s for s in range(graph.rules.players) if s != player and (game.owner == s).any()]
    if others:
        raise RulesError(f"player {others[0] + 1} chooses, too: expected one player who does")
    if not all(isinstance(value, Fraction) for value in graph.values):
        raise RulesError("a symbol has no best choice: expected a number")
    goal = game.ends(lambda winner: winner == player)
    if game.nodes > _LARGEST:
        lower, upper, policy = bound_best(game, goal, graph.starts, done)
        bounds = list(map(Interval, lower.tolist(), upper.tolist()))
        total = mean(lower[graph.starts], upper[graph.starts], graph.weights.tolist())
        return Best(game, player, bounds, policy, _nearness(game, goal, policy), total)
    policy = _first_policy(game, goal)
    values: list[Any] = []
    for rounds in range(_ROUNDS):
        done(rounds)
        values = _evaluate(game, policy, goal)
        if not _improve(game, policy, values):
            break
    else:
        raise LimitError(f"no best choices after {_ROUNDS} rounds")
    found = list(map(fraction, values))
    weights = zip(graph.starts.tolist(), graph.weights.tolist(), strict=True)
    sure = sum((weight * found[node] for node, weight in weights), Fraction(0))
    ranks = _nearness(game, goal, policy)
    kept = {node: edge for node, edge in policy.items() if ranks[node] >= 0}
    return Best(game, player, [*found], kept, ranks, sure / int(graph.weights.sum()))


def _edges(game: Arena, node: int) -> range:
    return range(int(game.indptr[node]), int(game.indptr[node + 1]))


def _first_policy(game: Arena, goal: NDArray[np.bool_]) -> dict[int, int]:
    """Near-best choices by floats, of those the nearest to a win.

    Nearness matters: among choices of the same value some may lead round and round.
    """
    x = _iterate(game, goal)
    sources = np.repeat(np.arange(game.nodes), game.out_degree)
    good = x[game.indices] >= x[sources] - 1e-9
    rank = _distance(game, goal, good)
    far = np.where(rank < 0, np.iinfo(np.int32).max, rank)
    return {
        node: min((e for e in _edges(game, node) if good[e]), key=lambda e: far[game.indices[e]])
        for node in np.flatnonzero(game.owner != CHANCE).tolist()
    }


def _distance(
    game: Arena, goal: NDArray[np.bool_], allowed: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Fewest transitions to `goal`, those chosen being `allowed`; -1 where there is no way."""
    from waranalysis.kernels.attract import backward

    kept = allowed | np.repeat(game.owner == CHANCE, game.out_degree)
    rows = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[game.indptr]
    return backward(rows, game.indices[kept], goal)


def _nearness(game: Arena, goal: NDArray[np.bool_], policy: dict[int, int]) -> NDArray[np.int32]:
    allowed = np.zeros(len(game.indices), dtype=np.bool_)
    allowed[list(policy.values())] = True
    return _distance(game, goal, allowed)


def _iterate(game: Arena, goal: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Values from below, as floats: a guide, never an answer."""
    x = goal.astype(np.float64)
    values = np.array([float(v) for v in game.graph.values])
    chance = np.where(game.chances >= 0, values[game.chances] if len(values) else 0.0, 1.0)
    inner = game.out_degree > 0
    begin = game.indptr[:-1][inner]
    chooses = game.owner[inner] != CHANCE
    for _ in range(100_000):
        reached = chance * x[game.indices]
        new = np.where(
            chooses, np.maximum.reduceat(reached, begin), np.add.reduceat(reached, begin)
        )
        change = np.abs(new - x[inner]).max(initial=0.0)
        x[inner] = new
        if change < 1e-12:
            break
    return x


def _evaluate(game: Arena, policy: dict[int, int], goal: NDArray[np.bool_]) -> list[Any]:
    """Exact probabilities of winning under a policy."""
    from waranalysis.kernels.attract import backward

    chances = [exact.rational(value) for value in game.graph.values]
    one = exact.rational(Fraction(1))
    rows: list[exact.Row] = []
    for node in range(game.nodes):
        row: exact.Row = {}
        for edge in [policy[node]] if node in policy else _edges(game, node):
            target, place = int(game.indices[edge]), int(game.chances[edge])
            row[target] = row.get(target, 0) + (one if place < 0 else chances[place])
        rows.append(row)
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([target for row in rows for target in row], dtype=np.int32)
    absorbing = backward(indptr, indices, goal) <= 0
    rows = [{} if absorbing[node] else row for node, row in enumerate(rows)]
    sources = np.repeat(np.arange(game.nodes, dtype=np.int32), np.diff(indptr))
    parts = exact.components(sources, indices, absorbing)
    chain = exact.Chain(rows, one, [0] * game.nodes)
    return exact.solve(chain, parts, [np.flatnonzero(goal).tolist()]).reach[0]


def _improve(game: Arena, policy: dict[int, int], values: list[Any]) -> bool:
    """Change every choice that can be bettered; whether there was one."""
    changed = False
    for node, edge in policy.items():
        best = max(_edges(game, node), key=lambda e: values[int(game.indices[e])])
        if values[int(game.indices[best])] > values[int(game.indices[edge])]:
            policy[node] = best
            changed = True
    return changed
