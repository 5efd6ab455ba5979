"""The commands `claims list` and `claims check`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import cpu_count

import click

from waranalysis.claims import SEED, Finding, chosen, run
from waranalysis.claims.page import details, entry, markdown, row, summary
from waranalysis.cli.options import Output, count, one_json, output_options
from waranalysis.cli.progress import Progress
from waranalysis.cli.tables import table
from waranalysis.provenance import provenance


@click.group("claims")
def command() -> None:
    """Say of what rule sheets and papers state about War whether it is true.

    \b
    waranalysis claims list
    waranalysis claims check one-down-quicker
    """


@command.command("list")
@output_options("json")
def list_(output: Output) -> None:
    """List the claims that can be checked, and where they come from.

    \b
    waranalysis claims list
    """
    claims = chosen(long=True)
    records = [
        {
            "id": claim.id,
            "source": claim.source,
            "statement": claim.statement,
            "long": claim.long,
            "command": claim.command,
        }
        for claim in claims
    ]
    output.write(
        table=lambda: [line for claim in claims for line in entry(claim)],
        json=one_json(provenance("claims-list", claims=records)),
    )


@command.command("check")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--all", "long", is_flag=True, help="Also check what takes more than a few seconds.")
@click.option(
    "--seed",
    metavar="S",
    type=count,
    default=SEED,
    show_default=True,
    help="For all that is sampled.",
)
@click.option("--workers", metavar="K", type=count, help="Processes.  [default: one a core]")
@output_options("json", "markdown")
def check(ids: tuple[str, ...], long: bool, seed: int, workers: int | None, output: Output) -> None:
    """Check claims: the named ones in full, or all quick ones in a table.

    A claim is true if it holds in every case that is looked at, false if in none; else it
    depends. It is as sure as its least sure case: by a proof (a deal played out, arithmetic), by
    exhaustion (every deal or position of a deck), certified, or by a sample.

    \b
    waranalysis claims check
    waranalysis claims check some-never-end twenty-minutes-shuffled
    waranalysis claims check --all --markdown -o claims.md
    """
    claims = chosen(ids, long)
    with Progress(len(claims), "claims") as progress:
        findings = run(claims, seed, progress, min(workers or cpu_count() or 1, len(claims)))
    records = [finding.to_dict() for finding in findings]
    output.write(
        table=lambda: _text(findings, seed, bool(ids)),
        json=one_json(provenance("claims", seed=seed, claims=records)),
        markdown=lambda: markdown(findings, seed),
    )


def _text(findings: Sequence[Finding], seed: int, full: bool) -> Iterator[str]:
    if full:
        for finding in findings:
            yield from details(finding)
            yield ""
    else:
        yield from table(["claim", "verdict", "sure by", "numbers"], map(row, findings))
        yield ""
    yield summary(findings, seed)
