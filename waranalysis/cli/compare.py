"""The command `compare`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from waranalysis.census.compare import Comparison, compare_campaign, merged_comparison
from waranalysis.census.sample import Table
from waranalysis.cli.campaigns import Runner, campaign_options
from waranalysis.cli.options import (
    Output,
    bound_option,
    count,
    csv_lines,
    new_directory,
    one_json,
    output_options,
    split_option,
)
from waranalysis.cli.sample import (
    KEPT,
    certificates_option,
    interval,
    record,
    table_for,
    write_never,
)
from waranalysis.cli.tables import rules_text, table
from waranalysis.rules import load

_SHOWN = 3


@click.command("compare")
@click.argument("deck", required=False)
@click.option(
    "--rules",
    "names",
    metavar="NAME|FILE.toml",
    multiple=True,
    help="A rule set; give two.",
)
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
    names: Sequence[str],
    split: Sequence[int] | None,
    games: int,
    seed: int,
    bound: int,
    certificates: Path | None,
    runner: Runner,
    output: Output,
) -> int:
    """Play the same shuffled decks by two rule sets, and show what differs.

    DECK as for 'sample'. CSV has one row for each pair of outcomes. Exit code 3 if a game stays
    undecided.

    \b
    waranalysis compare --rules classic --rules one-down
    waranalysis compare 4x4 --rules natural --rules descending --games 100000
    """
    if len(names) != 2 or not games:
        raise click.UsageError(
            f"--rules given {len(names)} times, --games {games}: expected two rule sets and a game"
        )
    one, two = (table_for(deck, load(name), split) for name in names)
    campaign = compare_campaign((one, two), seed, games, KEPT, bound)
    if certificates is not None:
        new_directory(certificates, output.force)
    engines = " and ".join(sorted({one.engine, two.engine}))
    answer = merged_comparison(runner.run(campaign, "games", engines))
    if certificates is not None:
        for number, (found, dealt) in enumerate(zip(answer.samples, (one, two), strict=True), 1):
            stem = certificates / f"rules-{number}-never"
            write_never(found, dealt, seed, bound, stem, output.force)
    output.write(
        table=lambda: _lines(answer, (one, two), seed),
        json=one_json(_record(answer, (one, two), seed)),
        csv=lambda: csv_lines(
            ["first", "second", "games"], ([*kinds, n] for kinds, n in sorted(answer.pairs.items()))
        ),
    )
    return 3 if any(sample.census.undecided for sample in answer.samples) else 0


def _record(answer: Comparison, tables: tuple[Table, Table], seed: int) -> list[dict[str, Any]]:
    """Both samples, the second with its differences from the first."""
    one, two = (
        record(sample, dealt, seed) for sample, dealt in zip(answer.samples, tables, strict=True)
    )
    return [one, two | {"differences": answer.to_dict()}]


def _lines(answer: Comparison, tables: tuple[Table, Table], seed: int) -> Iterator[str]:
    one, two = _record(answer, tables, seed)
    found = answer.to_dict()
    yield f"{tables[0].deck}: {answer.games:,} shuffled decks, seed {seed}"
    yield ""
    header = ["", *(rules_text(dealt.rules) for dealt in tables)]
    body = [[kind, *(_share(row, kind) for row in (one, two))] for kind in one["proportions"]]
    body.append(["battles", *(_mean(row["battles"]) for row in (one, two))])
    body.append(["minutes", *(_mean(row["minutes"]) for row in (one, two))])
    yield from table(header, body)
    yield ""
    changed = found["changed"]
    yield f"The outcome changes in {100 * changed['value']:.2f} % of the games" + (
        f" ({interval(changed, 100, 2)}), such as:" if answer.changed else "."
    )
    for game in answer.changed[:_SHOWN]:
        yield f"  game {game}: {tables[0].deal(seed, game)}"
    if found["battles"]:
        yield (
            f"Where both end, the second takes {found['battles']['mean']:+.1f} battles "
            f"({interval(found['battles'])})."
        )


def _share(row: dict[str, Any], kind: str) -> str:
    share = row["proportions"][kind]
    return f"{100 * share['value']:.2f} % ({interval(share, 100, 2)})"


def _mean(found: dict[str, Any]) -> str:
    return f"{found['mean']:.1f} ({interval(found)})" if found else "none"
