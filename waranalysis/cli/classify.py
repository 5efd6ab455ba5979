"""The command `classify`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import click

from waranalysis.certificate import certificate
from waranalysis.cli.options import (
    Output,
    bound_option,
    count,
    csv_lines,
    new_directory,
    one_json,
    output_options,
    raw_rules_options,
)
from waranalysis.cli.tables import table
from waranalysis.dealfile import Entry, read_path, read_stream
from waranalysis.errors import CardsError, FileError, WarAnalysisError, quoted
from waranalysis.files import lines, write_json
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet, from_settings, load
from waranalysis.termination import DETECTORS, MEMORY, Verdict, classify

_FIELDS = ["verdict", "winner", "battles", "wars", "tail", "period", "identity_period"]


@click.command("classify")
@click.argument("deals", metavar="[DEAL|FILE|-]...", nargs=-1)
@raw_rules_options
@click.option(
    "--jsonl", metavar="FILE|-", help='Read one {"id", "deal", "rules"} a line, answer one a line.'
)
@click.option(
    "--identities", is_flag=True, help="Also the period of the single cards, equal ones told apart."
)
@click.option(
    "--detector",
    type=click.Choice(DETECTORS),
    default="auto",
    show_default=True,
    help="Keep all states, or one (Brent), or as many as fit.",
)
@bound_option("Battles after which a deal is undecided.")
@click.option(
    "--memory",
    metavar="N",
    type=count,
    default=MEMORY,
    show_default=True,
    help="Bytes for states that are kept.",
)
@click.option(
    "--certificates",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write a certificate for each deal that is decided.",
)
@output_options("json", "csv")
def command(
    deals: tuple[str, ...],
    preset: str | None,
    settings: tuple[str, ...],
    jsonl: str | None,
    certificates: Path | None,
    output: Output,
    **how: Any,
) -> int:
    """Say of given deals whether they end or go round for ever.

    A deal is its packets, top card first, separated by |. A file holds one deal a line, maybe
    with a name and a colon before it, and settings such as 'rules = natural' first. Exit code 3
    if a deal stays undecided.

    \b
    waranalysis classify "4 2 | 3 5 1" "1 4 | 2 3"
    waranalysis classify deals.txt --rules natural
    """
    if jsonl is not None:
        if deals:
            raise click.UsageError(f"--jsonl and {quoted(deals[0])} exclude each other")
        return _jsonl(jsonl, from_settings(load(preset or "classic"), settings), how, output)
    entries = _entries(deals, preset, settings)
    if certificates is not None:
        new_directory(certificates, output.force)
    verdicts = [classify(entry.deal, entry.rules, **how) for entry in entries]
    if certificates is not None:
        _write_certificates(certificates, entries, verdicts, output.force)
    _write(entries, verdicts, output)
    return 3 if any(verdict.kind == "undecided" for verdict in verdicts) else 0


def _entries(deals: Sequence[str], preset: str | None, settings: Sequence[str]) -> list[Entry]:
    if not deals:
        raise click.UsageError("no deal: expected packets such as '4 2 | 3 5 1', a file, or -")
    entries = []
    for text in deals:
        if text == "-":
            entries += read_stream(sys.stdin.buffer, "standard input", preset, settings)
        elif "|" in text or not text.strip():
            rules = from_settings(load(preset or "classic"), settings)
            entries.append(Entry("", rules.read_deal(text), rules))
        elif Path(text).exists():
            entries += read_path(Path(text), preset, settings)
        else:
            raise CardsError(f"{quoted(text)}: expected a deal such as '4 2 | 3 5 1', or a file")
    return entries


def _write(entries: list[Entry], verdicts: list[Verdict], output: Output) -> None:
    found = [verdict.to_dict() for verdict in verdicts]
    header = ["name", "deal", *_FIELDS]
    cells = [
        [entry.name, str(entry.deal), *map(record.get, _FIELDS)]
        for entry, record in zip(entries, found, strict=True)
    ]
    results = [
        {"name": entry.name, "deal": str(entry.deal), "rules": entry.rules.to_dict()} | record
        for entry, record in zip(entries, found, strict=True)
    ]
    output.write(
        table=lambda: _table(entries, verdicts),
        json=one_json(provenance("classify") | {"deals": results}),
        csv=lambda: csv_lines(header, cells),
    )


def _table(entries: list[Entry], verdicts: list[Verdict]) -> list[str]:
    header = ["deal", "verdict", "winner", "battles", "tail", "period"]
    with_cards = any(verdict.identity_period for verdict in verdicts)
    body = []
    for entry, verdict in zip(entries, verdicts, strict=True):
        name = entry.name or _short(str(entry.deal))
        winner: object = ""
        if verdict.ending is not None:
            seat = verdict.ending.winner
            winner = "draw" if seat is None else f"player {seat + 1}"
        battles = "" if verdict.kind == "cycles" else f"{verdict.battles:,}"
        loop = [verdict.tail, verdict.period, verdict.identity_period]
        cells = ["" if number is None else f"{number:,}" for number in loop]
        body.append([name, _WORDS[verdict.kind], winner, battles, *cells[: 2 + with_cards]])
    header += ["cards back"] * with_cards
    return table(header, body, right="battles,tail,period,cards back")


_WORDS = {"terminates": "ends", "cycles": "never ends", "undecided": "undecided"}


def _short(text: str, most: int = 36) -> str:
    return text if len(text) <= most else text[: most - 2].rstrip() + " …"


def _write_certificates(
    directory: Path, entries: list[Entry], verdicts: list[Verdict], force: bool
) -> None:
    for number, (entry, verdict) in enumerate(zip(entries, verdicts, strict=True), 1):
        if verdict.kind == "undecided":
            continue
        record = certificate(entry.deal.strengths(), entry.rules, verdict)
        write_json(directory / f"deal-{number}.json", record, force)


# --- one JSON object a line ------------------------------------------------------------------


def _jsonl(source: str, rules: RuleSet, how: dict[str, Any], output: Output) -> int:
    codes = {0}

    def answers() -> Iterator[str]:
        for line in _lines_of(source):
            answer = _answer(line, rules, how)
            codes.add(2 if "error" in answer else 3 * (answer["verdict"] == "undecided"))
            yield json.dumps(answer)

    output.write(table=answers, json=answers)
    return 2 if 2 in codes else max(codes)


def _lines_of(source: str) -> Iterator[str | WarAnalysisError]:
    if source == "-":
        yield from lines(sys.stdin.buffer)
        return
    try:
        stream: BinaryIO = open(source, "rb")  # noqa: SIM115
    except OSError as error:
        raise FileError(f"cannot read {quoted(source)}: {error.strerror}") from None
    with stream:
        yield from lines(stream)


def _answer(line: str | WarAnalysisError, rules: RuleSet, how: dict[str, Any]) -> dict[str, Any]:
    identity: Any = None
    try:
        if isinstance(line, WarAnalysisError):
            raise line
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise CardsError(f"not JSON: {error}") from None
        if not isinstance(record, dict):
            raise CardsError(f'{quoted(line)}: expected an object {{"id", "deal", "rules"}}')
        identity = record.get("id")
        return {"id": identity} | _verdict(record, rules, how).to_dict()
    except WarAnalysisError as error:
        return {"id": identity, "error": str(error)}


def _verdict(record: dict[str, Any], rules: RuleSet, how: dict[str, Any]) -> Verdict:
    if not isinstance(record.get("deal"), str):
        raise CardsError(f"deal = {quoted(record.get('deal'))}: expected a text")
    own = record.get("rules", {})
    if not isinstance(own, dict):
        raise CardsError(f"rules = {quoted(own)}: expected an object of rule fields")
    mine = rules.changed(own)
    return classify(mine.read_deal(record["deal"]), mine, **how)
