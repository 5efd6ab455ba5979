"""Counts over all deals of distinct cards, from the frontier."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from waranalysis.cards import Deal
from waranalysis.errors import CardsError, quoted
from waranalysis.order.backwards import beginning
from waranalysis.order.cluster import run_on_cluster
from waranalysis.order.cycles import cycles_told
from waranalysis.order.extensions import Order, first_extension
from waranalysis.order.frontier import PAUSE, Frontier
from waranalysis.order.layout import EACH_DEPTH, MAX_DEPTH, ROW, SCRATCH
from waranalysis.order.plan import MEMORY, MOST_CARDS, Plan, Progress, Tallies, packet_sizes
from waranalysis.order.tokens import Board, Pot, deal_of, starts
from waranalysis.rules import RuleSet

DETAILS = ("loops", "winners", "battles")


@dataclass(frozen=True)
class OrderCounts:
    """What becomes of all deals of `n` distinct cards.

    Attributes
    ----------
    n, split : int, tuple of int
        Cards, and cards of each seat.
    detail : str
        "loops", "winners" or "battles".
    never : int
        Deals that never end.
    wins : tuple of int or None
        Deals that each seat wins; None if the split is uneven and detail is "loops".
    cycle_lengths : dict of int to int
        Deals by the battles around their loop.
    battles : dict of int to int or None
        Deals that end, by number of battles, with detail "battles".
    cycles : int or None
        Different cycles, a cycle and its exchange of seats once; None with won piles, and where
        the loops found do not show that whole classes are reached: `count_cycles` tells then.
    longest : int or None
        Battles of the longest game that ends.
    longest_deal : Deal or None
        One that takes so long.
    nodes, leaves : int
        Nodes expanded, and branches that came to a loop.
    rows : int
        Rows written to the frontier, before merging.
    peak_rows, row_bytes : int
        Most rows held at once in memory, in chunks: it depends on the workers; and the size of
        one.
    peak_disk : int
        Most bytes in the scratch directory.
    """

    n: int
    split: tuple[int, int]
    detail: str
    never: int
    wins: tuple[int, int] | None
    cycle_lengths: dict[int, int]
    battles: dict[int, int] | None
    cycles: int | None
    longest: int | None
    longest_deal: Deal | None
    nodes: int
    leaves: int
    rows: int = field(compare=False, repr=False)
    peak_rows: int = field(compare=False, repr=False)
    row_bytes: int = field(compare=False, repr=False)
    peak_disk: int = field(compare=False, repr=False)

    @property
    def deals(self) -> int:
        """All deals."""
        return math.factorial(self.n)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; what was not asked for is left out."""
        record = {
            "n": self.n,
            "split": list(self.split),
            "deals": self.deals,
            "never": self.never,
            "wins": self.wins and list(self.wins),
            "cycle_lengths": _keyed(self.cycle_lengths),
            "battles": None if self.battles is None else _keyed(self.battles),
            "cycles": self.cycles,
            "longest": self.longest,
            "longest_deal": self.longest_deal and str(self.longest_deal),
            "nodes": self.nodes,
            "leaves": self.leaves,
        }
        return {name: value for name, value in record.items() if value is not None}


def _keyed(counts: dict[int, int]) -> dict[str, int]:
    return {str(key): counts[key] for key in sorted(counts)}


