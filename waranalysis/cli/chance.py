"""The command `chance`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from waranalysis.cli.options import (
    Output,
    count,
    csv_lines,
    memory_option,
    one_json,
    output_options,
    raw_rules_options,
    split_or_all_option,
)
from waranalysis.cli.progress import Progress
from waranalysis.cli.tables import rules_text, seat_name, table
from waranalysis.errors import LimitError, RulesError
from waranalysis.files import check_target, write_text
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet, from_settings, load

if TYPE_CHECKING:
    from waranalysis.chance.compare import Fixed
    from waranalysis.chance.distribution import Distribution
    from waranalysis.chance.ends import Ends
    from waranalysis.chance.result import Chance, Outlook

_SHOWN = 20


@dataclass(frozen=True)
class _Answer:
    """What was found, and about what."""

    deal: str | None
    rules: RuleSet
    ends: Ends
    found: Chance | None
    lengths: Distribution | None
    fixed: list[Fixed]

    @property
    def values(self) -> Chance:
        """The values, where more was asked for than the ends."""
        assert self.found is not None
        return self.found

    @property
    def outlook(self) -> Outlook:
        """The values to show: those of the limited game if there is a limit."""
        if self.rules.limit is not None and self.lengths is not None:
            return self.lengths.outlook()
        return self.values.random_deal


@click.command("chance")
@click.argument("deck", required=False)
@click.option("--deal", metavar="DEAL", help="One deal in place of a deck.")
@raw_rules_options
@split_or_all_option
@click.option(
    "--method",
    type=click.Choice(["auto", "exact", "lumped", "certified", "ends"]),
    default="auto",
    show_default=True,
    help="Fractions, fractions by packet sizes, bounds, or the first that is quick; or only "
    "whether the end is certain, in a fraction of the memory.",
)
@memory_option("4G", "For the graph, by estimate.")
@click.option(
    "--compare",
    "orders",
    metavar="ORDER",
    multiple=True,
    help="Set a fixed order of the pot beside it; may be given again.",
)
@click.option(
    "--horizon", metavar="N", type=count, help="Also the probability of every length up to N."
)
@click.option(
    "--certificate",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write the proof that every position ends, for 'verify'.",
)
@click.option(
    "--plot",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Draw the values over the symbol from 0 to 1 (.pdf, .png, .svg); needs 'papers'.",
)
@click.option(
    "--table",
    "many",
    is_flag=True,
    help="The deck under many house rules: 0, 1, 3 face down, every 'short', both kinds of chance.",
)
@output_options("json", "csv", "latex")
def command(
    deck: str | None,
    deal: str | None,
    preset: str | None,
    settings: Sequence[str],
    split: Sequence[int] | str | None,
    method: str,
    memory: int,
    orders: tuple[str, ...],
    horizon: int | None,
    certificate: Path | None,
    plot: Path | None,
    many: bool,
    output: Output,
) -> int:
    """Say how a game with chance ends: with probability one? who wins? how long does it take?

    Without rules the pots are shuffled and three cards go face down. Values are fractions, or
    bounds that are certain; a probability may be a symbol, as in
    --set capture=coin --set winner_first_probability=p. CSV has one row for each deal, or for
    each length with --horizon. A limit of battles or minutes in the rules is a horizon.

    \b
    waranalysis chance 3x2 --set capture=shuffled --set face_down=1
    waranalysis chance --deal "4 2 | 3 5 1" --rules coin --compare winner-first
    """
    start = read_start(deck, deal)
    for target in filter(None, [certificate, plot]):
        check_target(target, output.force)
    if many:
        rules = from_settings(load(preset or "classic"), settings)
        _write_table(start, rules, split, memory, output)
        return 0
    rows = output.form in ("csv", "parquet")
    if method == "ends" and (horizon is not None or plot or rows or output.form == "latex"):
        raise click.UsageError("--method ends finds no values: expected another method")
    deals = rows and horizon is None
    if deals and method == "lumped":
        raise click.UsageError("--method lumped has no values of single deals for a table")
    rules = _rules(preset, settings)
    answer = _answer(start, rules, split, method, memory, orders, horizon, deals)
    if certificate is not None:
        from waranalysis.chance.ranks import rank_lines

        progress = Progress(answer.ends.graph.positions, "positions")
        write_text(certificate, progress.over(rank_lines(answer.ends)), output.force)
    if plot is not None:
        from waranalysis.chance.symbols import plot_values

        plot_values(answer.values.random_deal, plot)
    output.write(
        table=lambda: _lines(answer),
        json=one_json(_record(answer)),
        csv=lambda: _csv(answer, horizon is not None),
        latex=lambda: _latex(answer),
    )
    return 0


def read_start(deck: str | None, deal: str | None) -> str:
    """What a command was asked about: a deck, or a deal."""
    if deck is not None and deal is not None:
        raise click.UsageError("a deck and --deal exclude each other")
    start = deck if deal is None else deal
    if start is None:
        raise click.UsageError("expected a deck such as 3x2, or --deal '4 2 | 3 5 1'")
    if deal is not None and "|" not in deal:
        raise click.UsageError("--deal: expected packets separated by |, such as '4 2 | 3 5 1'")
    return start


def _rules(preset: str | None, settings: Sequence[str]) -> RuleSet:
    """The rules asked for; shuffled pots if nothing is said that concerns them."""
    rules = from_settings(load(preset or "classic"), settings)
    told = any(setting.partition("=")[0].strip() == "capture" for setting in settings)
    if preset is None and not told and rules.kind == "deterministic":
        rules = rules.changed({"capture": "shuffled"})
    if rules.kind == "deterministic":
        raise RulesError(
            f"{rules_text(rules)}: nothing is left to chance, 'enumerate' answers that; expected "
            "capture = shuffled or coin, recycle = pile-shuffled or a recognition"
        )
    if rules.choice_fields:
        raise RulesError(
            f"{rules.choice_fields[0]} leaves something to a player: 'choice' answers that"
        )
    return rules


def _answer(
    start: str,
    rules: RuleSet,
    split: Sequence[int] | str | None,
    method: str,
    memory: int,
    orders: tuple[str, ...],
    horizon: int | None,
    deals: bool,
) -> _Answer:
    from waranalysis.chance.compare import compare, fixed_rules
    from waranalysis.chance.survey import survey

    endless = (
        rules if rules.limit is None else rules.changed({"max_battles": None, "minutes": None})
    )
    for order in orders:
        fixed_rules(rules, order)
    found = lengths = None
    if method == "ends":
        with _sampled(start), Progress(None, "positions") as progress:
            ends = survey(start, endless, split, memory, progress)
    else:
        until = rules.limit if horizon is None else horizon
        found, lengths = _solved(start, endless, split, method, memory, until, deals)
        ends = found.ends
    with _sampled(start), Progress(None, "positions") as progress:
        fixed = [compare(start, endless, order, split, memory, progress) for order in orders]
    return _Answer(start if "|" in start else None, rules, ends, found, lengths, fixed)


@contextmanager
def _sampled(start: str) -> Iterator[None]:
    """Add to an error about size what has no such limit."""
    try:
        yield
    except LimitError as error:
        instead = "'waranalysis sample' plays random games of any deck"
        if "|" in start:
            instead = "'waranalysis play' plays a deal once for each --seed"
        raise LimitError(f"{error}; {instead}") from None


def _solved(
    start: str,
    rules: RuleSet,
    split: Sequence[int] | str | None,
    method: str,
    memory: int,
    until: int | None,
    deals: bool,
) -> tuple[Chance, Distribution | None]:
    """The values, and the lengths up to a horizon if there is one."""
    from waranalysis.chance.distribution import distribution
    from waranalysis.chance.solve import solve
    from waranalysis.graph.build import NODES, state_graph

    with _sampled(start), Progress(None, "positions") as progress:
        try:
            graph = state_graph(start, rules, split, NODES, memory, done=progress)
        except LimitError as error:
            raise LimitError(f"{error}{_without_transitions(start, rules, split)}") from None
    with Progress(None, "steps") as progress:
        found = solve(graph, method, progress, deals)
    if until is None:
        return found, None
    with Progress(until or 1, "battles") as progress:
        return found, distribution(graph, until, progress)


def _without_transitions(start: str, rules: RuleSet, split: Sequence[int] | str | None) -> str:
    """Whether a graph that is too large may still be surveyed."""
    from waranalysis.chance.survey import BYTES, MOST
    from waranalysis.graph.build import read_origin
    from waranalysis.graph.fast import fits

    positions = read_origin(start, rules, split).most_positions
    if positions > MOST or not fits(rules):
        return ""
    size = f" with --memory {positions * BYTES // 10**6 + 1}M" if positions else ""
    return f"; --method ends says whether all games end{size}"


# --- for programs ----------------------------------------------------------------------------


def _record(answer: _Answer) -> dict[str, Any]:
    from waranalysis.chance.value import plain

    graph = answer.ends.graph
    about = {"deal": answer.deal, "deck": graph.deck, "split": graph.split}
    record = provenance("chance", answer.rules, **about)
    if answer.found is None:
        certain = {"probability_ends": "1"} if answer.ends.certain else {}
        record |= answer.ends.to_dict() | {"method": "ends"} | certain
    else:
        record |= answer.found.to_dict() | answer.outlook.to_dict()
    if answer.ends.traps:
        record["without_end"] = [_trap(answer, nodes) for nodes in answer.ends.traps[:_SHOWN]]
    if lengths := answer.lengths:
        record["horizon"] = lengths.horizon
        record["over_within"] = plain(lengths.within(lengths.horizon))
        record["distribution"] = [plain(lengths.at(n)) for n in range(lengths.horizon + 1)]
    if answer.fixed:
        record["compare"] = [fixed.to_dict() for fixed in answer.fixed]
    return record


def _trap(answer: _Answer, nodes: Any) -> dict[str, Any]:
    graph = answer.ends.graph
    return {"positions": len(nodes), "state": graph.text(int(nodes[0]))}


def _csv(answer: _Answer, lengths: bool) -> Iterator[str]:
    from waranalysis.chance.value import Interval

    seats = list(map(seat_name, range(answer.rules.players)))
    bounded = isinstance(answer.outlook.draw, Interval)

    def cells(value: Any) -> list[Any]:
        if value is None:
            return [None] * (1 + bounded)
        return [value.lower, value.upper] if bounded else [str(value)]

    def header(*names: str) -> list[str]:
        return [f"{name} {side}".strip() for name in names for side in _SIDES[bounded]]

    if lengths and (found := answer.lengths):
        body = (
            [n, *(cell for value in row for cell in cells(value))]
            for n, row in enumerate(found.battles)
        )
        bounded = found.method == "certified"
        return csv_lines(["battles", *header(*seats, "draw")], body)
    graph = answer.values.graph
    rows = (
        [
            graph.text(node),
            deals,
            *(
                cell
                for value in (*o.winners, o.draw, o.never, o.battles, o.variance)
                for cell in cells(value)
            ),
        ]
        for node, deals, o in answer.values.deals()
    )
    return csv_lines(
        ["deal", "deals", *header(*seats, "draw", "never", "battles", "variance")], rows
    )


_SIDES = {False: [""], True: ["lower", "upper"]}


def _latex(answer: _Answer) -> Iterator[str]:
    from waranalysis.chance.symbols import latex

    yield r"\begin{tabular}{ll}"
    yield r"\toprule"
    for name, value in _values(answer.outlook):
        yield rf"{name} & ${latex(value)}$ \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _write_table(
    start: str, rules: RuleSet, split: Sequence[int] | str | None, memory: int, output: Output
) -> None:
    from waranalysis.chance.table import COLUMNS, houses, table_rows

    if output.form == "latex" or "|" in start:
        raise click.UsageError("--table is for a deck, as a table, in JSON or in CSV")
    deck = rules.read_deck(start)
    progress = Progress(2 * len(houses(deck)), "rows")
    with _sampled(start):
        found = list(progress.over(table_rows(deck, rules, split, memory)))
    cells = [[row.get(column) for column in COLUMNS] for row in found]
    few = [place for place, column in enumerate(COLUMNS) if column in _IN_TABLE]
    header = [_IN_TABLE[COLUMNS[place]] for place in few]
    output.write(
        table=lambda: table(header, [[row[place] for place in few] for row in cells]),
        json=one_json(provenance("chance-table", rules, deck=start) | {"rows": found}),
        csv=lambda: csv_lines(COLUMNS, cells),
    )


_IN_TABLE = {
    "capture": "capture",
    "face_down": "down",
    "short": "short",
    "positions": "positions",
    "closed_classes": "closed",
    "ending_certain": "certain",
    "battles_lower": "battles from",
    "never_winner-first": "never (WF)",
}


# --- for people ------------------------------------------------------------------------------


def _values(outlook: Outlook) -> list[tuple[str, Any]]:
    wins = [(f"{seat_name(seat)} wins", value) for seat, value in enumerate(outlook.winners)]
    rows = [("ends", outlook.ends), *wins, ("draw", outlook.draw)]
    return [*rows, ("expected battles", outlook.battles), ("variance", outlook.variance)]


def _lines(answer: _Answer) -> Iterator[str]:
    graph = answer.ends.graph
    yield answer.deal or f"{graph.deck}, dealt {graph.split}: {int(graph.deals.sum()):,} deals"
    yield f"rules: {rules_text(answer.rules)}"
    sizes = f"{graph.positions:,} positions, {len(graph.ends)} ends"
    yield f"{sizes}, {graph.transitions:,} transitions"
    yield ""
    yield from _certainty(answer.ends)
    if answer.found is not None:
        yield ""
        yield from _value_lines(answer, answer.found.method)
    if answer.lengths:
        yield ""
        yield from _length_lines(answer.lengths)
    if answer.fixed:
        yield ""
        yield from _fixed_lines(answer)


def _value_lines(answer: _Answer, method: str) -> Iterator[str]:
    from waranalysis.chance.value import shown

    about = "this deal" if answer.deal else "a random deal"
    limit = answer.rules.limit
    stopped = "" if limit is None else f", cards counted after {limit} battles"
    exact = {"certified": "certified bounds"}.get(method, "exact")
    yield f"For {about}{stopped} ({exact}):"
    yield ""
    yield from table(["", "value"], [(n, shown(v)) for n, v in _values(answer.outlook)])


def _certainty(ends: Ends) -> Iterator[str]:
    graph = ends.graph
    if ends.certain:
        most = int(ends.rank.max(initial=0))
        yield "Every position ends with probability one: from each an end can be reached,"
        yield f"within {most} battles at most, and there is no other closed class."
        return
    lost = int((ends.rank < 0).sum())
    yield f"Not certain to end: {lost:,} positions never do, in {len(ends.traps):,} closed classes,"
    yield f"such as the {len(ends.traps[0]):,} positions of {graph.text(int(ends.traps[0][0]))}"


def _length_lines(lengths: Distribution) -> Iterator[str]:
    from waranalysis.chance.value import middle, shown

    until = lengths.horizon
    yield f"Over within {until} battles: {shown(lengths.within(until))}"
    yield ""
    body = [
        [n, f"{middle(lengths.at(n)):.9f}", f"{middle(lengths.within(n)):.9f}"]
        for n in range(min(until, _SHOWN) + 1)
    ]
    yield from table(["battles", "exactly", "at most"], body, right="battles")
    if until > _SHOWN:
        yield f"  … {until - _SHOWN:,} more lengths: --csv …"


def _fixed_lines(answer: _Answer) -> Iterator[str]:
    graph = answer.ends.graph
    deals = int(graph.deals.sum())
    lost = answer.ends.rank < 0
    never = int(graph.deals[lost[graph.starts]].sum())
    rows = [["chance", f"{deals:,}", f"{never:,}", f"{graph.positions:,}", f"{int(lost.sum()):,}"]]
    rows += [
        [f.capture, f"{f.deals:,}", f"{f.never:,}", f"{f.positions:,}", f"{f.positions_never:,}"]
        for f in answer.fixed
    ]
    header = ["order of the pot", "deals", "never end", "positions", "never end "]
    yield from table(header, rows, right=",".join(header[1:]))
