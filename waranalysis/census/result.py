"""What became of many deals: a census, merged from parts in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

NEVER = "never"
DRAW = "draw"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Census:
    """Counts over the deals of a deck, or over a range of their ranks.

    Attributes
    ----------
    players : int
    endings : Counter of (winner, battles)
        Deals that end; a winner of None is a draw.
    wars : Counter of int
        Deals that end, by their number of wars.
    loops : Counter of (period, tail)
        Deals that never end.
    undecided : int
        Deals on which a bound was hit.
    examples : dict of str to tuple of int
        For each kind of outcome ("player 1", "draw", "never", "undecided") the least ranks.
    longest, shortest : (battles, rank) or None
        Over the deals that end; the least rank of those.
    keep : int
        How many examples of each kind are kept.
    """

    players: int
    endings: Counter[tuple[int | None, int]] = field(default_factory=Counter)
    wars: Counter[int] = field(default_factory=Counter)
    loops: Counter[tuple[int, int]] = field(default_factory=Counter)
    undecided: int = 0
    examples: dict[str, tuple[int, ...]] = field(default_factory=dict)
    longest: tuple[int, int] | None = None
    shortest: tuple[int, int] | None = None
    keep: int = 1

    def merge(self, other: Census) -> Census:
        """The census of both sets of deals, which must not overlap; the order does not matter."""
        kinds = sorted(self.examples.keys() | other.examples.keys())
        ranks = {
            kind: sorted(self.examples.get(kind, ()) + other.examples.get(kind, ()))
            for kind in kinds
        }
        return Census(
            self.players,
            self.endings + other.endings,
            self.wars + other.wars,
            self.loops + other.loops,
            self.undecided + other.undecided,
            {kind: tuple(found[: self.keep]) for kind, found in ranks.items()},
            _extreme(self.longest, other.longest, -1),
            _extreme(self.shortest, other.shortest, 1),
            self.keep,
        )

    @property
    def wins(self) -> list[int]:
        """Deals won by each seat."""
        return [self._won(seat) for seat in range(self.players)]

    @property
    def draws(self) -> int:
        """Deals that end in a draw."""
        return self._won(None)

    @property
    def never(self) -> int:
        """Deals that never end."""
        return self.loops.total()

    @property
    def deals(self) -> int:
        """All deals counted."""
        return self.endings.total() + self.never + self.undecided

    @property
    def total_battles(self) -> int:
        """Battles of all the deals that end."""
        return sum(battles * deals for (_, battles), deals in self.endings.items())

    @property
    def cycle_lengths(self) -> dict[int, int]:
        """Deals that never end, by the period of their loop."""
        return _sum_over(self.loops, 0)

    @property
    def lengths(self) -> dict[int, int]:
        """Deals that end, by their number of battles."""
        return _sum_over(self.endings, 1)

    def _won(self, winner: int | None) -> int:
        return sum(deals for (seat, _), deals in self.endings.items() if seat == winner)

    def to_record(self) -> dict[str, Any]:
        """Everything, in plain JSON values; `from_record` takes it back."""
        return {
            "players": self.players,
            "endings": _items(self.endings),
            "wars": _items(self.wars),
            "loops": _items(self.loops),
            "undecided": self.undecided,
            "examples": {kind: list(ranks) for kind, ranks in self.examples.items()},
            "longest": self.longest,
            "shortest": self.shortest,
            "keep": self.keep,
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Census:
        """The census that `to_record` wrote."""
        return cls(
            record["players"],
            Counter({(winner, battles): n for (winner, battles), n in record["endings"]}),
            Counter(dict(record["wars"])),
            Counter({(period, tail): n for (period, tail), n in record["loops"]}),
            record["undecided"],
            {kind: tuple(ranks) for kind, ranks in record["examples"].items()},
            record["longest"] and (record["longest"][0], record["longest"][1]),
            record["shortest"] and (record["shortest"][0], record["shortest"][1]),
            record["keep"],
        )

    def to_dict(self) -> dict[str, Any]:
        """Counts as programs read them; examples are left out, ranks mean little there."""
        return {
            "deals": self.deals,
            "wins": self.wins,
            "draws": self.draws,
            "never": self.never,
            "undecided": self.undecided,
            "cycle_lengths": _texts(self.cycle_lengths),
            "longest": self.longest[0] if self.longest else 0,
            "shortest": self.shortest[0] if self.shortest else 0,
            "total_battles": self.total_battles,
            "tails": _texts(_sum_over(self.loops, 1)),
            "battles": _texts(self.lengths),
            "wars": _texts(dict(sorted(self.wars.items()))),
        }


def _sum_over(counter: Counter[Any], place: int) -> dict[int, int]:
    """Add up a counter of tuples by one of their places, ascending."""
    totals: Counter[int] = Counter()
    for key, deals in counter.items():
        totals[key[place]] += deals
    return dict(sorted(totals.items()))


def _items(counter: Counter[Any]) -> list[list[Any]]:
    """Keys and counts in a fixed order."""
    return [list(item) for item in sorted(counter.items(), key=lambda item: repr(item[0]))]


def _texts(table: dict[int, int]) -> dict[str, int]:
    return {str(key): deals for key, deals in table.items()}


def _extreme(
    one: tuple[int, int] | None, two: tuple[int, int] | None, sign: int
) -> tuple[int, int] | None:
    found = [pair for pair in (one, two) if pair is not None]
    return min(found, key=lambda pair: (sign * pair[0], pair[1]), default=None)


def kinds_of(players: int) -> Sequence[str]:
    """The kinds of outcome, in the order in which they are shown."""
    return [*(f"player {seat + 1}" for seat in range(players)), DRAW, NEVER, UNDECIDED]
