"""Is everything in a data directory true? Checksums, descriptions, and rows computed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random

from waranalysis.data import contents
from waranalysis.data.about import About, Dataset, files
from waranalysis.data.package import (
    PACKAGE,
    PAGE,
    SUMS,
    digest,
    package_text,
    page,
    parquet_differs,
    typed_rows,
)
from waranalysis.errors import FileError, WarAnalysisError
from waranalysis.files import read_text


@dataclass(frozen=True)
class Finding:
    """One thing that was checked.

    Attributes
    ----------
    what : str
        The file or the dataset.
    checked : str
        What was looked at, such as a row.
    problem : str or None
        What is false about it.
    """

    what: str
    checked: str
    problem: str | None = None


def verify(about: About, seed: int, everything: bool = False) -> Iterator[Finding]:
    """Check a data directory.

    The rows of Parquet files are compared where pyarrow is there to read them.

    Parameters
    ----------
    about : About
    seed : int
        For the choice of rows.
    everything : bool
        Every row and every certificate, however long it takes.

    Yields
    ------
    Finding
        As soon as it is known.
    """
    yield from _checksums(about.directory)
    yield from _made(about)
    for dataset in about.datasets:
        choice = contents.Choice(Random(f"{seed} {dataset.name}"), everything)
        yield from _dataset(about, dataset, choice)


def _checksums(directory: Path) -> Iterator[Finding]:
    if not (directory / SUMS).is_file():
        yield Finding(SUMS, "checksums", "is missing")
        return
    lines = read_text(directory / SUMS).splitlines()
    listed = {place: told for told, _, place in (line.partition("  ") for line in lines)}
    present = {path.relative_to(directory).as_posix(): path for path in files(directory)}
    wrong = 0
    for place in sorted((listed.keys() | present.keys()) - {SUMS}):
        problem = None
        if place not in present:
            problem = "is missing"
        elif place not in listed:
            problem = f"does not stand in {SUMS}"
        elif digest(present[place]) != listed[place]:
            problem = "has another checksum"
        if problem:
            wrong += 1
            yield Finding(place, "checksum", problem)
    if not wrong:
        yield Finding(SUMS, f"{len(listed):,} checksums")


def _made(about: About) -> Iterator[Finding]:
    """What `waranalysis data build` makes, against what is there."""
    for name, text in ((PACKAGE, package_text), (PAGE, page)):
        path = about.directory / name
        try:
            same = path.is_file() and read_text(path) == text(about)
            problem = None if same else "is not what 'waranalysis data build' makes"
        except FileError as error:
            problem = str(error)
        yield Finding(name, "as it is made", problem)
    for dataset in about.datasets:
        if dataset.columns:
            yield _types(about, dataset)
        if dataset.parquet and find_spec("pyarrow") is not None:
            yield _parquet(about, dataset, dataset.parquet)


def _types(about: About, dataset: Dataset) -> Finding:
    try:
        columns, rows = typed_rows(about, dataset)
    except FileError as error:
        return Finding(dataset.files, "types", str(error))
    return Finding(dataset.files, f"{len(rows):,} rows of {len(columns)} columns")


def _parquet(about: About, dataset: Dataset, place: str) -> Finding:
    try:
        problem = "has other rows than the CSV" if parquet_differs(about, dataset) else None
    except FileError as error:
        problem = str(error)
    return Finding(place, "the rows of the CSV", problem)


def _dataset(about: About, dataset: Dataset, choice: contents.Choice) -> Iterator[Finding]:
    paths = dataset.paths(about.directory)
    if not paths:
        yield Finding(dataset.files, "files", "there is none")
        return
    try:
        for path, checked, problem in contents.CHECKS[dataset.check](paths, choice):
            yield Finding(path.relative_to(about.directory).as_posix(), checked, problem)
    except (WarAnalysisError, LookupError, TypeError, ValueError) as error:
        # Whatever a broken file makes of the recomputation, the file is not true.
        yield Finding(dataset.files, "content", f"{type(error).__name__}: {error}")


def to_dict(finding: Finding) -> dict[str, object]:
    """A finding as programs read it."""
    record = {"what": finding.what, "checked": finding.checked, "true": finding.problem is None}
    return record | ({"problem": finding.problem} if finding.problem else {})
