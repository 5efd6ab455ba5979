import pytest

from waranalysis.certificate import certificate, verify
from waranalysis.graph.build import state_graph
from waranalysis.graph.structure import structure
from waranalysis.order import count_cycles, enumerate_orders, loop_examples
from waranalysis.play import State, turn
from waranalysis.rules import load
from waranalysis.termination import classify

# Okwor, Endless Games of War (2026), doi:10.5281/zenodo.22957686.
PUBLISHED = {
    2: 0, 3: 0, 4: 0, 5: 2, 6: 0, 7: 52, 8: 0, 9: 336, 10: 48, 11: 55592, 12: 0, 13: 319680,
}  # fmt: skip
ORDERS = ["winner-first", "loser-first", "seat-first"]


@pytest.mark.parametrize("n", PUBLISHED)
def test_winner_first_as_published(n):
    assert enumerate_orders(n, load("distinct")).cycles == PUBLISHED[n]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "cycles"), [(14, 26640), (15, 48304896), (16, 0)])
def test_more_as_published(n, cycles):
    assert enumerate_orders(n, load("distinct")).cycles == cycles


@pytest.mark.parametrize("capture", ORDERS)
@pytest.mark.parametrize("n", [5, 6, 7])
def test_cycles_of_the_state_graph(capture, n):
    rules = load("distinct").changed({"capture": capture})
    found = structure(state_graph(f"{n}x1", rules))
    cycles = len(found.cycles) if capture == "seat-first" else found.cycles_up_to_swap
    told = [count_cycles(n, rules, (held, n - held)) for held in range(1, n)]
    # Here every cycle can be come to from every split.
    assert told == [cycles] * (n - 1)
    assert enumerate_orders(n, rules).cycles == cycles


def test_a_class_that_is_not_whole_is_counted_by_its_orders():
    rules, split = load("distinct").changed({"capture": "seat-first"}), (6, 2)
    assert enumerate_orders(8, rules, split).cycles is None
    assert count_cycles(8, rules, split) == count_cycles(8, rules) == 376


@pytest.mark.parametrize("n", [5, 7, 9, 11])
def test_odd_decks_go_round_with_alternate_winners(n):
    rules = load("distinct")
    for deal in loop_examples(n, rules, 5, seed=n):
        verdict = classify(deal, rules)
        state, winners = State.of(deal), []
        for _ in range(verdict.tail + verdict.period):
            winners.append(state.packets[0][0] > state.packets[1][0])
            state = turn(state, rules).state
        loop = winners[verdict.tail :]
        assert all(one != other for one, other in zip(loop, loop[1:] + loop[:1], strict=True))


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
