"""TikZ pictures, for LaTeX."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from waranalysis.errors import LimitError
from waranalysis.graph.layout import layout
from waranalysis.graph.records import about
from waranalysis.graph.structure import Structure

MOST = 20_000
LABELLED = 40
_WIDTH = 8.0

Lines = Iterator[str]


def tikz_lines(found: Structure) -> Lines:
    """Yield a tikzpicture for ``\\input``; it needs the package tikz alone.

    Up to 40 nodes bear their states; more, up to 20,000, are dots in a picture 8 cm wide. Cycles
    are marked, or else the region of a strategy and what it chooses.
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
    edges = zip(graph.sources.tolist(), graph.indices.tolist(), found.chosen.tolist(), strict=True)
    for source, target, chosen in edges:
        yield f"\\draw[->{', very thick' * chosen}] (n{source}) -- (n{target});"
    yield "\\end{tikzpicture}"


def _style(found: Structure, node: int) -> str:
    if node >= found.graph.first_end:
        return "end"
    if node >= found.graph.positions:
        return "moment"
    return "looping" if _shaded(found)[node] else "position"


def _shaded(found: Structure) -> NDArray[np.bool_]:
    """``(nodes,)``: the region of the strategy that is marked, or else the cycles."""
    if found.marks is not None:
        return found.marks.region
    if found.fate is not None:
        return found.on_cycle
    return np.zeros(found.graph.nodes, dtype=np.bool_)


def _dots(found: Structure) -> Lines:
    """Lines and dots in pgf's own commands, which TeX gets through ten times as fast."""
    graph = found.graph
    points = [f"{{{x:.3f}}}{{{y:.3f}}}" for x, y in _scaled(found, _WIDTH).tolist()]
    looping = _shaded(found)
    ends = zip(graph.sources.tolist(), graph.indices.tolist(), strict=True)
    dark_pairs = looping[graph.sources] if found.marks is None else found.chosen
    pairs = sorted(set(zip(ends, dark_pairs.tolist(), strict=True)))
    yield "\\begin{tikzpicture}"
    yield "\\def\\edge#1#2#3#4{\\pgfpathmoveto{\\pgfpointxy{#1}{#2}}"
    yield "  \\pgfpathlineto{\\pgfpointxy{#3}{#4}}}"
    yield "\\pgfsetroundcap"
    for dark, colour, width in ((False, "black!40", "0.1pt"), (True, "black", "0.4pt")):
        edges = [points[a] + points[b] for (a, b), loops in pairs if loops == dark]
        yield from _stroked(edges, colour, width)
    for dark, width in ((False, "0.6pt"), (True, "1.6pt")):
        dots = [points[v] for v in range(graph.first_end) if looping[v] == dark]
        yield from _stroked([dot + dot for dot in dots], "black", width)
    for end in range(graph.first_end, graph.nodes):
        place = points[end].replace("}{", ",").strip("{}")
        yield f"\\draw[fill=white, line width=0.4pt] ({place}) circle[radius=1.5pt];"
    yield "\\end{tikzpicture}"


def _stroked(edges: list[str], colour: str, width: str) -> Lines:
    """Edges in paths that are not too long for TeX."""
    if edges:
        yield f"\\pgfsetcolor{{{colour}}}\\pgfsetlinewidth{{{width}}}"
    for place, edge in enumerate(edges, 1):
        yield f"\\edge{edge}" + "\\pgfusepath{stroke}" * (place % 100 == 0 or place == len(edges))
