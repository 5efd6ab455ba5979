"""The command `choice`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from waranalysis.cli.chance import read_start
from waranalysis.cli.options import (
    Output,
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
    from waranalysis.choice.habits import Pair
    from waranalysis.choice.questions import Region
    from waranalysis.choice.result import Choices
    from waranalysis.choice.values import Best
    from waranalysis.graph.model import StateGraph

_TABLES = (".csv", ".jsonl")
_QUESTIONS = ("end", "endless", "force-end", "force-win", "force-endless")


@dataclass(frozen=True)
class _Answer:
    """What was found, and about what."""

    deal: str | None
    rules: RuleSet
    graph: StateGraph
    region: Region | None
    found: Choices | None
    best: Best | None


@click.command("choice")
@click.argument("deck", required=False)
@click.option("--deal", metavar="DEAL", help="One deal in place of a deck.")
@raw_rules_options
@split_or_all_option
@click.option("--question", type=click.Choice(_QUESTIONS), help="Answer only this, deal by deal.")
@click.option(
    "--player",
    type=click.IntRange(1),
    help="Who is to force it, counted from 1.  [default: 1]",
)
@click.option(
    "--sense",
    type=click.Choice(["almost-sure", "positive"]),
    default="almost-sure",
    show_default=True,
    help="With chance: with probability one, or above 0.",
)
@click.option(
    "--best", is_flag=True, help="Also the best probability of winning of the player who chooses."
)
@click.option(
    "--strategy",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="With --question or --best, write what to choose: .csv, .jsonl as a certificate for "
    "'verify', or the graph with what is chosen marked, in a format of 'graph export'.",
)
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    help="For --strategy: a format of 'graph export'.  [default: by the ending of the file]",
)
@memory_option("4G", "For the graph, by estimate.")
@click.option(
    "--habits",
    metavar="ORDER,ORDER",
    help="Set fixed habits of the two against each other instead; 'fixed' stands for six.",
)
@output_options("json", "csv")
def command(
    deck: str | None,
    deal: str | None,
    preset: str | None,
    settings: Sequence[str],
    split: Sequence[int] | str | None,
    question: str | None,
    player: int | None,
    sense: str,
    best: bool,
    strategy: Path | None,
    form: str | None,
    memory: int,
    habits: str | None,
    output: Output,
) -> int:
    """Say what players who choose can force: an end, a win, a game without end.

    Without rules the winner of a pot picks which row goes under first, and three cards go face
    down. 'end' and 'endless' are about all players together, the others about --player against
    anything the others do. CSV has one row for each deal; a strategy has the positions where there
    is something to gain, for --best those that can be won.

    \b
    waranalysis choice 4x2 --set capture=chosen-side --set face_down=1
    waranalysis choice 4x2 --question force-endless --player 2 --strategy stay.csv
    waranalysis choice 4x2 --question force-win --strategy win.graphml
    waranalysis choice 3x2 --set capture=chosen/shuffled --best --strategy best.csv
    """
    start = read_start(deck, deal)
    if strategy is not None:
        if (question is None) != best:
            raise click.UsageError("--strategy goes with --question or with --best, not with both")
        _check_strategy(strategy, form, output.force)
    if player is not None and (question is None or not question.startswith("force")):
        raise click.UsageError("--player goes with --question force-end, -win or -endless")
    if habits is not None:
        if question or best:
            raise click.UsageError("--habits stands alone, without --question and --best")
        rules = from_settings(load(preset or "classic"), settings)
        _write_habits(start, rules, split, memory, habits, output)
        return 0
    rules = _rules(preset, settings)
    answer = _answer(start, rules, split, memory, question, player, sense, best)
    if strategy is not None:
        _write_strategy(answer, strategy, form, output.force)
    output.write(
        table=lambda: _lines(answer), json=one_json(_record(answer)), csv=lambda: _csv(answer)
    )
    return 0


def _check_strategy(path: Path, form: str | None, force: bool) -> None:
    if form is None and path.suffix in _TABLES:
        check_target(path, force)
        return
    from waranalysis.graph import export

    export.check(path, form, force)


def _rules(preset: str | None, settings: Sequence[str]) -> RuleSet:
    """The rules asked for; a side to pick if nothing is said that concerns it."""
    rules = from_settings(load(preset or "classic"), settings)
    told = any(setting.partition("=")[0].strip() == "capture" for setting in settings)
    if preset is None and not told and not rules.choice_fields:
        rules = rules.changed({"capture": "chosen-side"})
    if not rules.choice_fields:
        command = "enumerate" if rules.kind == "deterministic" else "chance"
        raise RulesError(
            f"{rules_text(rules)}: nothing is left to a player, '{command}' answers that; "
            "expected capture = chosen or chosen-side, or hand = 2"
        )
    return rules


def _answer(
    start: str,
    rules: RuleSet,
    split: Sequence[int] | str | None,
    memory: int,
    question: str | None,
    player: int | None,
    sense: str,
    best: bool,
) -> _Answer:
    from waranalysis.choice.questions import ask
    from waranalysis.choice.result import choices
    from waranalysis.choice.values import best_win

    chooser = _chooser(rules) if best else None
    graph = _graph(start, rules, split, memory)
    region = found = value = None
    if question is None:
        with Progress(None, "questions") as progress:
            found = choices(graph, progress)
    else:
        seat = (player or 1) - 1 if question.startswith("force") else None
        region = ask(graph, question, seat, sense)
    if chooser is not None:
        with Progress(None, "steps") as progress:
            value = best_win(graph, chooser, progress)
    return _Answer(start if "|" in start else None, rules, graph, region, found, value)


def _graph(
    start: str, rules: RuleSet, split: Sequence[int] | str | None, memory: int
) -> StateGraph:
    """The state graph, or what can be asked about in its place."""
    from waranalysis.graph.build import NODES, state_graph

    try:
        with Progress(None, "positions") as progress:
            return state_graph(start, rules, split, NODES, memory, done=progress)
    except LimitError as error:
        side = _with_sides(start, rules, split, memory)
        raise LimitError(f"{error}{side}{_HABITS}") from None


_HABITS = (
    "; 'waranalysis sample' plays random games of any deck with fixed habits, such as --set "
    "capture=winner-first/shuffled"
)
_SIDE_BYTES = 250  # for a position with two choices, when arrays are copied to grow


def _with_sides(start: str, rules: RuleSet, split: Sequence[int] | str | None, memory: int) -> str:
    """Whether there is room if the winner only picks which row comes first."""
    from waranalysis.graph.build import read_origin
    from waranalysis.graph.fast import fits

    positions = read_origin(start, rules, split).most_positions
    room = 0 < positions * _SIDE_BYTES <= memory
    if "chosen" in rules.captures and fits(rules) and room:
        return "; --set capture=chosen-side has two choices a pot, and room"
    return ""


def _chooser(rules: RuleSet) -> int:
    """The one seat that chooses."""
    seats = [seat for seat, order in enumerate(rules.captures) if order.startswith("chosen")]
    if len(seats) != 1 or rules.hand == 2:
        raise RulesError(
            "--best is for one player who chooses: expected such as capture = chosen/shuffled"
        )
    return seats[0]


def _write_strategy(answer: _Answer, path: Path, form: str | None, force: bool) -> None:
    from waranalysis.choice.proof import best_lines
    from waranalysis.choice.strategy import marked, strategy_lines
    from waranalysis.graph.export import export

    best, region = answer.best, answer.region
    strategy = best or region
    assert strategy is not None
    progress = Progress(answer.graph.positions, "positions")
    if form is not None or path.suffix not in _TABLES:
        export(marked(strategy), path, form, force)
    elif path.suffix == ".csv":
        write_text(path, (f"{line}\n" for line in _strategy_table(answer)), force)
    elif best is not None:
        write_text(path, progress.over(best_lines(best)), force)
    elif region is not None:
        write_text(path, progress.over(strategy_lines(region)), force)


def _strategy_table(answer: _Answer) -> Iterator[str]:
    from waranalysis.choice.proof import numbers
    from waranalysis.choice.strategy import strategy_rows

    header = ["position", "rank", "seat", "after", "choose"]
    best = answer.best
    if best is None:
        assert answer.region is not None
        return csv_lines(header, (row for _, row in strategy_rows(answer.region)))
    rows = ([*row, *numbers(best.values[node])] for node, row in strategy_rows(best))
    return csv_lines([*header, *_best_names(best)], rows)


def _best_names(best: Best) -> list[str]:
    from waranalysis.chance.value import Interval

    bounded = isinstance(best.random_deal, Interval)
    return ["best win lower", "best win upper"] if bounded else ["best win"]


# --- output ----------------------------------------------------------------------------------


def _about(answer: _Answer) -> dict[str, Any]:
    graph = answer.graph
    about = {"deal": answer.deal, "deck": graph.deck, "split": graph.split}
    return provenance("choice", answer.rules, **about)


def _record(answer: _Answer) -> dict[str, Any]:
    from waranalysis.chance.value import plain

    record = _about(answer)
    if answer.found is not None:
        record |= answer.found.to_dict()
    if answer.region is not None:
        region, graph = answer.region, answer.graph
        record |= {"deals": int(graph.deals.sum()), "positions": graph.positions}
        record |= {"question": region.question, "player": region.player, "sense": region.sense}
        record |= {"deals_yes": region.deals, "positions_yes": region.positions}
    if answer.best is not None:
        value = plain(answer.best.random_deal)
        record |= {"best_win": {"player": answer.best.player, "value": value}}
    return record


def _csv(answer: _Answer) -> Iterator[str]:
    """One row for each deal: yes or no to each question, and the best probability."""
    from waranalysis.choice.proof import numbers
    from waranalysis.choice.questions import ask, end_forced

    graph, seats = answer.graph, range(answer.rules.players)
    if answer.region is not None:
        columns = {answer.region.question: answer.region.holds}
    else:
        columns = {"end forced": end_forced(graph)}
        columns |= {what: ask(graph, what).holds for what in ("end", "endless")}
        for what in ("force-end", "force-win", "force-endless"):
            columns |= {f"{seat_name(s)} {what}": ask(graph, what, s).holds for s in seats}
    best = answer.best
    header = ["deal", "deals", *columns, *(_best_names(best) if best else [])]
    rows = (
        [
            graph.text(node),
            deals,
            *(int(column[node]) for column in columns.values()),
            *(numbers(best.values[node]) if best else []),
        ]
        for node, deals in zip(graph.starts.tolist(), graph.deals.tolist(), strict=True)
    )
    return csv_lines(header, rows)


def _lines(answer: _Answer) -> Iterator[str]:
    from waranalysis.chance.value import shown

    graph = answer.graph
    yield answer.deal or f"{graph.deck}, dealt {graph.split}: {int(graph.deals.sum()):,} deals"
    yield f"rules: {rules_text(answer.rules)}"
    sizes = f"{graph.positions:,} positions, {len(graph.ends)} ends"
    yield f"{sizes}, {graph.transitions:,} transitions"
    yield ""
    if answer.region is not None:
        yield from _region_lines(answer.region)
    if answer.found is not None:
        yield from _found_lines(answer.found)
    if answer.best is not None:
        yield ""
        name = seat_name(answer.best.player)
        yield f"{name} wins with probability {shown(answer.best.random_deal)} at best."


def _region_lines(region: Region) -> Iterator[str]:
    name = "the players together" if region.player is None else seat_name(region.player)
    chance = region.arena.graph.rules.chance_fields
    yield f"{name}: {region.question}" + f", {region.sense}" * bool(chance)
    yield f"yes for {region.deals:,} deals, {region.positions:,} positions"


def _found_lines(found: Choices) -> Iterator[str]:
    def share(deals: int) -> list[str]:
        return [f"{deals:,}", f"{100 * deals / found.deals:.2f} %" if found.deals else ""]

    chance = bool(found.graph.rules.chance_fields)
    surely = ", surely" if chance else ""
    rows = [["ends whatever is chosen", *share(found.end_forced)]]
    rows.append(["together they can end it", *share(found.can_end)])
    rows.append(
        [f"together they can go on for ever{surely}", *share(found.can_go_on["almost-sure"])]
    )
    if chance:
        rows.append(["… with some luck", *share(found.can_go_on["positive"])])
    for sense, note in {"almost-sure": "", "positive": " with some luck"}.items():
        if sense == "almost-sure" or chance:
            for what, deals in found.player_can_force[sense].items():
                for seat, number in enumerate(deals):
                    rows.append([f"{seat_name(seat)} can force: {what}{note}", *share(number)])
    yield from table(["", "deals", "share"], rows, right="deals,share")


# --- habits ----------------------------------------------------------------------------------


def _write_habits(
    start: str,
    rules: RuleSet,
    split: Sequence[int] | str | None,
    memory: int,
    text: str,
    output: Output,
) -> None:
    from waranalysis.choice.habits import habits
    from waranalysis.rules import FIXED_ORDERS

    if "|" in start:
        raise click.UsageError("--habits are compared on decks, such as 4x2 or 3x2,4x2")
    orders = [
        order for word in text.split(",") for order in (FIXED_ORDERS if word == "fixed" else [word])
    ]
    decks = start.split(",")
    progress = Progress(len(decks) * len(orders) ** 2, "pairs")
    try:
        pairs = list(progress.over(habits(decks, rules, orders, split, memory)))
    except LimitError as error:
        raise LimitError(f"{error}{_HABITS}") from None
    about = provenance("habits", rules, decks=decks)
    output.write(
        table=lambda: _habit_lines(pairs, rules),
        json=one_json(about | {"pairs": [pair.to_dict() for pair in pairs]}),
        csv=lambda: _habit_csv(pairs),
    )


def _habit_lines(pairs: list[Pair], rules: RuleSet) -> Iterator[str]:
    from waranalysis.chance.value import middle

    yield f"rules: {rules_text(rules)}"
    yield ""
    header = ["deck", "player 1", "player 2", "1 wins", "2 wins", "draw", "never", "battles"]
    rows = [
        [
            pair.deck,
            *pair.habits,
            *(f"{middle(v):.6f}" for v in (*pair.outlook.winners, pair.outlook.draw)),
            f"{middle(pair.outlook.never):.6f}",
            "" if pair.outlook.battles is None else f"{middle(pair.outlook.battles):.4f}",
        ]
        for pair in pairs
    ]
    yield from table(header, rows, right="1 wins,2 wins,draw,never,battles")


def _habit_csv(pairs: list[Pair]) -> Iterator[str]:
    from waranalysis.chance.value import Interval

    def cells(value: Any) -> list[Any]:
        if isinstance(value, Interval):
            return [value.lower, value.upper]
        return [None if value is None else str(value)] * 2

    names = ["player 1 wins", "player 2 wins", "draw", "never", "battles"]
    header = ["deck", "player 1", "player 2"]
    header += [f"{name} {side}" for name in names for side in ("lower", "upper")]
    rows = (
        [
            pair.deck,
            *pair.habits,
            *(cell for value in (*o.winners, o.draw, o.never, o.battles) for cell in cells(value)),
        ]
        for pair in pairs
        for o in [pair.outlook]
    )
    return csv_lines(header, rows)
