from __future__ import annotations

import random
from itertools import permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waranalysis.cards import Deal, Deals, Deck, Naming, deal_out, next_sequence
from waranalysis.errors import CardsError


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("10", 10), ("T", 10), ("t", 10), ("j", 11), ("Q", 12), ("k", 13), ("A", 14), ("*", 15),
        ("*-", 15), ("*+", 15), ("255", 255), ("1", 1), ("As", 14 | 1 << 8), ("10H", 10 | 2 << 8),
        ("t♦", 10 | 3 << 8), ("2♣", 2 | 4 << 8), ("Jd", 11 | 3 << 8),
    ],
)  # fmt: skip
def test_a_card_is_read(text: str, card: int) -> None:
    assert Naming().read(text) == card


def test_low_aces_and_ranked_jokers() -> None:
    naming = Naming("low", "ranked", named=True)
    assert [naming.read(text) for text in ("A", "K", "*-", "*+", "*")] == [1, 13, 15, 16, 15]
    assert naming.write_all([1, 13, 14, 15, 16]) == "A K 14 *- *+"


@pytest.mark.parametrize(
    "text", ["", "0", "256", "x", "1O", "-3", "²", "s", "AA", "1e1", "10.", "③"]
)
def test_an_unknown_card_is_refused(text: str) -> None:
    with pytest.raises(CardsError, match="unknown card"):
        Naming().read(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("A K 3 | 2 2 Q", "A K 3 | 2 2 Q"),
        ("14 13 3|2 2 12", "14 13 3 | 2 2 12"),
        ("T 9 | 8", "10 9 | 8"),
        ("10 J | 11", "10 J | J"),
        ("A♠ 10♥ | 2d 3C", "As 10h | 2d 3c"),
        ("* 2 | 3", "* 2 | 3"),
        ("A K |", "A K |"),
        ("| 5", "| 5"),
        ("1 | 2 | 3", "1 | 2 | 3"),
    ],
)
def test_a_deal_is_written_in_the_style_it_was_given(text: str, written: str) -> None:
    deal = Deal.parse(text)
    assert str(deal) == written
    assert Deal.parse(str(deal)) == deal


@pytest.mark.parametrize("text", ["", "|", " | | "])
def test_a_deal_without_cards_is_refused(text: str) -> None:
    with pytest.raises(CardsError, match="no card"):
        Deal.parse(text)


@given(
    st.lists(st.lists(st.integers(1, 255), max_size=9), min_size=2, max_size=4).filter(any),
    st.sampled_from(["high", "low"]),
    st.sampled_from(["equal", "ranked"]),
    st.booleans(),
)
def test_deals_round_trip(packets: list[list[int]], ace: str, jokers: str, named: bool) -> None:
    deal = Deal(tuple(map(tuple, packets)), Naming(ace, jokers, named))
    again = Deal.parse(str(deal), ace, jokers)
    assert again == deal
    assert str(Deal(again.packets, deal.naming)) == str(deal)


@pytest.mark.parametrize(
    ("spec", "counts"),
    [
        ("standard", dict.fromkeys(range(2, 15), 4)),
        ("13x4", dict.fromkeys(range(2, 15), 4)),
        ("5x1", {2: 1, 3: 1, 4: 1, 5: 1, 6: 1}),
        ("J-Ax4", {11: 4, 12: 4, 13: 4, 14: 4}),
        ("1-10x1", dict.fromkeys(range(1, 11), 1)),
        ("A:4,K:4,2:1", {2: 1, 13: 4, 14: 4}),
        ("A:1, A:2", {14: 3}),
        ("2x2+2j", {2: 2, 3: 2, 15: 2}),
        ("7-Ax4", dict.fromkeys(range(7, 15), 4)),
        ("half:3x2", {2: 2, 3: 2, 4: 2}),
        ("*:2,2:2", {2: 2, 15: 2}),
    ],
)
def test_a_deck_is_read(spec: str, counts: dict[int, int]) -> None:
    deck = Deck.parse(spec)
    assert dict(deck.counts) == counts
    assert Deck.parse(str(deck)) == deck


def test_a_deck_follows_the_rules_for_aces_and_jokers() -> None:
    assert dict(Deck.parse("standard", ace="low").counts) == dict.fromkeys(range(1, 14), 4)
    assert dict(Deck.parse("1x1+2j", jokers="ranked").counts) == {2: 1, 15: 1, 16: 1}


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("", "expected standard"), ("5", "expected standard"), ("5x-1", "expected standard"),
        ("5x0", "at least one copy"), ("0x4", "backwards"), ("A-Jx4", "backwards"),
        ("300x1", "at most 255"), ("A:-1", "expected standard"), ("A:0", "expected standard"),
        ("X:4", "unknown card"), ("14-15x1+2j", "jokers are"), ("*:2,16:1", "jokers beside"),
        ("200x9999", "more than 100,000 cards"), ("As:4", "without a suit"),
    ],
)  # fmt: skip
def test_a_deck_that_is_none_is_refused(spec: str, why: str) -> None:
    with pytest.raises(CardsError, match=why):
        Deck.parse(spec)


def test_a_range_that_runs_backwards_with_a_low_ace_is_refused() -> None:
    with pytest.raises(CardsError, match="backwards"):
        Deck.parse("J-Ax4", ace="low")


