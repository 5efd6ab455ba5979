"""Rows on disk: one file a layer that only grows, and a manifest of what counts.

A file is a row of *segments*, one for each checkpoint that had something new for the layer:
B + 1 row numbers (where each of B buckets begins), then the rows. Checkpoints with few new rows
put those of all layers into one common file, because to see one file safely on the disk takes
some milliseconds. The manifest tells how much of every file counts; what a killed run wrote after
that is cut off.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.errors import FileError, LimitError, quoted

Words = NDArray[np.uint64]
_FORMAT = 3
# The number of the common file, among those of the layers.
_COMMON = -1


class Store:
    """The files of one run in a scratch directory.

    Parameters
    ----------
    directory : Path
        Made if need be.
    told : dict
        What is enumerated, as JSON values; a directory that holds something else is refused.
    buckets, row_words : int

    Attributes
    ----------
    state : dict or None
        What the last checkpoint was given, if there is one.
    written : int
        Rows written.

    Raises
    ------
    FileError
        If the directory cannot be used or belongs to another run.
    """

    def __init__(self, directory: Path, told: dict[str, Any], buckets: int, row_words: int) -> None:
        self.directory = directory
        self.told = {"format": _FORMAT} | told
        self.buckets = buckets
        self.row_words = row_words
        # By layer: the file and place where each of its segments begins.
        self.segments: dict[int, list[tuple[int, int]]] = {}
        # By file: the bytes that count.
        self.bytes: dict[int, int] = {}
        # How many of the segments have rows that are not in memory.
        self.cold: dict[int, int] = {}
        self.unsynced: set[int] = set()
        self.written = 0
        self.state = self._open()

    def append(self, layer: int, starts: Words, rows: Words, common: bool = False) -> None:
        """Add a segment to a layer's file, or to the common one."""
        number = _COMMON if common else layer
        begin = self.bytes.get(number, 0)
        with self._full_disk_told():
            mode = "r+b" if begin else "wb"
            with open(self._path(number), mode) as file:
                file.seek(begin)
                # (numpy.tofile would not say why it failed.)
                file.write(starts.data)
                file.write(rows.data)
        self.segments.setdefault(layer, []).append((number, begin))
        self.bytes[number] = begin + starts.nbytes + rows.nbytes
        self.unsynced.add(number)
        self.written += int(starts[-1])

    def cool(self) -> None:
        """Note that no row is in memory any more."""
        self.cold = {layer: len(places) for layer, places in self.segments.items()}

    def read(self, layer: int, bucket: int) -> Words:
        """The rows of a bucket that are not in memory."""
        places = self.segments.get(layer, [])[: self.cold.get(layer, 0)]
        if not places:
            return np.empty(0, np.uint64)
        with contextlib.ExitStack() as stack:
            files = {
                number: stack.enter_context(open(self._path(number), "rb"))
                for number in {number for number, _ in places}
            }
            parts = [self._part(files[number], begin, bucket) for number, begin in places]
        return np.concatenate(parts)

    def _part(self, file: Any, place: int, bucket: int) -> Words:
        file.seek(place + 8 * bucket)
        begin, end = np.fromfile(file, np.uint64, 2).tolist()
        file.seek(place + 8 * (self.buckets + 1 + begin * self.row_words))
        return np.fromfile(file, np.uint64, (end - begin) * self.row_words)

    def save(self, layer: int, state: dict[str, Any]) -> None:
        """Make what was appended count, with `state`, and drop the files of layers before."""
        for spent in [one for one in self.segments if one < layer]:
            del self.segments[spent]
            self.bytes.pop(spent, None)
            self.cold.pop(spent, None)
        common = {
            layer: [begin for number, begin in places if number == _COMMON]
            for layer, places in self.segments.items()
        }
        if not any(common.values()):
            self.bytes.pop(_COMMON, None)
        told = {"run": self.told, "bytes": self.bytes, "common": common, "state": state}
        text = json.dumps(told)
        with self._full_disk_told():
            self._sync()
            handle, name = tempfile.mkstemp(prefix=".manifest.", dir=self.directory)
            with open(handle, "w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._manifest)
        self._drop_others()

    def _sync(self) -> None:
        """See that what was appended is on the disk."""
        for number in self.unsynced & self.bytes.keys():
            with open(self._path(number), "rb") as file:
                os.fdatasync(file.fileno())
        self.unsynced.clear()

    def clear(self) -> None:
        """Drop everything."""
        self._manifest.unlink(missing_ok=True)
        self.bytes.clear()
        self._drop_others()

    @property
    def _manifest(self) -> Path:
        return self.directory / "manifest.json"

    def _path(self, number: int) -> Path:
        return self.directory / ("common.rows" if number == _COMMON else f"{number:03d}.rows")

    def _drop_others(self) -> None:
        kept = {self._path(number) for number in self.bytes}
        for path in [*self.directory.glob("*.rows"), *self.directory.glob(".manifest.*")]:
            if path not in kept:
                path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _full_disk_told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LimitError(
                f"scratch directory {quoted(self.directory)}: {error.strerror or error}; "
                "the last checkpoint is kept"
            ) from None

    def _open(self) -> dict[str, Any] | None:
        """Go on from the manifest, if there is one."""
        shown = f"scratch directory {quoted(self.directory)}"
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{shown}: {error.strerror}") from None
        try:
            manifest = json.loads(self._manifest.read_text())
            run: dict[str, Any] = manifest["run"]
            state: dict[str, Any] = manifest["state"]
            lengths = {int(number): size for number, size in manifest["bytes"].items()}
            common = {int(layer): begins for layer, begins in manifest["common"].items()}
        except FileNotFoundError:
            self._drop_others()
            return None
        except OSError as error:
            raise FileError(f"{shown}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FileError(f"{shown}: manifest.json is not of this program") from None
        if run != self.told:
            text = ", ".join(f"{name} {value}" for name, value in run.items())
            raise FileError(
                f"{shown} holds another enumeration: expected a new directory, or {text}"
            )
        self.bytes = lengths
        for number, size in lengths.items():
            begins = self._scan(number, size)
            if number != _COMMON:
                self.segments[number] = [(number, begin) for begin in begins]
        for layer, begins in common.items():
            self.segments.setdefault(layer, []).extend((_COMMON, begin) for begin in begins)
        self.cool()
        self._drop_others()
        return state

    def _scan(self, number: int, size: int) -> list[int]:
        """Where the segments of a file begin; cut off what does not count."""
        begins, at = [], 0
        name = quoted(self._path(number))
        try:
            with open(self._path(number), "r+b") as file:
                held = file.seek(0, os.SEEK_END)
                while at < min(size, held):
                    begins.append(at)
                    file.seek(at + 8 * self.buckets)
                    rows = int.from_bytes(file.read(8), "little")
                    at += 8 * (self.buckets + 1 + rows * self.row_words)
                file.truncate(min(size, held))
        except OSError as error:
            raise FileError(f"{name}: {error.strerror}") from None
        if at != size or held < size:
            raise FileError(f"{name}: expected {size:,} bytes of rows, found {held:,}")
        return begins
