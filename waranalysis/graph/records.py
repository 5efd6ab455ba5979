"""Nodes and transitions one by one, with everything that is known about them, and networkx."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from waranalysis.cards import Naming
from waranalysis.errors import LimitError
from waranalysis.graph.model import Choice, StateGraph
from waranalysis.graph.structure import Structure, structure
from waranalysis.provenance import provenance

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

Record = dict[str, Any]


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
      never end, `cycle` (its number) and `period`.
    """
    graph = found.graph
    deals = dict(zip(graph.starts.tolist(), graph.deals.tolist(), strict=True))
    component, distance = found.component.tolist(), found.distance.tolist()
    for node in range(graph.nodes):
        record = {"id": node, "kind": _kind(graph, node), "state": graph.text(node)}
        if node < graph.positions:
            record["sizes"] = sizes_text(graph, node)
        if node in deals:
            record["deals"] = deals[node]
        record["component"] = component[node]
        if distance[node] >= 0:
            record["distance"] = distance[node]
        yield record | _course(found, node)


def _kind(graph: StateGraph, node: int) -> str:
    if node < graph.positions:
        return "position"
    return "moment" if node < graph.first_end else "end"


def sizes_text(graph: StateGraph, position: int) -> str:
    """Cards of each player at a position, won piles included."""
    state = graph.state(position)
    held = (len(p) + len(q) for p, q in zip(state.packets, state.piles, strict=True))
    return "/".join(map(str, held))


def _course(found: Structure, node: int) -> Record:
    """Where a node leads to."""
    graph = found.graph
    if found.fate is None or found.tail is None:
        return {"outcome": _outcome(graph, node)} if node >= graph.first_end else {}
    fate, tail = int(found.fate[node]), int(found.tail[node])
    record: Record = {"on_cycle": fate >= 0 and tail == 0, "tail": tail}
    if fate < 0:
        return record | {"outcome": _outcome(graph, graph.first_end - 1 - fate)}
    loop = {"cycle": fate, "period": found.cycles[fate].period}
    return record | loop | {"outcome": "never"}


def _outcome(graph: StateGraph, end: int) -> str:
    winner = graph.ends[end - graph.first_end]
    return "draw" if winner is None else f"player {winner + 1}"


def edge_records(graph: StateGraph) -> Iterator[Record]:
    """Yield every transition.

    Each has `source`, `target` and `probability`, an exact text; `p`, the same as a float, unless
    it is a symbol; and where there are choices `action` (its number at the source) and `choice`.
    """
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
    for record in edge_records(graph):
        result.add_edge(record.pop("source"), record.pop("target"), **record)
    return result
