"""Write a state graph to a file, or to the files that belong together in a format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from waranalysis.errors import FileError, quoted
from waranalysis.files import check_target, write_text
from waranalysis.graph.formats import checkers, general, tikz
from waranalysis.graph.structure import Structure

Writer = Callable[[Structure], Iterator[str]]

_ABOUT: dict[str, Writer] = {"-about.json": general.about_lines}

FORMATS: dict[str, dict[str, Writer]] = {
    "json": {".json": general.json_lines},
    "graphml": {".graphml": general.graphml_lines},
    "gexf": {".gexf": general.gexf_lines},
    "dot": {".dot": general.dot_lines},
    "tikz": {".tikz": tikz.tikz_lines},
    "tex": {".tex": tikz.standalone_lines},
    "csv": {
        "-nodes.csv": general.node_csv_lines,
        "-edges.csv": general.edge_csv_lines,
        **_ABOUT,
    },
    "aut": {".aut": checkers.aut_lines, **_ABOUT},
    "prism": {
        ".tra": checkers.prism_transitions,
        ".sta": checkers.prism_states,
        ".lab": checkers.prism_labels,
        ".srew": checkers.prism_rewards,
        **_ABOUT,
    },
    "storm": {
        ".tra": checkers.storm_transitions,
        ".lab": checkers.storm_labels,
        ".rew": checkers.storm_rewards,
        **_ABOUT,
    },
    "drn": {".drn": checkers.drn_lines},
}
_SUFFIXES = {
    ".json": "json",
    ".graphml": "graphml",
    ".gexf": "gexf",
    ".dot": "dot",
    ".gv": "dot",
    ".tikz": "tikz",
    ".tex": "tex",
    ".csv": "csv",
    ".aut": "aut",
    ".tra": "prism",
    ".drn": "drn",
}


def format_of(path: Path) -> str:
    """The format that the ending of a name stands for."""
    if path.suffix not in _SUFFIXES:
        raise FileError(
            f"{quoted(path)}: expected a name ending in {', '.join(_SUFFIXES)}, or a format"
        )
    return _SUFFIXES[path.suffix]


def known(form: str | None) -> str:
    """Return the name of a format, or raise `FileError` if there is none such."""
    if form not in FORMATS:
        raise FileError(f"format {quoted(form)}: expected {', '.join(FORMATS)}")
    assert form is not None
    return form


def check(path: Path, form: str | None, force: bool) -> dict[Path, Writer]:
    """Return the files to write; raise `FileError` if one could not, or must not, be written."""
    if path.is_dir():
        check_target(path, force)
    files = targets(path, format_of(path) if form is None else known(form))
    for target in files:
        check_target(target, force)
    return files


def targets(path: Path, form: str) -> dict[Path, Writer]:
    """The files of a format: `path`, or `path` with its ending exchanged for each of them."""
    writers = FORMATS[form]
    if len(writers) == 1:
        return {path: next(iter(writers.values()))}
    stem = path.with_suffix("") if path.suffix in _SUFFIXES else path
    return {stem.with_name(stem.name + ending): writer for ending, writer in writers.items()}


def export(
    found: Structure, path: Path | str, form: str | None = None, force: bool = False
) -> list[Path]:
    """Write a state graph to a file.

    Parameters
    ----------
    found : Structure
    path : Path or str
    form : str, optional
        One of `FORMATS`; by default the ending of `path` tells. Several files belong to csv
        (nodes and edges), prism (.tra .sta .lab .srew) and storm (.tra .lab .rew).
    force : bool
        Replace files that exist.

    Returns
    -------
    list of Path
        The files written. Formats without a place for it have what it takes to make the graph
        again in a file that ends in -about.json.

    Raises
    ------
    FileError
        If the format is unknown or a file may not be written.
    LimitError
        If the graph is too large for TeX.
    """
    path = Path(path)
    files = check(path, form, force)
    for target, writer in files.items():
        write_text(target, (f"{line}\n" for line in writer(found)), force)
    return list(files)
