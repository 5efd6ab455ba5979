from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from waranalysis.census.campaign import (
    Campaign,
    Executor,
    Record,
    dask_cluster,
    inline,
    processes,
    run_campaign,
)
from waranalysis.census.plain import take_census
from waranalysis.census.work import census_campaign, merged
from waranalysis.cli import run
from waranalysis.errors import FileError, LimitError
from waranalysis.rules import load

RULES = load("distinct")
DEALS = RULES.deals(RULES.read_deck("7x1"))
SMALL = replace(census_campaign(DEALS, RULES, 2, 1_000), stride=300)
WHOLE = take_census(DEALS, RULES, keep=2)

SCRIPT = """
import sys
from pathlib import Path
from tests.test_campaign import SMALL, dask_cluster, processes, inline, run_campaign
if __name__ == "__main__":
    who = sys.argv[2]
    workers = {"1": inline, "2": processes(2)}
    run_campaign(SMALL, workers.get(who) or dask_cluster(who), Path(sys.argv[1]))
"""


def die_once(about: Record, start: int, stop: int) -> Record:
    """Work that kills its worker the first time it comes to one of the shards."""
    mark = Path(about["mark"])
    if start == about["deadly"] and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"sum": sum(range(start, stop))}


def always_die(about: Record, start: int, stop: int) -> Record:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def nap(about: Record, start: int, stop: int) -> Record:
    time.sleep(60)
    return {}


@pytest.mark.parametrize("executor", [inline, processes(1), processes(2)])
def test_the_answer_does_not_depend_on_who_works(executor: Executor, tmp_path: Path) -> None:
    records = run_campaign(SMALL, executor, tmp_path / "kept")
    assert merged(records) == WHOLE
    assert run_campaign(SMALL, executor) == records


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    told: list[int] = []
    run_campaign(SMALL, inline, tmp_path, told.append)
    assert told[0] == 0
    assert told[-1] == SMALL.total == 5_040
    for path in sorted(tmp_path.glob("shard-*"))[3:6]:
        path.unlink()
    told.clear()
    assert merged(run_campaign(SMALL, inline, tmp_path, told.append)) == WHOLE
    assert told == [4_140, 4_440, 4_740, 5_040]


def test_other_work_is_refused(tmp_path: Path) -> None:
    run_campaign(SMALL, inline, tmp_path)
    others: list[tuple[dict[str, Any], str]] = [
        ({"stride": 200}, "its stride is 300, expected 200"),
        ({"about": SMALL.about | {"deck": "6x1"}}, "its about.deck is 7x1, expected 6x1"),
        ({"about": {k: v for k, v in SMALL.about.items() if k != "keep"}}, "it sets about.keep"),
    ]
    for changes, why in others:
        with pytest.raises(FileError, match=why):
            run_campaign(replace(SMALL, **changes), inline, tmp_path)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(json.loads(plan.read_text()) | {"version": "0.0.1"}))
    with pytest.raises(FileError, match=r"its version is 0\.0\.1"):
        run_campaign(SMALL, inline, tmp_path)


def test_what_is_no_directory_of_checkpoints_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="is a file"):
        run_campaign(SMALL, inline, tmp_path / "file")
    with pytest.raises(FileError, match="holds no checkpoints"):
        run_campaign(SMALL, inline, tmp_path)
    run_campaign(SMALL, inline, tmp_path / "kept")
    next((tmp_path / "kept").glob("shard-*")).write_text("{")
    with pytest.raises(FileError, match="damaged: delete it"):
        run_campaign(SMALL, inline, tmp_path / "kept")


def test_a_worker_that_dies_costs_one_shard(tmp_path: Path) -> None:
    about = {"mark": str(tmp_path / "died"), "deadly": 40}
    campaign = Campaign(about, 100, 10, die_once)
    records = run_campaign(campaign, processes(2))
    assert sum(record["sum"] for record in records) == sum(range(100))
    assert (tmp_path / "died").exists()


def test_work_that_kills_every_worker_is_given_up() -> None:
    with pytest.raises(LimitError, match="workers died 3 times at shard"):
        run_campaign(Campaign({}, 5, 5, always_die), processes(1))


