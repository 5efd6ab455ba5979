"""One deck under many house rules: does chance make the end certain, and how long is a game?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from waranalysis.cards import Deck
from waranalysis.chance.certified import enclose
from waranalysis.chance.compare import compare
from waranalysis.chance.ends import Ends
from waranalysis.chance.solve import solve
from waranalysis.chance.survey import survey
from waranalysis.chance.value import mean
from waranalysis.graph.build import MEMORY, NODES, Split, state_graph
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


def houses(deck: Deck) -> list[tuple[int, str]]:
    """The cards face down and the values of `short` that make a difference: two rows for each."""
    equal = any(count > 1 for _, count in deck.counts)
    return list(product(FACE_DOWN, SHORTS)) if equal else [(0, "lose")]


def table_rows(
    deck: Deck, rules: RuleSet, split: Split = None, memory: int = MEMORY
) -> Iterator[dict[str, Any]]:
    """Yield a row for shuffled pots and for a fair coin, for each of `FACE_DOWN` and `SHORTS`.

    Without two equal cards there are no wars: one row stands for all, with nothing in the columns
    of what concerns wars. ``never_…`` counts deals that never end under a fixed order,
    ``positions_never_…`` positions. Expected battles are for a random deal: a fraction in both
    columns if it is exact, bounds if it is not, and nothing beyond 20 million transitions.
    """
    equal = any(count > 1 for _, count in deck.counts)
    for down, short in houses(deck):
        house = rules.changed({"face_down": down, "short": short})
        fixed = [compare(deck, house, order, split, memory) for order in FIXED_ORDERS]
        never = {f"never_{f.capture}": f.never for f in fixed}
        never |= {f"positions_never_{f.capture}": f.positions_never for f in fixed}
        for capture in ("shuffled", "coin"):
            chain = house.changed({"capture": capture})
            ends = survey(deck, chain, split, memory)
            about = {"capture": capture} | ({"face_down": down, "short": short} if equal else {})
            row = about | _counts(ends) | never
            if ends.graph.transitions <= MOST_TRANSITIONS:
                row |= _battles(state_graph(deck, chain, split, NODES, memory), ends)
            yield row


def _counts(ends: Ends) -> dict[str, Any]:
    found = ends.graph
    return {
        "deck": found.deck,
        "split": found.split,
        "positions": found.positions,
        "ends": len(found.ends),
        "transitions": found.transitions,
        "closed_classes": len(found.ends) + len(ends.traps),
        "ending_certain": int(ends.certain),
        "rank": int(ends.rank.max(initial=0)),
    }


def _battles(graph: StateGraph, ends: Ends) -> dict[str, str]:
    if not ends.certain:
        return {}
    if graph.positions <= _EXACT:
        bounds = [solve(graph, "exact").random_deal.battles] * 2
    else:
        found = enclose(graph, ends.rank, [])  # who wins is not asked for
        low, high = found.battles[:, graph.starts]
        bounds = [*mean(low, high, graph.weights.tolist())]
    return dict(zip(("battles_lower", "battles_upper"), map(str, bounds), strict=True))
