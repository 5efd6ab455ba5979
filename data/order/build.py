"""The sequences and the growth from the runs: ``python data/order/build.py``.

``python data/order/build.py N CAPTURE`` makes a run first and adds it to ``runs.jsonl``, one line
each. CPU seconds are those of a busy machine, on top of compilation.
"""

import csv
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
HEADS = {
    "winner-first": """\
# Deals of n distinct cards at War that never end, when the winner of a battle lays the two cards
# under the packet with the winning card uppermost; dealt ceil(n/2) and floor(n/2).
# Terms 1 to 17 agree with OEIS A400411 (Okwor, Endless Games of War, 2026,
# doi:10.5281/zenodo.22957686), where every deal was dealt.
# Terms 1 to 7 agree with a census of all deals; 11 and 12 with the seats told apart and not.
""",
    "loser-first": """\
# Deals of n distinct cards at War that never end, when the winner of a battle lays the two cards
# under the packet with the losing card uppermost; dealt ceil(n/2) and floor(n/2).
# Terms 1 to 16 agree with Okwor, Endless Games of War, 2026, doi:10.5281/zenodo.22957686.
# Term 17 is new; this program computed it twice: in memory with states that differ by an exchange
# of the seats merged, and on disk without (6,757,456 and 9,986,131 nodes).
""",
}
GROWTH = ["capture", "n", "nodes", "leaves", "rows", "peak_rows", "row_bytes", "cpu_seconds",
          "longest", "cycles"]  # fmt: skip


def main() -> None:
    """Write the sequences and the growth, after a run if one is asked for."""
    if len(sys.argv) > 1:
        add_run(int(sys.argv[1]), sys.argv[2])
    runs = [json.loads(line) for line in (HERE / "runs.jsonl").read_text().splitlines()]
    runs.sort(key=lambda run: (list(HEADS).index(run["capture"]), run["n"]))
    (HERE / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in runs))
    for capture, head in HEADS.items():
        terms = [run for run in runs if run["capture"] == capture]
        lines = [f"{run['n']} {run['never']}\n" for run in consecutive(terms)]
        made = f"# Made again by: waranalysis order N --capture {capture} --json\n"
        (HERE / f"b-{capture}.txt").write_text(head + made + "".join(lines))
    with open(HERE / "growth.csv", "w", newline="") as file:
        table = csv.DictWriter(file, GROWTH, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(runs)


def consecutive(terms: list[dict]) -> list[dict]:
    """A sequence ends before its first gap; runs beyond wait in ``runs.jsonl``."""
    return [run for i, run in enumerate(terms, 1) if run["n"] == i]


def add_run(n: int, capture: str) -> None:
    """Make a run and add its line."""
    from waranalysis.order import enumerate_orders
    from waranalysis.rules import load

    rules = load("distinct").changed({"capture": capture})
    enumerate_orders(5, rules)
    begun = time.process_time()
    counts = enumerate_orders(n, rules)
    run = {"capture": capture} | counts.to_dict()
    run |= {"rows": counts.rows, "peak_rows": counts.peak_rows, "row_bytes": counts.row_bytes}
    run["cpu_seconds"] = round(time.process_time() - begun, 2)
    with open(HERE / "runs.jsonl", "a") as file:
        file.write(json.dumps(run) + "\n")


if __name__ == "__main__":
    main()
