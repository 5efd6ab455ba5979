"""Pictures of state graphs, and of what they say about games; needs matplotlib.

Colours are told apart in grey and by colour-blind readers: they differ in lightness, and what is
drawn differs in shape.
"""

from __future__ import annotations

import json
import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.errors import CardsError, FileError, LimitError, MissingError, quoted
from waranalysis.files import check_target
from waranalysis.graph.layout import layout, path_layout
from waranalysis.graph.model import StateGraph
from waranalysis.graph.records import about
from waranalysis.graph.structure import Structure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("graph", "loop", "path", "lengths", "periods")
SUFFIXES = (".svg", ".pdf", ".png")
MOST = 100_000
LABELLED = 30
WIDTH = 3.4

_DARK, _BLUE, _ORANGE, _PALE = "#1a1a1a", "#0072b2", "#e69f00", "#d9d9d9"
_GREY = "#808080"
_SEATS = (_BLUE, _ORANGE, "#009e73", "#cc79a7")
_STYLE: Any = {
    "font.size": 7,
    "font.family": "DejaVu Sans",
    "axes.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "svg.hashsalt": "waranalysis",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}


def draw(
    found: Structure,
    path: Path | str,
    kind: str = "graph",
    cycle: int = 0,
    width: float = WIDTH,
    force: bool = False,
) -> None:
    """Draw a picture to an SVG, PDF or PNG file; the same input gives the same bytes.

    Parameters
    ----------
    found : Structure
    path : Path or str
    kind : str
        "graph": everything; "loop": one cycle with its basin; "path": the game that the first
        deal begins, to its end or round its loop; "lengths": how many deals end after how many
        turns (at the least, with chance or choice); "periods": how many cycles have what period,
        and how many deals fall into them.
    cycle : int
        For "loop": which one, counted from 0.
    width : float
        In inches; the default is one column of a journal.
    force : bool
        Replace a file that exists.

    Raises
    ------
    MissingError
        Without matplotlib.
    FileError
        If the name does not end in .svg, .pdf or .png, or the file may not be written.
    CardsError
        If there is no such cycle, or no game that one deal decides.
    LimitError
        If there are more than 100,000 nodes to draw.
    """
    path = Path(path)
    check(path, force)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, width * 0.62), layout="constrained")
        axes = figure.add_subplot()
        if kind == "lengths":
            _lengths(axes, found)
        elif kind == "periods":
            _periods(axes, found)
        else:
            nodes = _chosen(found, kind, cycle)
            points = _placed(found, nodes, kind)
            _shape(figure, points, width)
            _picture(axes, found, nodes, points, width)
        _save(figure, path, about(found.graph))


def check(path: Path, force: bool) -> None:
    """Raise `FileError` if no picture can be written there, `MissingError` without matplotlib."""
    check_target(path, force)
    if path.suffix not in SUFFIXES:
        raise FileError(f"{quoted(path)}: expected a name ending in {', '.join(SUFFIXES)}")
    if find_spec("matplotlib") is None:
        raise MissingError("pictures need matplotlib: pip install 'waranalysis[papers]'")


