"""What can go wrong, each with one line for the person who reads it."""

from __future__ import annotations

import os


class WarAnalysisError(Exception):
    """Root of every error raised on purpose; `str()` is one complete line."""

    exit_code = 2


class CardsError(WarAnalysisError, ValueError):
    """A card, deck or deal that cannot be read or does not fit."""


class RulesError(WarAnalysisError, ValueError):
    """A field, value or combination of fields that is not a rule set."""


class CertificateError(WarAnalysisError, ValueError):
    """A certificate that is not well formed (a false one is no error)."""


class ClaimsError(WarAnalysisError, ValueError):
    """A claim that is not in the register, or a condition that cannot be read."""


class FileError(WarAnalysisError, OSError):
    """A file that cannot be read or may not be written."""


class MissingError(WarAnalysisError):
    """An extra or an outside program that this question needs."""


class LimitError(WarAnalysisError):
    """A limit was reached before the answer."""

    exit_code = 3


def quoted(text: object) -> str:
    """Return `text` in quotes on one line, cut if it is long; paths are left whole."""
    most = 4096 if isinstance(text, os.PathLike) else 60
    line = str(text).encode("unicode_escape", "backslashreplace").decode("ascii")
    if str(text).isprintable():
        line = str(text)
    return f"'{line}'" if len(line) <= most else f"'{line[: most - 1]}…'"
