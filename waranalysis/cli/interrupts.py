"""Ctrl-C where it would get lost: callbacks from the compiler pass no exception on."""

from __future__ import annotations

import signal
from types import FrameType

seen = False


def watch() -> None:
    """Note from now on whether there was an interrupt."""
    signal.signal(signal.SIGINT, _note)


def check() -> None:
    """Interrupt again if there was an interrupt that got lost."""
    if seen:
        raise KeyboardInterrupt


def _note(number: int, frame: FrameType | None) -> None:
    global seen  # noqa: PLW0603
    seen = True
    signal.default_int_handler(number, frame)
