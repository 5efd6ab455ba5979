"""The numbers of a paper, each with the file, the command and the certificates behind it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

from waranalysis.errors import FileError, quoted
from waranalysis.files import read_text
from waranalysis.paper.folder import Paper
from waranalysis.provenance import provenance

Show = Callable[[Any], str]
_CONSTRUCTED = "waranalysis/endless/1"
Step = str | int | Mapping[str, Any]


# --- how numbers look in TeX --------------------------------------------------------------------


def grouped(value: Any) -> str:
    """Thousands set apart; a fraction with a stroke; other text as it is."""
    if isinstance(value, int):
        return f"{value:,}".replace(",", "{,}")
    if isinstance(value, Fraction):
        return str(value) if value.denominator > 1 else grouped(value.numerator)
    return str(value)


def percent(digits: int) -> Show:
    """A share as a percentage."""
    return lambda value: f"{float(100 * Fraction(value)):.{digits}f}\\,\\%"


def decimal(digits: int) -> Show:
    """A rounded decimal number."""
    return lambda value: f"{float(Fraction(value)):,.{digits}f}".replace(",", "{,}")


# --- where they come from -----------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """A file of results.

    Attributes
    ----------
    label : str
        Its name in the list of sources, such as "S3".
    file : str
        Relative to the directory that holds ``papers/`` and ``data/``.
    command : str
        What makes the file.
    certificates : tuple of str
        Files that anyone can check by playing.
    content
        JSON, or the rows of a table as dictionaries.
    """

    label: str
    file: str
    command: str
    certificates: tuple[str, ...]
    content: Any = field(repr=False, compare=False)

    def value(self, *path: Step) -> Any:
        """Follow keys, indices, and conditions that one row fulfils.

        Raises
        ------
        FileError
            If the path leads nowhere.
        """
        found = self.content
        try:
            for step in path:
                found = _only(found, step) if isinstance(step, Mapping) else found[step]
        except (KeyError, IndexError, TypeError, ValueError):
            raise FileError(f"{quoted(self.file)} has no {quoted(_path_text(path))}") from None
        return found

    def __getitem__(self, key: str | int) -> Any:
        return self.value(key)


def _only(rows: list[dict[str, Any]], where: Mapping[str, Any]) -> dict[str, Any]:
    (row,) = [row for row in rows if all(row.get(k) == v for k, v in where.items())]
    return row


def _path_text(path: tuple[Step, ...]) -> str:
    parts = [
        ", ".join(f"{k} = {v}" for k, v in step.items()) if isinstance(step, Mapping) else str(step)
        for step in path
    ]
    return " > ".join(parts)


@dataclass(frozen=True)
class Number:
    """A number of the text (with a name) or of a table.

    A row of a table may have a command and a certificate of its own, in columns of these names;
    a constructed deal has the certificate of its name. In the command of a source N and ORDER
    stand for what a row has in the columns n and capture.
    """

    name: str | None
    value: Any
    tex: str
    source: Source
    field: str
    row: Mapping[str, Any]

    @property
    def command(self) -> str:
        """What makes the number."""
        words = str(self.row.get("command") or self.source.command).split(" ")
        stand_for = {"N": self.row.get("n"), "ORDER": self.row.get("capture")}
        return " ".join(str(stand_for.get(word) or word) for word in words)

    @property
    def certificates(self) -> list[str]:
        """What proves it; rows name files beside or below their own."""
        own = self.row.get("certificate")
        if self.row.get("schema") == _CONSTRUCTED and self.row.get("deal"):
            own = f"certificates/{self.row['name']}.json"
        if not own:
            return list(self.source.certificates)
        return [(PurePosixPath(self.source.file).parent / own).as_posix()]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        exact = isinstance(self.value, int | float)
        return {
            "name": self.name,
            "value": self.value if exact else str(self.value),
            "shown": self.tex,
            "source": self.source.label,
            "file": self.source.file,
            "field": self.field,
            "command": self.command,
            "certificates": self.certificates,
        }


class Book:
    """What a paper takes from its data, as it is taken.

    Parameters
    ----------
    paper : Paper
    """

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        self.numbers: list[Number] = []
        self._sources: dict[str, Source] = {}

    @property
    def sources(self) -> list[Source]:
        """What was opened, in the order of the labels."""
        return list(self._sources.values())

    def step(self, name: str) -> Source:
        """The answer of one of the paper's own steps."""
        paper = self.paper
        if name not in paper.steps:
            raise FileError(f"no step {quoted(name)} in {quoted(paper.folder / 'generate.toml')}")
        path = paper.data(name)
        if not path.is_file():
            raise FileError(
                f"{quoted(path)} has not been made: expected 'waranalysis paper generate' before"
            )
        return self._source(path, paper.command(name), paper.certificates(name))

    def shared(self, file: str, command: str, *certificates: str) -> Source:
        """A file of the project's ``data/``, for several papers."""
        root = self.paper.root
        return self._source(root / file, command, [root / name for name in certificates])

    def number(
        self,
        source: Source,
        *path: Step,
        name: str | None = None,
        of: Step | None = None,
        show: Show = grouped,
    ) -> str:
        """Take a number; return it as TeX.

        Parameters
        ----------
        source : Source
        *path
            Where it stands in the source.
        name : str, optional
            What the text calls it, in ``\\num{name}``.
        of : str, optional
            Beside the last step of the path: what the number is a share of.
        show : callable
        """
        value, told = source.value(*path), _path_text(path)
        if of is not None:
            value = Fraction(value, source.value(*path[:-1], of))
            told += f" / {of}"
        row = source.value(*path[:-1])
        return self.derived(value, source, told, name, show, row if isinstance(row, dict) else {})

    def derived(
        self,
        value: Any,
        source: Source,
        how: str,
        name: str | None = None,
        show: Show = grouped,
        row: Mapping[str, Any] | None = None,
    ) -> str:
        """Take a number that was reckoned from a source, or a row of it; `how` says how."""
        number = Number(name, value, show(value), source, how, row or {})
        if name is not None and any(name == other.name for other in self.numbers):
            raise FileError(f"two numbers are called {quoted(name)}")
        self.numbers.append(number)
        return f"\\sourced{{{source.label}}}{{{number.tex}}}"

    def _source(self, path: Path, command: str, certificates: list[Path]) -> Source:
        file = _below(path, self.paper.root)
        if file not in self._sources:
            label = f"S{len(self._sources) + 1}"
            below = tuple(_below(certificate, self.paper.root) for certificate in certificates)
            self._sources[file] = Source(label, file, command, below, content(path))
        return self._sources[file]

    # --- what is written ------------------------------------------------------------------------

    def numbers_tex(self) -> Iterator[str]:
        """Lines that define the numbers and the sources that the text names."""
        yield "% Written by 'waranalysis paper build'.\n"
        for source in self.sources:
            yield f"\\setsource{{{self._short(source.file)}}}{{{source.label}}}\n"
        for number in self.numbers:
            if number.name is not None:
                source = number.source
                yield f"% {source.file}: {number.field}\n%   {number.command}\n"
                yield f"\\setnumber{{{number.name}}}{{{source.label}}}{{{number.tex}}}\n"

    def sources_tex(self) -> Iterator[str]:
        """Lines of a list of the files behind the numbers."""
        yield "\\begin{sources}\n"
        for source in self.sources:
            file = self._short(source.file)
            usual = f"certificates/{Path(file).stem}"
            yield f"\\source{{{source.label}}}{{\\path{{{file}}}}}{{\\path{{{source.command}}}}}{{"
            for name in source.certificates:
                yield f"\\certificate{{\\path{{{self._short(name).removeprefix(usual)}}}}}"
            yield "}\n"
        yield "\\end{sources}\n"

    def _short(self, file: str) -> str:
        """Files of the paper's own folder are called as from there."""
        return file.removeprefix(f"papers/{self.paper.name}/")

    def record(self) -> dict[str, Any]:
        """Every number with all that is behind it."""
        numbers = [number.to_dict() for number in self.numbers]
        return provenance("paper-numbers", paper=self.paper.name, numbers=numbers)


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def content(path: Path) -> Any:
    """JSON, lines of JSON, the rows of a CSV file, or lines of an index and a term."""
    text = read_text(path)
    if path.suffix == ".json":
        return json.loads(text)
    if path.suffix == ".jsonl":
        return list(map(json.loads, text.splitlines()))
    if path.suffix == ".csv":
        rows = csv.DictReader(text.splitlines())
        return [{key: _read(cell) for key, cell in row.items()} for row in rows]
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return [{"n": int(n), "term": int(term)} for n, term in lines]


def _read(cell: str) -> Any:
    return int(cell) if cell.isascii() and cell.isdigit() else cell or None
