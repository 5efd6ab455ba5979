"""Tables in TeX, and the run of pdflatex."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from waranalysis.errors import FileError, quoted
from waranalysis.paper.folder import Paper

TEX = "pdflatex"
_MOST_RUNS = 4


def booktabs(
    columns: str, header: Sequence[str], groups: Iterable[Iterable[Sequence[str]]]
) -> Iterator[str]:
    """Lines of a table; a thin rule between groups of rows.

    Parameters
    ----------
    columns : str
        As for ``tabular``.
    header : sequence of str
    groups : iterable of iterable of rows
        Cells in TeX.
    """
    yield f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\\toprule\n"
    yield _row(header) + "\\midrule\n"
    yield "\\midrule\n".join("".join(map(_row, rows)) for rows in groups)
    yield "\\bottomrule\n\\end{tabular}\n"


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + " \\\\\n"


def typeset(paper: Paper, directory: Path) -> list[str]:
    """Run pdflatex on `paper.tex` until the references stand; return what it warns of.

    Parameters
    ----------
    paper : Paper
    directory : Path
        Where numbers, tables and figures are, and the PDF goes.

    Raises
    ------
    FileError
        If TeX stops, with its first complaint.
    """
    places = [directory, paper.folder, paper.folder.parent]
    environment = os.environ | {
        "TEXINPUTS": os.pathsep.join([*map(str, places), ""]),
        "SOURCE_DATE_EPOCH": "0",
        "FORCE_SOURCE_DATE": "1",
        "max_print_line": "1000",
    }
    command = [TEX, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for _ in range(_MOST_RUNS):
        done = subprocess.run(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        log = (directory / "paper.log").read_text(errors="replace")
        if done.returncode:
            raise FileError(f"{TEX} stops at {quoted(paper.folder / 'paper.tex')}: {_first(log)}")
        if "Rerun to get" not in log and "Rerun LaTeX" not in log and "rerunfilecheck" not in log:
            break
    for suffix in ("aux", "out", "log"):
        (directory / f"paper.{suffix}").unlink(missing_ok=True)
    return re.findall(r"^(?:Overfull|LaTeX Warning).*$", log, re.MULTILINE)


def _first(log: str) -> str:
    """The first complaint in a log, and the line it is about."""
    found = re.search(r"^! (.*)$", log, re.MULTILINE)
    line = re.search(r"^l\.\d+", log, re.MULTILINE)
    return " ".join([found[1] if found else "no reason given", *([line[0]] if line else [])])


def installed() -> bool:
    """Whether there is a pdflatex."""
    return shutil.which(TEX) is not None
