"""The command `enumerate`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from waranalysis.cards import Deal, Deals, Deck
from waranalysis.census.engine import name_of
from waranalysis.census.result import NEVER, Census, kinds_of
from waranalysis.census.work import census_campaign, merged
from waranalysis.cli.campaigns import Runner, campaign_options
from waranalysis.cli.options import (
    Output,
    bound_option,
    count,
    csv_lines,
    new_directory,
    one_json,
    output_options,
    rules_options,
    split_option,
    write_certificate,
)
from waranalysis.cli.progress import Progress
from waranalysis.cli.tables import rules_text, table, turn_table
from waranalysis.errors import quoted
from waranalysis.play import start
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet
from waranalysis.termination import classify, require_deterministic
from waranalysis.trace import rows, shortened

_LOOP_SHOWN = 16


@dataclass(frozen=True)
class _Answer:
    """A census with what it is about."""

    rules: RuleSet
    deals: Deals
    census: Census
    part: tuple[int, int]


@click.command("enumerate")
@click.argument("deck")
@rules_options
@split_option
@click.option(
    "--examples",
    metavar="K",
    type=count,
    default=1,
    show_default=True,
    help="Deals to show of each kind of outcome.",
)
@bound_option("Battles after which a deal is undecided.")
@click.option(
    "--certificates",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write a certificate for each example that is decided.",
)
@click.option(
    "--all-positions",
    is_flag=True,
    help="Count every position instead, of every split, backward from the ends.",
)
@click.option(
    "--part",
    metavar="K/N",
    default="1/1",
    callback=lambda _ctx, _param, text: read_part(text),
    help="The K-th of N equal parts only, spread over the whole deck.",
)
@campaign_options
@output_options("json", "csv")
def command(
    deck: str,
    rules: RuleSet,
    split: Sequence[int] | None,
    examples: int,
    bound: int,
    certificates: Path | None,
    all_positions: bool,
    part: tuple[int, int],
    runner: Runner,
    output: Output,
) -> int:
    """Classify every deal of a deck: which end, which go round for ever.

    DECK is 'standard', RxC (R strengths from 2 up, C copies of each), LO-HIxC, or CARD:count,…
    with +2j for two jokers. CSV has one row for each outcome and length. Parts share a big deck
    out to several machines, or give a look at it; their counts add up. Exit code 3 if a deal stays
    undecided.

    \b
    waranalysis enumerate 5x1
    waranalysis enumerate 3x4 --rules natural --examples 3
    """
    require_deterministic(rules)
    if all_positions:
        runner.name("tree kernel (kernels/trees.py)")
        _write_positions(rules.read_deck(deck), rules, output)
        return 0
    deals = rules.deals(rules.read_deck(deck), split)
    if certificates is not None:
        new_directory(certificates, output.force)
    # One example is kept even when none is shown: the loop that is drawn needs it.
    campaign = census_campaign(deals, rules, max(examples, 1), bound, part)
    answer = _Answer(
        rules, deals, merged(runner.run(campaign, "deals", name_of(deals, rules, bound))), part
    )
    if certificates is not None:
        _write_certificates(answer, certificates, bound, output.force)
    output.write(
        table=lambda: _lines(answer, bound),
        json=one_json(_record(answer)),
        csv=lambda: _csv(answer),
    )
    return 3 if answer.census.undecided else 0


def _write_positions(deck: Deck, rules: RuleSet, output: Output) -> None:
    from waranalysis.census.backward import all_positions
    from waranalysis.cli import positions

    with Progress(deck.size - 1, "splits") as progress:
        found = all_positions(deck, rules, progress)
    output.write(
        table=lambda: positions.lines(found, deck, rules),
        json=one_json(positions.record(found, deck, rules)),
        csv=lambda: positions.csv_rows(found),
    )


def _record(answer: _Answer) -> dict[str, object]:
    deals, census = answer.deals, answer.census
    about = provenance("enumerate", answer.rules, deck=str(deals.deck), split=list(deals.sizes))
    if answer.part != (1, 1):
        about["part"] = list(answer.part)
    examples = {kind: list(map(str, found)) for kind, found in _examples(answer).items()}
    extremes = {
        "longest_deal": census.longest and str(deals.unrank(census.longest[1])),
        "shortest_deal": census.shortest and str(deals.unrank(census.shortest[1])),
    }
    return about | census.to_dict() | extremes | {"examples": examples}


def _examples(answer: _Answer) -> dict[str, list[Deal]]:
    ranks = answer.census.examples
    kinds = [kind for kind in kinds_of(answer.rules.players) if kind in ranks]
    return {kind: list(map(answer.deals.unrank, ranks[kind])) for kind in kinds}


def _csv(answer: _Answer) -> Iterator[str]:
    """One row for each outcome and length."""
    header = ["outcome", "winner", "battles", "tail", "period", "deals"]
    census = answer.census
    ends = sorted(census.endings.items(), key=lambda item: (item[0][0] is None, item[0]))
    body: list[list[object]] = [
        ["draw" if winner is None else "win", winner, battles, None, None, deals]
        for (winner, battles), deals in ends
    ]
    body += [
        ["never", None, None, tail, period, deals]
        for (period, tail), deals in sorted(census.loops.items())
    ]
    if census.undecided:
        body.append(["undecided", None, None, None, None, census.undecided])
    return csv_lines(header, body)


def _lines(answer: _Answer, bound: int) -> Iterator[str]:
    deals, census = answer.deals, answer.census
    over = deals.deck.size - sum(deals.sizes)
    aside = f", {over} set aside" * (over > 0)
    yield f"{deals.deck}: {deals.deck.size} cards, dealt {deals.split}{aside}"
    yield f"rules: {rules_text(answer.rules)}"
    yield _size(answer)
    yield ""
    yield from _kinds(answer)
    yield ""
    yield from _lengths(answer)
    if census.never:
        yield ""
        yield from _one_loop(answer, bound)


def _size(answer: _Answer) -> str:
    if answer.part == (1, 1):
        return f"{answer.census.deals:,} deals"
    number, parts = answer.part
    return f"part {number}/{parts}: {answer.census.deals:,} of {answer.deals.count:,} deals"


def read_part(text: str) -> tuple[int, int]:
    """Read part K of N, such as ``3/20``."""
    number, _, parts = text.partition("/")
    if not all(word.isascii() and word.isdigit() and len(word) < 20 for word in (number, parts)):
        raise click.BadParameter(f"{quoted(text)}: expected K/N, such as 3/20")
    if not 1 <= int(number) <= int(parts):
        raise click.BadParameter(f"{quoted(text)}: expected K from 1 to N")
    return int(number), int(parts)


def _kinds(answer: _Answer) -> list[str]:
    census = answer.census
    counts = [*census.wins, census.draws, census.never, census.undecided]
    body = []
    for kind, number in zip(kinds_of(answer.rules.players), counts, strict=True):
        if kind != "undecided" or number:
            name = {"never": "never end"}.get(kind, kind) + " wins" * kind.startswith("player")
            examples = [str(deal) for deal in _examples(answer).get(kind, [])]
            share = f"{100 * number / census.deals:.2f} %" if census.deals else ""
            body.append([name, f"{number:,}", share, *(examples[:1] or [""])])
            body += [["", "", "", deal] for deal in examples[1:]]
    return table(["", "deals", "share", "such as"], body, right="deals,share")


def _lengths(answer: _Answer) -> Iterator[str]:
    census, deals = answer.census, answer.deals
    if census.longest and census.shortest:
        total = census.total_battles
        yield (
            f"Deals that end take {census.shortest[0]:,} to {census.longest[0]:,} battles, "
            f"{total:,} in all."
        )
        yield f"The longest game: {deals.unrank(census.longest[1])}"
    if census.never:
        loops = [f"{period:,} ({n:,} deals)" for period, n in census.cycle_lengths.items()]
        yield f"Battles around the loop, where there is one: {', '.join(loops)}."
    else:
        yield (
            "No deal goes round for ever."
            if not census.undecided
            else "No loop was found; some deals are undecided."
        )


def _one_loop(answer: _Answer, bound: int) -> Iterator[str]:
    deal = answer.deals.unrank(answer.census.examples[NEVER][0])
    verdict = classify(deal, answer.rules, bound=bound)
    assert verdict.tail is not None and verdict.period is not None
    yield f"One of them, {deal}, comes to its loop after {verdict.tail:,} battles:"
    yield ""
    game = start(deal, answer.rules)
    for _ in range(verdict.tail):
        game.turn()
    shown, _ = shortened(verdict.period, _LOOP_SHOWN)
    turns = list(rows(game, shown))
    yield from turn_table(turns, deal.naming, answer.rules.players)
    if shown < verdict.period:
        yield f"  … {verdict.period - shown:,} more turns …"
    yield f"  and again as before turn {verdict.tail + 1}, for ever"


def _write_certificates(answer: _Answer, directory: Path, bound: int, force: bool) -> None:
    for kind, deals in _examples(answer).items():
        for number, deal in enumerate(deals, 1):
            name = f"{kind.replace(' ', '-')}-{number}.json"
            write_certificate(directory / name, deal, answer.rules, bound, force)
