"""Which engine counts: the kernels where they cover the question and it is worth loading them."""

from __future__ import annotations

from waranalysis.cards import Deals
from waranalysis.census import plain
from waranalysis.census.result import Census
from waranalysis.errors import LimitError
from waranalysis.kernels import MOST_CARDS, MOST_STRENGTHS
from waranalysis.rules import RuleSet
from waranalysis.termination import BOUND

# Plain Python counts so many deals before the compiled kernels are loaded.
FEW_DEALS = 10_000
MOST_YEARS = 1 / 4
# The packed kernel plays this long without asking for the bound.
_LEAST_BOUND = 1024


def covered(rules: RuleSet) -> bool:
    """Whether the kernels can play these rules."""
    symbol = isinstance(rules.winner_first_probability, str) and "coin" in rules.captures
    return (
        rules.players == 2 and not rules.choice_fields and rules.recognition is None and not symbol
    )


def covers(deals: Deals, rules: RuleSet) -> bool:
    """Whether the kernels can count these deals."""
    return (
        covered(rules)
        and rules.kind == "deterministic"
        and sum(deals.sizes) <= MOST_CARDS
        and len(deals.deck.counts) <= MOST_STRENGTHS
        and not deals.one_each
    )


def packs(deals: Deals, rules: RuleSet, bound: int = BOUND) -> bool:
    """Whether packets fit into machine words and wars are all alike (`kernels.packed`)."""
    cards, ranks = deals.deck.size, len(deals.deck.counts)
    small = (cards <= 16 and ranks <= 16) or (cards <= 20 and ranks <= 8)
    return (
        covers(deals, rules)
        and small
        and cards == sum(deals.sizes) >= 4
        and 0 not in deals.sizes
        and isinstance(rules.face_down, int)
        and rules.automatic_rank is None
        and rules.limit is None
        and rules.recycle == "bottom"
        and bound >= _LEAST_BOUND
    )


def mirrors(deals: Deals, rules: RuleSet, bound: int = BOUND) -> bool:
    """Whether exchanging the packets only exchanges the players, so that half the work will do."""
    alike = len(set(rules.captures)) == 1 and rules.captures[0] != "seat-first"
    even = len(set(deals.sizes)) == 1 and rules.all_short == "draw"
    return alike and even and packs(deals, rules, bound)


def by_kernels(deals: Deals, rules: RuleSet) -> bool:
    """Whether a census of all these deals goes through the kernels."""
    return deals.ranks > FEW_DEALS and covers(deals, rules)


PLAIN = "plain Python (play.py)"
RING = "ring kernel (kernels/ring.py)"
PACKED = "packed kernel (kernels/packed.py), the ring kernel for what it hands over"


def name_of(deals: Deals, rules: RuleSet, bound: int = BOUND) -> str:
    """The engine that a census goes through, for people."""
    if not by_kernels(deals, rules):
        return PLAIN
    return PACKED if packs(deals, rules, bound) else RING


def take_census(
    deals: Deals,
    rules: RuleSet,
    start: int,
    stop: int,
    keep: int = 1,
    bound: int = BOUND,
) -> Census:
    """The part of the census of all deals that the ranks from `start` to `stop` stand for.

    Where `mirrors` holds and the kernels count, that is those deals of the range which are not
    greater than their mirror image, and the images. The parts add up to the census of all deals,
    and only to that.
    """
    if not by_kernels(deals, rules):
        return plain.take_census(deals, rules, start, stop, keep, bound)
    from waranalysis.census import forward

    mirror = mirrors(deals, rules, bound)
    return forward.take_census(deals, rules, start, stop, keep, bound, mirror=mirror)


def stride(deals: Deals, rules: RuleSet) -> int:
    """Deals in a shard: a few seconds' worth."""
    if not by_kernels(deals, rules):
        return 20_000
    return 8_000_000 if packs(deals, rules) else 400_000


def check_size(deals: Deals, rules: RuleSet, parts: int = 1) -> None:
    """Raise `LimitError`, with the time, if nobody would wait for one of so many parts."""
    rate = 3_000
    if by_kernels(deals, rules):
        rate = 3_000_000 if packs(deals, rules) else 200_000
    rate *= 2 if mirrors(deals, rules) else 1
    years = deals.ranks // (rate * parts) / (365.25 * 86_400)
    if years > MOST_YEARS:
        raise LimitError(
            f"deck '{deals.deck}' has about 10^{len(str(deals.ranks)) - 1} deals, "
            f"{_years(years)} of work for one core: expected fewer; 'waranalysis sample' plays "
            "some of them, 'waranalysis order' counts distinct cards without dealing"
        )


def _years(years: float) -> str:
    return f"{years:.1f} years" if years < 1000 else f"10^{len(str(int(years))) - 1} years"
