"""The order enumeration against the plain census, published values and itself."""

from math import factorial
from random import Random

import numpy as np
import pytest

from waranalysis.census import enumerate as census
from waranalysis.errors import CardsError, RulesError
from waranalysis.order import enumerate_orders, layout
from waranalysis.order.extensions import count_extensions, random_extension
from waranalysis.order.key import canonical, decode_key
from waranalysis.order.layout import PRIME
from waranalysis.order.plan import MOST_CARDS, Plan, joined
from waranalysis.order.tokens import Pot, paths, related
from waranalysis.rules import load
from waranalysis.termination import classify

DISTINCT = load("distinct")
VARIATIONS = [
    {},
    {"capture": "loser-first"},
    {"capture": "seat-first"},
    {"capture": ["loser-first", "seat-first"]},
    {"recycle": "pile-stacked"},
    {"recycle": "pile-stacked", "capture": "loser-first"},
    {"recycle": "pile-stacked", "capture": "seat-first"},
    {"best": "lowest"},
    {"best": "lowest", "capture": "descending"},
    {"reverse": True},
]

# Okwor, Endless Games of War (2026), doi:10.5281/zenodo.22957686; OEIS A400411.
WINNER_FIRST = {
    2: (0, 1), 3: (0, 3), 4: (0, 6), 5: (30, 8), 6: (0, 15), 7: (2304, 15), 8: (0, 26),
    9: (218680, 28), 10: (395940, 49), 11: (28223770, 41), 12: (0, 74), 13: (4880546113, 57),
}  # fmt: skip
LOSER_FIRST = {
    2: (0, 1), 3: (2, 2), 4: (0, 6), 5: (64, 6), 6: (72, 17), 7: (3363, 12), 8: (0, 38),
    9: (273156, 22), 10: (322940, 101), 11: (32668555, 34), 12: (23880636, 118),
    13: (5374605768, 53),
}  # fmt: skip
CYCLES = {
    9: {20: 98503, 30: 120177}, 10: {60: 395940}, 11: {12: 19702562, 24: 8521208},
    13: {42: 1475465743, 56: 2394985450, 70: 1010094920},
}  # fmt: skip
SEAT_FIRST = {2: 0, 3: 0, 4: 8, 5: 0, 6: 381, 7: 0, 8: 26592, 9: 0, 10: 2730125}


def agrees(n, rules, split):
    told = {d: enumerate_orders(n, rules, split, d) for d in ("loops", "winners", "battles")}
    truth = census(f"{n}x1", rules, split=split)
    full = told["battles"]
    assert full.never == truth.never
    assert full.wins == tuple(truth.wins)
    assert full.cycle_lengths == dict(truth.cycle_lengths)
    assert sum(b * deals for b, deals in full.battles.items()) == truth.total_battles
    assert sum(full.battles.values()) + full.never == factorial(n)
    assert full.longest == (truth.longest[0] if truth.longest else None)
    for counts in told.values():
        assert (counts.never, counts.longest) == (full.never, full.longest)
        assert counts.cycle_lengths == full.cycle_lengths
        assert counts.wins in (None, full.wins)
        verdict = classify(counts.longest_deal, rules)
        assert (verdict.kind, verdict.battles) == ("terminates", full.longest)
        assert counts.longest_deal.sizes == full.split


@pytest.mark.parametrize("changes", VARIATIONS, ids=str)
def test_every_variation_agrees_with_the_census(changes):
    rules = DISTINCT.changed(changes)
    for n in range(1, 7):
        agrees(n, rules, None)
    for split in ((2, 4), (6, 0)):
        agrees(6, rules, split)


@pytest.mark.parametrize("n", WINNER_FIRST)
def test_winner_first_as_published(n):
    counts = enumerate_orders(n, DISTINCT)
    assert (counts.never, counts.longest) == WINNER_FIRST[n]
    assert counts.cycle_lengths == CYCLES.get(n, counts.cycle_lengths)
    assert classify(counts.longest_deal, DISTINCT).battles == counts.longest


@pytest.mark.parametrize("n", LOSER_FIRST)
def test_loser_first_as_published(n):
    counts = enumerate_orders(n, DISTINCT.changed({"capture": "loser-first"}))
    assert (counts.never, counts.longest) == LOSER_FIRST[n]


@pytest.mark.parametrize("n", SEAT_FIRST)
def test_seat_first_as_the_forward_census(n):
    assert enumerate_orders(n, DISTINCT.changed({"capture": "seat-first"})).never == SEAT_FIRST[n]


@pytest.mark.parametrize("n", [9, 10, 11, 12])
def test_without_the_exchange_of_seats_nothing_changes(n):
    one, other = (enumerate_orders(n, DISTINCT, swap=swap) for swap in (True, False))
    assert one.nodes < other.nodes
    assert one.cycle_lengths == other.cycle_lengths
    assert one.longest == other.longest


@pytest.mark.parametrize("n", [10, 11, 12])
def test_all_deals_are_accounted_for(n):
    counts = enumerate_orders(n, DISTINCT, detail="battles")
    assert sum(counts.battles.values()) + counts.never == factorial(n)
    assert sum(counts.wins) + counts.never == factorial(n)
    assert counts.wins == enumerate_orders(n, DISTINCT, detail="winners").wins


def test_counts_beyond_a_word(monkeypatch):
    # From 21 cards on counts have two residues; here they are forced on a deck that needs none.
    expected = enumerate_orders(11, DISTINCT, detail="battles")
    monkeypatch.setattr(Plan, "two", True)
    assert enumerate_orders(11, DISTINCT, detail="battles") == expected


