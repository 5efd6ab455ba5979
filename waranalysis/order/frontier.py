"""The frontier: nodes by layer of related pairs, in a pool of rows, on disk, and between runs.

A list of rows belongs to a pair (layer, bucket of the key's hash) and to the worker that wrote
it, so that workers never wait for each other; the lists of one pair are merged when its turn
comes. With a scratch directory every row is written once, at the first checkpoint after it was
found: a checkpoint costs what is new, and when the pool is full it is simply emptied.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.errors import LimitError
from waranalysis.order import layout as at
from waranalysis.order import rows as lists
from waranalysis.order.key import canonical
from waranalysis.order.laps import ENTRIES
from waranalysis.order.nodes import process
from waranalysis.order.plan import MEMORY, Plan, Progress, Tallies, add_lines, laps_of, longer
from waranalysis.order.store import Store

_LINES = 1 << 16
_SPARE_CHUNKS = 1024
# Bytes of new rows that make a checkpoint a small one.
_FEW = 1 << 22
PAUSE = 5.0


class _Worker:
    """The arrays of one thread; `ends` and `marks` are its stretch of the common ones."""

    def __init__(self, plan: Plan, chunks: int, ends: Any, marks: Any) -> None:
        n = plan.n
        self.ends = ends
        self.marks = marks
        self.free = np.empty(chunks + 1, np.int64)
        self.free[0] = 0
        self.scratch = np.zeros(at.SCRATCH, np.int64)
        self.row = np.zeros(16, np.uint64)
        self.key = np.zeros(16, np.uint64)
        self.spare = np.zeros(16, np.uint64)
        self.tally = np.zeros((2, _LINES * at.TALLY), np.uint64)
        self.laps = np.zeros(ENTRIES * (n + 2) + 1, np.uint64)
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
        Threads. The answer does not depend on it.
    memory : int
        Bytes for rows and tables.
    scratch : Path, optional
        Directory for rows that do not fit and for checkpoints; a run that stopped goes on from
        there. Checkpoints are made after every layer and, inside a layer, between buckets.
    pause : float
        Least seconds between two checkpoints inside a layer.

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
        memory: int = MEMORY,
        scratch: Path | None = None,
        pause: float = PAUSE,
    ) -> None:
        self.plan = plan
        self.parameters = plan.parameters
        self.row_words = int(self.parameters[at.ROW])
        self.memory = memory
        self.chunks = self._affordable(workers)
        self.pool = np.empty(self.chunks * lists.CHUNK * self.row_words, np.uint64)
        self.link = np.empty(self.chunks, np.int64)
        self.free = np.arange(self.chunks, 0, -1) - 1
        self.height = self.chunks
        self.lowest = self.chunks
        self.lock = threading.Lock()
        # Where every list ends, and where it ended at the last checkpoint.
        self.ends = np.full((workers, plan.layers + 1, plan.buckets, 2), -1, np.int64)
        self.marks = self.ends.copy()
        self.workers = [
            _Worker(plan, self.chunks, ends, marks)
            for ends, marks in zip(self.ends, self.marks, strict=True)
        ]
        self.tallies = Tallies()
        self.layer = 0
        self.todo = deque(range(plan.buckets))
        self.pause = pause
        self.emptied = 0
        self.saved = 0
        self.due = math.inf
        self.store = None
        self.writing: Future[None] | None = None
        if scratch is not None:
            self.store = Store(scratch, asdict(plan) | {"first": [*plan.first]},
                               plan.buckets, self.row_words)  # fmt: skip
            self.due = time.monotonic() + pause
        if self.store and self.store.state:
            self._go_on(self.store.state)
        else:
            self._seed()

    def _affordable(self, workers: int) -> int:
        """Chunks of the pool."""
        plan = self.plan
        chunk_bytes = 8 * (lists.CHUNK * self.row_words + 2 + workers)
        fixed = workers * (8 * (1 << plan.n) + 32 * plan.layers * plan.buckets + (1 << 22))
        chunks = (self.memory - fixed) // chunk_bytes
        least = 64 + workers * plan.buckets
        if chunks < least:
            raise LimitError(
                f"memory of {self.memory:,} bytes is too little for {plan.n} cards: "
                f"expected at least {fixed + chunk_bytes * least * 4:,}"
            )
        return chunks

    def run(self, progress: Progress | None = None) -> Tallies:
        """Work through all layers; call ``progress(layer, layers, nodes)`` after each."""
        with ThreadPoolExecutor(len(self.workers) + 1) as pool:
            while self.layer < self.plan.layers:
                self._work_through(pool)
                self.layer += 1
                self.todo = deque(range(self.plan.buckets))
                if self.layer < self.plan.layers:
                    self.checkpoint(pool)
                if progress:
                    progress(self.layer, self.plan.layers, self.tallies.nodes)
        self.collect()
        if self.store:
            self.store.clear()
        return self.tallies

    # A part of the work, for others to hand out.

    def expand_rows(self, bucket: int, rows: NDArray[np.uint64]) -> None:
        """Expand nodes of a bucket of the present layer that come from elsewhere."""
        try:
            self._put(self.workers[0], self.layer, bucket, rows)
            self._expand(self.workers[0], bucket)
        except _FullPoolError:
            raise self._too_little() from None

    @property
    def half_full(self) -> bool:
        """Whether half of the pool is in use."""
        return 2 * self.height < self.chunks

    def filled_lists(self) -> list[tuple[int, int]]:
        """Layers and buckets of the lists that hold rows."""
        filled = np.argwhere(self.workers[0].ends[:, :, 0] >= 0)
        return [(int(layer), int(bucket)) for layer, bucket in filled]

    def take_rows(self, layer: int, bucket: int) -> NDArray[np.uint64]:
        """Take the rows of a list away, merged."""
        worker = self.workers[0]
        taken, rows = self._lists(layer, bucket)
        out = np.empty(rows * self.row_words, np.uint64)
        if not rows:
            return out
        self._forget(layer, bucket)
        kept = lists.gather(
            self.parameters, self.pool, self.link, taken, worker.free,
            worker.cleared_table(rows), worker.unique, out,
        )  # fmt: skip
        return out[: kept * self.row_words]

    def _seed(self) -> None:
        """The one node of layer 0: nothing is known."""
        worker, plan, p = self.workers[0], self.plan, self.parameters
        s = worker.scratch
        s[at.SIZES] = plan.split
        s[at.SIZES + 1] = plan.n - plan.split
        s[at.PLACE : at.PLACE + plan.n] = np.arange(plan.n)
        canonical(s, plan.n, p[at.WIDTH], p[at.STACKED], p[at.SWAP], worker.key, worker.spare)
        row = np.zeros(self.row_words, np.uint64)
        row[: p[at.WIDTH]] = worker.key[: p[at.WIDTH]]
        row[p[at.KEY] : p[at.KEY] + 1 + plan.two] = 1
        self._put(worker, 0, 0, row)

    def _put(self, worker: _Worker, layer: int, bucket: int, rows: NDArray[np.uint64]) -> None:
        self._supply(worker, len(rows) // self.row_words // lists.CHUNK + 2)
        lists.scatter(
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

    def _lists(self, layer: int, bucket: int) -> tuple[NDArray[np.int64], int]:
        """The lists of all workers, and how many rows they hold."""
        found = self.ends[:, layer, bucket].flatten()
        return found, lists.rows_in(self.link, found)

    def _forget(self, layer: int, bucket: int) -> None:
        """Note that the rows of the lists were taken."""
        self.ends[:, layer, bucket] = -1
        self.marks[:, layer, bucket] = -1

    def _work_through(self, pool: ThreadPoolExecutor) -> None:
        """Expand every node of the present layer that is not yet."""
        before = -1
        while self.todo:
            tasks = [pool.submit(self._work, worker) for worker in self.workers]
            try:
                full = any(list(map(Future.result, tasks)))
            except KeyboardInterrupt:
                self.due = -math.inf  # The workers stop after the bucket at hand.
                raise
            if full and before == len(self.todo):
                raise self._too_little()
            if full:
                before = len(self.todo)
                self._empty()
            elif self.todo:
                self.checkpoint(pool)

    def _too_little(self, instead: str = "") -> LimitError:
        return LimitError(
            f"memory of {self.memory:,} bytes is too little for {self.plan.n} cards "
            f"at layer {self.layer}: expected more{instead}"
        )

    def _work(self, worker: _Worker) -> bool:
        """Take buckets until there are no more or a checkpoint is due; True if memory is full."""
        while True:
            try:
                bucket = self.todo.popleft()
            except IndexError:
                return False
            try:
                self._load(worker, bucket)
                self._expand(worker, bucket)
            except _FullPoolError:
                self.todo.append(bucket)
                return True
            if time.monotonic() >= self.due:
                return False

    def _load(self, worker: _Worker, bucket: int) -> None:
        """Bring back the rows of a bucket of this layer that are on disk only."""
        if self.store:
            rows = self.store.read(self.layer, bucket)
            if len(rows):
                self._put(worker, self.layer, bucket, rows)
                worker.marks[self.layer, bucket] = worker.ends[self.layer, bucket]

    def _expand(self, worker: _Worker, bucket: int) -> None:
        taken, rows = self._lists(self.layer, bucket)
        if not rows:
            return
        lists_open = self.plan.buckets * (self.plan.layers + 1 - self.layer)
        self._supply(worker, 2 * rows // lists.CHUNK + min(2 * rows, lists_open) + 2)
        self._forget(self.layer, bucket)
        nodes, appended = process(
            self.parameters, self.pool, self.link, taken, worker.ends.reshape(-1), worker.free,
            worker.cleared_table(rows), worker.unique, worker.scratch, worker.row, worker.key,
            worker.spare, worker.tally.reshape(-1), worker.laps, worker.longest, worker.counts,
            worker.ideals, worker.last,
        )  # fmt: skip
        with self.lock:
            self.tallies.nodes += nodes
            self.tallies.rows += appended
        self._supply(worker, 0)

    def collect(self) -> None:
        """Move the workers' tallies to the common ones."""
        for worker in self.workers:
            add_lines(self.tallies.loops, worker.tally[0], self.plan.two)
            add_lines(self.tallies.ended, worker.tally[1], self.plan.two)
            found = laps_of(worker.laps, self.plan.n)
            self.tallies.add(Tallies(laps=found))
            if worker.longest[0] >= 0:
                mine = worker.longest[: self.plan.n + 2].tolist()
                self.tallies.longest = longer(self.tallies.longest, mine)
        peak = (self.chunks - self.lowest) * lists.CHUNK
        self.tallies.peak_rows = max(self.tallies.peak_rows, peak)

    # Checkpoints.

    def checkpoint(self, pool: ThreadPoolExecutor | None = None) -> None:
        """Write the rows that are new, and what it takes to go on from here.

        With a pool that is done while the workers go on with the present layer: the lists behind it
        only grow meanwhile, and the rows they had are neither moved nor merged.
        """
        store = self.store
        if store is None:
            return
        if self.writing:
            self.writing.result()
        self.collect()
        ends = self.ends.copy()
        changed = np.flatnonzero((ends != self.marks).any(axis=(0, 2, 3))).tolist()
        few = 8 * self.row_words * (self.tallies.rows - self.saved) < _FEW
        here, todo, tallies = self.layer, [*self.todo], asdict(self.tallies)
        # The lists of this layer are copied now: the workers are about to merge them in place.
        present = {here: self._new_rows(here, ends)} if here in changed else {}

        def write() -> None:
            for layer in changed:
                store.append(layer, *(present.pop(layer, None) or self._new_rows(layer, ends)), few)
            self.tallies.peak_disk = max(self.tallies.peak_disk, sum(store.bytes.values()))
            tallies["peak_disk"] = self.tallies.peak_disk
            store.save(here, {"layer": here, "todo": todo, "tallies": tallies})

        self.saved = self.tallies.rows
        self.due = time.monotonic() + self.pause
        self.writing = None
        if pool:
            self.writing = pool.submit(write)
        else:
            write()

    def _new_rows(
        self, layer: int, ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Copy the rows of a layer that are new, up to `ends`; and where its buckets begin."""
        starts, rows = np.zeros(self.plan.buckets + 1, np.uint64), np.empty(0, np.uint64)
        for _ in range(2):  # The first time round only `starts` is filled.
            rows = np.empty(int(starts[-1]) * self.row_words, np.uint64)
            lists.copy_new(
                self.row_words, self.pool, self.link, ends[:, layer].reshape(-1),
                self.marks[:, layer].reshape(-1), starts, rows,
            )  # fmt: skip
        self.marks[:, layer] = ends[:, layer]
        return starts, rows

    def _empty(self) -> None:
        """Write what is new and empty the pool."""
        if self.store is None:
            raise self._too_little(", or a scratch directory")
        self.checkpoint()
        self.store.cool()
        self.emptied += 1
        self.ends.fill(-1)
        self.marks.fill(-1)
        self.free = np.arange(self.chunks, 0, -1) - 1
        self.height = self.chunks
        for worker in self.workers:
            worker.free[0] = 0

    def _go_on(self, state: dict[str, Any]) -> None:
        """Take up the state of the last checkpoint."""
        self.layer = state["layer"]
        self.todo = deque(state["todo"])
        told = state["tallies"]
        for lines in ("loops", "ended"):
            told[lines] = {int(period): line for period, line in told[lines].items()}
        self.tallies = Tallies(**told)
        self.saved = self.tallies.rows
