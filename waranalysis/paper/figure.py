"""How figures look and how they are saved; needs matplotlib.

One column of a page wide, in lightness and shapes alone, so that nothing is lost in grey.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waranalysis.paper.book import Book

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 8.5 / 2.54
BLACK, DARK, MIDDLE, LIGHT = "#000000", "#4d4d4d", "#8c8c8c", "#d0d0d0"
# Told apart by line and marker.
LINES: tuple[dict[str, Any], ...] = (
    {"color": BLACK, "linestyle": "-", "marker": "o"},
    {"color": DARK, "linestyle": "--", "marker": "s", "markerfacecolor": "white"},
    {"color": MIDDLE, "linestyle": "-.", "marker": "^"},
    {"color": BLACK, "linestyle": ":", "marker": "D", "markerfacecolor": "white"},
)
_STYLE: Any = {
    "font.size": 8,
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.0,
    "lines.markersize": 3.5,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "waranalysis",
    "svg.fonttype": "path",
}

Draw = Callable[[Book, "Figure"], None]


def save(draw: Draw, book: Book, path: Path) -> None:
    """Draw a figure into a PDF or SVG file, without a date."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    note = {
        ".pdf": {"CreationDate": None, "Creator": "waranalysis", "Producer": None},
        ".svg": {"Date": None, "Creator": "waranalysis"},
    }
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, 0.68 * WIDTH), layout="constrained")
        draw(book, figure)
        figure.savefig(path, metadata=note[path.suffix])
