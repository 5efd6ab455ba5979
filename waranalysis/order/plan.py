"""What is enumerated, and what was counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from waranalysis.errors import CardsError, quoted
from waranalysis.order.key import ONE_WORD, SLOT_BITS
from waranalysis.order.laps import WHOLE
from waranalysis.order.layout import (
    DEALS,
    DEALS_PRIME,
    EACH_DEPTH,
    LEAVES,
    MAX_DEPTH,
    NO_DEPTH,
    PERIOD,
    PRIME,
    TALLY,
)  # fmt: skip

MOST_CARDS = 24
MEMORY = 2_000_000_000
Progress = Callable[[int, int, int], None]


@dataclass(frozen=True)
class Plan:
    """What is enumerated, and what a row holds.

    Attributes
    ----------
    n : int
        Cards, at most `MOST_CARDS`.
    split : int
        Cards of seat 0 at the start.
    first : tuple of bool
        For each winning seat, whether its own card is the upper one of the pot.
    stacked : bool
        Whether captures go to a won pile.
    swap : bool
        Whether states that differ by an exchange of the seats are one node.
    ends : bool
        Whether the deals of the games that end are counted too, not only inferred.
    keep : bool
        Whether the loops are kept, as rows of the layer behind the last one.
    depth : int
        `layout.NO_DEPTH`, `MAX_DEPTH` (for the longest game) or `EACH_DEPTH` (every number of
        battles a node of its own, for the histogram).
    """

    n: int
    split: int
    first: tuple[bool, bool] = (True, True)
    stacked: bool = False
    swap: bool = False
    ends: bool = False
    keep: bool = False
    depth: int = NO_DEPTH

    @property
    def layers(self) -> int:
        """Layers, by number of related pairs from none to all."""
        return self.n * (self.n - 1) // 2 + 1

    @property
    def buckets(self) -> int:
        """Buckets of a layer."""
        return 1 if self.n < 10 else 16 if self.n < 16 else 64 if self.n < 18 else 256

    @property
    def two(self) -> bool:
        """Whether counts need more than 64 bits: they are kept modulo 2^64 and a prime."""
        return self.n > 20

    @property
    def laps(self) -> bool:
        """Whether the different laps of the loops are noted."""
        return not self.stacked

    @property
    def parameters(self) -> NDArray[np.int64]:
        """The parameter vector of the kernels."""
        slots = self.n // 2 + (self.n % 2 or self.stacked)
        width = 1 + (self.n > ONE_WORD) - (-slots // (64 // SLOT_BITS[self.n]))
        key = width + (self.depth == EACH_DEPTH)
        row = key + 1 + self.two + (self.depth == MAX_DEPTH)
        return np.array(
            [
                self.n, width, key, row, *self.first, self.stacked, self.swap, self.ends,
                self.keep, self.depth, self.two, self.buckets, self.laps,
            ],
            np.int64,
        )  # fmt: skip


@dataclass
class Tallies:
    """What was counted so far.

    Attributes
    ----------
    loops, ended : dict of int to list of int
        Period, or battles: leaves, deals whose best card is with seat 0, and with seat 1.
    laps : dict of str to bool
        Loops by their laps (cards of packet 0, then for each place the mask of the places
        beaten): whether one of them says no more of the cards than its lap.
    longest : list of int
        Battles, winner, then the order of the final packet, a bit mask a card; empty at first.
    nodes, rows, peak_rows, peak_disk : int
        Nodes expanded, rows written, most rows held at once in memory, most bytes on disk.
    """

    loops: dict[int, list[int]] = field(default_factory=dict)
    ended: dict[int, list[int]] = field(default_factory=dict)
    laps: dict[str, bool] = field(default_factory=dict)
    longest: list[int] = field(default_factory=list)
    nodes: int = 0
    rows: int = 0
    peak_rows: int = 0
    peak_disk: int = 0

    def add(self, other: Tallies) -> None:
        """Add what was counted elsewhere."""
        for into, lines in ((self.loops, other.loops), (self.ended, other.ended)):
            for period, line in lines.items():
                old = into.get(period, [0, 0, 0])
                into[period] = [a + b for a, b in zip(old, line, strict=True)]
        for lap, whole in other.laps.items():
            self.laps[lap] = whole or self.laps.get(lap, False)
        self.longest = longer(self.longest, other.longest)
        self.nodes += other.nodes
        self.rows += other.rows
        self.peak_rows += other.peak_rows


def longer(one: list[int], other: list[int]) -> list[int]:
    """The longer game, the lesser of two as long; an empty list is none."""
    games = [game for game in (one, other) if game]
    return min(games, key=lambda game: (-game[0], game[1:]), default=[])


def packet_sizes(n: int, split: Sequence[int] | None, most: int) -> tuple[int, int]:
    """The sizes of both packets, checked."""
    if not 1 <= n <= most:
        raise CardsError(f"{n} cards: expected 1 to {most}")
    sizes = (n - n // 2, n // 2) if split is None else tuple(split)
    if len(sizes) != 2 or sum(sizes) != n or min(sizes) < 0:
        shown = "/".join(map(str, sizes))
        raise CardsError(f"split {quoted(shown)}: expected two packets of {n} cards in all")
    return sizes[0], sizes[1]


def laps_of(table: NDArray[np.uint64], n: int) -> dict[str, bool]:
    """What a worker's table of laps holds."""
    entries = table[:-1].reshape(-1, n + 2)
    return {
        " ".join(map(str, lap)): flag == int(WHOLE)
        for *lap, flag in entries[entries[:, n + 1] != 0].tolist()
    }


def add_lines(into: dict[int, list[int]], tally: NDArray[np.uint64], two: bool) -> None:
    """Add a worker's tally to the exact one and clear it."""
    for words in tally.reshape(-1, TALLY):
        line = words.tolist()
        if line[LEAVES] == 0:
            break
        total = into.setdefault(line[PERIOD], [0, 0, 0])
        total[0] += line[LEAVES]
        for seat in range(2):
            low = line[DEALS + seat]
            total[1 + seat] += joined(low, line[DEALS_PRIME + seat]) if two else low
        words[:] = 0


def joined(low: int, residue: int) -> int:
    """The number below 2^64 PRIME with these residues."""
    prime = int(PRIME)
    return low + (((residue - low) * pow(1 << 64, -1, prime)) % prime << 64)
