"""Rows on disk: one file a layer that only grows, and a manifest of what counts.

A file is a row of *segments*, one for each checkpoint that had something new for the layer:
B + 1 row numbers (where each of B buckets begins), then the rows. The manifest tells how much of
every file counts; what a killed run wrote after that is cut off.
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
_FORMAT = 2


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
        # By layer: where its segments begin, and the bytes that count.
        self.segments: dict[int, list[int]] = {}
        self.bytes: dict[int, int] = {}
        # How many of the segments have rows that are not in memory.
        self.cold: dict[int, int] = {}
        self.written = 0
        self.state = self._open()

    def append(self, layer: int, starts: Words, rows: Words) -> None:
        """Add a segment to a layer's file."""
        begin = self.bytes.get(layer, 0)
        with self._full_disk_told():
            mode = "r+b" if begin else "wb"
            with open(self._path(layer), mode) as file:
                file.seek(begin)
                # (numpy.tofile would not say why it failed.)
                file.write(starts.data)
                file.write(rows.data)
                file.flush()
                os.fdatasync(file.fileno())
        self.segments.setdefault(layer, []).append(begin)
        self.bytes[layer] = begin + starts.nbytes + rows.nbytes
        self.written += int(starts[-1])

    def cool(self) -> None:
        """Note that no row is in memory any more."""
        self.cold = {layer: len(offsets) for layer, offsets in self.segments.items()}

    def read(self, layer: int, bucket: int) -> Words:
        """The rows of a bucket that are not in memory."""
        offsets = self.segments.get(layer, [])[: self.cold.get(layer, 0)]
        if not offsets:
            return np.empty(0, np.uint64)
        with open(self._path(layer), "rb") as file:
            return np.concatenate([self._part(file, offset, bucket) for offset in offsets])

    def _part(self, file: Any, offset: int, bucket: int) -> Words:
        file.seek(offset + 8 * bucket)
        begin, end = np.fromfile(file, np.uint64, 2).tolist()
        file.seek(offset + 8 * (self.buckets + 1 + begin * self.row_words))
        return np.fromfile(file, np.uint64, (end - begin) * self.row_words)

    def save(self, layer: int, state: dict[str, Any]) -> None:
        """Make what was appended count, with `state`, and drop the files of layers before."""
        for spent in [one for one in self.segments if one < layer]:
            del self.segments[spent], self.bytes[spent]
            self.cold.pop(spent, None)
        text = json.dumps({"run": self.told, "bytes": self.bytes, "state": state})
        with self._full_disk_told():
            handle, name = tempfile.mkstemp(prefix=".manifest.", dir=self.directory)
            with open(handle, "w") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._manifest)
        self._drop_others()

    def clear(self) -> None:
        """Drop everything."""
        self._manifest.unlink(missing_ok=True)
        self.bytes.clear()
        self._drop_others()

    @property
    def _manifest(self) -> Path:
        return self.directory / "manifest.json"

    def _path(self, layer: int) -> Path:
        return self.directory / f"{layer:03d}.rows"

    def _drop_others(self) -> None:
        kept = {self._path(layer) for layer in self.bytes}
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
            lengths = {int(layer): size for layer, size in manifest["bytes"].items()}
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
        for layer, size in lengths.items():
            self.segments[layer] = self._scan(layer, size)
        self.cool()
        self._drop_others()
        return state

    def _scan(self, layer: int, size: int) -> list[int]:
        """Where the segments of a file begin; cut off what does not count."""
        offsets, at = [], 0
        name = quoted(self._path(layer))
        try:
            with open(self._path(layer), "r+b") as file:
                held = file.seek(0, os.SEEK_END)
                while at < min(size, held):
                    offsets.append(at)
                    file.seek(at + 8 * self.buckets)
                    rows = int.from_bytes(file.read(8), "little")
                    at += 8 * (self.buckets + 1 + rows * self.row_words)
                file.truncate(min(size, held))
        except OSError as error:
            raise FileError(f"{name}: {error.strerror}") from None
        if at != size or held < size:
            raise FileError(f"{name}: expected {size:,} bytes of rows, found {held:,}")
        return offsets