def test_default_sizes() -> None:
    standard = Deck.parse("standard")
    assert Deck.parse("5x1").sizes(2) == (3, 2)
    assert standard.sizes(3) == (17, 17, 17)
    assert standard.sizes(3, "dealt") == (18, 17, 17)
    assert standard.sizes(4) == (13, 13, 13, 13)
    assert Deck.parse("half:standard").sizes(2) == (13, 13)


def test_dealing() -> None:
    assert deal_out([1, 2, 3, 4, 5], (3, 2), "alternate") == ((1, 3, 5), (2, 4))
    assert deal_out([1, 2, 3, 4, 5], (3, 2), "halves") == ((1, 2, 3), (4, 5))
    assert deal_out([1, 2, 3, 4, 5], (1, 3), "alternate") == ((1,), (2, 3, 4))
    assert deal_out([1, 2, 3, 4], (1, 1, 1), "alternate") == ((1,), (2,), (3,))


def all_packets(deck: Deck, sizes: tuple[int, ...]) -> list[tuple[tuple[int, ...], ...]]:
    """Every deal, by brute force over all orders of the cards, in lexicographic order."""
    return sorted({deal_out(order, sizes, "halves") for order in permutations(deck.cards)})


SMALL = [
    ("5x1", (3, 2)), ("3x2", (3, 3)), ("2x3", (4, 2)), ("2x2", (1, 2)), ("4x1", (1, 1)),
    ("2x3", (2, 2, 1)), ("3x2", (1, 1, 1, 1)), ("A:3,K:2,2:1", (3, 3)), ("1x4", (2, 2)),
    ("2x2+2j", (3, 3)),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "sizes"), SMALL)
def test_deals_are_counted_ranked_and_unranked(spec: str, sizes: tuple[int, ...]) -> None:
    deck = Deck.parse(spec)
    deals = Deals(deck, sizes)
    expected = all_packets(deck, sizes)
    assert deals.ranks == deals.count == len(expected)
    assert [deals.unrank(rank).packets for rank in range(deals.ranks)] == expected
    assert [deal.packets for deal in deals.iterate()] == expected
    assert [deals.rank(Deal(packets)) for packets in expected] == list(range(len(expected)))


@pytest.mark.parametrize(("spec", "jokers"), [("2x2+2j", "equal"), ("3x1+2j", "ranked")])
def test_jokers_in_different_packets(spec: str, jokers: str) -> None:
    deck = Deck.parse(spec, jokers=jokers)
    assert Deals(deck, deck.sizes(2), one_each=True).count < Deals(deck, deck.sizes(2)).ranks
    for sizes in [deck.sizes(2), deck.sizes(3), (2, 1)]:
        deals = Deals(deck, sizes, one_each=True)
        allowed = [
            packets
            for packets in all_packets(deck, sizes)
            if all(sum(card >= 15 for card in packet) < 2 for packet in packets)
        ]
        assert [deal.packets for deal in deals.iterate()] == allowed
        assert deals.count == len(allowed) <= deals.ranks


def test_one_joker_each_needs_two_jokers() -> None:
    with pytest.raises(CardsError, match="two jokers, found 0"):
        Deals(Deck.parse("3x2"), (3, 3), one_each=True)


def test_numbers_of_deals() -> None:
    assert Deals(Deck.parse("4x4"), (8, 8)).ranks == 63_063_000
    assert Deals(Deck.parse("5x4"), (10, 10)).ranks == 305_540_235_000
    standard = Deals(Deck.parse("standard"), (26, 26))
    assert standard.ranks == factorial(52) // factorial(4) ** 13


@given(st.integers(0, 10**60))
def test_ranks_of_any_size(number: int) -> None:
    for deals in (
        Deals(Deck.parse("standard"), (26, 26)),
        Deals(Deck.parse("standard"), (17, 17, 17)),
    ):
        rank = number % deals.ranks
        assert deals.rank(deals.unrank(rank)) == rank


def test_ranges_of_ranks_join_up() -> None:
    deals = Deals(Deck.parse("3x2"), (2, 2))
    cut = random.Random(1).randrange(deals.ranks)
    parts = [*deals.iterate(0, cut), *deals.iterate(cut)]
    assert parts == list(deals.iterate())


def test_there_is_no_sequence_after_the_last() -> None:
    cards = [3, 2, 1, 1]
    assert not next_sequence(cards, 4)


def test_deals_that_do_not_fit() -> None:
    deck = Deck.parse("5x1")
    with pytest.raises(CardsError, match="'4/2' does not fit"):
        Deals(deck, (4, 2))
    with pytest.raises(CardsError, match="'0/0' does not fit"):
        Deals(deck, (0, 0))
    with pytest.raises(CardsError, match="only be sampled"):
        Deals(Deck.parse("half:5x2"), (2, 2))
    deals = Deals(deck, (3, 2))
    with pytest.raises(CardsError, match="rank 120"):
        deals.unrank(120)
    with pytest.raises(CardsError, match="is not a deal"):
        deals.rank(Deal.parse("2 3 4 | 5 5"))


def test_labels_tell_equal_cards_apart() -> None:
    labelled = Deal.parse("2 2 | 2").labelled()
    assert len(set(labelled.cards)) == 3
    assert labelled.strengths() == Deal.parse("2 2 | 2")