def enumerate_orders(
    n: int,
    rules: RuleSet,
    split: Sequence[int] | None = None,
    detail: str = "loops",
    workers: int | None = None,
    memory: int = MEMORY,
    scratch: Path | None = None,
    progress: Progress | None = None,
    pause: float = PAUSE,
    swap: bool = True,
    dask: str | None = None,
) -> OrderCounts:
    """Count the deals of `n` distinct cards that never end, and more, without dealing them.

    Parameters
    ----------
    n : int
        Cards, at most `MOST_CARDS`.
    rules : RuleSet
        For two players, of comparisons alone: a fixed capture order, no automatic rank.
    split : sequence of int, optional
        Cards of each seat, by default ``ceil(n/2)`` and ``floor(n/2)``.
    detail : "loops", "winners" or "battles"
        "winners" tells the seats apart also where the split is uneven (up to twice the nodes);
        "battles" counts the deals that end by their length too (several times the nodes).
    workers : int, optional
        Threads, by default one a core. The answer does not depend on it.
    memory : int
        Bytes for rows and tables.
    scratch : Path, optional
        Directory for what does not fit and for checkpoints; a stopped run goes on from it.
    progress : callable, optional
        Called with (layers done, layers, nodes done).
    pause : float
        Least seconds between two checkpoints inside a layer; there is one after every layer.
    swap : bool
        False does without the exchange of seats, for an independent check.
    dask : str, optional
        Address of a Dask scheduler to work on; memory, scratch and workers are its own then.

    Raises
    ------
    CardsError
        If n or the split does not fit.
    RulesError
        If the rules need more than comparisons.
    LimitError
        Too little memory or scratch space; the last checkpoint is kept.
    """
    pot = Pot.of(rules)
    sizes = packet_sizes(n, split, MOST_CARDS)
    if detail not in DETAILS:
        raise CardsError(f"detail {quoted(detail)}: expected {', '.join(DETAILS)}")
    if 0 in sizes:
        return _no_game(n, sizes, detail)
    even = sizes[0] == sizes[1]
    plan = Plan(
        n,
        sizes[0],
        pot.first,
        pot.stacked,
        swap=swap and pot.symmetric and detail != "battles" and (even or detail == "loops"),
        ends=detail == "battles",
        depth=EACH_DEPTH if detail == "battles" else MAX_DEPTH,
    )
    if dask is None:
        tallies = Frontier(plan, workers or os.cpu_count() or 1, memory, scratch, pause).run(
            progress
        )
    else:
        tallies = run_on_cluster(plan, dask, progress)
    return OrderCounts(
        n,
        sizes,
        detail,
        sum(map(_deals, tallies.loops.values())),
        _wins(plan, tallies),
        {period: _deals(line) for period, line in sorted(tallies.loops.items())},
        {b: _deals(line) for b, line in sorted(tallies.ended.items())} if plan.ends else None,
        None if plan.stacked else cycles_told(plan, tallies, pot),
        tallies.longest[0] if tallies.longest else None,
        _longest_deal(plan, tallies.longest, rules.best),
        tallies.nodes,
        sum(line[0] for line in tallies.loops.values()),
        tallies.rows,
        tallies.peak_rows,
        int(plan.parameters[ROW]) * 8,
        tallies.peak_disk,
    )


def _no_game(n: int, sizes: tuple[int, int], detail: str) -> OrderCounts:
    """One seat holds all cards: every deal is over before it begins."""
    deals = math.factorial(n)
    wins = (deals, 0) if sizes[0] else (0, deals)
    battles = {0: deals} if detail == "battles" else None
    deal = deal_of(sizes[0], range(n))
    return OrderCounts(n, sizes, detail, 0, wins, {}, battles, 0, 0, deal, 0, 0, 0, 0, 0, 0)


def _deals(line: Sequence[int]) -> int:
    return line[1] + line[2]


def _wins(plan: Plan, tallies: Tallies) -> tuple[int, int] | None:
    """The winner of a game that ends has held the strongest card all along."""
    n, split = plan.n, plan.split
    if not plan.swap:
        never = [sum(line[1 + seat] for line in tallies.loops.values()) for seat in range(2)]
    elif 2 * split == n:
        never = [sum(map(_deals, tallies.loops.values())) // 2] * 2
    else:
        return None
    dealt = math.factorial(n - 1)
    return split * dealt - never[0], (n - split) * dealt - never[1]


def _longest_deal(plan: Plan, longest: Sequence[int], best: str) -> Deal | None:
    """Play the longest game backwards, from the packet that holds all cards at the end."""
    if not longest:
        return None
    battles, winner = longest[:2]
    order: Order = tuple(longest[2:])
    search = _from_piles if plan.stacked else _from_packets
    # With the seats exchanged along the way, either may be the one that won in the end.
    for seat in (winner, 1 - winner):
        tokens = search(plan, order, battles, seat)
        if tokens:
            ranks = first_extension(order)
            return deal_of(plan.split, [ranks[token] for token in tokens], best)
    raise AssertionError("the longest game cannot be played backwards")


def _from_packets(plan: Plan, order: Order, battles: int, winner: int) -> list[int]:
    deal = np.zeros(plan.n, np.int64)
    below, first = np.array(order), np.array(plan.first, np.int64)
    tried, board = np.zeros(battles + 1, np.int64), np.zeros(SCRATCH, np.int64)
    found = beginning(below, winner, plan.split, first, tried, board, deal)
    return deal.tolist() if found else []


def _from_piles(plan: Plan, order: Order, battles: int, winner: int) -> list[int]:
    """The same with won piles; how many cards are in the last one is not told."""
    cards = tuple(range(plan.n))
    for held in range(1, plan.n + 1):
        sides = ((cards[:held], ()), (cards[held:], ()))
        last = Board(*(sides if winner == 0 else (side[::-1] for side in sides)))
        for length, board in starts(last, order, plan.split, Pot(plan.first, True)):
            if length == battles:
                return [*board.packets[0], *board.packets[1]]
    return []
