"""Progress on a terminal's standard error, for whatever takes more than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from waranalysis.cli import interrupts

T = TypeVar("T")

_QUIET = 1.5
_PAUSE = 0.25


class Progress:
    """Shows what part is done, the rate and the time left; call it with the number done.

    As a context the line is taken away at the end, whatever happens.

    Parameters
    ----------
    total : int or None
        None if nobody knows: then the number done is shown.
    unit : str, optional
        What is counted, such as "deals"; without it no rate is shown.
    """

    def __init__(self, total: int | None, unit: str = "") -> None:
        self.total = total
        self.unit = unit
        self.begun = time.monotonic()
        self.first: tuple[float, int] | None = None
        self.shown = 0.0
        self.seen = sys.stderr.isatty()

    def __call__(self, done: int) -> None:
        """Show that `done` are done, unless that was shown a moment ago."""
        interrupts.check()
        now = time.monotonic()
        # What an earlier run did says nothing of the rate.
        since, before = self.first = self.first or (now, done)
        if not self.seen or now - self.begun < _QUIET or now - self.shown < _PAUSE:
            return
        self.shown = now
        line = f"{done:,} {self.unit}"
        if self.total is not None:
            line = f"{100 * done / self.total:5.1f} %"
        if done > before:
            rate = (done - before) / (now - since)
            if self.unit:
                line += f"  {rate:,.0f} {self.unit}/s"
            if self.total is not None:
                line += f"  {_clock((self.total - done) / rate)} left"
        sys.stderr.write(f"\r{line:<60}")
        sys.stderr.flush()

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """Yield `items`, and show how many that were."""
        with self:
            for number, item in enumerate(items):
                self(number)
                yield item

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            sys.stderr.write("\r" + " " * 60 + "\r")
            sys.stderr.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
