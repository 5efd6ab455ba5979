"""Nodes and transitions one by one, with everything that is known about them, and networkx."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waranalysis.cards import Naming
from waranalysis.errors import LimitError
from waranalysis.graph.model import Choice, StateGraph
from waranalysis.graph.structure import Structure, structure
from waranalysis.play import State
from waranalysis.provenance import provenance
from waranalysis.trace import state_text

if TYPE_CHECKING:
    import networkx as nx

MOST = 500_000

NODE_FIELDS = {
    "kind": str,
    "state": str,
    "sizes": str,
    "deals": int,
    "component": int,
    "distance": int,
    "on_cycle": bool,
    "cycle": int,
    "tail": int,
    "period": int,
    "outcome": str,
}
EDGE_FIELDS = {"probability": str, "p": float, "action": int, "choice": str}
_MARKED_NODE_FIELDS = {"region": bool, "rank": int}
_MARKED_EDGE_FIELDS = {"chosen": bool}

Record = dict[str, Any]


def node_fields(found: Structure) -> dict[str, type]:
    """The fields that nodes may have, and their types."""
    return NODE_FIELDS if found.marks is None else NODE_FIELDS | _MARKED_NODE_FIELDS


def edge_fields(found: Structure) -> dict[str, type]:
    """The fields that transitions may have, and their types."""
    return EDGE_FIELDS if found.marks is None else EDGE_FIELDS | _MARKED_EDGE_FIELDS


def about(graph: StateGraph) -> Record:
    """What it takes to make a graph again, and its size."""
    given = None
    if graph.deck is None:
        given = [graph.text(start) for start in graph.starts.tolist()]
    record = provenance("graph", graph.rules, deck=graph.deck, split=graph.split, deals=given)
    sizes = {"positions": graph.positions, "ends": len(graph.ends)}
    return record | sizes | {"transitions": graph.transitions}


def node_records(found: Structure) -> Iterator[Record]:
    """Yield every node.

    Each has `id`, `kind` ("position", "moment" or "end"), `state` (a line of text), `component`
    (the least node in it); further, where they apply:

    - `sizes`: cards of each player, such as "4/4"; `deals`: deals that start there;
    - `distance`: fewest turns to an end;
    - `outcome`: at an end, and in deterministic graphs wherever it is led to, "player 1",
      "player 2", …, "draw" or "never";
    - in deterministic graphs `on_cycle`, `tail` (turns to the cycle or end) and, for those that
      never end, `cycle` (its number) and `period`;
    - where a strategy is marked `region` and, inside it, `rank`.
    """
    graph = found.graph
    deals = dict(zip(graph.starts.tolist(), graph.deals.tolist(), strict=True))
    component, distance = found.component.tolist(), found.distance.tolist()
    course = _courses(found)
    for node in range(graph.nodes):
        record: Record = {"id": node}
        if node < graph.positions:
            state = graph.state(node)
            text = state_text(state, graph.naming)
            record |= {"kind": "position", "state": text, "sizes": sizes_text(state)}
        else:
            kind = "moment" if node < graph.first_end else "end"
            record |= {"kind": kind, "state": graph.text(node)}
        if node in deals:
            record["deals"] = deals[node]
        record["component"] = component[node]
        if distance[node] >= 0:
            record["distance"] = distance[node]
        yield record | next(course) | _mark(found, node)


def _mark(found: Structure, node: int) -> Record:
    if found.marks is None:
        return {}
    if not found.marks.region[node]:
        return {"region": False}
    return {"region": True, "rank": int(found.marks.rank[node])}


def sizes_text(state: State) -> str:
    """Cards of each player, won piles included."""
    held = (len(p) + len(q) for p, q in zip(state.packets, state.piles, strict=True))
    return "/".join(map(str, held))


def _courses(found: Structure) -> Iterator[Record]:
    """Yield where each node leads to."""
    graph = found.graph
    ends = [{"outcome": _outcome(winner)} for winner in graph.ends]
    if found.fate is None or found.tail is None:
        yield from ({} for _ in range(graph.first_end))
        yield from ends
        return
    for fate, tail in zip(found.fate.tolist(), found.tail.tolist(), strict=True):
        record: Record = {"on_cycle": fate >= 0 and tail == 0, "tail": tail}
        if fate >= 0:
            record |= {"cycle": fate, "period": found.cycles[fate].period, "outcome": "never"}
        yield record if fate >= 0 else record | ends[-1 - fate]


def _outcome(winner: int | None) -> str:
    return "draw" if winner is None else f"player {winner + 1}"


def edge_records(found: Structure) -> Iterator[Record]:
    """Yield every transition.

    Each has `source`, `target` and `probability`, an exact text; `p`, the same as a float, unless
    it is a symbol; where there are choices `action` (its number at the source) and `choice`; and
    where a strategy is marked `chosen`.
    """
    graph = found.graph
    texts = [str(value) for value in graph.values]
    floats = [as_float(value) for value in graph.values]
    choices = [choice_text(label, graph.naming) for label in graph.choices]
    indices, chances = graph.indices, graph.chances
    for node in range(graph.first_end):
        first = int(graph.actions[node])
        for action in range(first, int(graph.actions[node + 1])):
            label = choices[graph.labels[action]]
            chosen = {"action": action - first, "choice": label} if label else {}
            for edge in range(int(graph.indptr[action]), int(graph.indptr[action + 1])):
                record = {"source": node, "target": int(indices[edge])}
                record["probability"] = texts[chances[edge]]
                if floats[chances[edge]] is not None:
                    record["p"] = floats[chances[edge]]
                if found.marks is not None:
                    record["chosen"] = bool(found.chosen[edge])
                yield record | chosen


def as_float(value: Any) -> float | None:
    """A probability as a float; None for a symbol."""
    return float(value) if not getattr(value, "free_symbols", None) else None


def choice_text(label: tuple[Choice, ...], naming: Naming) -> str:
    """The choices of an action in words: "player 1: winner first"."""
    return "; ".join(f"player {c.seat + 1}: {_answer(c, naming)}" for c in label)


def _answer(choice: Choice, naming: Naming) -> str:
    if isinstance(choice.answer, tuple):
        return naming.write_all(choice.answer)
    if choice.kind == "hand":
        return "second card" if choice.answer else "first card"
    return "winner first" if choice.answer else "loser first"


def to_networkx(found: Structure | StateGraph) -> nx.DiGraph[int]:
    """Return a graph for networkx.

    Parameters
    ----------
    found : Structure or StateGraph

    Returns
    -------
    networkx.DiGraph or, for rules that leave choices, networkx.MultiDiGraph
        The attributes of nodes and edges are those of `node_records` and `edge_records`, those of
        the graph are those of `about`.

    Raises
    ------
    LimitError
        If nodes and transitions together are more than 500,000: networkx takes about 1 kB for
        each.
    """
    import networkx as nx

    if isinstance(found, StateGraph):
        found = structure(found)
    graph = found.graph
    if graph.nodes + graph.transitions > MOST:
        raise LimitError(
            f"{graph.nodes:,} nodes and {graph.transitions:,} transitions are too many for "
            f"networkx: expected at most {MOST:,} together; the arrays and the files have no "
            "such limit"
        )
    kind = nx.MultiDiGraph if graph.rules.choice_fields else nx.DiGraph
    result: nx.DiGraph[int] = kind(**about(graph))
    for record in node_records(found):
        result.add_node(record.pop("id"), **record)
    for record in edge_records(found):
        result.add_edge(record.pop("source"), record.pop("target"), **record)
    return result
