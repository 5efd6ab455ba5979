"""Transcripts of commands in the README and in `playthroughs/`; run as a script to make them anew.

A transcript is a line ``$ waranalysis …`` and what the command prints.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from glob import glob
from pathlib import Path

from waranalysis.cli import run

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PLAYTHROUGHS = sorted((ROOT / "tests" / "playthroughs").glob("*.txt"))
_BLOCK = re.compile(r"(?<=```console\n)\$ (.*)\n((?:(?!```).*\n)*)")


def output_of(line: str) -> str:
    """What a shell line that calls the program prints; file patterns are expanded."""
    words = shlex.split(line)
    assert words[0] == "waranalysis"
    args = [name for word in words[1:] for name in (sorted(glob(word)) or [word])]
    out = io.StringIO()
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(out):
        run(args)
    return out.getvalue()


def readme_transcripts() -> Iterator[tuple[str, str]]:
    """Command and shown output of every transcript in the README."""
    yield from _BLOCK.findall(README.read_text())


def main() -> None:
    """Write every transcript anew."""
    text = _BLOCK.sub(lambda m: f"$ {m[1]}\n{output_of(m[1])}", README.read_text())
    README.write_text(text)
    for path in PLAYTHROUGHS:
        command = path.read_text().splitlines()[0]
        path.write_text(f"{command}\n{output_of(command.removeprefix('$ '))}")


if __name__ == "__main__":
    main()
