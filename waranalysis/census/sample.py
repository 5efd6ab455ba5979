"""Random deals of a deck: what became of them, and how far that may be off.

Game number i of a seed is the same whoever plays it, and for every rule set: the deck is shuffled
by `shuffles`, then dealt as the rules say. Two players go through the compiled kernels where those
know the rules, everybody else through `play`; what is left to chance in a game comes from streams
of their own, which differ between the two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from math import sqrt
from typing import Any

from waranalysis.cards import Deal, Deck, deal_out, jokers_apart
from waranalysis.census.campaign import Campaign, Record
from waranalysis.census.engine import PLAIN, RING, covered
from waranalysis.census.result import Census, kinds_of
from waranalysis.census.shuffles import draws, shuffled
from waranalysis.errors import CardsError, RulesError, quoted
from waranalysis.kernels import MOST_CARDS, MOST_STRENGTHS
from waranalysis.play import play
from waranalysis.rules import RuleSet
from waranalysis.termination import BOUND, Verdict, classify
from waranalysis.wilson import Z_95, wilson

STRIDE = 1 << 16
SLOW_STRIDE = 1 << 8
QUANTILES = (0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1)

Kinds = list[str]


@dataclass(frozen=True)
class Table:
    """Where random deals come from.

    Attributes
    ----------
    deck : Deck
    rules : RuleSet
    split : tuple of int, optional
        Cards for each seat.
    """

    deck: Deck
    rules: RuleSet
    split: tuple[int, ...] | None = None

    @property
    def dealt(self) -> int:
        """Cards that the packets are dealt from: the deck, or half of it."""
        return self.deck.size // 2 if self.deck.half else self.deck.size

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cards for each seat; extra cards are the first seats', see `deal`."""
        if self.split is not None:
            return self.split
        players = self.rules.players
        each, over = divmod(self.dealt, players)
        if players > 2 and self.rules.extra_cards == "set-aside":
            over = 0
        return tuple(each + (seat < over) for seat in range(players))

    def check(self) -> None:
        """Raise an error if there is nothing to deal or to play."""
        if self.rules.choice_fields:
            raise RulesError(
                f"{self.rules.choice_fields[0]} leaves a choice to the players: expected rules "
                "without choices here, see 'waranalysis choice'"
            )
        if len(self.sizes) != self.rules.players or not 0 < sum(self.sizes) <= self.dealt:
            raise CardsError(
                f"split {quoted('/'.join(map(str, self.sizes)))} does not fit {self.dealt} cards "
                f"and {self.rules.players} players"
            )

    def deal(self, seed: int, game: int) -> Deal:
        """The deal of a game."""
        numbers = draws(seed, game, 0)
        while True:
            cards = [self.deck.cards[i] for i in shuffled(self.deck.size, numbers)]
            packets = deal_out(cards[: self.dealt], self._drawn_sizes(numbers), self.rules.deal)
            deal = Deal(packets, self.deck.naming)
            if self.rules.joker_deal != "one-each" or jokers_apart(deal):
                return deal

    def _drawn_sizes(self, numbers: Iterator[int]) -> tuple[int, ...]:
        """The sizes, extra cards going to seats drawn at random where more than two play."""
        sizes = self.sizes
        if self.split is not None or len(set(sizes)) == 1 or len(sizes) == 2:
            return sizes
        return tuple(sizes[seat] for seat in shuffled(len(sizes), numbers))

    @property
    def prized(self) -> int:
        """The strength whose number in the first packet is noted: the ace, or the best card."""
        strengths = [strength for strength, _ in self.deck.counts]
        ace = self.deck.naming.ace_strength
        best = strengths[-1] if self.rules.best == "highest" else strengths[0]
        return ace if self.deck.naming.named and ace in strengths else best

    @property
    def compiled(self) -> bool:
        """Whether the kernels play these games."""
        fits = self.deck.size <= MOST_CARDS and len(self.deck.counts) <= MOST_STRENGTHS
        return covered(self.rules) and fits and self.rules.joker_deal != "one-each"

    @property
    def engine(self) -> str:
        """Which engine plays these games, for people."""
        return RING if self.compiled else PLAIN


