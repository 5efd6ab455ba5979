"""The fewest cards with which any game goes round, by playing every deal of every deck."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from waranalysis.cards import Deck
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet
from waranalysis.termination import classify

MOST_CARDS = 6


@dataclass(frozen=True)
class Smallest:
    """The first deal that goes round, in order of cards, then split, then deck.

    Attributes
    ----------
    rules : RuleSet
    even : bool
        Only packets as even as can be were dealt.
    cards : int or None
        None if no deck of up to `most` cards has such a deal.
    most : int
    deck, deal : str
        Empty if there is none.
    period : int or None
    deals : int
        Deals that were played to their ends before.
    """

    rules: RuleSet
    even: bool
    cards: int | None
    most: int
    deck: str
    deal: str
    period: int | None
    deals: int

    @property
    def told_size(self) -> str:
        """The number of cards, or that it is greater than those tried."""
        return str(self.cards) if self.cards is not None else f"over {self.most}"

    def to_dict(self) -> dict[str, Any]:
        """The answer as programs read it."""
        found: dict[str, Any] = {
            "even": self.even,
            "cards": self.cards,
            "most": self.most,
            "deck": self.deck,
            "deal": self.deal,
        }
        counts: dict[str, Any] = {"period": self.period, "deals": self.deals}
        return provenance("smallest", self.rules) | found | counts


def smallest(rules: RuleSet, even: bool, most: int = MOST_CARDS) -> Smallest:
    """Play all deals of all decks of 2, 3, … cards until one goes round.

    Parameters
    ----------
    rules : RuleSet
        Deterministic, two players.
    even : bool
        Deal packets as even as can be, not of all sizes.
    most : int
        Cards at which to stop. All decks of 6 cards take seconds, each card more ten times that.

    Notes
    -----
    Decks that differ only in the names of the strengths count once: that is right for rules in
    which no strength has a meaning of its own.
    """
    played = 0
    for deck, sizes in decks(most, even):
        for deal in rules.deals(deck, sizes).iterate():
            verdict = classify(deal, rules)
            assert verdict.kind != "undecided"
            if verdict.kind == "cycles":
                spec, shown = str(deck), str(deal)
                return Smallest(rules, even, deck.size, most, spec, shown, verdict.period, played)
            played += 1
    return Smallest(rules, even, None, most, "", "", None, played)


def decks(most: int, even: bool) -> Iterator[tuple[Deck, tuple[int, int]]]:
    """All decks of 2 to `most` cards and the packet sizes to deal them into."""
    for cards in range(2, most + 1):
        splits = [(cards + 1) // 2] if even else range(cards - 1, 0, -1)
        for first in splits:
            for parts in range(1, cards + 1):
                for cuts in combinations(range(1, cards), parts - 1):
                    ends = (0, *cuts, cards)
                    counts = (ends[i + 1] - ends[i] for i in range(parts))
                    spec = ",".join(f"{i}:{copies}" for i, copies in enumerate(counts, 2))
                    yield Deck.parse(spec), (first, cards - first)
