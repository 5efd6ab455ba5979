"""What the benchmarks measured beside what is asked for, as one table after the run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Note = Callable[[str, float, str, str], None]
_ROWS: list[tuple[str, str, str]] = []


@pytest.fixture
def note() -> Note:
    """Add a line to the table: what, the figure and its unit, what is asked for."""

    def add(what: str, figure: float, unit: str, wanted: str) -> None:
        _ROWS.append((what, f"{figure:.3g} {unit}".rstrip(), wanted))

    return add


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _ROWS:
        return
    header = ("", "measured", "wanted")
    widths = [max(len(row[i]) for row in [header, *_ROWS]) for i in range(3)]
    terminalreporter.section("figures")
    for row in [header, tuple("-" * width for width in widths), *_ROWS]:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        terminalreporter.write_line(line.rstrip())
