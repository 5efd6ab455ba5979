"""Does a game end with probability one? For chains whose transitions are too many to be kept.

A pot of ten cards has up to 113,400 orders, and every position in which the same cards come to lie
in it is followed by the same ones. So what follows a shuffle is kept once, as its pot and the rest,
and its orders are gone through when asked for: once to find what follows, then layer by layer,
until one of them leads nearer to an end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from waranalysis.chance.ends import Ends, find_ends
from waranalysis.errors import RulesError
from waranalysis.graph import fast
from waranalysis.graph.build import (
    MEMORY,
    NODES,
    Bounds,
    Origin,
    Split,
    Start,
    read_origin,
    state_graph,
)
from waranalysis.graph.model import Positions
from waranalysis.rules import RuleSet

MOST = 1 << 29  # positions; their table of 32-bit numbers has twice as many places
BYTES = 150  # for a position, at most: when arrays are copied to grow


@dataclass(frozen=True, eq=False, repr=False)
class Survey(Positions):
    """The positions of a chain whose transitions were counted, not kept.

    Attributes
    ----------
    counted : int
        The number of transitions.
    """

    counted: int

    @property
    def transitions(self) -> int:
        """Number of transitions."""
        return self.counted


def survey(
    start: Start,
    rules: RuleSet,
    split: Split = None,
    memory: int = MEMORY,
    done: Callable[[int], None] = lambda _: None,
) -> Ends:
    """Find from where a chain can end, without keeping its transitions.

    Parameters
    ----------
    start, split
        As for `waranalysis.state_graph`.
    rules : RuleSet
        Without choices and without a limit of battles.
    memory : int
        Most bytes, by estimate: up to 150 for each position of ten cards.
    done : callable
        Told the number of positions met, and then of those again that have a rank, now and then.

    Returns
    -------
    Ends
        With a `Survey` in place of the graph; rules and deals that are not for the compiled kernel
        of `waranalysis.state_graph` still take the graph. Cost: for each rank there is a pass over
        the positions, and over the orders of every pot that is left with the same rest.

    Raises
    ------
    RulesError
        If something is left to a player, or there is a limit of battles.
    LimitError
        If there are too many positions, or they would need more than `memory`.
    """
    if rules.choice_fields:
        raise RulesError(f"{rules.choice_fields[0]} leaves something to a player")
    origin = read_origin(start, rules, split)
    bounds = Bounds(MOST, memory, str(origin), done, MOST)
    bounds.check_deals(origin.size, 24)
    coded = None if rules.limit is not None else fast.encode(origin, rules)
    if coded is None:
        return find_ends(state_graph(start, rules, split, NODES, memory, done=done))
    return _Search(coded, bounds).run(origin, rules)


class _Search:
    """Positions and fans in arrays that grow, and how the kernels fill them."""

    def __init__(self, coded: fast.Coded, bounds: Bounds) -> None:
        self.coded = coded
        self.bounds = bounds
        room = max(2 * len(coded.keys), 1 << 12)
        self._check(len(coded.keys), room, room)
        self.keys, self.table = np.empty(room, dtype=np.int64), _table(room)
        self.fans, self.fan_table = np.empty(room, dtype=np.int64), _table(room)
        self.fan_of = np.empty(room, dtype=np.int32)

    def _check(self, count: int, room: int, fans: int) -> None:
        """Arrays are copied to grow; the packed states, and ranks, come when that is over."""
        from waranalysis.kernels.explore import CARDS

        tables = 4 * (fast.power(2 * room) + fast.power(2 * fans))
        used = 24 * room + 16 * fans + tables + (5 + int(self.coded.rule[CARDS])) * count
        self.bounds.check(count, count, used)

    def run(self, origin: Origin, rules: RuleSet) -> Ends:
        """Find positions, ends and ranks."""
        from waranalysis.kernels import explore

        nodes = np.empty(len(self.coded.keys), dtype=np.int64)
        count = explore.enter_all(self.coded.keys, self.keys, self.table, 0, nodes)
        starts, deals = np.unique(nodes, return_counts=True)
        ended, transitions = self._meet(count)
        winners = [*range(rules.players), None]
        ends = tuple(winner for winner, met in zip(winners, ended, strict=True) if met)
        rank = np.concatenate([self._ranks(), np.zeros(len(ends), np.int32)])
        rule = self.coded.rule
        packed = np.zeros((len(self.keys), int(rule[explore.CARDS]) + 1), dtype=np.uint8)
        explore.write_strengths(self.keys, rule, self.coded.strengths, packed)
        found = Survey(
            rules=rules,
            deck=None if origin.deck is None else str(origin.deck),
            split=origin.split,
            naming=origin.naming,
            packed=packed,
            moments=np.empty(0, dtype=np.int64),
            ends=ends,
            starts=starts,
            deals=deals.astype(np.int64),
            counted=transitions,
        )
        return Ends(found, rank)

    def _meet(self, count: int) -> tuple[NDArray[np.bool_], int]:
        """Find every position; return which ends come up, and the number of transitions."""
        from waranalysis.kernels.survey import meet

        ended, transitions, begin, many = np.zeros(3, dtype=np.bool_), 0, 0, 0
        while begin < count:
            begin, count, many, more, room = meet(
                begin, begin + fast.STRIDE, count, self.keys, self.table, self.fan_of,
                many, self.fans, self.fan_table, ended, self.coded.rule, self.coded.need,
            )  # fmt: skip
            transitions += more
            self.bounds.done(begin)
            if room:
                self._grow(count, many, room)
        self.keys, self.fans = self.keys[:count].copy(), self.fans[:many].copy()
        return ended, transitions

    def _grow(self, count: int, many: int, more: int) -> None:
        from waranalysis.kernels.explore import refill

        room, fans = len(self.keys), len(self.fans)
        if count + more > room:
            room = max(2 * room, count + more)
        if many == fans:
            fans = 2 * fans
        self._check(count, room, fans)
        if room > len(self.keys):
            self.keys, self.fan_of = fast.grown(self.keys, room), fast.grown(self.fan_of, room)
            self.table = _table(room)
            refill(self.keys, count, self.table)
        if fans > len(self.fans):
            self.fans, self.fan_table = fast.grown(self.fans, fans), _table(fans)
            refill(self.fans, many, self.fan_table)

    def _ranks(self) -> NDArray[np.int32]:
        from waranalysis.kernels.survey import climb, lower

        rank = np.full(len(self.keys), -1, dtype=np.int32)
        low = np.zeros(len(self.fans), dtype=np.bool_)
        rule, need = self.coded.rule, self.coded.need
        layer, found, ranked = 1, 1, 0
        while found:
            found = 0
            for begin in range(0, len(self.fans), fast.STRIDE):
                stop = begin + fast.STRIDE
                lower(layer, begin, stop, self.fans, low, self.keys, self.table, rank, rule)
            for begin in range(0, len(self.keys), fast.STRIDE):
                found += climb(
                    layer, begin, begin + fast.STRIDE, self.fan_of, low, self.keys, self.table,
                    rank, rule, need,
                )  # fmt: skip
                self.bounds.done(len(self.keys) + ranked + found)
            layer, ranked = layer + 1, ranked + found
        return rank


def _table(room: int) -> NDArray[np.int32]:
    return np.zeros(fast.power(2 * room), dtype=np.int32)
