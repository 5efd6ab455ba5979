"""One deal that goes round for ever under several orders of the pot at once."""

from __future__ import annotations

from collections.abc import Sequence

from waranalysis.cards import Deal, Deck
from waranalysis.construct.pattern import Pattern, deal_of
from waranalysis.construct.smallest import decks
from waranalysis.errors import LimitError
from waranalysis.rules import RuleSet
from waranalysis.termination import Verdict, classify


def verdicts(deal: Deal, rules: Sequence[RuleSet]) -> list[Verdict] | None:
    """The loops of a deal under all of the rules; None if it ends under one of them."""
    found = []
    for own in rules:
        verdict = classify(deal, own)
        if verdict.kind == "undecided":
            raise LimitError(f"{deal} is undecided")
        if verdict.kind != "cycles":
            return None
        found.append(verdict)
    return found


def common(rules: Sequence[RuleSet], most: int, even: bool = True) -> Deal | None:
    """The first deal of the smallest deck that goes round under all of the rules.

    Parameters
    ----------
    rules : sequence of RuleSet
    most : int
        Cards of the greatest decks.
    even : bool
        Deal packets as even as can be, not of all sizes.
    """
    for deck, sizes in decks(most, even):
        for deal in rules[0].deals(deck, sizes).iterate():
            if verdicts(deal, rules) is not None:
                return deal
    return None


def vary(
    deck: Deck, pattern: Pattern, rules: Sequence[RuleSet], most: int
) -> tuple[Deal, list[Verdict]] | None:
    """Another deal for a pattern that goes round under all of the rules, after `most` at latest.

    The pattern is one of the first rules.
    """
    for variation in range(most):
        deal = deal_of(pattern, deck, rules[0], variation)
        assert deal is not None
        found = verdicts(deal, rules)
        if found is not None:
            return deal, found
    return None
