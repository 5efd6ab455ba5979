"""Tables for a terminal, and the turns of a game in one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from waranalysis.cards import Naming
from waranalysis.play import Ending
from waranalysis.rules import RuleSet
from waranalysis.trace import Row, laid_text, state_text

_WIDE = 80


def table(header: Sequence[str], body: Iterable[Sequence[object]], right: str = "") -> list[str]:
    """Lines of a table; columns whose header is among the words of `right` are right-aligned."""
    rows = [["" if cell is None else str(cell) for cell in row] for row in body]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    aligned = right.split(",")
    lines = []
    rules = ["-" * width for width in [*widths[:-1], min(widths[-1], _WIDE - 20)]]
    for row in [list(header), rules, *rows]:
        cells = [
            cell.rjust(width) if name in aligned else cell.ljust(width)
            for name, cell, width in zip(header, row, widths, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def rules_text(rules: RuleSet) -> str:
    """The name of a rule set, or how it differs from the defaults."""
    if rules.name:
        return rules.name
    usual = RuleSet().to_dict()
    own = {k: v for k, v in rules.to_dict().items() if k != "deck" and usual.get(k) != v}
    shown = ("/".join(v) if isinstance(v, list) else str(v) for v in own.values())
    return ", ".join(map("=".join, zip(own, shown, strict=True))) or "the defaults"


def seat_name(seat: int | None) -> str:
    """Players are counted from 1 for people."""
    return "nobody" if seat is None else f"player {seat + 1}"


def ending_text(ending: Ending) -> str:
    """How a game ended, in words."""
    result = "a draw" if ending.winner is None else f"{seat_name(ending.winner)} wins"
    return f"{result} ({ending.reason.value})"


def _turn_cells(rows: Iterable[Row], naming: Naming) -> Iterator[list[str]]:
    """Cells of a table of turns: turn, packets before, what each laid, captor, cards after."""
    for row in rows:
        laid = [laid_text(cards, up, naming) for cards, up in zip(row.laid, row.up, strict=True)]
        wars = {0: "", 1: "war"}.get(row.wars, f"{row.wars} wars")
        yield [
            str(row.turn),
            state_text(row.before, naming),
            *laid,
            wars,
            seat_name(row.captor),
            " ".join(map(str, row.sizes)),
        ]


def turn_columns(
    rows: Iterable[Row], naming: Naming, players: int
) -> tuple[list[str], list[list[str]]]:
    """Header and cells of a table of turns, without the packets where the lines would be long."""
    header = ["turn", "packets before", *map(seat_name, range(players)), "", "captures"]
    header.append("cards after")
    cells = list(_turn_cells(rows, naming))
    if max(map(len, table(header, cells))) <= _WIDE:
        return header, cells
    return header[:1] + header[2:], [row[:1] + row[2:] for row in cells]


def turn_table(rows: Iterable[Row], naming: Naming, players: int) -> list[str]:
    """Lines of a table of turns."""
    return table(*turn_columns(rows, naming, players), right="turn")
