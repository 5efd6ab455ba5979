"""Where the nodes of a picture go. Coordinates are in steps between neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from waranalysis.graph.structure import Structure

Points = NDArray[np.float64]

_SPACING = 0.6
_GAP = 1.5


def layout(found: Structure, nodes: NDArray[np.int64] | None = None) -> Points:
    """Place the nodes of a graph.

    Parameters
    ----------
    found : Structure
    nodes : (n,) int64, optional
        The nodes to place, all of them by default; in deterministic graphs a set that is closed
        under succession.

    Returns
    -------
    (n, 2) float64
        Deterministic graphs: every cycle a ring with its basin around it, level by level, and the
        ends, each with the positions that lead there, below. Others: levels by the distance to an
        end, ends at the bottom.
    """
    chosen = np.arange(found.graph.nodes) if nodes is None else nodes
    if found.fate is None:
        return _levels(found, chosen)
    clusters = [_cluster(found, chosen[found.fate[chosen] == f]) for f in _fates(found, chosen)]
    points = np.empty((found.graph.nodes, 2))
    for cluster, centre in zip(clusters, _packed(clusters), strict=True):
        points[cluster.nodes] = cluster.points + centre
    return points[chosen]


def _fates(found: Structure, chosen: NDArray[np.int64]) -> list[int]:
    """Cycles in order, then ends in order."""
    assert found.fate is not None
    return sorted(np.unique(found.fate[chosen]).tolist(), key=lambda f: (f < 0, abs(f)))


# --- one cycle or end ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Cluster:
    """A cycle or an end with what leads to it, around (0, 0)."""

    nodes: NDArray[np.int64]
    points: Points
    radius: float
    is_end: bool


def _cluster(found: Structure, nodes: NDArray[np.int64]) -> _Cluster:
    """Radial trees: every node in the middle of its sector, every level on a circle."""
    assert found.fate is not None and found.tail is not None
    fate = int(found.fate[nodes[0]])
    ring = found.cycles[fate].nodes if fate >= 0 else nodes[found.tail[nodes] == 0]
    successor = found.graph.successor
    order = nodes[np.argsort(found.tail[nodes], kind="stable")]
    leaves = dict.fromkeys(order.tolist(), 0)
    for node in order[len(ring) :][::-1].tolist():
        leaves[node] = max(leaves[node], 1)
        leaves[int(successor[node])] += leaves[node]
    sector = _ring_sectors(ring.tolist(), leaves)
    filled = {node: begin for node, (begin, _) in sector.items()}
    for node in order[len(ring) :].tolist():
        parent = int(successor[node])
        sector[node] = filled[parent], sector[parent][1] * leaves[node] / leaves[parent]
        filled[parent] += sector[node][1]
        filled[node] = sector[node][0]
    angle = {node: begin + width / 2 for node, (begin, width) in sector.items()}
    angle |= {node: 2 * pi * place / len(ring) for place, node in enumerate(ring.tolist())}
    angles = np.array([angle[node] for node in nodes.tolist()])
    radii = _radii(np.bincount(found.tail[nodes]), fate < 0)[found.tail[nodes]]
    points = np.column_stack([radii * np.sin(angles), radii * np.cos(angles)])
    return _Cluster(nodes, points, float(radii.max()), fate < 0)


def _ring_sectors(ring: list[int], leaves: dict[int, int]) -> dict[int, tuple[float, float]]:
    """Where the tree of each node of a ring begins, and how much of the circle it gets.

    Half of the circle is shared out evenly, half by leaves; then all is turned so that the trees
    stand over their nodes as well as can be.
    """
    total = max(sum(leaves[node] for node in ring), 1)
    widths = [pi * (leaves[node] / total + 1 / len(ring)) for node in ring]
    begins = np.concatenate([np.zeros(1), np.cumsum(widths)[:-1]])
    middles = begins + np.array(widths) / 2
    wanted = 2 * pi * np.arange(len(ring)) / len(ring)
    weights = np.array([leaves[node] for node in ring])
    turn = float(np.average(wanted - middles, weights=weights if weights.any() else None))
    return {
        node: (float(begin) + turn, width)
        for node, begin, width in zip(ring, begins, widths, strict=True)
    }


def _radii(counts: NDArray[np.int64], is_end: bool) -> NDArray[np.float64]:
    """The radius of each level: room for its nodes, and a step beyond the level before."""
    radii = counts.astype(np.float64) * (_SPACING / (2 * pi))
    radii[0] = 0.0 if is_end else max(counts[0] / (2 * pi), 0.5)
    for level in range(1, len(radii)):
        radii[level] = max(radii[level], radii[level - 1] + 1)
    return radii


def _packed(clusters: list[_Cluster]) -> list[tuple[float, float]]:
    """Centres of the clusters in rows from top to bottom, the ends in rows of their own."""
    widths = [2 * cluster.radius + _GAP for cluster in clusters]
    across = max(*widths, 1.2 * sqrt(sum(width * width for width in widths)))
    rows: list[list[int]] = []
    used, kind = 0.0, None
    for place, cluster in enumerate(clusters):
        if used + widths[place] > across or cluster.is_end != kind:
            rows.append([])
            used, kind = 0.0, cluster.is_end
        rows[-1].append(place)
        used += widths[place]
    centres: dict[int, tuple[float, float]] = {}
    y = 0.0
    for row in rows:
        height = max(widths[place] for place in row)
        x = (across - sum(widths[place] for place in row)) / 2
        for place in row:
            centres[place] = x + widths[place] / 2, y - height / 2
            x += widths[place]
        y -= height
    return [centres[place] for place in range(len(clusters))]


# --- a path ----------------------------------------------------------------------------------


def path_layout(tail: int, period: int) -> Points:
    """Place one game: a ring of `period` positions, and the tail winding round it.

    Parameters
    ----------
    tail, period : int
        Positions before the loop, and in it; a period of 0 stands for an end in the middle.

    Returns
    -------
    (tail + max(period, 1), 2) float64
        In the order of play.
    """
    radius = max(period / (2 * pi), 0.5) if period else 0.0
    turned = np.arange(max(period, 1)) * 2 * pi / max(period, 1)
    ring = radius * np.column_stack([np.sin(turned), np.cos(turned)])
    # The game comes in against the clock's hands, one step apart, laps a step apart.
    angle, far = 0.0, radius + 1
    spiral = []
    for _ in range(tail):
        spiral.append((far * np.sin(angle), far * np.cos(angle)))
        step = 1 / far
        angle -= step
        far += step / (2 * pi) * 1.2
    return np.concatenate([np.array(spiral[::-1]).reshape(tail, 2), ring])


# --- levels ----------------------------------------------------------------------------------


def _levels(found: Structure, chosen: NDArray[np.int64]) -> Points:
    """Rows by distance to an end; inside a row, nodes stand above what they lead to."""
    graph = found.graph
    distance = found.distance[chosen]
    height = np.where(distance < 0, distance.max() + 1, distance)
    x = np.zeros(graph.nodes)
    points = np.empty((len(chosen), 2))
    across = max(12.0, 1.5 * sqrt(len(chosen)))
    lower = 0.0
    for level in range(int(height.max()) + 1):
        row = np.flatnonzero(height == level)
        wish = [_mean(x[graph.indices[graph.arrows[v] : graph.arrows[v + 1]]]) for v in chosen[row]]
        row = row[np.argsort(wish, kind="stable")]
        spread = across * ((np.arange(len(row)) + 0.5) / max(len(row), 1) - 0.5)
        x[chosen[row]] = spread
        # A crowded row takes turns in height.
        lines = max(1, ceil(len(row) / across))
        points[row] = np.column_stack([spread, lower + np.arange(len(row)) % lines])
        lower += lines - 1 + max(3.0, across / 6)
    return points


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else 0.0
