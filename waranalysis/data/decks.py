"""Every small deck under every fixed order: what becomes of all its deals.

Decks without two equal cards have no war, and a battle lays one card a side. So the number of
cards face down and what happens to a short player change nothing, a pile turned over or sorted
downward is the winner's card first, and sorted upward the loser's card first. In every deck, a
player who has no card for a war without cards face down has none to use either. A row that stands
for others is computed once; they name it under ``same_as``.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from waranalysis.cards import Deal, Deck
from waranalysis.census import sample
from waranalysis.census.engine import take_census
from waranalysis.census.result import NEVER
from waranalysis.certificate import certificate
from waranalysis.data.table import OUT_OF_REACH, Key, Made, Row, Table, spectrum
from waranalysis.errors import LimitError
from waranalysis.order.counts import OrderCounts, enumerate_orders
from waranalysis.order.tokens import deal_of
from waranalysis.rules import FIXED_ORDERS, RuleSet
from waranalysis.termination import classify

FACE_DOWN = ("0", "1", "3")
SHORTS = ("lose", "use-remaining")
MOST_CARDS, MOST_COPIES = 12, 4
ONE_SUIT = {
    "winner-first": "winner-first",
    "natural": "winner-first",
    "descending": "winner-first",
    "loser-first": "loser-first",
    "ascending": "loser-first",
    "seat-first": "seat-first",
}
_DEALT = 10  # distinct cards that are dealt; more are counted through `order`
_QUICK = 400_000
_SAMPLED = 1_000
# By the kernels, where loops are rare.
_SAMPLED_FAST, _BATCH = 10_000_000, 100_000

COLUMNS = (
    *("deck", "capture", "face_down", "short", "cards", "split", "deals", "wins_0", "wins_1"),
    *("draws", "never", "cycle_lengths", "longest", "total_battles", "longest_deal"),
    *("never_deal", "certificate", "same_as", "command"),
)


def deck_specs() -> list[str]:
    """The decks: R strengths, 1 to 4 copies of each, at most 12 cards; and 4x4."""
    return [
        *(
            f"{strengths}x{copies}"
            for copies in range(1, MOST_COPIES + 1)
            for strengths in range(1, MOST_CARDS // copies + 1)
            if strengths * copies > 1
        ),
        "4x4",
    ]


def one_suit(deck: str) -> bool:
    """Whether all cards of a deck RxC differ."""
    return deck.endswith("x1")


def computed(deck: str, capture: str, down: str, short: str) -> Key:
    """Order, cards face down and rule for the short of the row that is computed."""
    return (capture, "0", "lose") if one_suit(deck) or down == "0" else (capture, down, short)


def rules_of(capture: str, down: str, short: str) -> RuleSet:
    """The rules of a row."""
    return RuleSet(capture=capture, face_down=int(down), short=short)


def settings(capture: str, down: str, short: str) -> str:
    """The options that set the rules of a row."""
    return f"--set capture={capture} --set face_down={down} --set short={short}"


def make(key: Key) -> Made:
    """The row of a deck, an order, a number of cards face down and a rule for the short."""
    deck, capture, down, short = key
    like = computed(deck, ONE_SUIT[capture] if one_suit(deck) else capture, down, short)
    made = _counted(deck, like)
    if like == key[1:]:
        return made
    about = {"capture": capture, "face_down": down, "short": short, "same_as": " ".join(like)}
    command = f"waranalysis enumerate {deck} {settings(capture, down, short)} --json"
    return Made({**made.cells, **about, "command": command})


# The rows of one suit ask for three of these again and again.
@lru_cache(3)
def _counted(deck: str, key: Key) -> Made:
    distinct = one_suit(deck) and Deck.parse(deck).size > _DEALT
    return _ordered(deck, key) if distinct else _dealt(deck, key)


def _dealt(deck: str, key: Key) -> Made:
    rules = rules_of(*key)
    deals = rules.deals(rules.read_deck(deck))
    census = take_census(deals, rules, 0, deals.ranks)
    if census.undecided:
        raise LimitError(f"{deck}, {' '.join(key)}: {census.undecided} deals are undecided")
    never = deals.unrank(census.examples[NEVER][0]) if census.never else None
    counts = {
        "cards": deals.deck.size,
        "split": deals.split,
        "deals": census.deals,
        "wins_0": census.wins[0],
        "wins_1": census.wins[1],
        "draws": census.draws,
        "cycle_lengths": spectrum(census.cycle_lengths),
        "longest": census.longest[0] if census.longest else 0,
        "longest_deal": deals.unrank(census.longest[1]) if census.longest else None,
        "total_battles": census.total_battles,
        "command": f"waranalysis enumerate {deck} {settings(*key)} --json",
    }
    return _with_loop(deck, key, counts | {"never": census.never}, never)


def _ordered(deck: str, key: Key) -> Made:
    rules = rules_of(*key)
    found = enumerate_orders(Deck.parse(deck).size, rules, detail="battles", workers=1)
    command = f"waranalysis order {found.n} --capture {key[0]} --detail battles --json"
    counts = {"cards": found.n, "draws": 0, **order_cells(found), "command": command}
    return _with_loop(deck, key, counts, sampled_loop(found, rules))


def order_cells(found: OrderCounts) -> dict[str, Any]:
    """Cells that both tables of distinct cards have."""
    wins = found.wins or (OUT_OF_REACH, OUT_OF_REACH)
    battles = found.battles
    return {
        "split": "/".join(map(str, found.split)),
        "deals": found.deals,
        "wins_0": wins[0],
        "wins_1": wins[1],
        "never": found.never,
        "cycle_lengths": spectrum(found.cycle_lengths),
        "longest": found.longest or 0,
        "longest_deal": found.longest_deal,
        "total_battles": OUT_OF_REACH
        if battles is None
        else sum(length * deals for length, deals in battles.items()),
    }


def sampled_loop(found: OrderCounts, rules: RuleSet) -> Deal | None:
    """The first of many random deals that never ends, if any does."""
    if not found.never:
        return None
    random, order = Random(0), list(range(found.n))
    for _ in range(_SAMPLED):
        random.shuffle(order)
        deal = deal_of(found.split[0], order)
        if classify(deal, rules).kind == "cycles":
            return deal
    table = sample.Table(Deck.parse(f"{found.n}x1"), rules)
    for start in range(0, _SAMPLED_FAST, _BATCH):
        never = sample.play_games(table, 0, start, start + _BATCH).census.examples.get(NEVER)
        if never:
            return table.deal(0, never[0])
    return None


def _with_loop(deck: str, key: Key, counts: dict[str, Any], never: Deal | None) -> Made:
    capture, down, short = key
    cells = {"deck": deck, "capture": capture, "face_down": down, "short": short, "same_as": None}
    name = f"certificates/{deck}_{capture}_{down}-down_{short}.json"
    return with_certificate(cells | counts, never, rules_of(*key), name)


def with_certificate(cells: dict[str, Any], never: Deal | None, rules: RuleSet, name: str) -> Made:
    """A row with its never-ending deal and the certificate of it."""
    if never is None:
        return Made(cells | {"never_deal": None, "certificate": None})
    proof = certificate(never, rules, classify(never, rules))
    return Made(cells | {"never_deal": never, "certificate": name}, proof)


def _quick(row: Row) -> bool:
    return int(row["deals"]) <= _QUICK or (one_suit(row["deck"]) and int(row["cards"]) > _DEALT)


DECKS = Table(
    "decks",
    COLUMNS,
    4,
    tuple(product(deck_specs(), FIXED_ORDERS, FACE_DOWN, SHORTS)),
    make,
    _quick,
)
