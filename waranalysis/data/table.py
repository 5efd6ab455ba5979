"""A table that grows row by row: what is there is kept, a stopped run loses one row at most."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waranalysis.errors import FileError, quoted
from waranalysis.files import read_text, write_json, write_text

Key = tuple[str, ...]
Row = dict[str, str]
OUT_OF_REACH = "-"


@dataclass(frozen=True)
class Made:
    """A row as it was computed, and the certificate of a deal in it, if it has one."""

    cells: Mapping[str, Any]
    certificate: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Table:
    """A table of the atlas.

    Attributes
    ----------
    name : str
        Of the file, without its ending.
    columns : tuple of str
        The first `width` of them are the key.
    width : int
    keys : tuple of tuples of str
        Every row there is, in order.
    make : callable
        Computes the row of a key.
    quick : callable
        Whether a row takes some seconds at most.
    """

    name: str
    columns: tuple[str, ...]
    width: int
    keys: tuple[Key, ...]
    make: Callable[[Key], Made]
    quick: Callable[[Row], bool]

    def path(self, directory: Path) -> Path:
        """The table's file."""
        return directory / f"{self.name}.csv"

    def text(self, made: Made) -> Row:
        """The cells of a row as they are written; None is empty."""
        cells = {column: made.cells[column] for column in self.columns}
        return {column: "" if cell is None else str(cell) for column, cell in cells.items()}

    def key(self, row: Row) -> Key:
        """What tells a row from the others."""
        return tuple(row[column] for column in self.columns[: self.width])

    def fill(self, directory: Path, done: Callable[[int], None] = lambda _: None) -> None:
        """Compute the rows that are missing, each with its certificate."""
        path = self.path(directory)
        rows = self._present(path) if path.exists() else {}
        for number, key in enumerate(self.keys):
            if key not in rows:
                made = self.make(key)
                rows[key] = self.text(made)
                if made.certificate is not None:
                    proofs = directory / "certificates"
                    proofs.mkdir(parents=True, exist_ok=True)
                    write_json(directory / rows[key]["certificate"], made.certificate, force=True)
                ordered = (rows[other] for other in self.keys if other in rows)
                write_text(path, [csv_text(self.columns, ordered)], force=True)
            done(number + 1)

    def _present(self, path: Path) -> dict[Key, Row]:
        header, rows = read_csv(path)
        if tuple(header) != self.columns:
            raise FileError(f"{quoted(path)} has other columns than {self.name} has now")
        return {self.key(row): row for row in rows}


def read_csv(path: Path) -> tuple[list[str], list[Row]]:
    """Header and rows of a CSV file.

    Raises
    ------
    FileError
        If it cannot be read or a row has another number of cells than the header.
    """
    try:
        lines = list(csv.reader(io.StringIO(read_text(path), newline="")))
    except csv.Error as error:
        raise FileError(f"{quoted(path)}: {error}") from None
    header, rows = lines[0] if lines else [], lines[1:]
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise FileError(
                f"{quoted(path)}, line {number}: {len(row)} cells, expected {len(header)}"
            )
    return header, [dict(zip(header, row, strict=True)) for row in rows]


def csv_text(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """A CSV file."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def spectrum(counts: Mapping[int, int]) -> str:
    """Numbers and how often each occurs, as one cell: ``19:720;24:12``."""
    return ";".join(f"{number}:{count}" for number, count in sorted(counts.items()))
