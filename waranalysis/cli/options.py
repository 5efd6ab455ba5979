"""Options that several commands share, and what becomes of their output."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import click

from waranalysis.cards import Deal
from waranalysis.certificate import certificate
from waranalysis.errors import CardsError, FileError, quoted
from waranalysis.files import check_target, write_json, write_text
from waranalysis.parquet import require_parquet, write_parquet
from waranalysis.rules import RuleSet, from_settings, load
from waranalysis.termination import BOUND, classify

F = TypeVar("F", bound=Callable[..., Any])

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
_SUFFIXES = {
    ".json": "json",
    ".csv": "csv",
    ".parquet": "parquet",
    ".txt": "table",
    ".tex": "latex",
    ".md": "markdown",
}
# What a Parquet file says of itself: these fields of the same answer in JSON.
_ABOUT = ("schema", "version", "rules", "deck", "decks", "split", "part", "deal", "seed")


def raw_rules_options(function: F) -> F:
    """Add ``--rules`` and ``--set`` as the arguments `preset` and `settings`."""
    function = click.option(
        "--set",
        "settings",
        metavar="FIELD=VALUE",
        multiple=True,
        help="Change one field of the rules; may be given again.",
    )(function)
    return click.option(
        "--rules",
        "preset",
        metavar="NAME|FILE.toml",
        help="A rule set of 'waranalysis rules list', or a file.  [default: classic]",
    )(function)


def rules_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--rules`` and ``--set``, read into the argument `rules`."""

    @wraps(function)
    def command(*args: Any, preset: str | None, settings: Sequence[str], **kwargs: Any) -> Any:
        rules = from_settings(load(preset or "classic"), settings)
        return function(*args, rules=rules, **kwargs)

    return raw_rules_options(command)


def count(text: str | int) -> int:
    """Read a number of 0 or more: a type for options."""
    if isinstance(text, int):
        return text
    if not (text.isascii() and text.isdigit() and len(text) < 4000):
        raise click.BadParameter(f"{quoted(text)}: expected a number of 0 or more")
    return int(text)


@dataclass(frozen=True)
class Output:
    """Where an answer goes and in which form."""

    form: str
    path: Path | None
    force: bool

    def write(self, **forms: Callable[[], Iterable[str]]) -> None:
        """Write the chosen form: each is a function that gives lines without line ends.

        Parquet is made of the rows of ``csv``, which `csv_lines` gives, and of ``json``.
        """
        if self.form == "parquet" and self.path is not None:
            rows = forms["csv"]()
            assert isinstance(rows, Rows)
            about = _about(json.loads(next(iter(forms["json"]()))))
            write_parquet(self.path, rows.header, rows.rows, about, self.force)
            return
        chunks = (f"{line}\n" for line in forms[self.form]())
        if self.path is not None:
            write_text(self.path, chunks, self.force)
            return
        for chunk in chunks:
            sys.stdout.write(chunk)


