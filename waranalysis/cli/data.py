"""The commands `data list`, `data verify`, `data fill` and `data build`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from waranalysis.cli.options import Output, count, csv_lines, one_json, output_options
from waranalysis.cli.progress import Progress
from waranalysis.cli.tables import table
from waranalysis.data.about import read_about
from waranalysis.provenance import provenance

if TYPE_CHECKING:
    from waranalysis.data.verify import Finding


@click.group("data")
def command() -> None:
    """List, check, complete and describe the datasets of a directory.

    \b
    waranalysis data list
    waranalysis data verify
    """


def _directory(function: Callable[..., Any]) -> Callable[..., Any]:
    return click.argument(
        "directory", metavar="[DIR]", default="data", type=click.Path(path_type=Path)
    )(function)


@command.command("list")
@_directory
@output_options("json", "csv")
def list_(directory: Path, output: Output) -> None:
    """List the datasets of DIR ('data' by default), and the command behind each.

    \b
    waranalysis data list --json
    """
    datasets = read_about(directory).datasets
    header = ["dataset", "files", "number", "title", "command"]
    rows = [
        [found.name, found.files, len(found.paths(directory)), found.title, found.command]
        for found in datasets
    ]
    records = [dict(zip(header, row, strict=True)) for row in rows]
    output.write(
        table=lambda: table(header[:3], [row[:3] for row in rows], right="number"),
        json=one_json(provenance("data-list", datasets=records)),
        csv=lambda: csv_lines(header, rows),
    )


@command.command("verify")
@_directory
@click.option(
    "--seed", metavar="S", type=count, help="Which rows.  [default: a new one, which is shown]"
)
@click.option("--all", "everything", is_flag=True, help="Every row; that takes many hours.")
@output_options("json")
def verify_(directory: Path, seed: int | None, everything: bool, output: Output) -> int:
    """Check every checksum and description of DIR, and compute rows again.

    Of each dataset a random row is computed again, one of those that take some seconds, or a
    certificate is replayed. Exit code 1 if anything is false.

    \b
    waranalysis data verify
    waranalysis data verify data --seed 7
    """
    from waranalysis.data.verify import to_dict, verify

    chosen = secrets.randbelow(10**6) if seed is None else seed
    findings = list(verify(read_about(directory), chosen, everything))
    false = [finding for finding in findings if finding.problem is not None]
    records = {"true": not false, "findings": list(map(to_dict, findings))}
    output.write(
        table=lambda: _lines(findings, chosen, len(false)),
        json=one_json(provenance("data-verify", seed=chosen) | records),
    )
    return 1 if false else 0


def _lines(findings: Sequence[Finding], seed: int, false: int) -> Iterator[str]:
    for found in findings:
        word = "true " if found.problem is None else "false"
        why = "" if found.problem is None else f": {found.problem}"
        yield f"{word}  {found.what}  {found.checked}{why}"
    yield ""
    yield f"{len(findings):,} checks, {false:,} false (--seed {seed})"


@command.command("fill")
@_directory
def fill(directory: Path) -> None:
    """Compute the rows of the atlas that DIR does not have yet.

    Each row is written when it is known: a run that is stopped goes on where it was. The whole
    atlas takes some hours; 'data build' comes after it.

    \b
    waranalysis data fill data
    """
    from waranalysis.data.contents import TABLES

    directory = read_about(directory).directory / "atlas"
    directory.mkdir(exist_ok=True)
    for part in TABLES:
        with Progress(len(part.keys), f"rows of {part.name}") as progress:
            part.fill(directory, progress)


@command.command("build")
@_directory
def build_(directory: Path) -> None:
    """Write Parquet, README.md, datapackage.json and SHA256SUMS of DIR, where they are not so yet.

    To be called after any change of a dataset, or of about.toml.

    \b
    waranalysis data build
    """
    from waranalysis.data.package import build

    for name in build(read_about(directory)):
        click.echo(f"wrote {name}")