@pytest.mark.parametrize("number", [0, 1, 2**64 - 1, 2**64, factorial(21), factorial(24)])
def test_residues_are_joined(number):
    assert joined(number % 2**64, number % int(PRIME)) == number


@pytest.mark.parametrize("n", range(2, MOST_CARDS + 1))
@pytest.mark.parametrize("stacked", [False, True])
def test_keys_hold_all_of_a_node(n, stacked):
    generator = Random(n)
    for _ in range(20):
        order = random_order(n, generator)
        sizes = random_sizes(n, stacked, generator)
        place = generator.sample(range(n), n)
        s = np.zeros(layout.SCRATCH, np.int64)
        s[layout.AFTER : layout.AFTER + n] = order
        s[layout.WEAKER : layout.WEAKER + n] = [mask.bit_count() for mask in order]
        s[layout.SIZES : layout.SIZES + 4] = sizes
        s[layout.PLACE : layout.PLACE + n] = place
        p = Plan(n, 1, stacked=stacked).parameters
        key, spare = np.zeros(16, np.uint64), np.zeros(16, np.uint64)
        canonical(s, n, p[layout.WIDTH], stacked, 0, key, spare)
        assert not key[p[layout.WIDTH] :].any()
        after = np.zeros(layout.SCRATCH, np.int64)
        decode_key(key, n, stacked, after)
        assert after[layout.FROM : layout.FROM + 4].tolist() == sizes
        arr = after[layout.ARR : layout.ARR + n]
        below = after[layout.BELOW : layout.BELOW + n]
        for i in range(n):
            for j in range(n):
                assert below[arr[i]] >> arr[j] & 1 == order[place[i]] >> place[j] & 1


def random_order(n, generator):
    order = (0,) * n
    for _ in range(generator.randrange(2 * n)):
        x, y = generator.sample(range(n), 2)
        if not (order[x] >> y | order[y] >> x) & 1:
            order = related(order, x, y)
    return order


def random_sizes(n, stacked, generator):
    sizes = [0, 0, 0, 0]
    for _ in range(n):
        sizes[generator.randrange(4 if stacked else 2)] += 1
    return sizes


@pytest.mark.parametrize("changes", VARIATIONS[:6], ids=str)
def test_paths_become_deals_that_go_as_foretold(changes):
    rules = DISTINCT.changed(changes)
    pot, total, generator = Pot.of(rules), 0, Random(6)
    for path in paths(6, 3, pot):
        total += count_extensions(path.order)
        for ranks in (None, random_extension(path.order, generator)):
            verdict = classify(path.deal(ranks), rules)
            assert verdict.period == path.period
            if path.period is None:
                assert (verdict.battles, verdict.ending.winner) == (path.battles, path.winner)
    assert total == factorial(6)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"face_down": "by-rank"}, "by-rank"),
        ({"automatic_rank": 2}, "automatic_rank = 2"),
        ({"capture": "shuffled"}, "waranalysis chance"),
        ({"capture": "chosen"}, "waranalysis choice"),
        ({"recycle": "pile-shuffled"}, "waranalysis chance"),
        ({"players": 3}, "players = 3"),
        ({"max_battles": 100}, "max_battles = 100"),
    ],
    ids=str,
)
def test_rules_that_need_more_than_comparisons(changes, told):
    with pytest.raises(RulesError, match=told):
        enumerate_orders(5, DISTINCT.changed(changes))


@pytest.mark.parametrize(
    ("n", "split", "told"),
    [(0, None, "0 cards"), (25, None, "1 to 24"), (6, (4, 3), "'4/3'"), (6, (2, 2, 2), "'2/2/2'")],
)
def test_sizes_that_do_not_fit(n, split, told):
    with pytest.raises(CardsError, match=told):
        enumerate_orders(n, DISTINCT, split)


@pytest.mark.parametrize(("n", "never", "longest"), [(9, 1155462, 31), (12, 0, 79)])
def test_over_all_states_as_published(n, never, longest):
    told = [enumerate_orders(n, DISTINCT, (held, n - held)) for held in range(1, n)]
    assert sum(counts.never for counts in told) == never
    assert max(counts.longest for counts in told) == longest


@pytest.mark.slow
def test_little_memory_at_sixteen_cards(tmp_path):
    counts = enumerate_orders(16, DISTINCT, memory=500_000_000, scratch=tmp_path)
    assert (counts.never, counts.longest, counts.nodes) == (0, 254, 68_615_165)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("capture", "n", "never", "cycles"),
    [
        ("winner-first", 14, 3790165176, {96: 61184620, 112: 3728980556}),
        ("winner-first", 15, 1095264882758, {48: 723147809952, 80: 372117072806}),
        ("winner-first", 16, 0, {}),
        ("winner-first", 17, 312707435743775, None),
        ("loser-first", 14, 4544440488, None),
        ("loser-first", 15, 1173142165027, None),
        ("loser-first", 16, 0, {}),
        ("loser-first", 17, 328064743597372, None),
        ("seat-first", 15, 0, {}),
    ],
)
def test_larger_values(capture, n, never, cycles):
    counts = enumerate_orders(n, DISTINCT.changed({"capture": capture}))
    assert counts.never == never
    assert counts.cycle_lengths == (counts.cycle_lengths if cycles is None else cycles)
