"""Options of commands whose work can be cut into shards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from waranalysis.census.campaign import (
    Campaign,
    Executor,
    Record,
    dask_cluster,
    inline,
    processes,
    run_campaign,
)
from waranalysis.cli.options import count
from waranalysis.cli.progress import Progress
from waranalysis.errors import quoted


@dataclass(frozen=True)
class Runner:
    """Who does the work and where its checkpoints are."""

    workers: int
    dask: str | None
    directory: Path | None
    verbose: bool

    def run(self, campaign: Campaign, unit: str, engine: str) -> list[Record]:
        """Do the work, with progress counted in `unit`; return the record of every shard."""
        self.name(engine)
        progress = Progress(campaign.size, unit)
        try:
            if self.workers > 1 and self.dask is None:
                campaign.load()
            return run_campaign(campaign, self._executor(), self.directory, progress)
        except KeyboardInterrupt:
            if self.directory is not None:
                progress.clear()
                click.echo(f"what is done is kept in {quoted(self.directory)}", err=True)
            raise
        finally:
            progress.clear()

    def name(self, engine: str) -> None:
        """Say on standard error which engine is at work, if that was asked for."""
        if self.verbose:
            click.echo(f"engine: {engine}", err=True)

    def _executor(self) -> Executor:
        if self.dask is not None:
            return dask_cluster(self.dask)
        return inline if self.workers == 1 else processes(self.workers)


def campaign_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--workers``, ``--dask``, ``--resume`` and ``--verbose``, as the argument `runner`."""

    @wraps(function)
    def command(
        *args: Any,
        workers: int,
        dask: str | None,
        resume: Path | None,
        verbose: bool,
        **kwargs: Any,
    ) -> Any:
        if workers < 1:
            raise click.UsageError(f"--workers {workers}: expected 1 or more")
        return function(*args, runner=Runner(workers, dask, resume, verbose), **kwargs)

    decorated: Callable[..., Any] = command
    decorated = click.option(
        "--verbose", is_flag=True, help="Name the engine that plays, on standard error."
    )(decorated)
    decorated = click.option(
        "--resume",
        metavar="DIR",
        type=click.Path(path_type=Path),
        help="Keep checkpoints in this directory, and go on from those it holds.",
    )(decorated)
    decorated = click.option(
        "--dask",
        metavar="ADDRESS",
        help="Let an existing Dask cluster do the work; needs the extra 'distributed'.",
    )(decorated)
    return click.option(
        "--workers",
        metavar="N",
        type=count,
        default=1,
        show_default=True,
        help="Processes to share the work.",
    )(decorated)
