"""The frontier: nodes by layer of related pairs, in a pool of rows, on disk, and between runs.

A list of rows belongs to a pair (layer, bucket of the key's hash) and to the worker that wrote
it, so that workers never wait for each other; the lists of one pair are merged when its turn
comes. When the pool is full, every list goes to a *block*, one file a layer, merged first. A
checkpoint is the same: everything goes to blocks, then a manifest names them.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.errors import FileError, LimitError, quoted
from waranalysis.order import kernel as k

MOST_CARDS = 24
_LINES = 1 << 16
_SPARE_CHUNKS = 1024
Progress = Callable[[int, int, int], None]


@dataclass(frozen=True)
class Plan:
    """What is enumerated, and what a row holds.

    Attributes
    ----------
    n : int
        Cards, at most `MOST_CARDS`.
    split : int
        Cards of seat 0 at the start.
    first : tuple of bool
        For each winning seat, whether its own card is the upper one of the pot.
    stacked : bool
        Whether captures go to a won pile.
    swap : bool
        Whether states that differ by an exchange of the seats are one node.
    ends : bool
        Whether the deals of the games that end are counted too, not only inferred.
    keep : bool
        Whether the loops are kept, as rows of the layer behind the last one.
    depth : int
        `kernel.NO_DEPTH`, `MAX_DEPTH` (for the longest game) or `EACH_DEPTH` (every number of
        battles a node of its own, for the histogram).
    """

    n: int
    split: int
    first: tuple[bool, bool] = (True, True)
    stacked: bool = False
    swap: bool = False
    ends: bool = False
    keep: bool = False
    depth: int = k.NO_DEPTH

    @property
    def layers(self) -> int:
        """Layers, by number of related pairs from none to all."""
        return self.n * (self.n - 1) // 2 + 1

    @property
    def buckets(self) -> int:
        """Buckets of a layer."""
        return 1 if self.n < 10 else 16 if self.n < 15 else 64 if self.n < 18 else 256

    @property
    def two(self) -> bool:
        """Whether counts need more than 64 bits: they are kept modulo 2^64 and a prime."""
        return self.n > 20

    @property
    def parameters(self) -> NDArray[np.int64]:
        """The parameter vector of the kernels."""
        slots = self.n // 2 + (self.n % 2 or self.stacked)
        width = 1 + (self.n > k.ONE_WORD) - (-slots // (64 // _slot_bits(self.n)))
        key = width + (self.depth == k.EACH_DEPTH)
        row = key + 1 + self.two + (self.depth == k.MAX_DEPTH)
        return np.array(
            [
                self.n, width, key, row, *self.first, self.stacked, self.swap, self.ends,
                self.keep, self.depth, self.two, self.buckets,
            ],
            np.int64,
        )  # fmt: skip


def _slot_bits(n: int) -> int:
    return 16 if n <= 16 else 21 if n <= 21 else 32


@dataclass
class Tallies:
    """What was counted so far.

    Attributes
    ----------
    loops, ended : dict of int to list of int
        Period, or battles: leaves, deals whose best card is with seat 0, and with seat 1.
    longest : list of int
        Battles, winner, then the order of the final packet, a bit mask a card; empty at first.
    nodes, rows, peak_rows : int
        Nodes expanded, rows written, most rows held at once.
    """

    loops: dict[int, list[int]] = field(default_factory=dict)
    ended: dict[int, list[int]] = field(default_factory=dict)
    longest: list[int] = field(default_factory=list)
    nodes: int = 0
    rows: int = 0
    peak_rows: int = 0

    def add(self, other: Tallies) -> None:
        """Add what was counted elsewhere."""
        for into, lines in ((self.loops, other.loops), (self.ended, other.ended)):
            for period, line in lines.items():
                old = into.get(period, [0, 0, 0])
                into[period] = [a + b for a, b in zip(old, line, strict=True)]
        self.longest = _longer(self.longest, other.longest)
        self.nodes += other.nodes
        self.rows += other.rows
        self.peak_rows += other.peak_rows


def _longer(one: list[int], other: list[int]) -> list[int]:
    """The longer game, the lesser of two as long; an empty list is none."""
    games = [game for game in (one, other) if game]
    return min(games, key=lambda game: (-game[0], game[1:]), default=[])


class _Worker:
    """The arrays of one thread."""

    def __init__(self, plan: Plan, chunks: int) -> None:
        n = plan.n
        self.ends = np.full((plan.layers + 1, plan.buckets, 2), -1, np.int64)
        self.free = np.empty(chunks + 1, np.int64)
        self.free[0] = 0
        self.scratch = np.zeros(k.SCRATCH, np.int64)
        self.key = np.zeros(16, np.uint64)
        self.spare = np.zeros(16, np.uint64)
        self.loops = np.zeros(_LINES * k.TALLY, np.uint64)
        self.ended = np.zeros(_LINES * k.TALLY, np.uint64)
        self.longest = np.full(80, -1, np.int64)
        self.counts = np.zeros(1 << n, np.uint64)
        self.ideals = np.zeros(32 + 4 * max(16, math.comb(n, n // 2)), np.int64)
        self.last = np.zeros(32, np.uint64)
        self.table = np.empty(0, np.int64)
        self.unique = np.empty(0, np.int64)

    def cleared_table(self, rows: int) -> NDArray[np.int64]:
        """An empty hash table for so many rows, and room for as many row numbers."""
        size = 1 << (2 * rows).bit_length()
        if len(self.table) < size:
            self.table = np.empty(size, np.int64)
            self.unique = np.empty(size // 2, np.int64)
        table = self.table[:size]
        table.fill(-1)
        return table


class _FullPoolError(Exception):
    """The pool has no room for what comes next."""


class Frontier:
    """One run of the enumeration.

    Parameters
    ----------
    plan : Plan
    workers : int
        Threads.
    memory : int
        Bytes for rows and tables, about.
    scratch : Path, optional
        A directory for rows that do not fit and for checkpoints; a run of the same plan that
        was stopped goes on from there.
    pause : float
        Least seconds between two checkpoints. (They also wait for ten times as long as the
        last one took.)

    Raises
    ------
    LimitError
        Too little memory (or no scratch directory when memory is full), or a full disk.
    FileError
        A scratch directory that belongs to another run or cannot be used.
    """

    def __init__(
        self,
        plan: Plan,
        workers: int = 1,
        memory: int = 1 << 30,
        scratch: Path | None = None,
        pause: float = 60.0,
    ) -> None:
        self.plan = plan
        self.parameters = plan.parameters
        self.row_words = int(self.parameters[k.ROW])
        self.memory = memory
        chunk_bytes = 8 * (k.CHUNK * self.row_words + 2 + workers)
        fixed = workers * (8 * (1 << plan.n) + 16 * plan.layers * plan.buckets + (1 << 22))
        self.chunks = (memory - fixed) // chunk_bytes
        if self.chunks < 64 + workers * plan.buckets:
            raise LimitError(
                f"memory of {memory:,} bytes is too little for {plan.n} cards: "
                f"expected at least {fixed + chunk_bytes * (64 + workers * plan.buckets) * 4:,}"
            )
        self.pool = np.empty(self.chunks * k.CHUNK * self.row_words, np.uint64)
        self.link = np.empty(self.chunks, np.int64)
        self.free = np.arange(self.chunks, 0, -1) - 1
        self.height = self.chunks
        self.lowest = self.chunks
        self.lock = threading.Lock()
        self.workers = [_Worker(plan, self.chunks) for _ in range(workers)]
        self.tallies = Tallies()
        self.layer = 0
        self.pause = pause
        self.saved = time.monotonic()
        self.blocks: dict[int, list[str]] = {}
        self.loaded: set[tuple[str, int]] = set()
        self.sequence = 0
        self.scratch = scratch
        if scratch is None or not self._restore(scratch):
            self._seed()

    def run(self, progress: Progress | None = None) -> Tallies:
        """Work through all layers; call ``progress(layer, layers, nodes)`` after each."""
        with ThreadPoolExecutor(len(self.workers)) as pool:
            while self.layer < self.plan.layers:
                self._work_through(pool)
                self.layer += 1
                self.loaded.clear()
                self._collect()
                if progress:
                    progress(self.layer, self.plan.layers, self.tallies.nodes)
                if self._checkpoint_due():
                    self.checkpoint()
        if self.scratch is not None:
            self._drop([*self.scratch.glob("*.rows"), self.scratch / "manifest.json"])
        return self.tallies

    # A part of the work, for others to hand out.

    def expand_rows(self, bucket: int, rows: NDArray[np.uint64]) -> None:
        """Expand nodes of a bucket of the present layer that come from elsewhere."""
        self._put(self.workers[0], self.layer, bucket, rows)
        self._expand(self.workers[0], bucket)
        self._collect()

    def filled_lists(self) -> list[tuple[int, int]]:
        """Layers and buckets of the lists that hold rows."""
        filled = np.argwhere(self.workers[0].ends[:, :, 0] >= 0)
        return [(int(layer), int(bucket)) for layer, bucket in filled]

    def take_rows(self, layer: int, bucket: int) -> NDArray[np.uint64]:
        """Take the rows of a list away, merged."""
        return self._gather(self.workers[0], layer, bucket)

    def _seed(self) -> None:
        """The one node of layer 0: nothing is known."""
        worker, plan, p = self.workers[0], self.plan, self.parameters
        s = worker.scratch
        s[k.SIZES] = plan.split
        s[k.SIZES + 1] = plan.n - plan.split
        s[k.PLACE : k.PLACE + plan.n] = np.arange(plan.n)
        k.canonical(s, plan.n, p[k.WIDTH], p[k.STACKED], p[k.SWAP], worker.key, worker.spare)
        row = np.zeros(self.row_words, np.uint64)
        row[: p[k.WIDTH]] = worker.key[: p[k.WIDTH]]
        row[p[k.KEY] : p[k.KEY] + 1 + plan.two] = 1
        self._put(worker, 0, 0, row)

    def _put(self, worker: _Worker, layer: int, bucket: int, rows: NDArray[np.uint64]) -> None:
        self._supply(worker, len(rows) // self.row_words // k.CHUNK + 2)
        k.scatter(
            self.parameters, rows, self.pool, self.link, worker.ends.reshape(-1), worker.free,
            layer * self.plan.buckets + bucket,
        )  # fmt: skip

    def _supply(self, worker: _Worker, need: int) -> None:
        """See that the worker's stack has `need` free chunks, and not many more."""
        with self.lock:
            have = int(worker.free[0])
            if have < need:
                take = need - have
                if self.height < take:
                    raise _FullPoolError
                worker.free[have + 1 : need + 1] = self.free[self.height - take : self.height]
                self.height -= take
                self.lowest = min(self.lowest, self.height)
                worker.free[0] = need
            elif have > need + _SPARE_CHUNKS:
                give = have - need
                self.free[self.height : self.height + give] = worker.free[need + 1 : have + 1]
                self.height += give
                worker.free[0] = need

    def _lists(self, layer: int, bucket: int) -> NDArray[np.int64]:
        return np.concatenate([worker.ends[layer, bucket] for worker in self.workers])

    def _work_through(self, pool: ThreadPoolExecutor) -> None:
        """Expand every node of the present layer."""
        todo = deque(range(self.plan.buckets))
        before = -1
        while todo:
            full = [
                task.result() for task in [pool.submit(self._work, w, todo) for w in self.workers]
            ]
            if any(full):
                if before == len(todo):
                    raise LimitError(
                        f"memory of {self.memory:,} bytes is too little for layer {self.layer} "
                        f"of {self.plan.n} cards: expected more, or a scratch directory"
                    )
                before = len(todo)
                self.flush(pool)

    def _work(self, worker: _Worker, todo: deque[int]) -> bool:
        """Take buckets until there are no more (False) or the pool is full (True)."""
        while True:
            try:
                bucket = todo.popleft()
            except IndexError:
                return False
            try:
                self._expand(worker, bucket)
            except _FullPoolError:
                todo.append(bucket)
                return True

    def _expand(self, worker: _Worker, bucket: int) -> None:
        self._load(worker, self.layer, bucket)
        lists = self._lists(self.layer, bucket)
        rows = k.rows_in(self.link, lists)
        if not rows:
            return
        lists_open = self.plan.buckets * (self.plan.layers + 1 - self.layer)
        self._supply(worker, 2 * rows // k.CHUNK + min(2 * rows, lists_open) + 2)
        for other in self.workers:
            other.ends[self.layer, bucket] = -1
        nodes, appended = k.process(
            self.parameters, self.pool, self.link, lists, worker.ends.reshape(-1), worker.free,
            worker.cleared_table(rows), worker.unique, worker.scratch, worker.key, worker.spare,
            worker.loops, worker.ended, worker.longest, worker.counts, worker.ideals, worker.last,
        )  # fmt: skip
        with self.lock:
            self.tallies.nodes += nodes
            self.tallies.rows += appended
        self._supply(worker, 0)

    def _collect(self) -> None:
        """Move the workers' tallies to the common ones."""
        for worker in self.workers:
            _add_lines(self.tallies.loops, worker.loops, self.plan.two)
            _add_lines(self.tallies.ended, worker.ended, self.plan.two)
            if worker.longest[0] >= 0:
                mine = worker.longest[: self.plan.n + 2].tolist()
                self.tallies.longest = _longer(self.tallies.longest, mine)
        peak = (self.chunks - self.lowest) * k.CHUNK
        self.tallies.peak_rows = max(self.tallies.peak_rows, peak)

    # Blocks: B + 1 row numbers (where each bucket begins), then the rows.

    def flush(self, pool: ThreadPoolExecutor | None = None) -> None:
        """Write all lists to blocks and empty the pool."""
        if self.scratch is None:
            raise LimitError(
                f"memory of {self.memory:,} bytes is too little for {self.plan.n} cards "
                f"at layer {self.layer}: expected more, or a scratch directory"
            )
        layers = [
            layer
            for layer in range(self.layer, self.plan.layers + 1)
            if any((worker.ends[layer, :, 0] >= 0).any() for worker in self.workers)
        ]
        for layer in layers:
            self._write_block(self.workers[0], layer)
        self._supply(self.workers[0], 0)

    def _write_block(self, worker: _Worker, layer: int) -> None:
        assert self.scratch is not None
        self.sequence += 1
        name = f"{layer:03d}-{self.sequence:06d}.rows"
        starts = np.zeros(self.plan.buckets + 1, np.uint64)
        temporary = self.scratch / f".{name}"
        try:
            with open(temporary, "wb") as file:
                starts.tofile(file)
                for bucket in range(self.plan.buckets):
                    rows = self._gather(worker, layer, bucket)
                    rows.tofile(file)
                    starts[bucket + 1] = int(starts[bucket]) + len(rows) // self.row_words
                file.seek(0)
                starts.tofile(file)
                file.flush()
                os.fsync(file.fileno())
            temporary.rename(self.scratch / name)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise LimitError(
                f"scratch directory {quoted(self.scratch)}: {error.strerror or error}; "
                "the last checkpoint is kept"
            ) from None
        self.blocks.setdefault(layer, []).append(name)

    def _gather(self, worker: _Worker, layer: int, bucket: int) -> NDArray[np.uint64]:
        lists = self._lists(layer, bucket)
        rows = k.rows_in(self.link, lists)
        out = np.empty(rows * self.row_words, np.uint64)
        if not rows:
            return out
        for other in self.workers:
            other.ends[layer, bucket] = -1
        kept = k.gather(
            self.parameters, self.pool, self.link, lists, worker.free,
            worker.cleared_table(rows), worker.unique, out,
        )  # fmt: skip
        return out[: kept * self.row_words]

    def _load(self, worker: _Worker, layer: int, bucket: int) -> None:
        """Bring a bucket's rows back from the blocks, once."""
        for name in self.blocks.get(layer, []):
            if (name, bucket) in self.loaded:
                continue
            assert self.scratch is not None
            path = self.scratch / name
            starts = np.fromfile(path, np.uint64, 2, offset=8 * bucket).astype(np.int64)
            size = int(starts[1] - starts[0]) * self.row_words
            at = 8 * (self.plan.buckets + 1 + int(starts[0]) * self.row_words)
            self._put(worker, layer, bucket, np.fromfile(path, np.uint64, size, offset=at))
            self.loaded.add((name, bucket))

    # Checkpoints.

    def _checkpoint_due(self) -> bool:
        return (
            self.scratch is not None
            and self.layer < self.plan.layers
            and time.monotonic() - self.saved >= self.pause
        )

    def checkpoint(self) -> None:
        """Write what it takes to go on from the present layer."""
        assert self.scratch is not None
        begun = time.monotonic()
        self.flush()
        manifest = {
            "plan": asdict(self.plan),
            "layer": self.layer,
            "sequence": self.sequence,
            "blocks": {layer: names for layer, names in self.blocks.items() if layer >= self.layer},
            "tallies": asdict(self.tallies),
        }
        _replace(self.scratch / "manifest.json", json.dumps(manifest))
        spent = [layer for layer in self.blocks if layer < self.layer]
        self._drop(self.scratch / name for layer in spent for name in self.blocks.pop(layer))
        self.saved = time.monotonic()
        self.pause = max(self.pause, 10 * (self.saved - begun)) if self.pause else 0.0

    def _restore(self, scratch: Path) -> bool:
        """Go on from a checkpoint, if there is one."""
        try:
            scratch.mkdir(parents=True, exist_ok=True)
            text = (scratch / "manifest.json").read_text()
        except FileNotFoundError:
            self._drop(scratch.glob("*.rows"))
            return False
        except OSError as error:
            raise FileError(f"scratch directory {quoted(scratch)}: {error.strerror}") from None
        manifest = json.loads(text)
        if manifest["plan"] != json.loads(json.dumps(asdict(self.plan))):
            raise FileError(
                f"scratch directory {quoted(scratch)} holds another enumeration: "
                f"expected a new directory, or {_told(manifest['plan'])}"
            )
        self.layer = manifest["layer"]
        self.sequence = manifest["sequence"]
        self.blocks = {int(layer): names for layer, names in manifest["blocks"].items()}
        told = manifest["tallies"]
        for lines in ("loops", "ended"):
            told[lines] = {int(period): line for period, line in told[lines].items()}
        self.tallies = Tallies(**told)
        kept = {name for names in self.blocks.values() for name in names}
        self._drop(path for path in scratch.glob("*.rows") if path.name not in kept)
        return True

    def _drop(self, paths: Iterable[Path]) -> None:
        for path in paths:
            path.unlink(missing_ok=True)


def _told(plan: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in plan.items())


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with open(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(path)


def _add_lines(into: dict[int, list[int]], tally: NDArray[np.uint64], two: bool) -> None:
    """Add a worker's tally to the exact one and clear it."""
    lines = tally.reshape(-1, k.TALLY)
    used = int(np.argmax(lines[:, k.LEAVES] == 0))
    for line in lines[:used].tolist():
        total = into.setdefault(line[k.PERIOD], [0, 0, 0])
        total[0] += line[k.LEAVES]
        for seat in range(2):
            low = line[k.DEALS + seat]
            total[1 + seat] += joined(low, line[k.DEALS_PRIME + seat]) if two else low
    lines[:used] = 0


def joined(low: int, residue: int) -> int:
    """The number below 2^64 PRIME with these residues."""
    prime = int(k.PRIME)
    return low + (((residue - low) * pow(1 << 64, -1, prime)) % prime << 64)
