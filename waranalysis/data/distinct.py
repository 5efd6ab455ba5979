"""Distinct cards up to 17, counted without dealing them."""

from __future__ import annotations

from itertools import product

from waranalysis.data.decks import order_cells, sampled_loop, with_certificate
from waranalysis.data.table import OUT_OF_REACH, Key, Made, Row, Table
from waranalysis.order.counts import enumerate_orders
from waranalysis.rules import ROW_ORDERS, RuleSet

MOST_CARDS = 17
_BY_BATTLES = 15
_MEMORY = 4_000_000_000
# Nodes by the loops: 42,984 for 11 cards, 1,759,666 for 13, 71,582,213 for 15.
_TOO_MANY = {("17", "seat-first")}
_QUICK = 12

COLUMNS = (
    *("n", "capture", "split", "deals", "wins_0", "wins_1", "never", "cycle_lengths", "longest"),
    *("total_battles", "longest_deal", "never_deal", "certificate", "command"),
)


def make(key: Key) -> Made:
    """The row of a number of cards and an order; a dash stands for what is out of reach."""
    n, capture = int(key[0]), key[1]
    if key in _TOO_MANY:
        return Made(dict.fromkeys(COLUMNS, OUT_OF_REACH) | {"n": n, "capture": capture})
    rules = RuleSet(capture=capture)
    detail = "battles" if n <= _BY_BATTLES else ("loops", "winners")[n % 2]
    memory = "" if n <= _BY_BATTLES else " --memory 4G"
    found = enumerate_orders(n, rules, detail=detail, workers=1, memory=_MEMORY)
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
