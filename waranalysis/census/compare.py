"""Two rule sets on the same shuffled decks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from math import sqrt
from typing import Any

from waranalysis.census.campaign import Campaign, Record
from waranalysis.census.result import NEVER, UNDECIDED
from waranalysis.census.sample import (
    Games,
    Sample,
    Table,
    play_games,
    proportion,
    sample_of,
    stride_of,
    table_of,
)
from waranalysis.errors import RulesError
from waranalysis.termination import BOUND
from waranalysis.wilson import Z_95

_OPEN = (NEVER, UNDECIDED)


@dataclass(frozen=True)
class Comparison:
    """Two samples of the same games, and what differs game by game.

    Attributes
    ----------
    samples : tuple of Sample
    pairs : Counter of (kind, kind)
        Games by their outcomes under both rule sets.
    changed : tuple of int
        The first games whose outcome changes.
    both : int
        Games that end under both.
    difference, squares : int
        Sum, and sum of squares, of battles under the second rule set less those under the first,
        over the games that end under both.
    keep : int
        How many changed games are kept.
    """

    samples: tuple[Sample, Sample]
    pairs: Counter[tuple[str, str]]
    changed: tuple[int, ...]
    both: int
    difference: int
    squares: int
    keep: int = 1

    def merge(self, other: Comparison) -> Comparison:
        """The comparison over both sets of games, which must not overlap."""
        one, two = (a.merge(b) for a, b in zip(self.samples, other.samples, strict=True))
        return Comparison(
            (one, two),
            self.pairs + other.pairs,
            tuple(sorted(self.changed + other.changed)[: self.keep]),
            self.both + other.both,
            self.difference + other.difference,
            self.squares + other.squares,
            self.keep,
        )

    def to_record(self) -> Record:
        """Everything, in plain JSON values; `from_record` takes it back."""
        return {
            "samples": [sample.to_record() for sample in self.samples],
            "pairs": [[*kinds, n] for kinds, n in sorted(self.pairs.items())],
            "changed": list(self.changed),
            "both": self.both,
            "difference": self.difference,
            "squares": self.squares,
            "keep": self.keep,
        }

    @classmethod
    def from_record(cls, record: Record) -> Comparison:
        """The comparison that `to_record` wrote."""
        one, two = map(Sample.from_record, record["samples"])
        return cls(
            (one, two),
            Counter({(a, b): n for a, b, n in record["pairs"]}),
            tuple(record["changed"]),
            record["both"],
            record["difference"],
            record["squares"],
            record["keep"],
        )

    @property
    def games(self) -> int:
        """Number of games."""
        return self.pairs.total()

    def to_dict(self) -> dict[str, Any]:
        """What differs, as programs read it."""
        changes = sum(n for (one, two), n in self.pairs.items() if one != two)
        return {
            "games": self.games,
            "changed": proportion(changes, self.games),
            "changed_games": list(self.changed),
            "outcomes": [
                {"first": one, "second": two, "games": n}
                for (one, two), n in sorted(self.pairs.items())
            ],
            "battles": self._battles(),
        }

    def _battles(self) -> dict[str, float]:
        """Mean difference in battles of the games that end under both, with its 95 % interval."""
        if not self.both:
            return {}
        mean = self.difference / self.both
        spread = self.squares - self.difference * mean
        reach = Z_95 * sqrt(max(spread, 0) / max(self.both - 1, 1) / self.both)
        return {"mean": mean, "low": mean - reach, "high": mean + reach}


def comparison_of(one: Games, two: Games, keep: int) -> Comparison:
    """Compare the same games under two rule sets."""
    pairs = list(zip(one.kinds, two.kinds, strict=True))
    changed = [one.start + i for i, (a, b) in enumerate(pairs) if a != b]
    differences = [
        after - before
        for kinds, before, after in zip(pairs, one.battles, two.battles, strict=True)
        if not set(kinds) & set(_OPEN)
    ]
    return Comparison(
        (sample_of(one), sample_of(two)),
        Counter(pairs),
        tuple(changed[:keep]),
        len(differences),
        sum(differences),
        sum(n * n for n in differences),
        keep,
    )


def compare_campaign(
    tables: tuple[Table, Table], seed: int, games: int, keep: int = 1, bound: int = BOUND
) -> Campaign:
    """A comparison as work that can be cut into shards; see `merged_comparison`."""
    for table in tables:
        table.check()
    one, two = tables
    if one.sizes != two.sizes or one.deck.size != two.deck.size:
        raise RulesError(
            f"the two rule sets deal {'/'.join(map(str, one.sizes))} and "
            f"{'/'.join(map(str, two.sizes))}: expected the same packets"
        )
    about = {
        "what": "compare",
        "deck": str(one.deck),
        "split": one.split and list(one.split),
        "rules": [table.rules.to_dict() for table in tables],
        "seed": seed,
        "keep": keep,
        "bound": bound,
    }
    stride, compiled = min(map(stride_of, tables)), one.compiled or two.compiled
    return Campaign(about, games, stride, compare_games, compiled=compiled)


def compare_games(about: Record, start: int, stop: int) -> Record:
    """Play the games of one shard under both rule sets."""
    keep, seed, bound = about["keep"], about["seed"], about["bound"]
    tables = [table_of(about, rules) for rules in about["rules"]]
    one, two = (play_games(table, seed, start, stop, keep, bound) for table in tables)
    return comparison_of(one, two, keep).to_record()


def merged_comparison(records: Sequence[Record]) -> Comparison:
    """The comparison of all shards together."""
    return reduce(Comparison.merge, map(Comparison.from_record, records))
