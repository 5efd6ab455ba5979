"""Tables as Parquet files; needs the extra ``data``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from waranalysis.errors import MissingError
from waranalysis.files import write_bytes

_LEAST, _MOST = -(2**63), 2**63 - 1


def require_parquet() -> None:
    """Raise `MissingError` if pyarrow is not there."""
    if find_spec("pyarrow") is None:
        raise MissingError("Parquet needs the extra 'data': pip install 'waranalysis[data]'")


def write_parquet(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    about: Any,
    force: bool = False,
) -> None:
    """Write a table as `files.write_bytes` does; the same table gives the same bytes.

    Parameters
    ----------
    path : Path
    header : sequence of str
        Names of the columns.
    rows : iterable of sequences
        Cells; None is empty.
    about : plain JSON values
        What it takes to make the table again, kept in the file's metadata as ``waranalysis``.
    force : bool
        Replace a file that exists.

    Raises
    ------
    FileError, MissingError

    Notes
    -----
    A column of whole numbers of at most 64 bits, or without any value, is one of integers, other
    real numbers are doubles, and everything else, exact fractions and great numbers too, is text.
    """
    require_parquet()
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    arrays = [pa.array(*_typed(column)) for column in columns]
    table = pa.table(dict(zip(header, arrays, strict=True)))
    buffer = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({"waranalysis": json.dumps(about)}), buffer)
    write_bytes(path, [buffer.getvalue().to_pybytes()], force)


def _typed(column: Sequence[Any]) -> tuple[list[Any], str]:
    """Values of one type, and its name."""
    values = [value for value in column if value is not None]
    if all(isinstance(value, int) and _LEAST <= value <= _MOST for value in values):
        return list(column), "int64"
    if all(isinstance(value, float) or _exact_as_float(value) for value in values):
        return [None if value is None else float(value) for value in column], "float64"
    return [None if value is None else str(value) for value in column], "string"


def _exact_as_float(value: Any) -> bool:
    return isinstance(value, int) and abs(value) <= 2**53
