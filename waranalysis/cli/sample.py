"""The command `sample`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from waranalysis.census.result import DRAW, NEVER, kinds_of
from waranalysis.census.sample import Sample, Table, merged_sample, sample_campaign
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
from waranalysis.cli.tables import rules_text, table
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet

_SHOWN = ("0.05", "0.25", "0.5", "0.75", "0.95", "1")

KEPT = 10
certificates_option = click.option(
    "--certificates",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write a certificate for the first games that never end.",
)


@click.command("sample")
@click.argument("deck", required=False)
@rules_options
@split_option
@click.option(
    "--games", metavar="N", type=count, default=10_000, show_default=True, help="Games to play."
)
@click.option("--seed", metavar="S", type=count, default=0, show_default=True, help="Which games.")
@bound_option("Battles after which a game is undecided.")
@certificates_option
@campaign_options
@output_options("json", "csv")
def command(
    deck: str | None,
    rules: RuleSet,
    split: Sequence[int] | None,
    games: int,
    seed: int,
    bound: int,
    certificates: Path | None,
    runner: Runner,
    output: Output,
) -> int:
    """Play random games: who wins, how long it takes, how far that may be off.

    Intervals are at 95 %. The same seed gives the same deals under every rule set, on any number
    of workers. DECK as for 'enumerate', or half:DECK for a random half; by default the rule set's
    own. CSV has one row for each number of battles. Exit code 3 if a game stays undecided.

    \b
    waranalysis sample --games 100000
    waranalysis sample half:standard --rules children --seed 7
    """
    dealt = table_for(deck, rules, split)
    campaign = sample_campaign(dealt, seed, games, KEPT, bound)
    if certificates is not None:
        new_directory(certificates, output.force)
    sample = merged_sample(runner.run(campaign, "games", dealt.engine)) if games else None
    if sample is None:
        raise click.UsageError("--games 0: expected 1 or more")
    if certificates is not None:
        write_never(sample, dealt, seed, bound, certificates / "never", output.force)
    output.write(
        table=lambda: lines(sample, dealt, seed),
        json=one_json(record(sample, dealt, seed)),
        csv=lambda: csv_lines(["battles", "games"], sample.census.lengths.items()),
    )
    return 3 if sample.census.undecided else 0


def table_for(deck: str | None, rules: RuleSet, split: Sequence[int] | None) -> Table:
    """The table for a deck spec; without one, for the deck that the rules usually go with."""
    read = rules.read_deck(deck or rules.deck or "standard")
    return Table(read, rules, tuple(split) if split else None)


def record(sample: Sample, dealt: Table, seed: int) -> dict[str, Any]:
    """A sample as one JSON object."""
    about = provenance(
        "sample", dealt.rules, deck=str(dealt.deck), split=list(dealt.sizes), seed=seed
    )
    return about | sample.to_dict(float(dealt.rules.seconds_per_battle)) | {"card": dealt.prized}


def lines(sample: Sample, dealt: Table, seed: int) -> Iterator[str]:
    """A sample as text for people."""
    answer = sample.to_dict(float(dealt.rules.seconds_per_battle))
    yield f"{dealt.deck}: {sample.games:,} random games, seed {seed}"
    yield f"rules: {rules_text(dealt.rules)}"
    yield ""
    yield from _outcomes(sample, answer)
    if answer["battles"]:
        yield ""
        yield from _battles(answer)
        within = answer["within_minutes"]
        shares = ", ".join(f"{interval(share, 100)} %" for share in within.values())
        yield f"Over within {', '.join(within)} minutes: {shares}."
    yield ""
    yield from _held(answer, dealt)


def _outcomes(sample: Sample, answer: dict[str, Any]) -> list[str]:
    census = sample.census
    counts = [*census.wins, census.draws, census.never, census.undecided]
    body = []
    for kind, number in zip(kinds_of(census.players), counts, strict=True):
        if not number and kind not in (DRAW, NEVER):
            continue
        name = "never end" if kind == NEVER else kind + " wins" * kind.startswith("player")
        share = answer["proportions"][kind]
        shown = f"none in {sample.games:,}; below {100 * share['high']:.3g} %"
        if number:
            shown = f"{100 * share['value']:.3f} %  ({interval(share, 100, 3)})"
        body.append([name, f"{number:,}", shown])
    return table(["", "games", "share (95 %)"], body, right="games")


def interval(found: dict[str, float], times: float = 1, digits: int = 1) -> str:
    """The ends of an interval."""
    return f"{times * found['low']:.{digits}f} to {times * found['high']:.{digits}f}"


def _battles(answer: dict[str, Any]) -> Iterator[str]:
    battles, minutes = answer["battles"], answer["minutes"]
    yield f"A game that ends takes {battles['mean']:.1f} battles on average ({interval(battles)}),"
    yield f"{minutes['mean']:.1f} minutes ({interval(minutes)})."
    found = battles["quantiles"]
    yield "Battles that a share of the games do not exceed:"
    header = [f"{100 * float(share):g} %" for share in _SHOWN]
    yield from table(header, [[f"{found[share]:,}" for share in _SHOWN]], right=",".join(header))


def _held(answer: dict[str, Any], dealt: Table) -> list[str]:
    name = dealt.deck.naming.write(dealt.prized)
    body = [
        [copies, f"{row['games']:,}", f"{row['win']['value']:.4f}", interval(row["win"], 1, 4)]
        for copies, row in answer["held"].items()
    ]
    header = [f"{name} held", "games", "player 1 wins", "95 %"]
    return table(header, body, right=f"{name} held,games,player 1 wins")


def write_never(
    sample: Sample, dealt: Table, seed: int, bound: int, stem: Path, force: bool
) -> None:
    """Write certificates for the first games that never end, as STEM-GAME.json."""
    for game in sample.census.examples.get(NEVER, ()):
        path = stem.with_name(f"{stem.name}-{game}.json")
        write_certificate(path, dealt.deal(seed, game), dealt.rules, bound, force)
