"""Deal files: deals of one deck as text, with the rules they are meant for.

A line with ``|`` is a deal, with a name and a colon before it if it has one. Lines with ``=``
before the first deal are settings: ``rules = NAME`` (a preset) or a field of the rules. What
follows ``#`` is a comment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from waranalysis.cards import Deal
from waranalysis.errors import CardsError, FileError, RulesError, WarAnalysisError, quoted
from waranalysis.files import lines
from waranalysis.rules import RuleSet, from_settings, load


@dataclass(frozen=True)
class Entry:
    """One deal to be looked at: its name ("" if it has none), the deal, the rules."""

    name: str
    deal: Deal
    rules: RuleSet


def read_path(path: Path, preset: str | None, settings: Sequence[str]) -> list[Entry]:
    """Read a deal file; arguments as for `read_stream`."""
    try:
        with path.open("rb") as stream:
            return read_stream(stream, str(path), preset, settings)
    except WarAnalysisError:
        raise
    except OSError as error:
        raise FileError(f"cannot read {quoted(path)}: {error.strerror}") from None


def read_stream(
    stream: BinaryIO, source: str, preset: str | None, settings: Sequence[str]
) -> list[Entry]:
    """Read the deals of a file.

    Parameters
    ----------
    stream : binary file
    source : str
        What to call it in errors.
    preset : str or None
        A rule set that takes the place of the file's ``rules = NAME``.
    settings : sequence of str
        ``field=value``, over those of the file.

    Raises
    ------
    WarAnalysisError
        For the first line that is wrong, and for deals of unequal decks.
    """
    reader = _Reader(preset, settings)
    entries: list[Entry] = []
    for number, line in enumerate(lines(stream), 1):
        try:
            entries += reader.read(line)
        except WarAnalysisError as error:
            raise type(error)(f"{source}, line {number}: {error}") from None
    if not entries:
        raise CardsError(f"no deal in {quoted(source)}: expected lines such as '4 2 | 3 5 1'")
    return entries


class _Reader:
    def __init__(self, preset: str | None, settings: Sequence[str]) -> None:
        self.preset = preset
        self.named = "classic"
        self.own: list[str] = []
        self.over = settings
        self.rules: RuleSet | None = None
        self.cards: object = None

    def read(self, line: str | WarAnalysisError) -> Iterator[Entry]:
        if isinstance(line, WarAnalysisError):
            raise line
        text = line.partition("#")[0].strip()
        if "|" in text:
            yield self._deal(text)
        elif "=" in text:
            self._setting(text)
        elif text:
            raise CardsError(f"{quoted(text)}: expected a deal with |, a setting with =, or #")

    def _setting(self, text: str) -> None:
        if self.rules is not None:
            raise RulesError(f"{quoted(text)}: expected all settings before the first deal")
        field, _, value = text.partition("=")
        if field.strip() == "rules":
            self.named = value.strip()
        else:
            self.own.append(text)

    def _deal(self, text: str) -> Entry:
        if self.rules is None:
            base = load(self.preset or self.named)
            self.rules = from_settings(base, [*self.own, *self.over])
        name, colon, packets = text.rpartition(":")
        deal = self.rules.read_deal(packets if colon else text)
        counts = deal.counts()
        if self.cards not in (None, counts):
            raise CardsError(
                f"{quoted(deal)} has other cards than the deals before it: expected one deck a file"
            )
        self.cards = counts
        return Entry(name.strip(), deal, self.rules)
