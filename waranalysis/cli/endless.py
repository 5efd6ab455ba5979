"""The command `endless`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waranalysis.cards import Deck
from waranalysis.certificate import certificate
from waranalysis.cli.options import (
    Output,
    new_directory,
    one_json,
    output_options,
    rules_options,
    split_option,
)
from waranalysis.cli.progress import Progress
from waranalysis.cli.tables import ending_text, rules_text
from waranalysis.files import write_json
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet

if TYPE_CHECKING:
    from waranalysis.construct.longest import Longest
    from waranalysis.construct.search import Endless


@click.command("endless")
@click.argument("deck")
@rules_options
@split_option
@click.option(
    "--word",
    type=click.IntRange(0, 40),
    default=16,
    show_default=True,
    help="Longest periodic sequence of results to try; each 2 more take 4 times as long.",
)
@click.option(
    "--lead-in",
    type=click.IntRange(0, 12),
    default=2,
    show_default=True,
    help="Results before the loop, beyond the fewest that lead to its packet sizes.",
)
@click.option(
    "--war-word",
    type=click.IntRange(0, 40),
    default=18,
    show_default=True,
    help="The same with a war in it, by pairs of cards laid.",
)
@click.option(
    "--samples", type=click.IntRange(0), default=20_000, show_default=True, help="Random deals."
)
@click.option(
    "--climbs",
    type=click.IntRange(0),
    help="Local searches for games that end late.  [default: 4, with --longest 10]",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="For both.")
@click.option("--longest", is_flag=True, help="Look for a game that ends as late as possible.")
@click.option(
    "--checkpoint",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="With --longest: kept up to date, and gone on from.",
)
@click.option(
    "--certificates",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write the certificate of the deal.",
)
@output_options("json")
def command(
    deck: str,
    rules: RuleSet,
    split: Sequence[int] | None,
    word: int,
    lead_in: int,
    war_word: int,
    samples: int,
    climbs: int | None,
    seed: int,
    longest: bool,
    checkpoint: Path | None,
    certificates: Path | None,
    output: Output,
) -> int:
    """Find a deal that never ends, for decks far beyond enumeration.

    DECK as for 'enumerate'. Small decks are decided by all their deals. Else periodic results
    without a tie are tried, small loops laid in a row, random deals, and local search. Exit code
    3 if nothing is found, with the extent of the search.

    \b
    waranalysis endless standard --set capture=loser-first
    waranalysis endless 52x1 --certificates found
    waranalysis endless standard --rules natural
    waranalysis endless standard --rules natural --longest
    """
    if checkpoint is not None and not longest:
        raise click.UsageError("--checkpoint goes with --longest")
    if certificates is not None:
        new_directory(certificates, output.force)
    cards = rules.read_deck(deck)
    if longest:
        return _longest(cards, rules, split, climbs, seed, checkpoint, certificates, output)
    from waranalysis.construct import search

    effort = search.Effort(
        word, lead_in, war_word, samples, search.CLIMBS if climbs is None else climbs, seed
    )
    answer = search.find(cards, rules, split, effort)
    if certificates is not None and answer.deal is not None and answer.verdict is not None:
        record = certificate(answer.deal, rules, answer.verdict)
        write_json(certificates / "endless.json", record, output.force)
    about = provenance("endless", rules, deck=deck, split=list(answer.sizes), **asdict(effort))
    output.write(table=lambda: _lines(answer), json=one_json(about | answer.to_dict()))
    return 3 if answer.deal is None else 0


def _lines(answer: Endless) -> Iterator[str]:
    sizes = "/".join(map(str, answer.sizes))
    yield f"{answer.deck}: {answer.deck.size} cards, dealt {sizes}"
    yield f"rules: {rules_text(answer.rules)}"
    yield ""
    if answer.deal is None or answer.verdict is None:
        told = "No deal goes round for ever." if answer.none_exists else "Nothing was found."
        yield told
        for extent in answer.extents:
            yield f"  {extent.method}: {extent.told}"
        return
    verdict = answer.verdict
    yield f"never ends: {verdict.tail:,} battles, then {verdict.period:,} round and round"
    yield f"every single card is back after {verdict.identity_period:,}"
    if answer.pattern is not None:
        lead = f"{answer.pattern.lead}, then " * bool(answer.pattern.lead)
        yield f"no tie ever; who wins: {lead}{answer.pattern.word} for ever"
    else:
        if answer.war_pattern is not None:
            wars = ", wars in ()" * (answer.method == "war pattern")
            yield f"the loop, a letter for each pair of cards{wars}: {answer.war_pattern}"
        yield f"found by {answer.method}; {answer.ties} wars before and once around the loop"
    yield f"deal: {answer.deal}"
    for seat, packet in enumerate(answer.suited() or [], 1):
        yield ""
        yield f"player {seat}, top card first:"
        for start in range(0, len(packet), 13):
            yield "  " + " ".join(f"{card:>3}" for card in packet[start : start + 13])


def _longest(
    deck: Deck,
    rules: RuleSet,
    split: Sequence[int] | None,
    climbs: int | None,
    seed: int,
    checkpoint: Path | None,
    certificates: Path | None,
    output: Output,
) -> int:
    from waranalysis.construct import longest

    many = longest.CLIMBS if climbs is None else max(climbs, 1)
    with Progress(many, "searches") as progress:
        found = longest.find(
            deck, rules, split, climbs=many, seed=seed, checkpoint=checkpoint, done=progress
        )
    if certificates is not None:
        record = certificate(found.deal, rules, found.verdict)
        write_json(certificates / "longest.json", record, output.force)
    about = provenance(
        "endless-longest", rules, deck=str(deck), split=list(found.deal.sizes), seed=seed,
        climbs=found.climbs, steps=found.steps,
    )  # fmt: skip
    output.write(
        table=lambda: _longest_lines(found),
        json=one_json(about | {"deal": str(found.deal)} | found.verdict.to_dict()),
    )
    return 0


def _longest_lines(found: Longest) -> Iterator[str]:
    verdict = found.verdict
    if verdict.ending is None:
        yield f"never ends: {verdict.tail:,} battles, then {verdict.period:,} round and round"
    else:
        yield f"{verdict.battles:,} battles, {verdict.wars:,} wars: {ending_text(verdict.ending)}"
    yield f"deal: {found.deal}"
    yield f"the longest met in {found.climbs} local searches of {found.steps:,} steps"
