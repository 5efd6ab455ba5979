"""What is made from the datasets: Parquet, the page, `datapackage.json` and checksums.

The data package follows the Data Package specification, version 1: every CSV with the type and
the meaning of its columns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waranalysis import __version__
from waranalysis.data.about import About, Dataset, files
from waranalysis.data.table import OUT_OF_REACH, Row, read_csv
from waranalysis.errors import FileError, quoted
from waranalysis.files import write_text
from waranalysis.parquet import require_parquet, write_parquet
from waranalysis.provenance import provenance

SUMS, PACKAGE, PAGE = "SHA256SUMS", "datapackage.json", "README.md"
MISSING = ("", OUT_OF_REACH)
_MEDIA = {
    ".csv": "text/csv",
    ".jsonl": "application/jsonl",
    ".parquet": "application/vnd.apache.parquet",
    ".txt": "text/plain",
}


def build(about: About) -> list[str]:
    """Write what is made from the datasets; return the files that changed.

    Raises
    ------
    FileError
        If a file belongs to no dataset, a column has no meaning or a cell not its type.
    MissingError
        If Parquet is to be written without the extra ``data``.
    """
    if strangers := about.strangers():
        raise FileError(f"{quoted(strangers[0])} belongs to no dataset of about.toml")
    changed = [_parquet(about, dataset) for dataset in about.datasets]
    # The checksums come last, of all the others.
    for name, text in ((PAGE, page), (PACKAGE, package_text), (SUMS, sums_text)):
        changed.append(_text(about.directory / name, text(about)))
    return [name for name in changed if name is not None]


def _text(path: Path, text: str) -> str | None:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return None
    write_text(path, [text], force=True)
    return path.name


def _parquet(about: About, dataset: Dataset) -> str | None:
    if dataset.parquet is None or not parquet_differs(about, dataset):
        return None
    columns, rows = typed_rows(about, dataset)
    told = provenance("data", dataset=dataset.name, command=dataset.command)
    write_parquet(about.directory / dataset.parquet, columns, rows, told, force=True)
    return dataset.parquet


def parquet_differs(about: About, dataset: Dataset) -> bool:
    """Whether a dataset's Parquet is not there or has other rows than its CSV.

    The bytes are no measure: they depend on the version of pyarrow.
    """
    require_parquet()
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    assert dataset.parquet is not None
    path = about.directory / dataset.parquet
    try:
        table = ParquetFile(path).read()
    except (OSError, ArrowException):
        return True
    columns, rows = typed_rows(about, dataset)
    found = [list(row.values()) for row in table.to_pylist()]
    return bool(table.column_names != columns or found != rows)


# --- rows with types -------------------------------------------------------------------------


def typed_rows(about: About, dataset: Dataset) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows of all CSV files of a dataset.

    Raises
    ------
    FileError
        If the files differ in their columns, or a cell does not have the type of its column.
    """
    columns: list[str] = []
    rows: list[list[Any]] = []
    for path in dataset.paths(about.directory):
        header, found = read_csv(path)
        if columns and header != columns:
            raise FileError(f"{quoted(path)} has other columns than the files before it")
        columns = header
        rows += (_typed(dataset, row, path) for row in found)
    return columns, rows


def _typed(dataset: Dataset, row: Row, path: Path) -> list[Any]:
    return [_cell(dataset.column(name)[0], name, text, path) for name, text in row.items()]


def _cell(kind: str, column: str, text: str, path: Path) -> Any:
    """The value of a cell; a dash or nothing is none."""
    where = f"{quoted(path)}, {column} = {quoted(text)}"
    if text in MISSING or kind == "string":
        return None if text in MISSING else text
    if kind == "integer":
        if not text.isdigit():
            raise FileError(f"{where}: expected a whole number")
        return int(text)
    try:
        return float(text)
    except ValueError:
        raise FileError(f"{where}: expected a number") from None


# --- the data package ------------------------------------------------------------------------


