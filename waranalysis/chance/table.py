"""One deck under many house rules: does chance make the end certain, and how long is a game?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from waranalysis.cards import Deck
from waranalysis.chance.compare import compare
from waranalysis.chance.ends import find_ends
from waranalysis.chance.solve import solve
from waranalysis.chance.value import Interval
from waranalysis.graph.build import Split, state_graph
from waranalysis.graph.model import StateGraph
from waranalysis.rules import FIXED_ORDERS, RuleSet

FACE_DOWN = (0, 1, 3)
SHORTS = ("lose", "use-remaining", "last-card", "short-packet", "draw")
MOST_TRANSITIONS = 20_000_000
_EXACT = 4_000
COLUMNS = [
    *("deck", "split", "capture", "face_down", "short", "positions", "ends", "transitions"),
    *("closed_classes", "ending_certain", "rank", "battles_lower", "battles_upper"),
    *(f"never_{order}" for order in FIXED_ORDERS),
    *(f"positions_never_{order}" for order in FIXED_ORDERS),
]


def table_rows(deck: Deck, rules: RuleSet, split: Split = None) -> Iterator[dict[str, Any]]:
    """Yield a row for shuffled pots and for a fair coin, for each of `FACE_DOWN` and `SHORTS`.

    Without two equal cards there are no wars: one row stands for all, with nothing in the columns
    of what concerns wars. ``never_…`` counts deals that never end under a fixed order,
    ``positions_never_…`` positions. Expected battles are for a random deal: a fraction in both
    columns if it is exact, bounds if it is not, and nothing beyond 20 million transitions.
    """
    equal = any(count > 1 for _, count in deck.counts)
    for down, short in product(FACE_DOWN, SHORTS) if equal else [(0, "lose")]:
        house = rules.changed({"face_down": down, "short": short})
        fixed = [compare(deck, house, order, split) for order in FIXED_ORDERS]
        never = {f"never_{f.capture}": f.never for f in fixed}
        never |= {f"positions_never_{f.capture}": f.positions_never for f in fixed}
        for capture in ("shuffled", "coin"):
            graph = state_graph(deck, house.changed({"capture": capture}), split)
            about = {"capture": capture} | ({"face_down": down, "short": short} if equal else {})
            yield about | _row(graph) | never


def _row(graph: StateGraph) -> dict[str, Any]:
    ends = find_ends(graph)
    row = {
        "deck": graph.deck,
        "split": graph.split,
        "positions": graph.positions,
        "ends": len(graph.ends),
        "transitions": graph.transitions,
        "closed_classes": len(graph.ends) + len(ends.traps),
        "ending_certain": int(ends.certain),
        "rank": int(ends.rank.max(initial=0)),
    }
    if graph.transitions <= MOST_TRANSITIONS:
        method = "exact" if graph.positions <= _EXACT else "certified"
        battles = solve(graph, method).random_deal.battles
        bounds = battles if isinstance(battles, Interval) else (battles, battles)
        row |= zip(("battles_lower", "battles_upper"), map(str, bounds), strict=True)
    return row
