"""The commands `paper list`, `paper generate` and `paper build`."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waranalysis.cli.options import Output, one_json, output_options
from waranalysis.cli.tables import table
from waranalysis.errors import quoted
from waranalysis.files import write_json
from waranalysis.provenance import provenance

if TYPE_CHECKING:
    from waranalysis.paper import Paper

_FOLDER = click.argument("folder", metavar="papers/NAME", type=click.Path(path_type=Path))


@click.group("paper")
def command() -> None:
    """Make the papers from their data.

    \b
    waranalysis paper list
    waranalysis paper build papers/distinct
    """


@command.command("list")
@click.argument("directory", type=click.Path(path_type=Path), default="papers")
@output_options("json")
def list_(directory: Path, output: Output) -> None:
    """List the papers, and how many of their data are there.

    \b
    waranalysis paper list
    """
    from waranalysis.paper import papers_in

    records = [
        {
            "paper": paper.name,
            "data": len(paper.steps) - len(paper.missing),
            "of": len(paper.steps),
            "title": paper.title,
        }
        for paper in papers_in(directory)
    ]
    output.write(
        table=lambda: table(
            ["paper", "data", "of", "title"], [list(r.values()) for r in records], right="data,of"
        ),
        json=one_json(provenance("papers", papers=records)),
    )


@command.command("generate")
@_FOLDER
def generate(folder: Path) -> int:
    """Make the data of a paper that are not there yet: the slow part.

    The commands are those of generate.toml, each writes one file. What is there is kept, so a
    stopped run goes on where it was; to make a file anew, delete it.

    \b
    waranalysis paper generate papers/distinct
    """
    from waranalysis.paper import Paper
    from waranalysis.paper.witness import witnesses

    paper = Paper.open(folder)
    for name in ("data", "certificates"):
        (paper.folder / name).mkdir(exist_ok=True)
    missing = paper.missing
    for number, name in enumerate(missing, 1):
        click.echo(f"{number} of {len(missing)}: {paper.command(name)}", err=True)
        code = _run(paper, name)
        if code:
            return code
        click.echo(f"data/{name}")
    for name in paper.steps:
        for path, record in witnesses(paper, name):
            write_json(path, record, force=True)
    return 0


def _run(paper: Paper, name: str) -> int:
    """Run a command in the paper's folder; its checkpoints go when it is done."""
    from waranalysis.cli import run

    scratch = paper.folder / "scratch" / name
    if "{scratch}" in paper.steps[name]:
        scratch.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(paper.folder):
        words = shlex.split(paper.command(name))[1:]
        code = run([*words, "-o", os.path.join("data", name), "--force"])
    if not code:
        shutil.rmtree(scratch, ignore_errors=True)
    return code


@command.command("build")
@_FOLDER
def build_(folder: Path) -> int:
    """Make a paper from its data: figures, tables, numbers, and the PDF if TeX is installed.

    Files go to papers/NAME/build. Exit code 3 if there is no pdflatex to make the PDF.

    \b
    waranalysis paper build papers/distinct
    """
    from waranalysis.paper import Paper, build
    from waranalysis.paper.tex import TEX

    built = build(Paper.open(folder))
    for name in built.files:
        click.echo(os.path.join(folder, "build", name))
    for warning in built.warnings:
        click.echo(warning, err=True)
    if not built.pdf:
        click.echo(
            f"Error: {TEX} is missing, so there is no PDF in {quoted(built.directory)}: figures, "
            "tables and numbers are there",
            err=True,
        )
        return 3
    return 0
