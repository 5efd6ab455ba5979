"""Every deal of a deck, or a sample of them."""

from __future__ import annotations

from collections.abc import Sequence

from waranalysis.census.engine import check_size, take_census
from waranalysis.census.result import Census
from waranalysis.rules import RuleSet


def enumerate(
    deck: str, rules: RuleSet | None = None, split: Sequence[int] | None = None
) -> Census:
    """Classify every deal of a deck.

    Parameters
    ----------
    deck : str
        A deck spec, such as "4x2".
    rules : RuleSet, optional
        Deterministic; "classic" by default.
    split : sequence of int, optional
        Cards for each player; as even as can be by default.

    Returns
    -------
    Census
    """
    chosen = RuleSet() if rules is None else rules
    deals = chosen.deals(chosen.read_deck(deck), split)
    check_size(deals, chosen)
    return take_census(deals, chosen, 0, deals.ranks)
