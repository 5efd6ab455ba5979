"""Which engine counts, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from functools import reduce

import pytest

from waranalysis.census import engine, plain
from waranalysis.census.result import Census
from waranalysis.errors import LimitError
from waranalysis.rules import RuleSet


def test_small_decks_never_load_the_compiler() -> None:
    code = (
        "import sys; from waranalysis.census import engine; from waranalysis.rules import RuleSet\n"
        "rules = RuleSet(); deals = rules.deals(rules.read_deck('4x2'))\n"
        "engine.take_census(deals, rules, 0, deals.ranks)\n"
        "assert 'numba' not in sys.modules and 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("short", ["lose", "last-card"])
def test_shards_add_up_to_the_plain_census(short: str) -> None:
    rules = RuleSet(face_down=1, short=short)
    deals = rules.deals(rules.read_deck("3x4"))
    assert engine.by_kernels(deals, rules)
    assert engine.mirrors(deals, rules)
    size = 10_000
    starts = range(0, deals.ranks, size)
    parts = [
        engine.take_census(deals, rules, start, min(start + size, deals.ranks), 2)
        for start in starts
    ]
    assert reduce(Census.merge, parts) == plain.take_census(deals, rules, keep=2)


def test_decks_that_nobody_would_wait_for() -> None:
    for spec, expected in (("standard", "10^"), ("6x4", "years")):
        rules = RuleSet()
        with pytest.raises(LimitError, match="sample") as caught:
            engine.check_size(rules.deals(rules.read_deck(spec)), rules)
        assert expected in str(caught.value)
    rules = RuleSet(capture="natural", face_down=0)
    engine.check_size(rules.deals(rules.read_deck("5x4")), rules)
