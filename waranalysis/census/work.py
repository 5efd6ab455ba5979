"""The census of a deck as work that can be cut into shards."""

from __future__ import annotations

from functools import reduce
from typing import Any

from waranalysis.cards import Deals
from waranalysis.census.campaign import Campaign
from waranalysis.census.plain import take_census
from waranalysis.census.result import Census
from waranalysis.rules import RuleSet

STRIDE = 20_000


def census_campaign(deals: Deals, rules: RuleSet, keep: int, bound: int) -> Campaign:
    """The campaign that classifies all deals; see `merged` for what becomes of its records."""
    about = {
        "what": "enumerate",
        "deck": str(deals.deck),
        "split": list(deals.sizes),
        "rules": rules.to_dict(),
        "keep": keep,
        "bound": bound,
    }
    return Campaign(about, deals.ranks, STRIDE, count_deals)


def count_deals(about: dict[str, Any], start: int, stop: int) -> dict[str, Any]:
    """Classify the deals of ranks `start` to `stop`."""
    rules = RuleSet.from_dict(about["rules"])
    deals = rules.deals(rules.read_deck(about["deck"]), about["split"])
    return take_census(deals, rules, start, stop, about["keep"], about["bound"]).to_record()


def merged(records: list[dict[str, Any]]) -> Census:
    """The census of all shards together."""
    return reduce(Census.merge, map(Census.from_record, records))
