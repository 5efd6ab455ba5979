"""Findings as text for a terminal and as a page in Markdown."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from waranalysis.claims.finding import Case, Finding, read_condition
from waranalysis.claims.register import Claim

_WIDE = 80
_WORDS = {True: "yes", False: "no", None: "open"}


def entry(claim: Claim) -> Iterator[str]:
    """Lines of a list of claims."""
    kind = ", long" * claim.long
    yield f"{claim.id} ({', '.join(claim.sources)}{kind})"
    yield from _wrapped(claim.statement)


def row(finding: Finding) -> list[str]:
    """One row of a table: claim, verdict, grade, and what was asked of the first case."""
    shown = asked(finding.cases[0])
    return [
        finding.id,
        finding.verdict,
        finding.grade,
        textwrap.shorten(shown, 32, placeholder="…"),
    ]


def asked(case: Case) -> str:
    """The numbers of a case that its conditions are about."""
    numbers = case.measured.numbers
    found = [side for text in case.conditions for side in read_condition(text)[::2]]
    named = dict.fromkeys(name for name in found if name in numbers)
    return ", ".join(f"{name} {numbers[name]}" for name in named)


def summary(findings: Sequence[Finding], seed: int) -> str:
    """How many came out how."""
    counts = Counter(finding.verdict for finding in findings)
    parts = [f"{counts[verdict]} {verdict}" for verdict in ("true", "false", "depends")]
    noun = "claim" if len(findings) == 1 else "claims"
    return f"{len(findings)} {noun}: {', '.join(parts)} (seed {seed})"


def details(finding: Finding) -> Iterator[str]:
    """A finding in full."""
    yield f"{finding.id}: {finding.verdict} ({finding.grade})"
    yield from _wrapped(finding.statement)
    yield ""
    for case in finding.cases:
        held = f"  {_WORDS[case.holds]:4}  "
        yield from _wrapped(f"{case.label}: {' and '.join(case.conditions)}", held)
        yield from _wrapped(_all_numbers(case), " " * len(held))
    yield ""
    if finding.assumption:
        yield from _wrapped(finding.assumption)
    yield from _wrapped(f"From: {finding.source}")
    yield f"  $ {finding.command}"


def _all_numbers(case: Case) -> str:
    return "; ".join(f"{name} {number}" for name, number in case.measured.numbers.items())


def _wrapped(text: str, start: str = "  ") -> list[str]:
    later = " " * len(start)
    return textwrap.wrap(text, _WIDE, initial_indent=start, subsequent_indent=later)


# --- Markdown -------------------------------------------------------------------------------


def markdown(findings: Sequence[Finding], seed: int) -> Iterator[str]:
    """A page: all verdicts in a table, then every claim with its evidence."""
    yield "# What is said about War, and whether it is true"
    yield ""
    yield f"{summary(findings, seed)}. Numbers in brackets are intervals at 95 %;"
    yield "those of a *certified* claim are bounds beyond doubt. A claim *depends* if its cases"
    yield "come out differently, or a sample leaves one open."
    yield ""
    yield "| claim | verdict | sure by | statement |"
    yield "|---|---|---|---|"
    for finding in findings:
        link = f"[{finding.id}](#{finding.id})"
        yield f"| {link} | {finding.verdict} | {finding.grade} | {_cell(finding.statement)} |"
    for finding in findings:
        yield from _section(finding)


def _section(finding: Finding) -> Iterator[str]:
    yield from ("", f"## {finding.id}", "", finding.statement, "")
    yield f"**{finding.verdict}** ({finding.grade}). {finding.assumption}".rstrip()
    yield ""
    yield "| case | holds | asked for | numbers |"
    yield "|---|---|---|---|"
    for case in finding.cases:
        conditions = ", ".join(case.conditions)
        cells = [case.label, _WORDS[case.holds], conditions, _all_numbers(case)]
        yield f"| {' | '.join(map(_cell, cells))} |"
    yield from ("", f"Source: {finding.source}", "", "```sh", finding.command, "```")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
