"""From the data of a paper to its figures, tables, numbers and PDF."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from waranalysis.errors import FileError, MissingError, quoted
from waranalysis.files import write_json, write_text
from waranalysis.paper import figure, tex
from waranalysis.paper.book import Book
from waranalysis.paper.folder import Paper


@dataclass(frozen=True)
class Built:
    """What was made.

    Attributes
    ----------
    directory : Path
    files : tuple of str
        By name, relative to the directory.
    pdf : bool
        False if there was no TeX to make it.
    warnings : tuple of str
        What TeX says of lines that are too wide and references that lead nowhere.
    """

    directory: Path
    files: tuple[str, ...]
    pdf: bool
    warnings: tuple[str, ...]


def build(paper: Paper, directory: Path | None = None) -> Built:
    """Make figures, tables and numbers, and the PDF if a TeX is installed.

    Everything is made in a directory of its own, which then takes the place of the old one; if
    something fails, the old one stays as it was.

    Parameters
    ----------
    paper : Paper
    directory : Path, optional
        By default ``build`` in the paper's folder.

    Raises
    ------
    MissingError
        Without matplotlib.
    FileError
        If data are missing, or the text does not typeset.
    """
    if find_spec("matplotlib") is None:
        raise MissingError("figures need matplotlib: pip install 'waranalysis[papers]'")
    target = (directory or paper.folder / "build").resolve()
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise FileError(f"cannot make {quoted(target)}: {error.strerror}") from None
    try:
        _parts(paper, made)
        pdf = tex.installed()
        warnings = tex.typeset(paper, made) if pdf else []
        _replace(made, target)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    files = sorted(path.name for path in target.iterdir())
    return Built(target, tuple(files), pdf, tuple(warnings))


def _parts(paper: Paper, directory: Path) -> None:
    """Numbers, tables and figures."""
    book = Book(paper)
    content = paper.content()
    content.numbers(book)
    for name, table in content.TABLES.items():
        write_text(directory / f"{name}.tex", table(book))
    for name, draw in content.FIGURES.items():
        figure.save(draw, book, directory / f"{name}.pdf")
    write_text(directory / "numbers.tex", book.numbers_tex())
    write_text(directory / "sources.tex", book.sources_tex())
    write_json(directory / "numbers.json", book.record())


def _replace(made: Path, target: Path) -> None:
    """Put one directory in the place of another."""
    os.chmod(made, 0o755)
    if target.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        target.replace(old / "old")
        made.replace(target)
        shutil.rmtree(old)
    else:
        made.replace(target)
