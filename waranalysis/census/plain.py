"""The census in plain Python: any deterministic rule set, any number of players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from waranalysis.cards import Deal, Deals
from waranalysis.census.result import DRAW, NEVER, UNDECIDED, Census
from waranalysis.rules import RuleSet
from waranalysis.termination import BOUND, Verdict, classify, require_deterministic


def take_census(
    deals: Deals,
    rules: RuleSet,
    start: int = 0,
    stop: int | None = None,
    keep: int = 1,
    bound: int = BOUND,
) -> Census:
    """Classify the deals of ranks `start` to `stop`.

    Parameters
    ----------
    deals : Deals
    rules : RuleSet
        Deterministic.
    start, stop : int
        The range of ranks; all of them by default.
    keep : int
        Examples to keep of each kind of outcome.
    bound : int
        Battles after which a deal is undecided.

    Returns
    -------
    Census
    """
    require_deterministic(rules)
    tally = Tally(keep)
    ranked: Iterable[tuple[int, Deal]] = enumerate(deals.iterate(start, stop), start)
    if deals.one_each:
        ranked = ((deals.rank(deal), deal) for _, deal in ranked)
    for rank, deal in ranked:
        tally.add(rank, classify(deal, rules, bound=bound))
    return tally.census(rules.players)


class Tally:
    """Counts that grow deal by deal, in the order of ranks."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.endings: Counter[tuple[int | None, int]] = Counter()
        self.wars: Counter[int] = Counter()
        self.loops: Counter[tuple[int, int]] = Counter()
        self.undecided = 0
        self.examples: dict[str, list[int]] = {}
        self.first: dict[int, int] = {}

    def add(self, rank: int, verdict: Verdict) -> str:
        """Count one verdict; return its kind."""
        kind = self._count(rank, verdict)
        found = self.examples.setdefault(kind, [])
        if len(found) < self.keep:
            found.append(rank)
        return kind

    def _count(self, rank: int, verdict: Verdict) -> str:
        if verdict.ending is not None:
            winner = verdict.ending.winner
            self.endings[winner, verdict.battles] += 1
            self.wars[verdict.wars] += 1
            self.first.setdefault(verdict.battles, rank)
            return DRAW if winner is None else f"player {winner + 1}"
        if verdict.period is not None and verdict.tail is not None:
            self.loops[verdict.period, verdict.tail] += 1
            return NEVER
        self.undecided += 1
        return UNDECIDED

    def census(self, players: int) -> Census:
        """The counts so far."""
        lengths = sorted(self.first)
        return Census(
            players,
            self.endings,
            self.wars,
            self.loops,
            self.undecided,
            {kind: tuple(ranks) for kind, ranks in sorted(self.examples.items())},
            (lengths[-1], self.first[lengths[-1]]) if lengths else None,
            (lengths[0], self.first[lengths[0]]) if lengths else None,
            self.keep,
        )
