"""Long work in shards: progress, checkpoints, resuming, workers on this machine or on a cluster.

The work is a range of numbers (ranks of deals, games of a sample) cut into shards. Each shard is
answered by a record of plain JSON values; records are merged by their place, so the answer does
not depend on who worked out what, or when.

A directory of checkpoints holds ``plan.json``, which says what the work is, and one file a shard,
written under a temporary name and renamed. A killed run loses the shards under way.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from signal import SIG_DFL, SIGINT, signal
from threading import Thread, active_count
from typing import Any

from waranalysis.errors import FileError, LimitError, MissingError, quoted
from waranalysis.files import read_text, write_json
from waranalysis.provenance import provenance

Record = dict[str, Any]
Shard = tuple[int, int]
Work = Callable[[Record, int, int], Record]
Answers = Iterator[tuple[Shard, Record]]
Executor = Callable[[Work, Record, Sequence[Shard]], Answers]

_TRIES = 3


@dataclass(frozen=True)
class Campaign:
    """Work that can be cut into shards.

    Attributes
    ----------
    about : dict
        All that the answer depends on, in plain JSON values; handed to every shard.
    total : int
        The work is the numbers from 0 to `total`.
    stride : int
        Numbers in one shard; a few seconds' worth.
    work : callable
        A function of a module, ``work(about, start, stop)``, that answers one shard.
    part : (int, int)
        Number k of n parts, from 1: every n-th shard from the k-th on.
    compiled : bool
        Whether kernels do the work; processes are forked after these are loaded.
    """

    about: Record
    total: int
    stride: int
    work: Work
    part: tuple[int, int] = (1, 1)
    compiled: bool = False

    def load(self) -> None:
        """Load the kernels, by doing a little of the work."""
        if self.compiled:
            self.work(self.about, 0, 1)

    @property
    def shards(self) -> list[Shard]:
        """The shards to do, in order."""
        number, parts = self.part
        starts = range(0, self.total, self.stride)[number - 1 :: parts]
        return [(start, min(start + self.stride, self.total)) for start in starts]

    @property
    def size(self) -> int:
        """Numbers in the shards to do."""
        return sum(stop - start for start, stop in self.shards)

    @property
    def plan(self) -> Record:
        """What a directory of checkpoints says of itself."""
        return provenance("campaign", about=self.about, total=self.total, stride=self.stride,
                          part=list(self.part))  # fmt: skip


def run_campaign(
    campaign: Campaign,
    executor: Executor,
    directory: Path | None = None,
    done: Callable[[int], None] = lambda _: None,
) -> list[Record]:
    """Do all shards that are not done yet; return the records of all, in order.

    Parameters
    ----------
    campaign : Campaign
    executor : callable
        `inline`, or what `processes` or `dask_cluster` returns.
    directory : Path, optional
        Where checkpoints are kept and looked for. Made if it does not exist.
    done : callable
        Told how many numbers are done after each shard.

    Raises
    ------
    FileError
        If the directory holds other work, or cannot be read or written.
    """
    records = {} if directory is None else _kept(campaign, directory)
    ready = sum(stop - start for start, stop in records)
    done(ready)
    left = [shard for shard in campaign.shards if shard not in records]
    for shard, record in executor(campaign.work, campaign.about, left):
        if directory is not None:
            write_json(_path(directory, shard), record, force=True)
        records[shard] = record
        ready += shard[1] - shard[0]
        done(ready)
    return [records[shard] for shard in campaign.shards]


# --- checkpoints -----------------------------------------------------------------------------


def _path(directory: Path, shard: Shard) -> Path:
    return directory / f"shard-{shard[0]:020}.json"


def _kept(campaign: Campaign, directory: Path) -> dict[Shard, Record]:
    """Read the shards of an earlier run of the same work; begin a new directory otherwise."""
    plan = directory / "plan.json"
    if not plan.exists():
        _begin(directory, plan, campaign.plan)
    _check_plan(plan, campaign.plan)
    for leftover in directory.glob(".shard-*"):
        leftover.unlink(missing_ok=True)
    paths = {shard: _path(directory, shard) for shard in campaign.shards}
    return {shard: _read(path) for shard, path in paths.items() if path.exists()}


def _begin(directory: Path, plan: Path, text: Record) -> None:
    if directory.exists() and not directory.is_dir():
        raise FileError(f"{quoted(directory)} is a file: expected a directory for checkpoints")
    if directory.is_dir() and any(directory.iterdir()):
        raise FileError(f"{quoted(directory)} holds no checkpoints: expected a new directory")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make {quoted(directory)}: {error.strerror}") from None
    write_json(plan, text)


def _check_plan(path: Path, wanted: Record) -> None:
    found = _flat(_read(path))
    for field, value in _flat(wanted).items():
        if found.get(field) != value:
            raise FileError(
                f"{quoted(path.parent)} holds other work: its {field} is {found.get(field)}, "
                f"expected {value}"
            )
    if extra := sorted(found.keys() - _flat(wanted).keys()):
        raise FileError(f"{quoted(path.parent)} holds other work: it sets {extra[0]}")


def _flat(record: Record, before: str = "") -> Record:
    flat: Record = {}
    for field, value in record.items():
        deeper = isinstance(value, dict)
        flat |= _flat(value, f"{before}{field}.") if deeper else {before + field: value}
    return flat


def _read(path: Path) -> Record:
    try:
        record = json.loads(read_text(path))
    except ValueError:
        raise FileError(f"{quoted(path)} is damaged: delete it to have it made again") from None
    if not isinstance(record, dict):
        raise FileError(f"{quoted(path)} is damaged: expected a JSON object")
    return record


# --- executors -------------------------------------------------------------------------------


def inline(work: Work, about: Record, shards: Sequence[Shard]) -> Answers:
    """Answer the shards one by one in this process."""
    for shard in shards:
        yield shard, work(about, *shard)


def processes(workers: int) -> Executor:
    """An executor with worker processes. One that dies costs the shards it was at, no more."""

    def execute(work: Work, about: Record, shards: Sequence[Shard]) -> Answers:
        left = dict.fromkeys(shards)
        deaths = 0
        while left:
            deaths += 1
            for shard, record in _pool(work, about, list(left), workers):
                del left[shard]
                deaths = 0
                yield shard, record
            if left and deaths == _TRIES:
                raise LimitError(f"workers died {deaths} times at shard {next(iter(left))}")

    return execute


def _pool(work: Work, about: Record, shards: Sequence[Shard], workers: int) -> Answers:
    """Answer shards with one pool of processes, until it breaks."""
    waiting = iter(shards)
    with ProcessPoolExecutor(workers, get_context(_start()), _leave_with_parent) as pool:
        running: dict[Future[Record], Shard] = {}
        try:
            while True:
                # No more than are soon begun: an interrupt then finds little to wait for.
                for shard in waiting:
                    running[pool.submit(work, about, *shard)] = shard
                    if len(running) > workers:
                        break
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    shard = running.pop(future)
                    yield shard, future.result()
        except BrokenProcessPool:
            return


def _start() -> str:
    """How to start processes: by forking, which costs next to nothing, where that is safe."""
    return "fork" if sys.platform == "linux" and active_count() == 1 else "spawn"


def _leave_with_parent() -> None:
    """End this worker when the process that started it has been killed, and at an interrupt.

    A worker that took the interrupt as an exception might keep a lock for which others wait.
    """
    signal(SIGINT, SIG_DFL)
    parent = parent_process()
    assert parent is not None

    def watch(sentinel: int) -> None:
        connection.wait([sentinel])
        os._exit(1)

    Thread(target=watch, args=[parent.sentinel], daemon=True).start()


def dask_cluster(address: str) -> Executor:
    """An executor on an existing Dask cluster; needs the extra ``distributed``."""
    try:
        from dask.distributed import Client, KilledWorker, as_completed
    except ImportError:
        raise MissingError(
            "--dask needs the extra 'distributed': pip install 'waranalysis[distributed]'"
        ) from None

    def execute(work: Work, about: Record, shards: Sequence[Shard]) -> Answers:
        try:
            client = Client(address, timeout="10s")  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise FileError(f"no Dask scheduler at {quoted(address)}: {error}") from None
        with client:
            futures = {
                client.submit(work, about, *shard, pure=False, retries=_TRIES): shard
                for shard in shards
            }
            for future in as_completed(futures):  # type: ignore[no-untyped-call]
                try:
                    record = future.result()
                except KilledWorker:
                    raise LimitError(
                        f"workers died again and again at shard {futures[future]}"
                    ) from None
                yield futures[future], record

    return execute
