import pytest

from waranalysis.certificate import certificate, verify
from waranalysis.order import enumerate_orders
from waranalysis.order.cycles import count_cycles, loop_examples
from waranalysis.rules import load
from waranalysis.termination import classify

# Okwor, Endless Games of War (2026), doi:10.5281/zenodo.22957686.
PUBLISHED = {2: 0, 3: 0, 4: 0, 5: 2, 6: 0, 7: 52, 8: 0, 9: 336, 10: 48}


@pytest.mark.parametrize("n", PUBLISHED)
def test_winner_first_as_published(n):
    assert count_cycles(n, load("distinct")) == PUBLISHED[n]


@pytest.mark.parametrize(
    "changes",
    [{}, {"capture": "loser-first"}, {"capture": "seat-first"}, {"recycle": "pile-stacked"},
     {"best": "lowest"}],
    ids=str,
)  # fmt: skip
def test_examples_never_end(changes):
    rules = load("distinct").changed(changes)
    for n in (5, 7, 9, 10):
        deals = loop_examples(n, rules, 10, seed=n)
        assert (deals == []) == (enumerate_orders(n, rules).never == 0)
        for deal in deals:
            verdict = classify(deal, rules)
            assert deal.sizes == (n - n // 2, n // 2)
            assert verdict.kind == "cycles"
            assert verify(certificate(deal, rules, verdict)) is None


@pytest.mark.slow
@pytest.mark.parametrize(("n", "cycles"), [(11, 55592), (13, 319680)])
def test_more_as_published(n, cycles):
    assert count_cycles(n, load("distinct")) == cycles
