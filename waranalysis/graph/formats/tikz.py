"""TikZ pictures, for LaTeX."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from waranalysis.errors import LimitError
from waranalysis.graph.layout import layout
from waranalysis.graph.records import about
from waranalysis.graph.structure import Structure

MOST = 20_000
LABELLED = 40
_WIDTH = 8.0

Lines = Iterator[str]


def tikz_lines(found: Structure) -> Lines:
    """Yield a tikzpicture for ``\\input``, 8 cm wide; it needs the package tikz alone.

    Up to 40 nodes bear their states, up to 20,000 are dots; more are refused.
    """
    graph = found.graph
    if graph.nodes > MOST:
        raise LimitError(
            f"{graph.nodes:,} nodes are too many for TeX: expected at most {MOST:,}; "
            "'waranalysis graph draw' makes pictures of larger graphs"
        )
    yield f"% {json.dumps(about(graph))}"
    yield from (_named(found) if graph.nodes <= LABELLED else _dots(found))


def standalone_lines(found: Structure) -> Lines:
    """Yield a document with the picture, as large as the picture."""
    yield "\\documentclass[border=2pt]{standalone}"
    yield "\\usepackage{tikz}"
    yield "\\begin{document}"
    yield from tikz_lines(found)
    yield "\\end{document}"


def _scaled(found: Structure, width: float) -> np.ndarray:
    points = layout(found)
    points -= points.min(axis=0)
    return points * width / max(float(points[:, 0].max()), 1.0)


def _named(found: Structure) -> Lines:
    """Nodes with their states."""
    graph = found.graph
    points = layout(found) * 1.4
    yield "\\begin{tikzpicture}[>=stealth, font=\\tiny,"
    yield "  position/.style={inner sep=2pt},"
    yield "  looping/.style={inner sep=2pt, fill=black!12},"
    yield "  moment/.style={inner sep=1pt, circle, draw},"
    yield "  end/.style={inner sep=3pt, draw, double}]"
    for node, (x, y) in enumerate(points.tolist()):
        text = graph.text(node).replace("|", "$|$").replace("{", "\\{").replace("}", "\\}")
        style = _style(found, node)
        text = "" if style == "moment" else text
        yield f"\\node[{style}] (n{node}) at ({x:.2f},{y:.2f}) {{{text}}};"
    for source, target in zip(graph.sources.tolist(), graph.indices.tolist(), strict=True):
        yield f"\\draw[->] (n{source}) -- (n{target});"
    yield "\\end{tikzpicture}"


def _style(found: Structure, node: int) -> str:
    if node >= found.graph.first_end:
        return "end"
    if node >= found.graph.positions:
        return "moment"
    looping = found.fate is not None and bool(found.on_cycle[node])
    return "looping" if looping else "position"


def _dots(found: Structure) -> Lines:
    """Lines and dots, with no names that would fill TeX's memory."""
    graph = found.graph
    points = [f"({x:.3f},{y:.3f})" for x, y in _scaled(found, _WIDTH).tolist()]
    yield "\\begin{tikzpicture}[line width=0.1pt]"
    pairs = sorted(set(zip(graph.sources.tolist(), graph.indices.tolist(), strict=True)))
    for source, target in pairs:
        looping = found.fate is not None and found.on_cycle[source]
        colour = "" if looping else "[black!40]"
        yield f"\\draw{colour} {points[source]} -- {points[target]};"
    for node, point in enumerate(points):
        style = _style(found, node)
        if style == "end":
            yield f"\\draw[fill=white] {point} circle[radius=1.5pt];"
        else:
            size = "0.8pt" if style == "looping" else "0.3pt"
            yield f"\\fill {point} circle[radius={size}];"
    yield "\\end{tikzpicture}"
