"""Distinct cards up to 17, counted without dealing them."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from waranalysis.data.decks import order_cells, sampled_loop, with_certificate
from waranalysis.data.table import Key, Made, Row, Table
from waranalysis.order.counts import enumerate_orders
from waranalysis.rules import ROW_ORDERS, RuleSet

MOST_CARDS = 17
_BY_BATTLES = 15
_MEMORY = 4_000_000_000
# What the memory does not hold goes on disk, with checkpoints, below the current directory.
_ON_DISK: dict[Key, str] = {("17", "seat-first"): "frontier-17-seat-first"}
_QUICK = 12

COLUMNS = (
    *("n", "capture", "split", "deals", "wins_0", "wins_1", "never", "cycle_lengths", "longest"),
    *("total_battles", "longest_deal", "never_deal", "certificate", "command"),
)


def make(key: Key) -> Made:
    """The row of a number of cards and an order; a dash stands for what is not counted."""
    n, capture = int(key[0]), key[1]
    rules = RuleSet(capture=capture)
    detail = "battles" if n <= _BY_BATTLES else ("loops", "winners")[n % 2]
    memory = "" if n <= _BY_BATTLES else " --memory 4G"
    scratch = _ON_DISK.get(key)
    found = enumerate_orders(
        n,
        rules,
        detail=detail,
        workers=1,
        memory=_MEMORY,
        scratch=Path(scratch) if scratch else None,
    )
    memory += f" --scratch {scratch}" if scratch else ""
    command = f"waranalysis order {n} --capture {capture} --detail {detail}{memory} --json"
    cells = {"n": n, "capture": capture, **order_cells(found), "command": command}
    name = f"certificates/distinct-{n}_{capture}.json"
    return with_certificate(cells, sampled_loop(found, rules), rules, name)


def _quick(row: Row) -> bool:
    return int(row["n"]) <= _QUICK


DISTINCT = Table(
    "distinct",
    COLUMNS,
    2,
    tuple(product(map(str, range(1, MOST_CARDS + 1)), sorted(ROW_ORDERS))),
    make,
    _quick,
)