def output_options(*forms: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--json`` and its like for the given forms, ``-o`` and ``--force``, as `output`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def command(*args: Any, target: Path | None, force: bool, **kwargs: Any) -> Any:
            chosen = [form for form in forms if kwargs.pop(form)]
            output = _output(forms, chosen, target, force)
            return function(*args, output=output, **kwargs)

        decorated: Callable[..., Any] = command
        decorated = click.option("--force", is_flag=True, help="Replace files that exist.")(
            decorated
        )
        decorated = click.option(
            "-o",
            "target",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Write to a file, in the form its ending names.",
        )(decorated)
        for form in reversed(forms):
            decorated = click.option(f"--{form}", is_flag=True, help=_HELP[form])(decorated)
        return decorated

    return decorate


_HELP = {
    "json": "Answer in JSON.",
    "csv": "Answer in CSV.",
    "latex": "Answer as a LaTeX table (booktabs).",
    "markdown": "Answer as a page in Markdown.",
}


def _output(
    forms: Sequence[str], chosen: Sequence[str], target: Path | None, force: bool
) -> Output:
    if len(chosen) > 1:
        raise click.UsageError(f"--{chosen[0]} and --{chosen[1]} exclude each other")
    if target is None:
        return Output(chosen[0] if chosen else "table", None, force)
    check_target(target, force)
    if chosen:
        return Output(chosen[0], target, force)
    form = _SUFFIXES.get(target.suffix)
    possible = [*forms, "table", *(["parquet"] if "csv" in forms else [])]
    if form not in possible:
        known = [suffix for suffix, name in _SUFFIXES.items() if name in possible]
        raise FileError(f"{quoted(target)}: expected a name ending in {', '.join(known)}")
    if form == "parquet":
        require_parquet()  # before the work, not after it
    assert form is not None
    return Output(form, target, force)


def _about(record: Any) -> Any:
    if isinstance(record, list):
        return list(map(_about, record))
    return {field: record[field] for field in _ABOUT if field in record}


def one_json(record: Any) -> Callable[[], list[str]]:
    """A form of one line of JSON."""
    return lambda: [json.dumps(record)]


class Rows(Iterator[str]):
    """A table, and what it is in CSV, line by line; to be read once, either way."""

    def __init__(self, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        self.header = header
        self.rows = iter(rows)
        self._buffer = io.StringIO()
        self._writer = csv.writer(self._buffer, lineterminator="")
        self._left = chain([header], self.rows)

    def __next__(self) -> str:
        self._buffer.seek(0)
        self._buffer.truncate()
        self._writer.writerow(next(self._left))
        return self._buffer.getvalue()


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Rows:
    """Lines of CSV; None is empty."""
    return Rows(header, rows)


def split_option(function: F) -> F:
    """Add ``--split 5/3`` as the argument `split`, a tuple of int or None."""
    return click.option(
        "--split",
        metavar="N/N",
        callback=lambda _ctx, _param, text: text and read_split(text),
        help="Cards for each player.  [default: as even as can be]",
    )(function)


def split_or_all_option(function: F) -> F:
    """Add ``--split 5/3`` or ``--split all`` as the argument `split`."""
    return click.option(
        "--split",
        metavar="N/N|all",
        callback=lambda _ctx, _param, text: text if text in (None, "all") else read_split(text),
        help="Cards for each player, or every split.  [default: as even as can be]",
    )(function)


def bound_option(help: str) -> Callable[[F], F]:
    """Add ``--bound N``, a number of battles after which to give up."""
    return click.option(
        "--bound", metavar="N", type=count, default=BOUND, show_default=True, help=help
    )


def memory_option(default: str, help: str) -> Callable[[F], F]:
    """Add ``--memory 4G``, a number of bytes, as the argument `memory`."""
    return click.option(
        "--memory", metavar="BYTES", type=_bytes, default=default, show_default=True, help=help
    )


def _bytes(text: str | int) -> int:
    """Read an amount of memory such as 500M: a type for options."""
    if isinstance(text, int):
        return text
    match = re.fullmatch(r"([0-9]{1,15})([KMG]?)B?", text, re.ASCII | re.IGNORECASE)
    if not match:
        raise click.BadParameter(f"{quoted(text)}: expected bytes such as 500M or 8G")
    return int(match[1]) * _UNITS[match[2].upper()]


def read_split(text: str) -> tuple[int, ...]:
    """Read packet sizes such as ``5/3``."""
    parts = text.split("/")
    if not all(part.isascii() and part.isdigit() and len(part) < 7 for part in parts):
        raise CardsError(f"split {quoted(text)}: expected sizes such as 5/3")
    return tuple(map(int, parts))


def new_directory(path: Path, force: bool) -> None:
    """Make a directory for results; one that holds something needs --force."""
    if path.exists() and not path.is_dir():
        raise FileError(f"{quoted(path)} is a file: expected a directory")
    if path.is_dir() and any(path.iterdir()) and not force:
        raise FileError(f"{quoted(path)} is not empty: expected a new directory, or --force")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make {quoted(path)}: {error.strerror}") from None


def write_certificate(path: Path, deal: Deal, rules: RuleSet, bound: int, force: bool) -> None:
    """Write a certificate of what becomes of a deal, unless that stays undecided."""
    verdict = classify(deal, rules, bound=bound)
    if verdict.kind != "undecided":
        write_json(path, certificate(deal, rules, verdict), force)