def resume_until_done(
    directory: Path, who: str, kills: int, seed: int, also: Callable[[], None] = lambda: None
) -> None:
    """Kill the run at random moments, and do what `also` does; then let it finish."""
    generator = random.Random(seed)
    command = [sys.executable, "-c", SCRIPT, str(directory), who]
    for number in range(kills + 1):
        running = subprocess.Popen(command, start_new_session=True)
        if number < kills:
            time.sleep(generator.uniform(0.2, 2.5))
            also()
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)
        assert running.wait() in (0, -signal.SIGKILL)


def check_same_bytes(directory: Path, whole: Path) -> None:
    run_campaign(SMALL, inline, whole)
    files = {path.name: path.read_bytes() for path in whole.iterdir()}
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == files
    assert len(files) == 18


KILLS = pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])


@pytest.mark.parametrize("workers", ["1", "2"])
@KILLS
def test_a_killed_run_goes_on_to_the_same_bytes(workers: str, kills: int, tmp_path: Path) -> None:
    resume_until_done(tmp_path / "killed", workers, kills, seed=kills)
    check_same_bytes(tmp_path / "killed", tmp_path / "whole")


@pytest.mark.slow
def test_a_killed_client_and_killed_dask_workers_change_nothing(tmp_path: Path) -> None:
    """As in the README: `dask scheduler` and two `dask worker`s."""
    found = tmp_path / "scheduler.json"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

    def dask(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
        return subprocess.Popen([*command, "--host", "127.0.0.1"], cwd=tmp_path, **quiet)

    def worker() -> subprocess.Popen[bytes]:
        return dask("worker", "--no-nanny", "--nthreads", "1", "--scheduler-file", str(found))

    scheduler = dask("scheduler", "--port", "0", "--scheduler-file", str(found))
    while not found.exists():
        time.sleep(0.1)
    workers = [worker(), worker()]

    def kill_a_worker() -> None:
        workers[0].kill()
        workers[0].wait()
        workers[:] = [workers[1], worker()]

    try:
        address = json.loads(found.read_text())["address"]
        resume_until_done(tmp_path / "killed", address, 20, 20, kill_a_worker)
    finally:
        for process in (*workers, scheduler):
            process.kill()
            process.wait()
    check_same_bytes(tmp_path / "killed", tmp_path / "whole")


def test_workers_leave_when_their_parent_is_killed(tmp_path: Path) -> None:
    sleep = "from tests.test_campaign import *; run_campaign(Campaign({}, 2, 1, nap), processes(2))"
    running = subprocess.Popen([sys.executable, "-c", sleep], start_new_session=True)
    time.sleep(2)
    running.kill()
    running.wait()
    for _ in range(200):
        try:
            os.killpg(running.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    raise AssertionError("workers are left")


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_answer(tmp_path: Path) -> None:
    from dask.distributed import LocalCluster

    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        address = cluster.scheduler_address
        assert merged(run_campaign(SMALL, dask_cluster(address), tmp_path / "kept")) == WHOLE


def test_nobody_answers_at_the_address_of_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["enumerate", "5x1", "--dask", "nonsense"]) == 2
    assert "no Dask scheduler at 'nonsense'" in capsys.readouterr().err


def test_the_command_keeps_and_takes_up_checkpoints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["enumerate", "6x1", "--json"]) == 0
    plain = capsys.readouterr().out
    kept = str(tmp_path / "kept")
    for workers in ("1", "2"):
        assert run(["enumerate", "6x1", "--json", "--resume", kept, "--workers", workers]) == 0
        assert capsys.readouterr().out == plain
    assert run(["enumerate", "5x1", "--resume", kept]) == 2
    assert "its about.deck is 6x1, expected 5x1" in capsys.readouterr().err
    assert run(["enumerate", "5x1", "--workers", "0"]) == 2
    assert "--workers 0" in capsys.readouterr().err


def test_parts_add_up(tmp_path: Path) -> None:
    parts = [replace(SMALL, part=(number, 4)) for number in range(1, 5)]
    assert [part.size for part in parts] == [1_440, 1_200, 1_200, 1_200]
    records = [record for part in parts for record in run_campaign(part, inline)]
    assert merged(records) == WHOLE
    run_campaign(parts[0], inline, tmp_path)
    with pytest.raises(FileError, match="holds other work: its part is"):
        run_campaign(parts[1], inline, tmp_path)


@pytest.mark.parametrize(
    ("part", "why"),
    [("3", "expected K/N"), ("0/3", "K from 1 to N"), ("2/3", "at most 1 parts")],
)
def test_parts_that_are_none(part: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["enumerate", "5x1", "--part", part]) == 2
    assert why in capsys.readouterr().err
