"""What `data/about.toml` says of each dataset."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from waranalysis.errors import FileError, quoted
from waranalysis.files import read_text

FILE = "about.toml"


@dataclass(frozen=True)
class Dataset:
    """One kind of file.

    Attributes
    ----------
    name, title, description, command : str
    files : str
        A pattern of paths below the data directory.
    check : str
        How `waranalysis.data.verify` checks its content.
    listed : bool
        Whether each file stands in the data package; all of them have a checksum.
    parquet : str or None
        The file that holds all rows with types.
    key : tuple of str
        Columns that tell a row from the others.
    columns : dict of str to str
        "type: meaning" by name; a name may be a pattern.
    """

    name: str
    title: str
    description: str
    command: str
    files: str
    check: str
    listed: bool = True
    parquet: str | None = None
    key: tuple[str, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)

    def paths(self, directory: Path) -> list[Path]:
        """The files, numbers in their names in order."""
        return sorted(directory.glob(self.files), key=_natural)

    def column(self, name: str) -> tuple[str, str]:
        """Type and meaning of a column.

        Raises
        ------
        FileError
            If the dataset has none of that name.
        """
        for pattern, told in self.columns.items():
            if fnmatchcase(name, pattern):
                kind, _, meaning = told.partition(": ")
                return kind, meaning
        raise FileError(f"column {quoted(name)} of {self.name}: expected its meaning in {FILE}")


@dataclass(frozen=True)
class About:
    """The datasets of a directory, and what they have in common."""

    directory: Path
    title: str
    description: str
    licence: dict[str, str]
    sources: list[dict[str, str]]
    datasets: list[Dataset]

    def strangers(self) -> list[str]:
        """Files that belong to no dataset and are no page about one."""
        known = {path for dataset in self.datasets for path in dataset.paths(self.directory)}
        made = {self.directory / dataset.parquet for dataset in self.datasets if dataset.parquet}
        return [
            path.relative_to(self.directory).as_posix()
            for path in files(self.directory)
            if path not in known | made and path.suffix != ".md" and path.parent != self.directory
        ]


def read_about(directory: Path) -> About:
    """Read the description of a data directory.

    Raises
    ------
    FileError
        If it is not there or not of the right form.
    """
    path = directory / FILE
    text = read_text(path)
    try:
        told = tomllib.loads(text)
        datasets = [_dataset(table) for table in told["dataset"]]
        common = (told["title"], told["description"], told["licence"], told["source"])
        return About(directory, *common, datasets)
    except (tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise FileError(f"{quoted(path)}: {error}") from None


def files(directory: Path) -> list[Path]:
    """Every file below a directory but hidden ones, in order."""
    found = (path for path in directory.rglob("*") if path.is_file())
    return sorted(path for path in found if not path.name.startswith("."))


def _dataset(table: dict[str, Any]) -> Dataset:
    return Dataset(**table | {"key": tuple(table.get("key", ()))})


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(part or 0), rest) for part, rest in re.findall(r"(\d*)(\D+)", path.as_posix())]
