"""The folder of a paper: its steps, its data and their certificates."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from waranalysis.errors import FileError, quoted
from waranalysis.files import read_text

PARTS = ("generate.toml", "content.py", "paper.tex")


@dataclass(frozen=True)
class Paper:
    """A paper's folder.

    Attributes
    ----------
    folder : Path
    steps : dict of str to str
        The command that makes a file of ``data/``, by the file's name. In it ``{scratch}`` stands
        for a directory for checkpoints.
    """

    folder: Path
    steps: dict[str, str]

    @classmethod
    def open(cls, folder: Path) -> Paper:
        """Read the steps of a paper.

        Raises
        ------
        FileError
            If a part of the folder is missing, or ``generate.toml`` is not a table of commands.
        """
        missing = [part for part in PARTS if not (folder / part).is_file()]
        if missing:
            raise FileError(f"{quoted(folder)} is no paper: expected {', '.join(missing)} in it")
        path = folder / "generate.toml"
        try:
            steps = tomllib.loads(read_text(path))["steps"]
        except (tomllib.TOMLDecodeError, KeyError) as error:
            raise FileError(f"{quoted(path)}: expected a table 'steps' ({error})") from None
        return cls(folder.resolve(), {name: f"waranalysis {step}" for name, step in steps.items()})

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.name

    @property
    def root(self) -> Path:
        """The directory that holds ``papers/`` and ``data/``."""
        return self.folder.parent.parent

    @property
    def title(self) -> str:
        """The title, as `paper.tex` has it."""
        found = re.search(r"\\title\{(.*?)\}\s*$", self.text, re.MULTILINE)
        return found[1].replace("\\\\", " ").replace("\\", "") if found else self.name

    @property
    def text(self) -> str:
        """The text of `paper.tex`."""
        return read_text(self.folder / "paper.tex")

    @property
    def missing(self) -> list[str]:
        """The steps that have not been made."""
        return [name for name in self.steps if not self.data(name).is_file()]

    def data(self, name: str) -> Path:
        """Where the answer of a step is."""
        return self.folder / "data" / name

    def command(self, name: str) -> str:
        """The command of a step as it is called in the paper's folder."""
        return self.steps[name].replace("{scratch}", f"scratch/{name}")

    def certificates(self, name: str) -> list[Path]:
        """The certificates for the answer of a step."""
        stem = name.partition(".")[0]
        return sorted((self.folder / "certificates").glob(f"{stem}_*"))

    def content(self) -> ModuleType:
        """Run `content.py`."""
        name = f"waranalysis_paper_{self.name.replace('-', '_')}"
        spec = spec_from_file_location(name, self.folder / "content.py")
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def papers_in(directory: Path) -> Iterator[Paper]:
    """The papers among the folders of a directory, by name."""
    if not directory.is_dir():
        raise FileError(f"no directory {quoted(directory)}: expected one that holds papers")
    for folder in sorted(directory.iterdir()):
        if (folder / "generate.toml").is_file():
            yield Paper.open(folder)
