"""The command `verify`."""

from __future__ import annotations

from pathlib import Path

import click

from waranalysis.certificate import read, verify
from waranalysis.errors import CertificateError, quoted
from waranalysis.files import read_text


@click.command("verify")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
def command(files: tuple[Path, ...]) -> int:
    """Replay certificates, card by card.

    Exit code 1 if a statement is false, 2 if a file is no certificate.

    \b
    waranalysis classify "4 2 | 3 5 1" --certificates found
    waranalysis verify found/*.json
    """
    code = 0
    for path in files:
        try:
            statement, why = _check(path)
        except CertificateError as error:
            raise CertificateError(f"{quoted(path)}: {error}") from None
        click.echo(f"false  {path}: {why}" if why else f"true   {path}: {statement}")
        code = code or int(why is not None)
    return code


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
