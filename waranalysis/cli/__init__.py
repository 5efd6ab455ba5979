"""The command line: a skin over the library."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from waranalysis import __version__
from waranalysis.cli import interrupts
from waranalysis.errors import WarAnalysisError, quoted

COMMANDS = {
    "play": "Play one game and show it turn by turn.",
    "classify": "Say of given deals whether they end or go round for ever.",
    "enumerate": "Classify every deal of a deck.",
    "sample": "Deal and play many games of a big deck.",
    "compare": "Play the same deals under two rule sets.",
    "endless": "Find deals of big decks that never end.",
    "graph": "State graphs: numbers, cycles, files for other programs, pictures.",
    "chance": "Games with chance: do they end for certain, who wins, how long they take.",
    "choice": "Games with choices: what can be forced, alone or together, and how.",
    "order": "Count never-ending deals of distinct cards without dealing them.",
    "claims": "Check what rule sheets and papers say about War.",
    "paper": "Make the papers from their data.",
    "data": "The datasets: checksums, rows computed again, what is missing.",
    "rules": "List and show rule sets.",
    "verify": "Replay certificates.",
}


class _Lazy(click.Group):
    """Loads a command's module when the command is called, not for the list of all."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"waranalysis.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=3)
            expected = ", ".join(near or COMMANDS)
            raise click.UsageError(f"no command {quoted(args[0])}: expected {expected}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="waranalysis")
def cli() -> None:
    """Which games of War end, and which go round for ever?

    \b
    waranalysis enumerate 5x1
    waranalysis classify "4 2 | 3 5 1"
    waranalysis COMMAND --help

    \b
    Tab completion for bash (or zsh_source, fish_source):
    eval "$(_WARANALYSIS_COMPLETE=bash_source waranalysis)"
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code."""
    # The compiler's modules are hundreds of thousands of objects that stay: to look through them
    # for garbage, while they load and on leaving, takes a third of a short run.
    gc.set_threshold(100_000)
    interrupts.watch()
    code = run(args)
    gc.freeze()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_stdout()
    except OSError as error:
        _abandon_stdout()
        code = _complain(f"cannot write to standard output: {error.strerror}", 2)
    sys.exit(code)


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code, with every error told in one line."""
    try:
        result = cli.main(args, "waranalysis", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        return _complain(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted", 130)
    except WarAnalysisError as error:
        return _complain(str(error), error.exit_code)
    except SystemExit:
        # Click's answer to a closed pipe.
        _abandon_stdout()
        return 0
    except OSError as error:
        _abandon_stdout()
        return _complain(f"cannot write to standard output: {error.strerror}", 2)
    except MemoryError:
        return _complain("not enough memory for this question", 3)
    except Exception:
        if not interrupts.seen:
            raise
        return _complain("interrupted", 130)


def _complain(message: str, code: int) -> int:
    line = " ".join(message.split())
    sys.stderr.write(f"Error: {line}\n".encode(errors="replace").decode())
    return code


def _abandon_stdout() -> None:
    """Nobody reads any more: keep the interpreter from flushing what is left."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
