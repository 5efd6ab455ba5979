"""The command `verify`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from waranalysis.certificate import read, verify
from waranalysis.cli.options import Output, one_json, output_options
from waranalysis.errors import CertificateError, quoted
from waranalysis.files import read_text
from waranalysis.provenance import provenance


@click.command("verify")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@output_options("json")
def command(files: tuple[Path, ...], output: Output) -> int:
    """Replay certificates, card by card.

    Exit code 1 if a statement is false, 2 if a file is no certificate.

    \b
    waranalysis classify "4 2 | 3 5 1" --certificates found
    waranalysis verify found/*.json
    """
    found = list(map(_replay, files))
    sound = all(record["true"] for record in found)
    output.write(
        table=lambda: _lines(found),
        json=one_json(provenance("verify") | {"true": sound, "certificates": found}),
    )
    return 0 if sound else 1


def _replay(path: Path) -> dict[str, Any]:
    try:
        statement, why = _check(path)
    except CertificateError as error:
        raise CertificateError(f"{quoted(path)}: {error}") from None
    return {"file": str(path), "statement": statement, "true": why is None, "why": why}


def _lines(found: list[dict[str, Any]]) -> Iterator[str]:
    for record in found:
        if record["true"]:
            yield f"true   {record['file']}: {record['statement']}"
        else:
            yield f"false  {record['file']}: {record['why']}"


def _check(path: Path) -> tuple[str, str | None]:
    """What a certificate states, and what is false about it."""
    text = read_text(path)
    lines = text.splitlines()
    if text.startswith('{"schema": "waranalysis/ranks/'):
        from waranalysis.chance.ranks import verify_ranks

        return f"{len(lines) - 1:,} positions end with probability one", verify_ranks(lines)
    if text.startswith('{"schema": "waranalysis/strategy/'):
        from waranalysis.choice.strategy import statement, verify_strategy

        return statement(lines), verify_strategy(lines)
    if text.startswith('{"schema": "waranalysis/best/'):
        from waranalysis.choice import proof

        return proof.statement(lines), proof.verify_best(lines)
    record = read(text)
    return _statement(record), verify(record)


def _statement(record: dict[str, object]) -> str:
    if record["verdict"] == "cycles":
        return f"never ends, tail {record['tail']}, period {record['period']}"
    winner = record["winner"]
    result = "a draw" if winner is None else f"player {int(str(winner)) + 1} wins"
    return f"{result} after {record['battles']} battles"
