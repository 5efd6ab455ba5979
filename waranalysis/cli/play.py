"""The command `play`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import click

from waranalysis.cards import Deal
from waranalysis.cli.options import (
    Output,
    bound_option,
    count,
    one_json,
    output_options,
    rules_options,
)
from waranalysis.cli.tables import ending_text, turn_columns, turn_table
from waranalysis.errors import quoted
from waranalysis.play import Ending, play, start
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet
from waranalysis.termination import Verdict, classify
from waranalysis.trace import Row, rows, shortened

_SHOWN = 40


@dataclass(frozen=True)
class _Shown:
    """The turns of a game that are shown: some from its start, some from its end."""

    first: list[Row]
    last: list[Row]
    turns: int
    ending: Ending | None
    verdict: Verdict | None


@click.command("play")
@click.argument("deal", required=False)
@rules_options
@click.option("--deck", metavar="SPEC", help="Shuffle and deal this deck.  [default: the rules']")
@click.option(
    "--seed",
    metavar="N",
    type=count,
    default=0,
    show_default=True,
    help="For the shuffle and for all that is left to chance or to a player.",
)
@click.option("--all", "everything", is_flag=True, help="Show every turn of a long game.")
@bound_option("Battles after which to give up.")
@output_options("json", "latex")
def command(
    deal: str | None,
    rules: RuleSet,
    deck: str | None,
    seed: int,
    everything: bool,
    bound: int,
    output: Output,
) -> int:
    """Play one game and show it turn by turn.

    DEAL is the packets, top card first, or a deck is shuffled with --seed and dealt. Cards laid
    face down are in [brackets]. Under fixed rules a loop is found and shown once round.

    \b
    waranalysis play "4 2 | 3 5 1"
    waranalysis play "A K 3 | A 2 Q" --set face_down=1
    waranalysis play --seed 7 --rules one-down
    """
    if deal is not None and deck is not None:
        raise click.UsageError(f"DEAL {quoted(deal)} and --deck exclude each other")
    dealt = _shuffled(rules, deck, seed) if deal is None else rules.read_deal(deal)
    shown = _look(dealt, rules, seed, bound, None if everything else _SHOWN)
    seeded = seed if deal is None or rules.kind != "deterministic" else None
    record = provenance("play", rules, deal=str(dealt), seed=seeded)
    output.write(
        table=lambda: _lines(dealt, rules, shown, seeded),
        json=one_json(record | _to_dict(shown)),
        latex=lambda: _latex(dealt, rules, shown),
    )
    return 3 if shown.ending is None and shown.verdict is None else 0


def _shuffled(rules: RuleSet, deck: str | None, seed: int) -> Deal:
    spec = deck or rules.deck or "standard"
    return rules.shuffled_deal(rules.read_deck(spec), random.Random(seed))


def _look(deal: Deal, rules: RuleSet, seed: int, bound: int, most: int | None) -> _Shown:
    """Play the game: once to learn its length, and again to show what is shown of it."""
    verdict = None
    length, ending = bound, None
    if rules.kind == "deterministic":
        found = classify(deal, rules, bound=bound, identities=True)
        verdict = found if found.kind == "cycles" else None
        length, ending = found.battles, found.ending
        if found.tail is not None and found.period is not None:
            length = found.tail + found.period
    else:
        played = play(deal, rules, seed, bound=bound)
        length, ending = played.battles, played.ending
    head, tail = shortened(length, length if most is None else most)
    turns = rows(start(deal, rules, seed), length)
    first = list(islice(turns, head))
    last = list(islice(turns, length - head - tail, None)) if tail else []
    return _Shown(first, last, length, ending, verdict)


def _to_dict(shown: _Shown) -> dict[str, object]:
    verdict: dict[str, object] = {"verdict": "undecided", "battles": shown.turns}
    if shown.verdict is not None:
        verdict = shown.verdict.to_dict()
    elif shown.ending is not None:
        verdict = {
            "verdict": "terminates",
            "winner": shown.ending.winner,
            "reason": shown.ending.reason.value,
            "battles": shown.turns,
        }
    return verdict | {"turns": [row.to_dict() for row in (*shown.first, *shown.last)]}


def _lines(deal: Deal, rules: RuleSet, shown: _Shown, seed: int | None) -> Iterator[str]:
    yield str(deal)
    if seed is not None:
        yield f"seed {seed}"
    yield ""
    yield from _marked(deal, rules, shown)
    yield ""
    yield _conclusion(shown)


def _marked(deal: Deal, rules: RuleSet, shown: _Shown) -> Iterator[str]:
    """The table of turns with the gap and the loop marked."""
    turns = [*shown.first, *shown.last]
    header, rule, *body = turn_table(turns, deal.naming, rules.players)
    yield header
    yield rule
    for row, line in zip(turns, body, strict=True):
        if shown.last and row is shown.last[0]:
            yield f"  … {shown.turns - len(turns):,} turns …"
        if shown.verdict is not None and row.turn == (shown.verdict.tail or 0) + 1:
            yield "  the loop begins:"
        yield line
    if shown.verdict is not None:
        yield f"  and again as before turn {(shown.verdict.tail or 0) + 1}"


def _conclusion(shown: _Shown) -> str:
    if shown.verdict is not None:
        loop = shown.verdict
        every = f"; every single card is back after {loop.identity_period:,}"
        cards = every if loop.identity_period != loop.period else ""
        first = (loop.tail or 0) + 1
        return f"never ends: from turn {first:,} on, {_battles(loop.period)} go round{cards}"
    if shown.ending is None:
        return f"undecided: not over after {_battles(shown.turns)}"
    return f"{ending_text(shown.ending)} after {_battles(shown.turns)}"


def _battles(number: int | None) -> str:
    return f"{number or 0:,} battle" + "s" * (number != 1)


def _latex(deal: Deal, rules: RuleSet, shown: _Shown) -> Iterator[str]:
    """A table for `\\input`; needs the package booktabs."""
    turns = [*shown.first, *shown.last]
    header, cells = turn_columns(turns, deal.naming, rules.players)
    yield f"% {deal}"
    yield "\\begin{tabular}{r" + "l" * (len(header) - 1) + "}"
    yield "\\toprule"
    yield _latex_row(header)
    yield "\\midrule"
    for row, line in zip(turns, cells, strict=True):
        if shown.last and row is shown.last[0]:
            yield "\\multicolumn{" + str(len(header)) + "}{c}{\\dots} \\\\"
        if shown.verdict is not None and shown.verdict.tail == row.turn - 1 > 0:
            yield "\\midrule"
        yield _latex_row(line)
    yield "\\bottomrule"
    yield "\\multicolumn{" + str(len(header)) + "}{l}{" + _conclusion(shown) + "} \\\\"
    yield "\\end{tabular}"


def _latex_row(cells: list[str]) -> str:
    escaped = (cell.replace("{", "\\{").replace("}", "\\}").replace("|", "$|$") for cell in cells)
    return " & ".join("{}" + cell if cell.startswith("[") else cell for cell in escaped) + " \\\\"
