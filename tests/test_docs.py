from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from tests.transcripts import PLAYTHROUGHS, README, output_of, readme_transcripts
from waranalysis.cli import COMMANDS, cli


@pytest.mark.parametrize(("command", "shown"), list(readme_transcripts()))
def test_what_the_readme_shows_is_what_comes_out(command: str, shown: str) -> None:
    assert output_of(command) == shown


def test_the_readme_shows_transcripts() -> None:
    assert len(list(readme_transcripts())) >= 4


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_playthroughs(path: Path) -> None:
    command, shown = path.read_text().split("\n", 1)
    assert output_of(command.removeprefix("$ ")) == shown


def test_the_python_example_runs() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})


def every_command() -> list[tuple[str, click.Command]]:
    context = click.Context(cli, help_option_names=["-h", "--help"])
    found: list[tuple[str, click.Command]] = []
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {sub}", command.commands[sub]) for sub in command.commands]
    return found


@pytest.mark.parametrize(("name", "command"), every_command())
def test_every_command_has_help_with_an_example_and_stands_in_the_readme(
    name: str, command: click.Command
) -> None:
    assert command.help
    assert f"waranalysis {name}" in command.help
    assert f"`{name}" in README.read_text()
    for option in command.params:
        assert isinstance(option, click.Argument) or option.help  # type: ignore[attr-defined]


def test_every_option_in_the_readme_exists() -> None:
    known = {opt for _, command in every_command() for p in command.params for opt in p.opts}
    known |= {"--benchmark-enable", "--benchmark-timer", "-n", "-m"}
    known |= {"--nworkers", "--nthreads", "--memory-limit"}
    for code in re.findall(r"`([^`\n]+)`", README.read_text()):
        for word in shlex.split(code.replace("\\|", " ")) if "'" not in code else []:
            if re.fullmatch(r"--?[a-z][a-z-]*", word):
                assert word in known | {"-h", "--help"}, code


def test_tables_fit_a_terminal() -> None:
    for command, shown in readme_transcripts():
        assert all(
            len(line) <= 80 for line in shown.splitlines() if not line.startswith("deal: ")
        ), command