def package_text(about: About) -> str:
    """The text of ``datapackage.json``."""
    record = {
        "profile": "data-package",
        "name": "waranalysis",
        "title": about.title,
        "description": about.description,
        "version": __version__,
        "licenses": [about.licence],
        "sources": about.sources,
        "resources": list(_resources(about)),
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def _resources(about: About) -> Iterator[dict[str, Any]]:
    for dataset in about.datasets:
        if not dataset.listed:
            continue
        paths = dataset.paths(about.directory)
        if dataset.parquet is not None:
            paths.append(about.directory / dataset.parquet)
        for path in paths:
            yield _resource(about, dataset, path)


def _resource(about: About, dataset: Dataset, path: Path) -> dict[str, Any]:
    place = path.relative_to(about.directory).as_posix()
    record: dict[str, Any] = {
        "name": place.replace("/", "-").lower(),
        "path": place,
        "title": dataset.title,
        "description": dataset.description,
        "format": path.suffix[1:],
        "mediatype": _MEDIA.get(path.suffix, "application/octet-stream"),
        "bytes": path.stat().st_size,
        "hash": f"sha256:{digest(path)}",
        "command": dataset.command,
    }
    if path.suffix == ".csv":
        record |= {"profile": "tabular-data-resource", "encoding": "utf-8"}
        record["schema"] = _schema(dataset, path)
    else:
        # For validators that would read a table of another form only with more packages.
        record["type"] = "file"
    return record


def _schema(dataset: Dataset, path: Path) -> dict[str, Any]:
    header, _ = read_csv(path)
    told = [(name, *dataset.column(name)) for name in header]
    fields = [{"name": name, "type": kind, "description": text} for name, kind, text in told]
    schema: dict[str, Any] = {"fields": fields, "missingValues": list(MISSING)}
    return schema | ({"primaryKey": list(dataset.key)} if dataset.key else {})


# --- checksums and the page ------------------------------------------------------------------


def sums_text(about: About) -> str:
    """The text of ``SHA256SUMS``, for ``sha256sum -c`` in the directory itself."""
    places = (path.relative_to(about.directory).as_posix() for path in files(about.directory))
    return "".join(
        f"{digest(about.directory / place)}  {place}\n" for place in places if place != SUMS
    )


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def page(about: About) -> str:
    """The text of ``README.md``."""
    return "\n".join(_page(about)) + "\n"


def _page(about: About) -> Iterator[str]:
    yield f"# {about.title}"
    yield ""
    yield about.description.strip()
    yield (
        "Numbers count deals, positions or battles (turns, each with all its wars); seats are "
        "counted from 0; an empty cell does not apply, a dash was not computed."
    )
    yield ""
    yield "```sh"
    yield "waranalysis data verify data  # checksums; a random row of each, computed again"
    yield "waranalysis data fill data    # missing rows of the atlas; may be stopped"
    yield "waranalysis data build data   # Parquet, this page, datapackage.json, SHA256SUMS"
    yield "```"
    yield ""
    yield f"Licence of the data: [{about.licence['title']}]({about.licence['path']})."
    yield "The program that made them is under the MIT licence. Sources of published values:"
    yield ""
    for source in about.sources:
        path = source.get("path")
        yield f"- {source['title']}" + f", <{path}>" * (path is not None)
    for dataset in about.datasets:
        yield from _section(dataset)


def _section(dataset: Dataset) -> Iterator[str]:
    yield ""
    yield f"## {dataset.title}"
    yield ""
    also = f" and, for programs, `{dataset.parquet}`" if dataset.parquet else ""
    yield f"`{dataset.files}`{also}. {dataset.description.strip()}"
    yield ""
    yield f"Made by: {dataset.command}"
    if dataset.columns:
        yield ""
        yield "| column | type | meaning |"
        yield "|---|---|---|"
        for name, told in dataset.columns.items():
            kind, _, meaning = told.partition(": ")
            yield f"| `{name}` | {kind} | {meaning} |"
