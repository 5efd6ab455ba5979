"""Reading lines with limits, and writing files so that nothing half-written is ever seen."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from waranalysis.errors import FileError, WarAnalysisError, quoted

LONGEST_LINE = 1_000_000


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file.

    Raises
    ------
    FileError
        If it cannot be read or is not UTF-8.
    """
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise FileError(f"cannot read {quoted(path)}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise FileError(f"{quoted(path)} is not UTF-8 (byte {error.start})") from None


def lines(stream: BinaryIO) -> Iterator[str | WarAnalysisError]:
    """Yield the lines of a binary stream; in place of one that is too long or no UTF-8, an error.

    No more than `LONGEST_LINE` bytes of a line are ever held.
    """
    while raw := stream.readline(LONGEST_LINE + 1):
        if len(raw) > LONGEST_LINE:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(LONGEST_LINE)
            yield FileError(f"line too long: expected at most {LONGEST_LINE:,} bytes")
            continue
        try:
            yield raw.decode().removesuffix("\n").removesuffix("\r").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            yield FileError(f"not UTF-8 (byte {error.start} of the line)")


def check_target(path: Path, force: bool) -> None:
    """Raise `FileError` if a file could not, or must not, be written at `path`."""
    if path.is_dir():
        raise FileError(f"{quoted(path)} is a directory: expected a file to write")
    if not path.parent.is_dir():
        raise FileError(f"no directory {quoted(path.parent)} to write {quoted(path.name)} into")
    if path.is_file() and not force:
        raise FileError(f"{quoted(path)} exists: expected a new file, or --force")


def write_text(path: Path, chunks: Iterable[str], force: bool = False) -> None:
    """Write text in UTF-8, as `write_bytes` does."""
    write_bytes(path, (chunk.encode() for chunk in chunks), force)


def write_bytes(path: Path, chunks: Iterable[bytes], force: bool = False) -> None:
    """Write a file under a temporary name, then give it its own.

    Parameters
    ----------
    path : Path
    chunks : iterable of bytes
    force : bool
        Replace a file that exists.

    Raises
    ------
    FileError
        If it exists, or the device or the directory refuses it; nothing is left behind then.
    """
    check_target(path, force)
    if path.exists() and not path.is_file():
        _write_device(path, chunks)
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise FileError(f"cannot write {quoted(path)}: {error.strerror}") from None
    temporary = Path(name)
    try:
        with open(handle, "wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fchmod(handle, 0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise FileError(f"cannot write {quoted(path)}: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, record: Any, force: bool = False) -> None:
    """Write one line of JSON, as `write_text` does."""
    write_text(path, [json.dumps(record) + "\n"], force)


def _write_device(path: Path, chunks: Iterable[bytes]) -> None:
    """A device or a pipe cannot be renamed into place."""
    try:
        with path.open("wb") as file:
            file.writelines(chunks)
    except OSError as error:
        raise FileError(f"cannot write {quoted(path)}: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
