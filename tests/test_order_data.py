"""The written sequences against the program, as far as a test can go."""

import csv
import json
from pathlib import Path

import pytest

from waranalysis.cards import Deal
from waranalysis.certificate import certificate, verify
from waranalysis.order import enumerate_orders
from waranalysis.order.sequences import main
from waranalysis.rules import load
from waranalysis.termination import classify

DATA = Path(__file__).parent.parent / "data" / "order"


def test_longest_games_take_so_long():
    runs = [json.loads(line) for line in (DATA / "runs.jsonl").read_text().splitlines()]
    told = [run for run in runs if "longest_deal" in run]
    assert max(run["n"] for run in told) >= 19
    for run in told:
        rules = load("distinct").changed({"capture": run["capture"]})
        deal = Deal.parse(run["longest_deal"])
        verdict = classify(deal, rules)
        assert list(deal.sizes) == run["split"]
        assert (verdict.kind, verdict.battles) == ("terminates", run["longest"])
        assert verify(certificate(deal, rules, verdict)) is None
        assert sum(run["cycle_lengths"].values()) == run["never"]


@pytest.mark.parametrize("capture", ["winner-first", "loser-first"])
def test_sequences_and_growth(capture):
    lines = (DATA / f"b-{capture}.txt").read_text().splitlines()
    terms = [tuple(map(int, line.split())) for line in lines if not line.startswith("#")]
    assert [n for n, _ in terms] == list(range(1, len(terms) + 1))
    with open(DATA / "growth.csv", newline="") as file:
        growth = [row for row in csv.DictReader(file) if row["capture"] == capture]
    for (n, never), row in zip(terms[:12], growth[:12], strict=True):
        counts = enumerate_orders(n, load("distinct").changed({"capture": capture}))
        assert counts.never == never
        assert [counts.n, counts.nodes, counts.leaves, counts.longest] == [
            int(row[name]) for name in ("n", "nodes", "leaves", "longest")
        ]


def test_sequences_are_made_from_the_runs(tmp_path):
    names = ("runs.jsonl", "growth.csv", "b-winner-first.txt", "b-loser-first.txt")
    (tmp_path / "runs.jsonl").write_bytes((DATA / "runs.jsonl").read_bytes())
    main(tmp_path)
    assert all((tmp_path / name).read_bytes() == (DATA / name).read_bytes() for name in names)
    main(tmp_path, "7", "loser-first")
    made, kept = ((path / "runs.jsonl").read_text().splitlines() for path in (tmp_path, DATA))
    assert len(made) == len(kept)
    runs = {(run["capture"], run["n"]): run for run in map(json.loads, made)}
    new = runs["loser-first", 7]
    assert (new["never"], new["longest"], new["cycles"]) == (3363, 12, 108)