# --- playing --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Games:
    """Games of one table, number by number.

    Attributes
    ----------
    start : int
        Number of the first game.
    kinds : list of str
        What became of each: "player 1", "draw", "never", …
    battles : list of int
    prized : list of int
        Copies of the prized card that the first player was dealt.
    census : Census
        All of them; game numbers in place of ranks.
    """

    start: int
    kinds: Kinds
    battles: list[int]
    prized: list[int]
    census: Census


def play_games(
    table: Table, seed: int, start: int, stop: int, keep: int = 1, bound: int = BOUND
) -> Games:
    """Play the games of numbers `start` to `stop`.

    Parameters
    ----------
    table : Table
    seed, start, stop : int
        Which games.
    keep : int
        Examples to keep of each kind of outcome.
    bound : int
        Battles after which a game is undecided.
    """
    if table.compiled:
        from waranalysis.census.quick import quick_games

        return quick_games(table, seed, start, stop, keep, bound)
    from waranalysis.census.plain import Tally

    tally = Tally(keep)
    kinds, battles, prized = [], [], []
    for game in range(start, stop):
        deal = table.deal(seed, game)
        verdict = _verdict(deal, table.rules, next(draws(seed, game, 1)), bound)
        kinds.append(tally.add(game, verdict))
        battles.append(verdict.battles)
        prized.append(deal.packets[0].count(table.prized))
    return Games(start, kinds, battles, prized, tally.census(table.rules.players))


def _verdict(deal: Deal, rules: RuleSet, seed: int, bound: int) -> Verdict:
    if rules.kind == "deterministic":
        return classify(deal, rules, bound=bound)
    result = play(deal, rules, seed, bound=bound)
    kind = "undecided" if result.ending is None else "terminates"
    return Verdict(kind, result.ending, result.battles, result.wars)


