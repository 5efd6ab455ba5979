"""A deal of a deck that never ends: every method in turn, and what each of them covered."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from waranalysis.cards import Deal, Deals, Deck
from waranalysis.construct import batch as batches
from waranalysis.construct import compose, layer_pattern, pattern, war_pattern
from waranalysis.construct.batch import Batch
from waranalysis.errors import CardsError, LimitError, MissingError, RulesError, quoted
from waranalysis.kernels.ring import CYCLE, OUTCOME, UNDECIDED
from waranalysis.play import Game, State
from waranalysis.rules import RuleSet
from waranalysis.termination import Verdict, classify, require_deterministic

FEW_DEALS = 100_000
CLIMBS = 4
CLIMB_STEPS = 20_000
HISTORY = 1000
BOUND = 1_000_000
PROBE = 20_000
_CHUNK = 500
_PLAIN_SAMPLES = 500
_PLAIN_BOUND = 5_000

Done = Callable[[int], None]


@dataclass(frozen=True)
class Effort:
    """How far to search.

    Attributes
    ----------
    longest_word, longest_lead_in : int
        See `waranalysis.construct.pattern.PatternExtent`.
    longest_war_word : int
        The same for words with a war.
    samples : int
        Random deals.
    climbs : int
        Local searches of `CLIMB_STEPS` steps each.
    seed : int
        For random deals and local search.
    """

    longest_word: int = 16
    longest_lead_in: int = 2
    longest_war_word: int = 18
    samples: int = 20_000
    climbs: int = CLIMBS
    seed: int = 0


@dataclass(frozen=True)
class Extent:
    """What one method covered without finding a deal; `told` says it in words."""

    method: str
    told: str
    numbers: Mapping[str, int | None]
    proof: bool = False


@dataclass(frozen=True)
class Endless:
    """The answer to "which deal of this deck never ends?".

    Attributes
    ----------
    deck, rules, sizes
        The question.
    deal : Deal or None
        None if nothing was found.
    verdict : Verdict or None
        Of the deal, with the period of the cards' identities.
    ties : int or None
        Comparisons that called for a war, in the tail and once around the loop.
    method : str or None
        "all deals", "pattern", "war pattern", "layer pattern", "composition", "sample" or "climb".
    pattern : Pattern or None
        For "pattern".
    war_pattern : WarPattern or None
        For "war pattern" and "layer pattern", where its letters may be single battles or parts of
        wars; the deal leads into its loop, maybe by other battles.
    extents : tuple of Extent
        What was searched in vain before.
    """

    deck: Deck
    rules: RuleSet
    sizes: tuple[int, ...]
    deal: Deal | None
    verdict: Verdict | None
    ties: int | None
    method: str | None
    pattern: pattern.Pattern | None
    war_pattern: war_pattern.WarPattern | None
    extents: tuple[Extent, ...]

    @property
    def none_exists(self) -> bool:
        """Whether it is proved that no deal of these packet sizes goes round for ever."""
        return any(extent.proof for extent in self.extents)

    def suited(self) -> list[list[str]] | None:
        """The packets as cards to stack, suits given to equal cards in the order they lie."""
        return None if self.deal is None else suited(self.deal)

    def to_dict(self) -> dict[str, Any]:
        """The answer as programs read it."""
        found: dict[str, Any] = {"deal": None}
        if self.deal is not None and self.verdict is not None:
            verdict = self.verdict
            found = {"deal": str(self.deal), "tail": verdict.tail, "period": verdict.period}
            found |= {"identity_period": verdict.identity_period, "ties": self.ties}
            found |= {"cards": self.suited(), "method": self.method}
            if self.pattern is not None:
                found["pattern"] = {"lead_in": self.pattern.lead, "word": self.pattern.word}
            if self.war_pattern is not None:
                found["pattern"] = {"word": str(self.war_pattern)}
        searched = [
            {"method": e.method, "covered": e.told, "proof": e.proof} | dict(e.numbers)
            for e in self.extents
        ]
        return found | {"none_exists": self.none_exists, "searched": searched}


def suited(deal: Deal) -> list[list[str]]:
    """Write the cards with suits; where more than four are equal, and on jokers, none."""
    counts, seen = deal.counts(), dict.fromkeys(deal.counts(), 0)
    packets = []
    for packet in deal.strengths().packets:
        words = []
        for card in packet:
            joker = deal.naming.names.get(card, "").startswith("*")
            suit = "" if counts[card] > 4 or joker else "♠♥♦♣"[seen[card]]
            seen[card] += 1
            words.append(deal.naming.write(card) + suit)
        packets.append(words)
    return packets


def find(
    deck: Deck,
    rules: RuleSet,
    split: Sequence[int] | None = None,
    effort: Effort | None = None,
    done: Done = lambda units: None,
) -> Endless:
    """Look for a deal that never ends.

    Small decks are decided by playing every deal. Else periodic results without a tie are tried,
    then rows of small loops, random deals, and local search for games that end late.

    Parameters
    ----------
    deck : Deck
    rules : RuleSet
        Deterministic, without a limit of battles.
    split : sequence of int, optional
        Cards for each player.
    effort : Effort, optional
    done : callable
        Called with the number of units of work that are done.

    Raises
    ------
    RulesError
        For rules of chance or choice, or with a limit of battles.
    CardsError
        For a deck with fewer cards than players.
    """
    require_deterministic(rules)
    if rules.limit is not None:
        raise RulesError(
            f"with a limit of {rules.limit} battles every game ends: expected rules without one"
        )
    deals = rules.deals(deck, split)
    if min(deals.sizes) < 1:
        raise CardsError(
            f"deck {quoted(deck)} split {deals.split}: expected a card for every player"
        )
    effort = effort or Effort()
    search = _Search(deals, rules, effort.seed, done)
    for method in search.methods(effort):
        deal = method()
        if deal is not None:
            return search.found(deal)
        if search.extents and search.extents[-1].proof:
            break
    return search.found(None)


class _Search:
    """The methods, with what they share."""

    def __init__(self, deals: Deals, rules: RuleSet, seed: int, done: Done) -> None:
        self.deals = deals
        self.deck = deals.deck
        self.rules = rules
        self.seed = seed
        self.done = done
        self.sizes = deals.sizes
        self.extents: list[Extent] = []
        self.method = ""
        self.pattern: pattern.Pattern | None = None
        self.war_pattern: war_pattern.WarPattern | None = None
        self.whole = sum(deals.sizes) == self.deck.size
        self.batch: Batch | None = None
        if self.whole and batches.covered(self.deck, rules):
            self.batch = Batch(self.deck, rules, deals.sizes)

    def methods(self, effort: Effort) -> Iterator[Callable[[], Deal | None]]:
        """Those that apply, cheap ones first."""
        if self.deals.count <= FEW_DEALS:
            yield self.all_deals
        if self.whole and pattern.applies(self.deck, self.rules) is not None:
            yield lambda: self.patterns(effort.longest_word, effort.longest_lead_in)
        if self.batch is not None:
            yield lambda: self.sample(min(effort.samples, _CHUNK))
            if self.sizes[0] == self.sizes[1] and compose.applies(self.deck, self.rules):
                yield self.composition
            if war_pattern.applies(self.deck, self.rules):
                yield lambda: self.war_patterns(effort.longest_war_word)
            if layer_pattern.applies(self.deck, self.rules):
                yield lambda: self.layer_patterns(effort.longest_war_word)
            yield lambda: self.sample(effort.samples)
            yield lambda: self.climb(effort.climbs)
        else:
            yield lambda: self.plain_sample(min(effort.samples, _PLAIN_SAMPLES))

    def found(self, deal: Deal | None) -> Endless:
        """Certify what was found by playing it."""
        verdict, ties, method = None, None, None
        if deal is not None:
            verdict = classify(deal, self.rules, identities=True)
            assert verdict.kind == "cycles"
            ties, method = _ties(deal, self.rules, verdict), self.method
        return Endless(
            self.deck, self.rules, self.sizes, deal, verdict, ties, method, self.pattern,
            self.war_pattern,
            tuple(self.extents),
        )  # fmt: skip

    def _covered(self, told: str, numbers: Mapping[str, int | None], proof: bool = False) -> None:
        self.extents = [extent for extent in self.extents if extent.method != self.method]
        self.extents.append(Extent(self.method, told, numbers, proof))

    def all_deals(self) -> Deal | None:
        """Every deal of a small deck."""
        self.method = "all deals"
        undecided = 0
        for deal in self.deals.iterate():
            kind = classify(deal, self.rules, bound=BOUND).kind
            if kind == "cycles":
                return deal
            undecided += kind == "undecided"
            self.done(1)
        played = f"all {self.deals.count:,} deals were played to their ends: none goes on for ever"
        if undecided:
            played = f"{undecided:,} of {self.deals.count:,} deals are undecided, the others end"
        numbers = {"deals": self.deals.count, "undecided": undecided}
        self._covered(played, numbers, not undecided)
        return None

    def patterns(self, word: int, lead_in: int) -> Deal | None:
        """Periodic results without a tie."""
        self.method = "pattern"
        deal, found, extent = pattern.find(
            self.deck, self.rules, self.sizes, word, lead_in, self.done
        )
        if deal is not None and self._is_legal(deal):
            self.pattern = found
            return deal
        self._covered(str(extent), extent.to_dict())
        return None

    def war_patterns(self, word: int) -> Deal | None:
        """Periodic results with wars."""
        self.method = "war pattern"
        deal, found, extent = war_pattern.find(
            self.deck, self.rules, self.sizes, word, done=self.done
        )
        if deal is not None and self._is_legal(deal):
            self.war_pattern = found
            return deal
        self._covered(str(extent), extent.to_dict())
        return None

    def layer_patterns(self, word: int) -> Deal | None:
        """Periodic results in which wars change nothing."""
        self.method = "layer pattern"
        try:
            deal, found, extent = layer_pattern.find(
                self.deck, self.rules, self.sizes, word, self.done
            )
        except MissingError as error:
            self._covered(f"not tried: {error}", {})
            return None
        if deal is not None and self._is_legal(deal):
            self.war_pattern = found
            return deal
        self._covered(str(extent), extent.to_dict())
        return None

    def _is_legal(self, deal: Deal) -> bool:
        try:
            self.rules.check_deal(deal)
        except RulesError:
            return False
        return True

    def composition(self) -> Deal | None:
        """Small loops laid in a row."""
        self.method = "composition"
        kinds = len(compose.blocks(self.rules))
        try:
            deal = compose.compose(self.deck, self.rules)
            why = "cannot cover the deck"
        except LimitError as error:
            deal, why = None, str(error)
        if deal is None:
            self._covered(
                f"{kinds} kinds of aligned loops of {compose.BLOCK} cards: {why}",
                {"kinds": kinds},
            )
        return deal

    def sample(self, samples: int) -> Deal | None:
        """Random deals, from number 0 under the seed on."""
        assert self.batch is not None
        self.method = "sample"
        undecided = 0
        for start in range(0, samples, _CHUNK):
            rows = self.batch.shuffled(self.seed, start, min(_CHUNK, samples - start))
            fates = self.batch.fates(rows, PROBE)
            for place in np.flatnonzero(fates[:, OUTCOME] == CYCLE):
                deal = self.batch.deal(rows[place])
                if self._is_legal(deal):
                    return deal
            undecided += int((fates[:, OUTCOME] == UNDECIDED).sum())
            self.done(len(rows))
        self._told_sample(samples, PROBE, undecided)
        return None

    def _told_sample(self, samples: int, bound: int, undecided: int) -> None:
        rest = f", {undecided:,} are undecided after {bound:,} battles" * bool(undecided)
        self._covered(
            f"{samples:,} random deals (seed {self.seed}): none goes round{rest}",
            {"deals": samples, "undecided": undecided, "bound": bound, "seed": self.seed},
        )

    def plain_sample(self, samples: int) -> Deal | None:
        """Random deals for rules that have no kernel."""
        self.method = "sample"
        generator, undecided = random.Random(self.seed), 0
        for _ in range(samples):
            deal = self.deals.unrank(generator.randrange(self.deals.ranks))
            kind = "terminates"
            if self._is_legal(deal):
                kind = classify(deal, self.rules, bound=_PLAIN_BOUND).kind
            if kind == "cycles":
                return deal
            undecided += kind == "undecided"
            self.done(1)
        self._told_sample(samples, _PLAIN_BOUND, undecided)
        return None

    def climb(self, climbs: int) -> Deal | None:
        """Local search for late ends, which a game without an end would crown."""
        assert self.batch is not None
        self.method = "climb"
        best = 0
        for number in range(climbs):
            climber = Climber(self.batch, self.seed, number)
            if climber.run(CLIMB_STEPS):
                deal = self.batch.deal(climber.row[0])
                if self._is_legal(deal):
                    return deal
            best = max(best, climber.battles)
            self.done(CLIMB_STEPS)
        steps = climbs * CLIMB_STEPS
        self._covered(
            f"{climbs} local searches of {CLIMB_STEPS:,} steps (seed {self.seed}) for games that "
            f"end late: none goes round, the longest takes {best:,} battles",
            {"steps": steps, "longest": best, "seed": self.seed},
        )
        return None


class Climber:
    """One local search, from random deal `number` under a seed.

    Attributes
    ----------
    row : uint8 array, shape (1, cards)
        The present deal.
    best : uint8 array, shape (1, cards)
        The one that ended latest, after `battles` battles.
    """

    def __init__(self, batch: Batch, seed: int, number: int) -> None:
        self._batch = batch
        self.row = batch.shuffled(seed, number, 1)
        self.best = self.row.copy()
        self._history = np.zeros(HISTORY, np.int64)
        self._state = np.array([(seed << 32) + number], np.uint64)
        self._counts = np.zeros(3, np.int64)

    @property
    def battles(self) -> int:
        """Battles of the longest game so far."""
        return int(self._counts[1])

    def run(self, steps: int, stop_at_loops: bool = True) -> bool:
        """Go on; True if it stopped since the present deal never ends."""
        return self._batch.climb(
            self.row, self._history, self._state, steps, BOUND, stop_at_loops, self.best,
            self._counts,
        )  # fmt: skip


def _ties(deal: Deal, rules: RuleSet, verdict: Verdict) -> int:
    assert verdict.tail is not None and verdict.period is not None
    game = Game(rules, State.of(deal))
    for _ in range(verdict.tail + verdict.period):
        game.turn()
    return game.wars
