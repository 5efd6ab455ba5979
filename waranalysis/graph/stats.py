"""The numbers of a state graph, as programs read them."""

from __future__ import annotations

from typing import Any

import numpy as np

from waranalysis.graph.model import StateGraph
from waranalysis.graph.structure import Cycle, Structure


def stats(found: Structure) -> dict[str, Any]:
    """Return sizes, closed classes and cycles.

    Positions have cards on at least two sides, an end is one node a winner and one for a draw,
    counted when it is reached; transitions start at positions. Fields that do not apply are
    absent: `cycles`, `cycles_up_to_swap`, `on_cycles` and `cycle_lengths` (cycles by period) are
    for deterministic rules.
    """
    graph = found.graph
    degrees = np.bincount(found.in_degree[: graph.positions])
    record: dict[str, Any] = {
        "kind": graph.rules.kind,
        "positions": graph.positions,
        "moments": len(graph.moments) or None,
        "ends": len(graph.ends),
        "winners": list(graph.ends),
        "transitions": graph.transitions,
        "deals": int(graph.deals.sum()),
        "components": len(found.component_sizes),
        "largest_component": max(found.component_sizes.values()),
        "closed_classes": len(found.closed_classes),
        "closed_classes_without_end": len(found.closed_classes) - len(graph.ends),
        "garden_of_eden": len(found.garden_of_eden),
        "in_degrees": {str(d): n for d, n in enumerate(degrees.tolist()) if n},
        "never_end": found.never_end,
        "deals_never_end": found.deals_never_end,
        "longest": int(found.distance.max(initial=0)),
        "lengths": {str(length): deals for length, deals in found.game_lengths.items()},
    }
    if found.fate is not None:
        record |= {
            "cycles": len(found.cycles),
            "cycles_up_to_swap": found.cycles_up_to_swap,
            "on_cycles": int(found.on_cycle.sum()),
            "cycle_lengths": {str(period): n for period, n in found.periods.items()},
        }
    return {field: value for field, value in record.items() if value is not None}


def cycle_record(graph: StateGraph, number: int, cycle: Cycle) -> dict[str, Any]:
    """Return one cycle with all its states in the order of play, the least first."""
    record = {
        "cycle": number,
        "period": cycle.period,
        "basin": cycle.basin,
        "deals": cycle.deals,
        "longest_tail": cycle.longest_tail,
        "own_image": cycle.own_image,
        "entries": [graph.text(node) for node in cycle.entries],
        "states": [graph.text(node) for node in cycle.nodes.tolist()],
    }
    return {field: value for field, value in record.items() if value is not None}
