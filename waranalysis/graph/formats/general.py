"""JSON, GraphML, GEXF, DOT, CSV: formats for programs that know about graphs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from xml.sax.saxutils import escape, quoteattr

from waranalysis.graph.records import (
    Record,
    about,
    edge_fields,
    edge_records,
    node_fields,
    node_records,
)
from waranalysis.graph.structure import Structure

Lines = Iterator[str]


def json_lines(found: Structure) -> Lines:
    """Yield JSON with nodes and links, as networkx reads it; `schema.json` describes it."""
    graph = found.graph
    head = about(graph) | {"directed": True, "multigraph": bool(graph.rules.choice_fields)}
    yield json.dumps(head)[:-1] + ', "graph": {}, "nodes": ['
    yield from _items(node_records(found))
    yield '], "links": ['
    yield from _items(edge_records(found))
    yield "]}"


def _items(records: Iterable[Record]) -> Lines:
    """JSON objects with commas between them."""
    previous = None
    for record in records:
        if previous is not None:
            yield previous + ","
        previous = json.dumps(record)
    if previous is not None:
        yield previous


# --- XML -------------------------------------------------------------------------------------

_GRAPHML = {str: "string", int: "long", float: "double", bool: "boolean"}


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def graphml_lines(found: Structure) -> Lines:
    """Yield GraphML."""
    node, edge = node_fields(found), edge_fields(found)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    yield '<key id="about" for="graph" attr.name="about" attr.type="string"/>'
    for kind, fields in (("node", node), ("edge", edge)):
        for field, of in fields.items():
            name = f'attr.name="{field}" attr.type="{_GRAPHML[of]}"'
            yield f'<key id="{kind}-{field}" for="{kind}" {name}/>'
    yield '<graph edgedefault="directed">'
    yield f'<data key="about">{escape(json.dumps(about(found.graph)))}</data>'
    for record in node_records(found):
        yield f'<node id="{record["id"]}">{_graphml_data(record, "node", node)}</node>'
    for number, record in enumerate(edge_records(found)):
        ends = f'source="{record["source"]}" target="{record["target"]}"'
        yield f'<edge id="e{number}" {ends}>{_graphml_data(record, "edge", edge)}</edge>'
    yield "</graph>"
    yield "</graphml>"


def _graphml_data(record: Record, kind: str, fields: dict[str, type]) -> str:
    return "".join(
        f'<data key="{kind}-{field}">{escape(_value(record[field]))}</data>'
        for field in fields
        if field in record
    )


def gexf_lines(found: Structure) -> Lines:
    """Yield GEXF 1.2, for Gephi."""
    node, edge = node_fields(found), edge_fields(found)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">'
    note = escape(json.dumps(about(found.graph)))
    yield f"<meta><creator>waranalysis</creator><description>{note}</description></meta>"
    yield '<graph defaultedgetype="directed" mode="static">'
    for kind, fields in (("node", node), ("edge", edge)):
        yield f'<attributes class="{kind}" mode="static">'
        for field, of in fields.items():
            yield f'<attribute id="{kind}-{field}" title="{field}" type="{_GRAPHML[of]}"/>'
        yield "</attributes>"
    yield "<nodes>"
    for record in node_records(found):
        label = quoteattr(record["state"])
        values = _gexf_values(record, "node", node)
        yield f'<node id="{record["id"]}" label={label}>{values}</node>'
    yield "</nodes>"
    yield "<edges>"
    for number, record in enumerate(edge_records(found)):
        ends = f'source="{record["source"]}" target="{record["target"]}"'
        yield f'<edge id="{number}" {ends}>{_gexf_values(record, "edge", edge)}</edge>'
    yield "</edges>"
    yield "</graph>"
    yield "</gexf>"


def _gexf_values(record: Record, kind: str, fields: dict[str, type]) -> str:
    values = "".join(
        f'<attvalue for="{kind}-{field}" value={quoteattr(_value(record[field]))}/>'
        for field in fields
        if field in record
    )
    return f"<attvalues>{values}</attvalues>"


# --- DOT -------------------------------------------------------------------------------------


def dot_lines(found: Structure) -> Lines:
    """Yield DOT, for Graphviz: ends with a double line, cycles and the region of a strategy shaded,
    what it chooses drawn thick."""
    chance = any(value != 1 for value in found.graph.values)
    yield f"// {json.dumps(about(found.graph))}"
    yield "digraph war {"
    yield 'node [shape=box, style=filled, fillcolor=white, fontname="Helvetica"];'
    more: Record
    for record in node_records(found):
        more = {"label": record["state"]}
        if record["kind"] == "end":
            more |= {"peripheries": 2}
        if record.get("on_cycle") or record.get("region"):
            more |= {"fillcolor": "gray85"}
        yield f"{record['id']} {_dot_attributes(more | _without(record, 'id'))};"
    for record in edge_records(found):
        label = [record["probability"]] * chance + list(filter(None, [record.get("choice")]))
        more = {"label": ", ".join(label)} if label else {}
        if record.get("chosen"):
            more |= {"penwidth": 3}
        ends = f"{record['source']} -> {record['target']}"
        yield f"{ends} {_dot_attributes(more | _without(record, 'source', 'target'))};"
    yield "}"


def _without(record: Record, *fields: str) -> Record:
    return {field: value for field, value in record.items() if field not in fields}


def _dot_attributes(record: Record) -> str:
    texts = (_value(value).replace("\\", "\\\\").replace('"', '\\"') for value in record.values())
    return (
        "["
        + ", ".join(f'{field}="{text}"' for field, text in zip(record, texts, strict=True))
        + "]"
    )


# --- CSV -------------------------------------------------------------------------------------


def node_csv_lines(found: Structure) -> Lines:
    """Yield a table of nodes."""
    return _csv(["id", *node_fields(found)], node_records(found))


def edge_csv_lines(found: Structure) -> Lines:
    """Yield a table of transitions."""
    return _csv(["source", "target", *edge_fields(found)], edge_records(found))


def _csv(header: list[str], records: Iterable[Record]) -> Lines:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, header, lineterminator="")
    titles: Record = {field: field for field in header}
    for record in chain([titles], records):
        writer.writerow({field: _value(value) for field, value in record.items()})
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def about_lines(found: Structure) -> Lines:
    """Yield what it takes to make the graph again, for formats that have no place for it."""
    yield json.dumps(about(found.graph))