# --- samples --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """What became of a number of random games.

    Attributes
    ----------
    census : Census
        Counts; the examples are numbers of games.
    prized : Counter of (copies, kind)
        Games by the copies of the prized card in the first packet, and by outcome.
    """

    census: Census
    prized: Counter[tuple[int, str]]

    def to_record(self) -> Record:
        """Everything, in plain JSON values; `from_record` takes it back."""
        prized = [[copies, kind, n] for (copies, kind), n in sorted(self.prized.items())]
        return {"census": self.census.to_record(), "prized": prized}

    @classmethod
    def from_record(cls, record: Record) -> Sample:
        """The sample that `to_record` wrote."""
        prized = Counter({(copies, kind): n for copies, kind, n in record["prized"]})
        return cls(Census.from_record(record["census"]), prized)

    def merge(self, other: Sample) -> Sample:
        """The sample of both sets of games, which must not overlap."""
        return Sample(self.census.merge(other.census), self.prized + other.prized)

    @property
    def games(self) -> int:
        """Number of games."""
        return self.census.deals

    def to_dict(self, seconds_per_battle: float) -> dict[str, Any]:
        """Counts, intervals at 95 % and quantiles as programs read them."""
        counts = [*self.census.wins, self.census.draws, self.census.never, self.census.undecided]
        kinds = kinds_of(self.census.players)
        battles = lengths(self.census.lengths)
        minutes = {k: v * seconds_per_battle / 60 for k, v in battles.items() if k != "quantiles"}
        return {
            "games": self.games,
            "wins": self.census.wins,
            "draws": self.census.draws,
            "never": self.census.never,
            "undecided": self.census.undecided,
            "proportions": {
                kind: proportion(count, self.games)
                for kind, count in zip(kinds, counts, strict=True)
            },
            "cycle_lengths": {str(k): n for k, n in self.census.cycle_lengths.items()},
            "battles": battles,
            "minutes": minutes,
            "within_minutes": self.within(seconds_per_battle),
            "total_battles": self.census.total_battles,
            "held": {str(copies): held for copies, held in self.by_copies().items()},
        }

    def within(self, seconds_per_battle: float) -> dict[str, dict[str, float]]:
        """Share of the games that are over within 10, 20 and 30 minutes, at 95 %."""
        ends = self.census.lengths.items()
        return {
            str(minutes): proportion(
                sum(n for battles, n in ends if battles * seconds_per_battle <= 60 * minutes),
                self.games,
            )
            for minutes in (10, 20, 30)
        }

    def by_copies(self) -> dict[int, dict[str, Any]]:
        """For each number of prized cards dealt to the first player: games, and how many won."""
        rows = {}
        for copies in sorted({copies for copies, _ in self.prized}):
            games = sum(n for (held, _), n in self.prized.items() if held == copies)
            won = self.prized[copies, "player 1"]
            rows[copies] = {"games": games, "win": proportion(won, games)}
        return rows


def sample_of(games: Games) -> Sample:
    """The counts of some games."""
    return Sample(games.census, Counter(zip(games.prized, games.kinds, strict=True)))


def sample_campaign(
    table: Table, seed: int, games: int, keep: int = 1, bound: int = BOUND
) -> Campaign:
    """A sample as work that can be cut into shards; see `merged_sample` for the answer."""
    table.check()
    about = {
        "what": "sample",
        "deck": str(table.deck),
        "split": table.split and list(table.split),
        "rules": table.rules.to_dict(),
        "seed": seed,
        "keep": keep,
        "bound": bound,
    }
    return Campaign(about, games, stride_of(table), sample_games, compiled=table.compiled)


def stride_of(table: Table) -> int:
    """Games in a shard."""
    return STRIDE if table.compiled else SLOW_STRIDE


def table_of(about: Record, rules: Record) -> Table:
    """The table that a campaign is about."""
    read = RuleSet.from_dict(rules)
    split = tuple(about["split"]) if about["split"] else None
    return Table(read.read_deck(about["deck"]), read, split)


def sample_games(about: Record, start: int, stop: int) -> Record:
    """Play the games of one shard."""
    table = table_of(about, about["rules"])
    games = play_games(table, about["seed"], start, stop, about["keep"], about["bound"])
    return sample_of(games).to_record()


def merged_sample(records: Sequence[Record]) -> Sample:
    """The sample of all shards together."""
    return reduce(Sample.merge, map(Sample.from_record, records))


# --- statistics -----------------------------------------------------------------------------


def proportion(count: int, games: int) -> dict[str, float]:
    """A proportion with its 95 % interval by Wilson (1927); none or all seen: exact bounds.

    With none seen in N the upper end is 1 - 0.05 ** (1 / N), the "rule of three" (about 3 / N).
    """
    if not games:
        return {"value": 0.0, "low": 0.0, "high": 1.0}
    edge = 1 - 0.05 ** (1 / games)
    if count in (0, games):
        value = count / games
        return {"value": value, "low": value * (1 - edge), "high": max(value, edge)}
    low, high = wilson(count, games)
    return {"value": count / games, "low": low, "high": high}


def lengths(histogram: dict[int, int]) -> dict[str, Any]:
    """Mean with its 95 % interval, and quantiles, of numbers of battles."""
    games = sum(histogram.values())
    if not games:
        return {}
    mean = sum(n * count for n, count in histogram.items()) / games
    reach = Z_95 * sqrt(_variance(histogram, games) / games)
    quantiles = {f"{q:g}": quantile(histogram, q) for q in QUANTILES}
    return {"mean": mean, "low": mean - reach, "high": mean + reach, "quantiles": quantiles}


def _variance(histogram: dict[int, int], games: int) -> float:
    if games < 2:
        return 0.0
    total = sum(n * count for n, count in histogram.items())
    squares = sum(n * n * count for n, count in histogram.items())
    return (squares * games - total * total) / (games * (games - 1))


def quantile(histogram: dict[int, int], share: float) -> int:
    """The least number that `share` of the games do not exceed."""
    games, seen = sum(histogram.values()), 0
    for number in sorted(histogram):
        seen += histogram[number]
        if seen >= share * games:
            return number
    return max(histogram)


def order_of(table: Table) -> list[int]:
    """For each place in the packets, one after the other, the number of the card in the deck."""
    packets = deal_out(range(table.dealt), table.sizes, table.rules.deal)
    return list(chain.from_iterable(packets))
