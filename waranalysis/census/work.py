"""The census of a deck as work that can be cut into shards."""

from __future__ import annotations

from functools import reduce
from typing import Any

from waranalysis.cards import Deals
from waranalysis.census.campaign import Campaign
from waranalysis.census.engine import by_kernels, check_size, stride, take_census
from waranalysis.census.result import Census
from waranalysis.errors import CardsError
from waranalysis.rules import RuleSet


def census_campaign(
    deals: Deals, rules: RuleSet, keep: int, bound: int, part: tuple[int, int] = (1, 1)
) -> Campaign:
    """The campaign that classifies all deals; see `merged` for what becomes of its records.

    Number k of n parts stands for about an n-th of the deals, from all over the deck; all parts
    together stand for every deal.
    """
    check_size(deals, rules, part[1])
    most = -(-deals.ranks // stride(deals, rules))
    if part[1] > most:
        raise CardsError(
            f"part {part[0]}/{part[1]}: expected at most {most:,} parts of these deals"
        )
    about = {
        "what": "enumerate",
        "deck": str(deals.deck),
        "split": list(deals.sizes),
        "rules": rules.to_dict(),
        "keep": keep,
        "bound": bound,
    }
    compiled = by_kernels(deals, rules)
    return Campaign(about, deals.ranks, stride(deals, rules), count_deals, part, compiled)


def count_deals(about: dict[str, Any], start: int, stop: int) -> dict[str, Any]:
    """Classify the deals of ranks `start` to `stop`."""
    rules = RuleSet.from_dict(about["rules"])
    deals = rules.deals(rules.read_deck(about["deck"]), about["split"])
    return take_census(deals, rules, start, stop, about["keep"], about["bound"]).to_record()


def merged(records: list[dict[str, Any]]) -> Census:
    """The census of all shards together."""
    return reduce(Census.merge, map(Census.from_record, records))
