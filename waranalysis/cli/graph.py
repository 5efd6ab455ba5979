"""The commands `graph stats`, `graph cycles`, `graph export` and `graph draw`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from waranalysis.cli.options import (
    Output,
    csv_lines,
    memory_option,
    one_json,
    output_options,
    rules_options,
    split_or_all_option,
)
from waranalysis.cli.tables import rules_text, table
from waranalysis.errors import CardsError, FileError, quoted
from waranalysis.rules import RuleSet
from waranalysis.termination import require_deterministic

if TYPE_CHECKING:
    from waranalysis.graph.structure import Structure


@click.group("graph")
def command() -> None:
    """State graphs: numbers, cycles, files for other programs, pictures.

    \b
    waranalysis graph stats 4x2 --rules one-down
    waranalysis graph export 5x1 -o war.graphml
    """


def graph_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Take what to build a graph of; give the argument `load`, which builds it when called."""

    @wraps(function)
    def decorated(
        *args: Any,
        start: tuple[str, ...],
        rules: RuleSet,
        split: Sequence[int] | str | None,
        limit: int,
        memory: int,
        **kwargs: Any,
    ) -> Any:
        def load() -> Structure:
            from waranalysis.graph.build import state_graph
            from waranalysis.graph.structure import structure

            return structure(state_graph(_start(start, rules), rules, split, limit, memory))

        return function(*args, load=load, rules=rules, **kwargs)

    result = memory_option("4G", "For the graph, by estimate.")(rules_options(decorated))
    result = click.option(
        "--limit",
        metavar="N",
        type=click.IntRange(1),
        default=30_000_000,
        show_default=True,
        help="Most positions and ends.",
    )(result)
    result = split_or_all_option(result)
    return click.argument("start", metavar="DECK|DEAL...", nargs=-1, required=True)(result)


def _start(texts: tuple[str, ...], rules: RuleSet) -> Any:
    """A deck, or deals."""
    if len(texts) == 1:
        return texts[0]
    decks = [text for text in texts if "|" not in text]
    if decks:
        raise CardsError(f"{quoted(decks[0])}: expected one deck, or deals such as '4 2 | 3 5 1'")
    return [rules.read_deal(text) for text in texts]


def _name(found: Structure) -> str:
    graph = found.graph
    if graph.deck is not None:
        return f"{graph.deck}, dealt {graph.split}"
    return f"{int(graph.deals.sum())} given deal" + "s" * (int(graph.deals.sum()) != 1)


# --- numbers ---------------------------------------------------------------------------------


@command.command("stats")
@graph_options
@output_options("json", "csv")
def stats_(load: Callable[[], Structure], rules: RuleSet, output: Output) -> None:
    """Count positions, ends, transitions, closed classes and cycles.

    Positions have cards on at least two sides; an end is one node for each winner and one for a
    draw. With chance or choice the fewest turns to an end are counted, and closed classes are
    what can never be left again.

    \b
    waranalysis graph stats 4x2 --rules one-down
    waranalysis graph stats 3x2 --set capture=shuffled --json
    waranalysis graph stats "4 2 | 3 5 1"
    """
    from waranalysis.graph.records import about
    from waranalysis.graph.stats import stats

    found = load()
    numbers = stats(found)
    output.write(
        table=lambda: _stats_lines(found, rules, numbers),
        json=one_json(about(found.graph) | {"schema": "waranalysis/graph-stats/1"} | numbers),
        csv=lambda: csv_lines(["number", "value"], _flat(numbers)),
    )


def _flat(numbers: dict[str, Any]) -> Iterator[list[Any]]:
    for name, value in numbers.items():
        if isinstance(value, dict):
            yield from ([f"{name} {key}", count] for key, count in value.items())
        elif not isinstance(value, list):
            yield [name, value]


def _stats_lines(found: Structure, rules: RuleSet, numbers: dict[str, Any]) -> Iterator[str]:
    graph = found.graph
    yield f"{_name(found)}; rules: {rules_text(rules)} ({rules.kind})"
    yield ""
    shown = [
        ("positions", numbers["positions"]),
        ("moments inside turns", numbers.get("moments")),
        ("ends", numbers["ends"]),
        ("transitions", numbers["transitions"]),
        ("deals", numbers["deals"]),
        ("positions without predecessor", numbers["garden_of_eden"]),
        ("strongly connected components", numbers["components"]),
        ("positions in the largest", numbers["largest_component"]),
        ("closed classes", numbers["closed_classes"]),
        ("closed classes without an end", numbers["closed_classes_without_end"]),
        ("positions that cannot end", numbers["never_end"]),
        ("deals that cannot end", numbers["deals_never_end"]),
        ("most turns to an end", numbers["longest"]),
        ("cycles", numbers.get("cycles")),
        ("cycles up to swapping players", numbers.get("cycles_up_to_swap")),
        ("positions on cycles", numbers.get("on_cycles")),
    ]
    body = [[name, f"{value:,}"] for name, value in shown if value is not None]
    yield from table(["", "number"], body, right="number")
    yield ""
    yield "Ends: " + (", ".join(map(graph.text, range(graph.first_end, graph.nodes))) or "none")
    if found.periods:
        loops = (f"{period:,} ({n:,})" for period, n in found.periods.items())
        yield f"Periods of the cycles: {', '.join(loops)}"


