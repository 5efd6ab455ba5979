"""The sequences and the growth from the runs: ``python -m waranalysis.order.sequences data/order``.

With a number of cards and an order behind it, that run is made first, with a scratch directory if
one is named; it takes the place of an earlier one in ``runs.jsonl``. CPU seconds are those of a
busy machine, on top of compilation; `peak_disk` is left out of a run that was made in memory.
"""

from __future__ import annotations

import csv
import io
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waranalysis.files import write_text
from waranalysis.order.counts import enumerate_orders
from waranalysis.rules import RuleSet

Run = dict[str, Any]
HEADS = {
    "winner-first": """\
# Deals of n distinct cards at War that never end, when the winner of a battle lays the two cards
# under the packet with the winning card uppermost; dealt ceil(n/2) and floor(n/2).
# Terms 1 to 17 agree with OEIS A400411 (Okwor, Endless Games of War, 2026,
# doi:10.5281/zenodo.22957686), where every deal was dealt.
# Terms 1 to 7 agree with a census of all deals; 11 and 12 with the seats told apart and not.
# Term 19 was computed twice, in memory and on disk.
""",
    "loser-first": """\
# Deals of n distinct cards at War that never end, when the winner of a battle lays the two cards
# under the packet with the losing card uppermost; dealt ceil(n/2) and floor(n/2).
# Terms 1 to 16 agree with Okwor, Endless Games of War, 2026, doi:10.5281/zenodo.22957686.
# Term 17 is new; this program computed it twice: in memory with states that differ by an exchange
# of the seats merged, and on disk without (6,757,456 and 9,986,131 nodes). So was term 19.
""",
}
# Runs that nothing but a sample confirms: no terms yet.
ONCE = {("winner-first", 18)}
GROWTH = [
    *("capture", "n", "never", "nodes", "leaves", "rows", "peak_rows", "row_bytes"),
    *("peak_disk", "cpu_seconds", "longest", "cycles"),
]


def main(directory: Path, *new: str) -> None:
    """Write the sequences and the growth, after a run if one is asked for."""
    path = directory / "runs.jsonl"
    runs = {key(run): run for run in map(json.loads, path.read_text().splitlines())}
    if new:
        run = made(int(new[0]), new[1], *map(Path, new[2:]))
        runs[key(run)] = run
    ordered = [runs[place] for place in sorted(runs)]
    write_text(path, (json.dumps(run) + "\n" for run in ordered), force=True)
    for capture in HEADS:
        write_text(directory / f"b-{capture}.txt", sequence(capture, ordered), force=True)
    write_text(directory / "growth.csv", growth(ordered), force=True)


def key(run: Run) -> tuple[int, int]:
    """The place of a run among the others."""
    return list(HEADS).index(run["capture"]), run["n"]


def made(n: int, capture: str, scratch: Path | None = None) -> Run:
    """A run, with what it took."""
    rules = RuleSet(capture=capture)
    enumerate_orders(5, rules)  # compiles
    begun = time.process_time()
    counts = enumerate_orders(n, rules, scratch=scratch)
    run = {"capture": capture} | counts.to_dict()
    run |= {"rows": counts.rows, "peak_rows": counts.peak_rows, "row_bytes": counts.row_bytes}
    run |= {"peak_disk": counts.peak_disk} if scratch else {}
    return run | {"cpu_seconds": round(time.process_time() - begun, 2)}


def sequence(capture: str, runs: list[Run]) -> Iterator[str]:
    """The lines of a b-file; it ends before the first gap, what is beyond stands in comments."""
    terms = {run["n"]: run["never"] for run in runs if run["capture"] == capture}
    once = {n: terms.pop(n) for n in [*terms] if (capture, n) in ONCE}
    end = next(n for n in range(1, len(terms) + 2) if n not in terms)
    yield HEADS[capture]
    yield from (f"# Computed once only, not a term yet: {n} {never}\n" for n, never in once.items())
    yield from (f"# Beyond the gap: {n} {terms[n]}\n" for n in terms if n > end)
    yield f"# Made again by: waranalysis order N --capture {capture} --json\n"
    yield from (f"{n} {terms[n]}\n" for n in range(1, end))


def growth(runs: list[Run]) -> Iterator[str]:
    """The lines of the table of growth."""
    file = io.StringIO()
    table = csv.DictWriter(file, GROWTH, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(runs)
    yield file.getvalue()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
