"""The command `order`."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waranalysis.cli.options import (
    Output,
    count,
    csv_lines,
    memory_option,
    one_json,
    output_options,
    rules_options,
    split_option,
)
from waranalysis.cli.progress import Progress
from waranalysis.cli.tables import rules_text, table
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet

if TYPE_CHECKING:
    from waranalysis.order.counts import OrderCounts

# Part of the nodes (14 cards, winner-first) that lie in the first part of the layers.
_LAYERS = (0.0, 0.35, 0.44, 0.52, 0.61, 0.7, 0.74, 0.78, 0.83, 0.87, 0.91, 0.96, 1.0)
_NODES = (0.0, 0.001, 0.003, 0.009, 0.022, 0.057, 0.094, 0.16, 0.26, 0.43, 0.68, 0.92, 1.0)
# So few tell nothing of the time left.
_FIRST = 0.003


@click.command("order")
@click.argument("n", type=count)
@click.option("--capture", metavar="ORDER", help="Short for --set capture=ORDER.")
@rules_options
@split_option
@click.option(
    "--detail",
    type=click.Choice(["loops", "winners", "battles"]),
    default="loops",
    show_default=True,
    help="Count deals by winner for uneven splits, too; and by number of battles.",
)
@click.option("--workers", metavar="K", type=count, help="Threads.  [default: one a core]")
@memory_option("2G", "For what is kept of the frontier.")
@click.option(
    "--scratch",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Directory for what does not fit and for checkpoints; a stopped run goes on from it.",
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Scheduler of a Dask cluster to work on; needs the extra 'distributed'.",
)
@output_options("json", "csv")
def command(
    n: int,
    capture: str | None,
    rules: RuleSet,
    split: Sequence[int] | None,
    detail: str,
    workers: int | None,
    memory: int,
    scratch: Path | None,
    dask: str | None,
    output: Output,
) -> None:
    """Count the deals of N distinct cards that never end, without dealing them.

    Only comparisons are branched on, so 16 cards take a minute where there are 21 million million
    deals. CSV has one row for each outcome and length. Even N cost most: 16 cards are 69 million
    nodes, 17 are 13 million, 18 are 7,900 million (5 hours of CPU, 100 GB of scratch), 19 are 117
    million, and 20 perhaps 400,000 million.

    \b
    waranalysis order 9
    waranalysis order 13 --capture loser-first --json
    waranalysis order 18 --memory 8G --scratch frontier
    """
    from waranalysis.order.counts import enumerate_orders

    if dask and scratch:
        raise click.UsageError("--dask and --scratch exclude each other: a cluster keeps the rows")
    if capture is not None:
        rules = rules.changed({"capture": capture.split("/") if "/" in capture else capture})
    progress = Progress(0, "nodes")

    def tell(layer: int, layers: int, nodes: int) -> None:
        share = _share(layer / layers)
        if share >= _FIRST:
            progress.total = round(nodes / share)
            progress(nodes)

    with progress:
        counts = enumerate_orders(
            n, rules, split, detail, workers or None, memory, scratch, tell, dask=dask
        )
    if progress.shown:
        peak = counts.peak_rows * counts.row_bytes
        disk = f", and {counts.peak_disk:,} on disk" if scratch else ""
        sys.stderr.write(f"rows took {peak:,} bytes at most{disk}\n")
    about = provenance("order", rules, capture=_captures(rules)) | counts.to_dict()
    output.write(
        table=lambda: _lines(counts, rules),
        json=one_json(about),
        csv=lambda: _csv(counts),
    )


def _captures(rules: RuleSet) -> str:
    return "/".join(rules.captures if len(set(rules.captures)) > 1 else rules.captures[:1])


def _share(layers: float) -> float:
    """The part of the nodes in a part of the layers, about."""
    at = min(bisect_right(_LAYERS, layers), len(_LAYERS) - 1)
    step = (layers - _LAYERS[at - 1]) / (_LAYERS[at] - _LAYERS[at - 1])
    return _NODES[at - 1] + step * (_NODES[at] - _NODES[at - 1])


def _exchanged(rules: RuleSet) -> str:
    return (
        ", with the seats exchanged the same"
        if len(set(rules.captures)) == 1 and "seat-first" not in rules.captures
        else ""
    )


def _rows(counts: OrderCounts) -> Iterator[tuple[str, int | None, int | None, int]]:
    """Outcome, battles, period, deals."""
    if counts.wins:
        for seat, deals in enumerate(counts.wins):
            yield f"player {seat + 1} wins", None, None, deals
    for battles, deals in (counts.battles or {}).items():
        yield "ends", battles, None, deals
    for period, deals in counts.cycle_lengths.items():
        yield "never ends", None, period, deals


def _csv(counts: OrderCounts) -> Iterator[str]:
    return csv_lines(["outcome", "battles", "period", "deals"], _rows(counts))


def _lines(counts: OrderCounts, rules: RuleSet) -> Iterator[str]:
    yield f"{counts.n} distinct cards, dealt {counts.split[0]}/{counts.split[1]}"
    yield f"rules: {rules_text(rules)}"
    yield f"{counts.deals:,} deals; {counts.never:,} never end"
    yield ""
    body = [
        (outcome, battles, period, f"{deals:,}", f"{100 * deals / counts.deals:.4f} %")
        for outcome, battles, period, deals in _rows(counts)
    ]
    if body:
        header = ["outcome", "battles", "period", "deals", "share"]
        yield from table(header, body, right="battles,period,deals,share")
        yield ""
    if counts.longest is not None:
        yield f"The longest game that ends takes {counts.longest:,} battles: {counts.longest_deal}"
    if counts.cycles is not None:
        yield f"{counts.cycles:,} different cycles{_exchanged(rules)}"
    yield f"{counts.nodes:,} nodes, {counts.leaves:,} branches that come to a loop"