@command.command("cycles")
@graph_options
@output_options("json", "csv")
def cycles_(load: Callable[[], Structure], rules: RuleSet, output: Output) -> None:
    """List the loops of a deterministic rule set.

    Each with its least state, its period, the positions that lead to it (its basin), the deals
    that fall into it, the longest way there, and whether swapping the players maps it to itself.
    JSON has all states of each.

    \b
    waranalysis graph cycles 4x2 --rules one-down
    waranalysis graph cycles 3x4 --rules natural --json
    """
    require_deterministic(rules)
    from waranalysis.graph.records import about
    from waranalysis.graph.stats import cycle_record

    found = load()
    graph = found.graph
    header = ["cycle", "period", "basin", "deals", "longest tail", "own image", "least state"]
    body = [
        [
            number,
            cycle.period,
            cycle.basin,
            cycle.deals,
            cycle.longest_tail,
            {True: "yes", False: "no", None: ""}[cycle.own_image],
            graph.text(int(cycle.nodes[0])),
        ]
        for number, cycle in enumerate(found.cycles)
    ]
    cycles = [cycle_record(graph, number, cycle) for number, cycle in enumerate(found.cycles)]
    head = about(graph) | {"schema": "waranalysis/graph-cycles/1"}
    output.write(
        table=lambda: _cycle_lines(found, rules, header, body),
        json=one_json(head | {"cycles": cycles}),
        csv=lambda: csv_lines(header, body),
    )


def _cycle_lines(
    found: Structure, rules: RuleSet, header: list[str], body: list[list[Any]]
) -> Iterator[str]:
    count = f"{len(body):,} cycle" + "s" * (len(body) != 1)
    swapped = found.cycles_up_to_swap
    if body and swapped is not None:
        count += f", {swapped:,} up to swapping players"
    yield f"{_name(found)}; rules: {rules_text(rules)}: {count}"
    if body:
        yield ""
        yield from table(header, body, right=",".join(header[:-1]))


# --- files -----------------------------------------------------------------------------------


def file_options(required: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``-o`` and ``--force``."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        forced = click.option("--force", is_flag=True, help="Replace files that exist.")(function)
        return click.option(
            "-o",
            "target",
            metavar="FILE",
            type=click.Path(path_type=Path),
            required=required,
            help="Where to write; the ending tells the format.",
        )(forced)

    return decorate


@command.command("export")
@graph_options
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    help="json, graphml, gexf, dot, tikz, tex (a document), csv (nodes and edges), aut, prism "
    "(.tra .sta .lab .srew), storm (.tra .lab .rew) or drn.",
)
@file_options(required=False)
def export_(
    load: Callable[[], Structure],
    rules: RuleSet,
    form: str | None,
    target: Path | None,
    force: bool,
) -> None:
    """Write the graph to a file for another program.

    Without -o a format of one file goes to standard output. Formats without a place for it get a
    second file, ending in -about.json, that says how the graph was made.

    \b
    waranalysis graph export 5x1 -o war.graphml
    waranalysis graph export 3x2 --set capture=shuffled -o war.drn
    waranalysis graph export "4 2 | 3 5 1" --format dot
    """
    from waranalysis.graph import export

    if form is None and target is None:
        raise FileError("no file and no format: expected -o FILE or --format FORMAT")
    if target is None:
        form = export.known(form)
        if len(export.FORMATS[form]) > 1:
            raise FileError(f"{form} is more than one file: expected -o FILE")
        found = load()
        for line in next(iter(export.FORMATS[form].values()))(found):
            sys.stdout.write(f"{line}\n")
        return
    export.check(target, form, force)  # before the work, not after it
    for path in export.export(load(), target, form, force):
        click.echo(f"wrote {path}", err=True)


@command.command("draw")
@graph_options
@click.option(
    "--what",
    type=click.Choice(["graph", "loop", "path", "lengths", "periods"]),
    default="graph",
    show_default=True,
    help="Everything; one loop with what leads to it; the game of the first deal; how many deals "
    "end after how many battles; how many loops have what period.",
)
@click.option(
    "--cycle",
    metavar="N",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="For --what loop: which one, as 'graph cycles' numbers them.",
)
@click.option(
    "--width",
    metavar="INCHES",
    type=click.FloatRange(1, 50),
    default=3.4,
    show_default=True,
    help="Width of the picture: one column of a journal.",
)
@file_options(required=True)
def draw_(
    load: Callable[[], Structure],
    rules: RuleSet,
    what: str,
    cycle: int,
    width: float,
    target: Path,
    force: bool,
) -> None:
    """Draw the graph, or what it says about games, to an SVG, PDF or PNG file.

    Loops are rings with what leads to them around, ends stand apart. Pictures of up to 30 nodes
    bear the states for which there is room. Needs the extra 'papers'.

    \b
    waranalysis graph draw 5x1 -o war.svg
    waranalysis graph draw 5x1 --what loop -o loop.pdf
    waranalysis graph draw "4 2 | 3 5 1" --what path -o game.png
    """
    from waranalysis.graph.draw import check, draw

    check(target, force)
    draw(load(), target, what, cycle, width, force)
    click.echo(f"wrote {target}", err=True)
