"""Expected battles of the small decks when pots are shuffled, or put back by a fair coin.

As in `waranalysis.data.decks`, a row that stands for others is computed once.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

from waranalysis.cards import Deck, sequences
from waranalysis.chance.ends import Ends
from waranalysis.chance.result import Outlook
from waranalysis.chance.solve import solve
from waranalysis.chance.survey import survey
from waranalysis.chance.table import MOST_TRANSITIONS
from waranalysis.chance.value import Interval
from waranalysis.data.decks import FACE_DOWN, SHORTS, computed, deck_specs, rules_of, settings
from waranalysis.data.table import OUT_OF_REACH, Key, Made, Row, Table
from waranalysis.graph.build import state_graph

# Positions of 5x2, the greatest deck that is looked at; the next has 2,903,040.
MOST_POSITIONS = 1_020_600
CAPTURES = ("shuffled", "coin")
_A_MILLION = 1_000_000
_QUICK = 20_000
_VALUES = ("battles", "wins_0", "wins_1", "draw")

COLUMNS = (
    *("deck", "capture", "face_down", "short", "cards", "split", "positions", "ends"),
    *("transitions", "ending_certain", "method"),
    *(f"{value}_{side}" for value in _VALUES for side in ("lower", "upper")),
    *("same_as", "command"),
)


def make(key: Key) -> Made:
    """The row of a deck, a kind of chance and house rules; dashes for what is too large."""
    deck, capture, down, short = key
    like = computed(deck, capture, down, short)
    about: dict[str, Any] = dict(zip(COLUMNS, key, strict=False))
    cards = Deck.parse(deck)
    about |= {"cards": cards.size, "split": "/".join(map(str, cards.sizes(2)))}
    if most_positions(cards) > MOST_POSITIONS:
        return Made(dict.fromkeys(COLUMNS, OUT_OF_REACH) | about | {"same_as": None})
    about |= _values(deck, like)
    about["same_as"] = None if like == key[1:] else " ".join(like)
    about["command"] = f"waranalysis chance {deck} {settings(capture, down, short)} --json"
    return Made(about)


def most_positions(deck: Deck) -> int:
    """Positions of a deck, whether they come up in a game or not."""
    return sequences(tuple(copies for _, copies in deck.counts), deck.size) * (deck.size - 1)


# The rows of one suit, and pairs of others, ask for the same.
@lru_cache(1)
def _values(deck: str, key: Key) -> dict[str, Any]:
    rules = rules_of(*key)
    ends = survey(deck, rules)
    if ends.graph.positions > _A_MILLION and ends.graph.transitions > MOST_TRANSITIONS:
        return _counts(ends)
    found = solve(state_graph(deck, rules))
    return _counts(ends) | {"method": found.method} | _bounds(found.random_deal)


def _counts(ends: Ends) -> dict[str, Any]:
    found = ends.graph
    return dict.fromkeys(COLUMNS[COLUMNS.index("method") : -2], OUT_OF_REACH) | {
        "positions": found.positions,
        "ends": len(found.ends),
        "transitions": found.transitions,
        "ending_certain": int(ends.certain),
    }


def _bounds(deal: Outlook) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for name, value in zip(_VALUES, (deal.battles, *deal.winners, deal.draw), strict=True):
        bounds = value if isinstance(value, Interval) else (value, value)
        cells |= zip((f"{name}_lower", f"{name}_upper"), bounds, strict=True)
    return cells


def _quick(row: Row) -> bool:
    return row["positions"] == OUT_OF_REACH or int(row["positions"]) <= _QUICK


SHUFFLED = Table(
    "shuffled",
    COLUMNS,
    4,
    tuple(product(deck_specs(), CAPTURES, FACE_DOWN, SHORTS)),
    make,
    _quick,
)
