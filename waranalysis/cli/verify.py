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
            record = read(read_text(path))
            why = verify(record)
        except CertificateError as error:
            raise CertificateError(f"{quoted(path)}: {error}") from None
        click.echo(f"false  {path}: {why}" if why else f"true   {path}: {_statement(record)}")
        code = code or int(why is not None)
    return code


def _statement(record: dict[str, object]) -> str:
    if record["verdict"] == "cycles":
        return f"never ends, tail {record['tail']}, period {record['period']}"
    winner = record["winner"]
    result = "a draw" if winner is None else f"player {int(str(winner)) + 1} wins"
    return f"{result} after {record['battles']} battles"