def _save(figure: Figure, path: Path, record: dict[str, Any]) -> None:
    """Write under a temporary name, without a date."""
    form = path.suffix[1:]
    note = json.dumps(record)
    metadata = {
        "svg": {"Date": None, "Creator": "waranalysis", "Description": note},
        "pdf": {"CreationDate": None, "Creator": "waranalysis", "Producer": None, "Subject": note},
        "png": {"Software": "waranalysis", "Description": note},
    }
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise FileError(f"cannot write {quoted(path)}: {error.strerror}") from None
    temporary = Path(name)
    try:
        figure.savefig(temporary, format=form, dpi=300, metadata=metadata[form])
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise FileError(f"cannot write {quoted(path)}: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


# --- graphs ----------------------------------------------------------------------------------


def _chosen(found: Structure, kind: str, cycle: int) -> NDArray[np.int64]:
    """The nodes to draw."""
    graph = found.graph
    nodes = np.arange(graph.nodes)
    if kind == "loop":
        if not 0 <= cycle < len(found.cycles):
            raise CardsError(f"no cycle {cycle}: the graph has {len(found.cycles)}, counted from 0")
        nodes = np.flatnonzero(found.fate == cycle)
    elif kind == "path":
        nodes = game(found, int(graph.starts[0]))
    if len(nodes) > MOST:
        raise LimitError(f"{len(nodes):,} nodes are too many for a picture: expected {MOST:,}")
    return nodes


def game(found: Structure, start: int) -> NDArray[np.int64]:
    """The nodes of the game that begins at a position, in order, each once."""
    if found.fate is None or found.tail is None:
        raise CardsError("no deal decides its game where chance or choice has a part")
    fate = int(found.fate[start])
    length = int(found.tail[start]) + (found.cycles[fate].period if fate >= 0 else 1)
    successor = found.graph.successor
    nodes = [start]
    while len(nodes) < length:
        nodes.append(int(successor[nodes[-1]]))
    return np.array(nodes, dtype=np.int64)


def _placed(found: Structure, nodes: NDArray[np.int64], kind: str) -> NDArray[np.float64]:
    if kind != "path":
        return layout(found, nodes)
    assert found.fate is not None and found.tail is not None
    fate = int(found.fate[nodes[0]])
    period = found.cycles[fate].period if fate >= 0 else 0
    return path_layout(int(found.tail[nodes[0]]), period)


def _shape(figure: Figure, points: NDArray[np.float64], width: float) -> None:
    """Make the figure as high as the picture needs."""
    across, high = np.ptp(points, axis=0) + 2
    figure.set_size_inches(width, float(np.clip(width * high / across, 0.3 * width, 1.6 * width)))


def _picture(
    axes: Axes,
    found: Structure,
    nodes: NDArray[np.int64],
    points: NDArray[np.float64],
    width: float,
) -> None:
    graph = found.graph
    place = np.full(graph.nodes, -1)
    place[nodes] = np.arange(len(nodes))
    inside = (place[graph.sources] >= 0) & (place[graph.indices] >= 0)
    sources, targets = place[graph.sources[inside]], place[graph.indices[inside]]
    looping = np.zeros(len(nodes), dtype=bool)
    if found.fate is not None:
        looping = found.on_cycle[nodes]
    across = float(np.ptp(points[:, 0])) + 2
    dot = float(np.clip(0.22 * 72 * width / across, 0.5, 3.5))
    _arrows(axes, points, sources, targets, looping, dot)
    colours = np.array([_colour(found, int(node)) for node in nodes])
    ends = nodes >= graph.first_end
    for mask, marker, size in (
        (~ends & ~looping, "o", dot),
        (looping, "s", dot * 1.3),
        (ends, "D", max(dot * 1.8, 4.0)),
    ):
        axes.scatter(
            points[mask, 0],
            points[mask, 1],
            s=size**2,
            c=colours[mask],
            marker=marker,
            linewidths=0.5 if marker == "D" else 0.2 * (dot > 1.5),
            edgecolors=_DARK,
            zorder=3,
        )
    if len(nodes) <= LABELLED:
        # Labels stand out to the sides, and the picture shrinks to make room for them.
        _labels(axes, graph, nodes, points, 0.7 * 72 * width / across)
    _legend(axes, found, nodes, looping)
    axes.set_aspect("equal")
    axes.axis("off")


def _arrows(
    axes: Axes,
    points: NDArray[np.float64],
    sources: NDArray[np.int64],
    targets: NDArray[np.int64],
    looping: NDArray[np.bool_],
    dot: float,
) -> None:
    """Lines; with heads where there is room for them."""
    from matplotlib.collections import LineCollection

    lines = np.stack([points[sources], points[targets]], axis=1)
    dark = looping[sources]
    for mask, colour, line in ((~dark, "#a6a6a6", 0.3), (dark, _DARK, 0.8)):
        axes.add_collection(LineCollection(list(lines[mask]), colors=colour, linewidths=line))
    if len(sources) > 150:
        return
    for begin, stop in lines:
        axes.annotate(
            "",
            stop,
            begin,
            arrowprops={
                "arrowstyle": "-|>,head_length=0.45,head_width=0.18",
                "linewidth": 0,
                "color": "#4d4d4d",
                "shrinkA": 0,
                "shrinkB": dot * 0.7,
            },
        )


def _colour(found: Structure, node: int) -> str:
    graph = found.graph
    if found.fate is None:
        if node < graph.first_end:
            return _GREY if found.distance[node] >= 0 else _DARK
        end = node - graph.first_end
    elif found.fate[node] >= 0:
        return _DARK
    else:
        end = -1 - int(found.fate[node])
    winner = graph.ends[end]
    return _PALE if winner is None else _SEATS[winner % len(_SEATS)]


_Box = tuple[float, float, float, float]


def _labels(
    axes: Axes,
    graph: StateGraph,
    nodes: NDArray[np.int64],
    points: NDArray[np.float64],
    unit: float,
) -> None:
    """States beside their nodes, on the outer side if there is room, and left out if there is none.

    `unit` is the length of a step in points; the room is reckoned for letters of 6 points.
    """
    places = points * unit
    middle = places.mean(axis=0)
    taken: list[_Box] = [(x - 3, y - 3, x + 3, y + 3) for x, y in places.tolist()]
    for node, (x, y), point in zip(nodes.tolist(), places.tolist(), points, strict=True):
        text = graph.text(node)
        right, above = (1 if x >= middle[0] else -1), (1 if y >= middle[1] else -1)
        sides = [(right, 0), (-right, 0), (0, above), (0, -above)]
        if abs(x - middle[0]) < abs(y - middle[1]) / 3:
            sides = sides[2:] + sides[:2]
        for side in sides:
            box = _box(x, y, 3.3 * len(text) + 2, side)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                _label(axes, text, point, side)
                break


def _box(x: float, y: float, wide: float, side: tuple[int, int]) -> _Box:
    """Where a label would be, in points."""
    x += side[0] * (5 + wide / 2)
    y += side[1] * 8
    return x - wide / 2, y - 4, x + wide / 2, y + 4


def _overlap(one: _Box, two: _Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _label(axes: Axes, text: str, point: NDArray[np.float64], side: tuple[int, int]) -> None:
    axes.annotate(
        text,
        (float(point[0]), float(point[1])),
        (5 * side[0], 5 * side[1]),
        textcoords="offset points",
        ha={-1: "right", 0: "center", 1: "left"}[side[0]],
        va={-1: "top", 0: "center", 1: "bottom"}[side[1]],
        fontsize=6,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
    )


def _legend(
    axes: Axes, found: Structure, nodes: NDArray[np.int64], looping: NDArray[np.bool_]
) -> None:
    """What the colours and shapes in this picture mean."""
    from matplotlib.lines import Line2D

    graph = found.graph
    entries: list[tuple[str, str, str]] = []
    if looping.any():
        entries.append(("on the loop", "s", _DARK))
        if found.fate is not None and (found.fate[nodes[~looping]] >= 0).any():
            entries.append(("leads to the loop", "o", _DARK))
    ends = [node for node in nodes.tolist() if node >= graph.first_end]
    entries += [(graph.text(end), "D", _colour(found, end)) for end in ends]
    handles = [
        Line2D([], [], color=colour, marker=marker, linestyle="", markersize=4, label=text)
        for text, marker, colour in entries
    ]
    for handle, (_, marker, _) in zip(handles, entries, strict=True):
        handle.set_markeredgecolor(_DARK if marker == "D" else handle.get_markerfacecolor())
        handle.set_markeredgewidth(0.5 if marker == "D" else 0)
    axes.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        ncols=3,
        frameon=False,
        fontsize=6,
        handletextpad=0.1,
        columnspacing=1,
    )


# --- numbers ---------------------------------------------------------------------------------


def _lengths(axes: Axes, found: Structure) -> None:
    lengths = found.game_lengths
    if not lengths:
        raise CardsError("no deal ends: there are no lengths to draw")
    axes.bar(list(lengths), list(lengths.values()), width=0.9, color=_BLUE)
    deterministic = found.fate is not None
    axes.set_xlabel("battles" if deterministic else "fewest battles to an end")
    axes.set_ylabel("deals")
    never = found.deals_never_end
    if never:
        axes.set_title(f"{_count(never, 'deal')} never end", fontsize=7, loc="right")
    _whole(axes)


def _periods(axes: Axes, found: Structure) -> None:
    periods = found.periods
    if not periods:
        raise CardsError("no cycle: there are no periods to draw")
    deals = dict.fromkeys(periods, 0)
    for cycle in found.cycles:
        deals[cycle.period] += cycle.deals
    axes.vlines(list(periods), 0.5, list(deals.values()), color=_BLUE, linewidth=1)
    axes.plot(list(periods), list(deals.values()), "o", color=_BLUE, markersize=3.5, label="deals")
    axes.plot(
        list(periods),
        list(periods.values()),
        "D",
        color=_ORANGE,
        markeredgecolor=_DARK,
        markeredgewidth=0.4,
        markersize=3.5,
        label="cycles",
    )
    axes.set_yscale("log")
    axes.set_ylim(0.5)
    axes.set_xlim(0, max(periods) * 1.1)
    axes.set_xlabel("period (battles)")
    axes.set_ylabel("number")
    axes.legend(frameon=False, fontsize=6, loc="upper left", bbox_to_anchor=(1, 1))
    _whole(axes, y=False)


def _whole(axes: Axes, y: bool = True) -> None:
    """Ticks at whole numbers."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if y:
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + "s" * (number != 1)
