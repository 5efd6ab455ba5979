"""The two ways to build a state graph, and what they must show."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waranalysis.cards import Deal, Deck
from waranalysis.errors import CardsError, LimitError, RulesError
from waranalysis.graph.build import state_graph
from waranalysis.graph.model import Choice, StateGraph
from waranalysis.play import Ending, State, successors, turn
from waranalysis.rules import RuleSet, load

ONE_DOWN = RuleSet(face_down=1)
SHUFFLED = ONE_DOWN.replace(capture="shuffled")


def rows(graph: StateGraph) -> list[list[tuple[object, ...]]]:
    """For every node its actions: label, and target and probability of each transition."""
    result = []
    for node in range(graph.nodes):
        actions = []
        for action in range(graph.actions[node], graph.actions[node + 1]):
            edges = range(graph.indptr[action], graph.indptr[action + 1])
            reached = [(int(graph.indices[e]), graph.probability(e)) for e in edges]
            actions.append((graph.choices[graph.labels[action]], *reached))
        result.append(actions)
    return result


def same(one: StateGraph, two: StateGraph) -> None:
    assert one.ends == two.ends
    assert np.array_equal(one.packed, two.packed)
    for name in ("starts", "deals", "weights", "moments"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    assert rows(one) == rows(two)


@pytest.mark.parametrize(
    ("deck", "positions", "ends"),
    [("4x2", 6438, 3), ("5x2", 312_860, 3), ("3x2", 192, 3), ("3x3", 4177, 2), ("3x4", 93_872, 3)],
)
def test_sizes_of_deterministic_graphs(deck: str, positions: int, ends: int) -> None:
    graph = state_graph(deck, ONE_DOWN)
    assert (graph.positions, len(graph.ends)) == (positions, ends)
    assert graph.transitions == positions
    assert graph.deterministic


@pytest.mark.parametrize(
    ("deck", "positions", "transitions"),
    [
        ("3x2", 354, 594),
        ("4x2", 17_496, 122_688),
        pytest.param("5x2", 1_020_600, 11_374_200, marks=pytest.mark.slow),
    ],
)
def test_sizes_of_chance_graphs(deck: str, positions: int, transitions: int) -> None:
    graph = state_graph(deck, SHUFFLED)
    assert (graph.positions, graph.ends, graph.transitions) == (
        positions,
        (0, 1, None),
        transitions,
    )
    # The probabilities of every action add up to exactly 1.
    assert all(value.numerator == 1 for value in graph.values)
    steps = np.array([720_720 // value.denominator for value in graph.values])
    assert (np.add.reduceat(steps[graph.chances], graph.indptr[:-1]) == 720_720).all()


def test_size_of_a_choice_graph() -> None:
    graph = state_graph("4x2", ONE_DOWN.replace(capture="chosen-side"))
    assert (graph.positions, graph.ends) == (14_504, (0, 1, None))
    assert graph.choices[1:] == tuple(
        (Choice(seat, "side", first),) for seat in (0, 1) for first in (True, False)
    )


VARIANTS = [
    {"capture": order, "layout": layout, "reverse": reverse, "face_down": down}
    for order, layout, reverse, down in product(
        ("winner-first", "loser-first", "seat-first", "natural", "descending", "ascending"),
        ("rows", "layers"),
        (False, True),
        (0, 1),
    )
] + [
    {"capture": capture, "face_down": down, "short": short}
    for capture, down, short in product(
        (
            "shuffled",
            "coin",
            "chosen-side",
            ("shuffled", "winner-first"),
            ("chosen-side", "coin"),
            "chosen",
            ("chosen", "chosen-side"),
            ("shuffled", "chosen"),
        ),
        (0, 1),
        ("lose", "use-remaining", "last-card", "short-packet", "draw"),
    )
]
MORE = [
    {"best": "lowest", "face_down": 1},
    {"face_down": "by-rank"},
    {"face_down": 1, "all_short": "first-player-loses"},
    {"automatic_rank": 2, "face_down": 1, "short": "last-card"},
    {"automatic_rank": 3, "face_down": 0, "capture": "shuffled"},
    {"automatic_rank": 9, "face_down": 0},
    {"capture": "coin", "winner_first_probability": "p", "face_down": 1},
    {"capture": "coin", "winner_first_probability": "1/3", "face_down": 1},
    {"capture": "coin", "winner_first_probability": 0, "face_down": 1},
    {"capture": "coin", "winner_first_probability": 1, "face_down": 1},
    {"capture": "coin", "layout": "layers", "short": "last-card", "automatic_rank": 2},
]


@pytest.mark.parametrize("fields", [*VARIANTS, *MORE], ids=str)
def test_compiled_and_plain_graphs_are_the_same(fields: dict[str, object]) -> None:
    rules = RuleSet.from_dict(fields)
    same(state_graph("3x2", rules), state_graph("3x2", rules, plain=True))


@pytest.mark.parametrize("deck", ["5x1", "2:3,4:1,9:2"])
@pytest.mark.parametrize("capture", ["winner-first", "coin", "natural", "chosen-side", "chosen"])
@pytest.mark.parametrize("short", ["lose", "use-remaining", "last-card", "short-packet"])
def test_compiled_and_plain_graphs_of_other_decks(deck: str, capture: str, short: str) -> None:
    rules = RuleSet(capture=capture, short=short, face_down=1)
    same(state_graph(deck, rules, "all"), state_graph(deck, rules, "all", plain=True))


@pytest.mark.parametrize("capture", ["winner-first", "coin"])
def test_compiled_and_plain_graphs_of_the_deck_of_eight(capture: str) -> None:
    rules = ONE_DOWN.replace(capture=capture)
    same(state_graph("4x2", rules), state_graph("4x2", rules, plain=True))


def test_all_splits() -> None:
    graph = state_graph("4x1", ONE_DOWN, "all")
    assert graph.positions == 24 * 3
    assert graph.deals.sum() == 72
    assert graph.split == "all"
    three = state_graph("4x1", ONE_DOWN.replace(players=3, capture="seat-first"), "all")
    assert three.deals.sum() == 24 * (3 + 3 * 3)


def test_cards_set_aside_weigh_the_deals() -> None:
    for plain in (False, True):
        graph = state_graph("2:1,3:3", ONE_DOWN, (1, 1), plain=plain)
        weight = {graph.text(s): int(w) for s, w in zip(graph.starts, graph.weights, strict=True)}
        assert weight == {"2 | 3": 1, "3 | 2": 1, "3 | 3": 2}
        assert list(graph.deals) == [1, 1, 1]


def test_given_deals() -> None:
    loop = state_graph("4 2 | 3 5 1", ONE_DOWN)
    assert (loop.positions, loop.ends, loop.deck) == (6, (), None)
    twice = [Deal.parse("4 2 | 3 5 1"), Deal.parse("2 | 3"), Deal.parse("4 2 | 3 5 1")]
    graph = state_graph(twice, ONE_DOWN)
    assert dict(zip(graph.starts.tolist(), graph.deals.tolist(), strict=True)) == {0: 2, 1: 1}
    same(
        state_graph(twice[:1], ONE_DOWN),
        state_graph(State.of(twice[0]), ONE_DOWN, plain=True),
    )


def test_a_deal_that_is_over_starts_at_its_end() -> None:
    graph = state_graph("2 3 |", ONE_DOWN)
    assert (graph.positions, graph.ends, list(graph.starts)) == (0, (0,), [0])
    assert graph.text(0) == "player 1 wins"


def test_nodes_and_states() -> None:
    graph = state_graph("4x2", ONE_DOWN)
    for position in range(0, graph.positions, 97):
        state = graph.state(position)
        assert graph.node(state) == position
        after = turn(state, ONE_DOWN)
        reached = graph.successor[position]
        if after.ending is None:
            assert graph.state(reached) == after.state
        else:
            assert graph.ends[reached - graph.first_end] == after.ending.winner
    with pytest.raises(CardsError, match=r"no position '2 \| 3'"):
        graph.node(State(((2,), (3,)), ((), ())))
    with pytest.raises(CardsError, match="no position"):
        graph.node(State(((2,) * 6, (3,) * 6), ((), ())))


def test_won_piles_and_the_table_are_part_of_the_state() -> None:
    stacked = ONE_DOWN.replace(recycle="pile-stacked")
    for rules in (stacked, load("three-players"), load("three-players-all")):
        graph = state_graph("3x2", rules)
        for position in range(graph.positions):
            state = graph.state(position)
            assert graph.node(state) == position
            after = turn(state, rules)
            if after.ending is None:
                assert graph.state(graph.successor[position]) == after.state


def test_piles_that_are_shuffled() -> None:
    rules = load("won-pile")
    graph = state_graph("3x2", rules)
    found = rows(graph)
    for position in range(graph.positions):
        wanted: Counter[object] = Counter()
        for outcome in successors(graph.state(position), rules):
            state, ending, _ = outcome.turn
            node = graph.node(state) if ending is None else end_of(graph, ending)
            wanted[node] += outcome.probability
        assert dict(found[position][0][1:]) == wanted


def end_of(graph: StateGraph, ending: Ending) -> int:
    return graph.first_end + graph.ends.index(ending.winner)


def test_choices_of_both_sides_come_in_order() -> None:
    rules = ONE_DOWN.replace(hand=2)
    graph = state_graph("2 3 | 4 5", rules)
    labels = [graph.choices[graph.labels[a]] for a in range(graph.actions[0], graph.actions[1])]
    assert labels == [
        (Choice(0, "hand", one), Choice(1, "hand", two))
        for one in (True, False)
        for two in (True, False)
    ]
    arranged = state_graph("2 3 | 4 5", rules.replace(capture="chosen"))
    first = arranged.choices[arranged.labels[0]]
    assert [choice.kind for choice in first] == ["hand", "hand", "order"]
    assert first[2].seat == 1


def test_moments_stand_between_chance_and_choice() -> None:
    rules = ONE_DOWN.replace(capture="chosen-side", recognition="1/3")
    graph = state_graph("4 2 | 3 5 1", rules)
    assert len(graph.moments) == 2 * graph.positions - over_at_once(graph)
    captors = []
    for edge in range(graph.arrows[0], graph.arrows[1]):
        moment = int(graph.indices[edge])
        assert graph.positions <= moment < graph.first_end
        assert graph.moments[moment - graph.positions] == 0
        actions = range(graph.actions[moment], graph.actions[moment + 1])
        labels = [graph.choices[graph.labels[a]] for a in actions]
        assert [[c.answer for c in label] for label in labels] == [[True], [False]]
        captors.append((labels[0][0].seat, graph.probability(edge)))
    assert captors == [(0, Fraction(1, 3)), (1, Fraction(2, 3))]
    assert graph.text(graph.positions) == "in the turn of 4 2 | 3 5 1"


def over_at_once(graph: StateGraph) -> int:
    """Turns that end without anybody capturing have no moments."""
    return sum(
        int(graph.indices[graph.arrows[v]]) >= graph.first_end for v in range(graph.positions)
    )


def test_symbols_stay_exact() -> None:
    graph = state_graph("3x1", ONE_DOWN.replace(recognition="p"))
    assert [str(value) for value in graph.values] == ["1 - p", "p"]
    sums = {sum(p for _, p in action[1:]) for row in rows(graph) for action in row}
    assert sums == {1}


@settings(max_examples=25, deadline=None)
@given(
    cards=st.lists(st.integers(1, 5), min_size=2, max_size=6),
    cut=st.integers(1, 5),
    capture=st.sampled_from(
        ["winner-first", "natural", "coin", "shuffled", "chosen-side", "chosen"]
    ),
    short=st.sampled_from(["lose", "use-remaining", "last-card", "short-packet", "draw"]),
    down=st.integers(0, 3),
    layout=st.sampled_from(["rows", "layers"]),
    automatic=st.sampled_from([None, 2]),
)
def test_compiled_and_plain_graphs_of_random_deals(
    cards: list[int],
    cut: int,
    capture: str,
    short: str,
    down: int,
    layout: str,
    automatic: int | None,
) -> None:
    cut = min(cut, len(cards) - 1)
    deal = Deal((tuple(cards[:cut]), tuple(cards[cut:])))
    rules = RuleSet(
        capture=capture, short=short, face_down=down, layout=layout, automatic_rank=automatic
    )
    same(state_graph(deal, rules), state_graph(deal, rules, plain=True))


@pytest.mark.parametrize("plain", [True, False])
def test_limits(plain: bool) -> None:
    with pytest.raises(
        LimitError, match="'4x2' takes more than 1,000 nodes: there are 2,520 deals"
    ):
        state_graph("4x2", ONE_DOWN, limit=1000, plain=plain)
    with pytest.raises(LimitError, match=r"more than 5,000 nodes \(\d,\d+ nodes found, \d,\d+ of"):
        state_graph("4x2", ONE_DOWN, limit=5000, plain=plain)
    with pytest.raises(LimitError, match="more than 200,000 bytes"):
        state_graph("4x2", ONE_DOWN, memory=200_000, plain=plain)


def test_huge_decks_are_refused_at_once() -> None:
    with pytest.raises(LimitError, match="'13x4' takes more than 30,000,000 nodes"):
        state_graph("13x4")


def test_wrong_input() -> None:
    with pytest.raises(RulesError, match="a limit of 100 battles is not part of the state"):
        state_graph("4x2", load("rounds-100"))
    with pytest.raises(RulesError, match="split 'some': expected sizes such as 5/3, or all"):
        state_graph("4x2", ONE_DOWN, "some")
    with pytest.raises(RulesError, match="a split is for a deck"):
        state_graph("2 | 3", ONE_DOWN, "all")
    with pytest.raises(RulesError, match="expected players = 2"):
        state_graph(State(((2,), (3,), (4,)), ((),) * 3), ONE_DOWN)
    with pytest.raises(CardsError, match="no deal to start from"):
        state_graph([], ONE_DOWN)
    with pytest.raises(CardsError, match="a random half can only be sampled"):
        state_graph(Deck.parse("half:4x2"), ONE_DOWN)
