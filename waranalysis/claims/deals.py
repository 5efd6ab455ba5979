"""Checks that play one deal: what a rule does, or that something can happen at all."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from waranalysis.cards import sequences
from waranalysis.claims.finding import Measured, Number, exactly
from waranalysis.claims.sampling import rules_of, table_of
from waranalysis.order.extensions import count_extensions
from waranalysis.order.tokens import related
from waranalysis.play import Game, State, start
from waranalysis.rules import RuleSet
from waranalysis.termination import classify

Changes = Mapping[str, Any]


def first_turn(
    deal: str, seed: int, rules: str = "classic", changes: Changes | None = None
) -> Measured:
    """Cards on the table in the first turn, the most that the others lose, its wars, who wins.

    `winner` is the player (counted from 1) who captures or wins, 0 for nobody.
    """
    chosen = rules_of(rules, changes)
    game = start(chosen.read_deal(deal), chosen, seed)
    game.turn()
    captor = game.captor
    if captor is None and game.ending is not None:
        captor = game.ending.winner
    others = [len(row) for seat, row in enumerate(game.rows) if seat != game.captor]
    return exactly(
        "proof",
        cards=sum(map(len, game.rows)),
        lost=max(others),
        wars=game.wars,
        winner=0 if captor is None else captor + 1,
    )


def fate(deal: str, seed: int, rules: str = "classic", changes: Changes | None = None) -> Measured:
    """What becomes of a deal: winner (0 for nobody) and battles, or tail and period; the wars.

    Of a game without end the wars are counted until the loop is certain, at least once around.
    """
    chosen = rules_of(rules, changes)
    read = chosen.read_deal(deal)
    verdict = classify(read, chosen)
    winner = verdict.ending.winner if verdict.ending else None
    numbers = {f"cards_{seat}": len(packet) for seat, packet in enumerate(read.packets, 1)}
    return exactly(
        "proof",
        ends=int(verdict.kind == "terminates"),
        loops=int(verdict.kind == "cycles"),
        winner=0 if winner is None else winner + 1,
        battles=verdict.battles,
        wars=verdict.wars,
        tail=verdict.tail or 0,
        period=verdict.period or 0,
        **numbers,
    )


def order_matters(deal: str, seed: int, one: Changes, two: Changes) -> Measured:
    """Whether a deal comes out differently under two changes of the rules."""
    verdicts = [classify(rules.read_deal(deal), rules) for rules in map(_changed, (one, two))]
    facts = [(v.kind, v.ending and v.ending.winner, v.period) for v in verdicts]
    return exactly("proof", differs=int(facts[0] != facts[1]), battles=verdicts[0].battles)


def _changed(changes: Changes) -> RuleSet:
    return rules_of("classic", changes)


def sizes(deck: str, players: int, seed: int, changes: Changes | None = None) -> Measured:
    """How many cards each player is dealt, and how many are set aside."""
    table = table_of(_changed({"players": players, **(changes or {})}), deck)
    each = table.sizes
    return exactly("proof", least=min(each), most=max(each), aside=table.dealt - sum(each))


def record(
    deal: str, seed: int, rules: str = "classic", changes: Changes | None = None
) -> Measured:
    """Battles of a game that ends and pairs of cards laid, and between what the records lie.

    `longest` and `most_pairs` are those over all positions of the deck: at least what this game
    takes. No position comes twice in a game that ends, so there are no more battles than
    positions, and no more pairs than half the deck in each. `deals_up_to_swap` counts the deals,
    one and its exchange of the packets once.
    """
    chosen = rules_of(rules, changes)
    read = chosen.read_deal(deal)
    assert classify(read, chosen).kind == "terminates"
    game, laid = start(read, chosen, seed), 0
    while game.ending is None:
        game.turn()
        laid += sum(map(len, game.rows))
    copies = tuple(read.counts().values())
    cards, deals = sum(copies), sequences(copies, sum(copies))
    most = (cards - 1) * deals
    same = sequences(tuple(count // 2 for count in copies), cards // 2)
    even = all(count % 2 == 0 for count in copies)
    up_to_swap = (deals + even * same) // 2
    exact = {"battles": game.battles, "pairs": laid // 2, "deals_up_to_swap": up_to_swap}
    return Measured(
        "proof",
        {name: Number.exact(value) for name, value in exact.items()}
        | {
            "longest": Number(game.battles, game.battles, most),
            "most_pairs": Number(laid // 2, laid // 2, most * cards // 2),
        },
    )


def constructed(first: int, last: int, seed: int, rules: str = "distinct") -> Measured:
    """In how many sizes of deck, all cards different, a deal is found that never ends.

    The sizes from `first` to `last` that are neither 2^k nor 3*2^k; each deal is played until
    its state comes back.
    """
    from waranalysis.construct.search import find

    chosen = rules_of(rules)
    sizes = [n for n in range(first, last + 1) if n & (n - 1) and (n % 3 or n // 3 & (n // 3 - 1))]
    deals = [find(chosen.read_deck(f"{n}x1"), chosen).deal for n in sizes]
    loops = sum(deal is not None and classify(deal, chosen).kind == "cycles" for deal in deals)
    return exactly("proof", sizes=len(sizes), loops=loops)


def kindred(
    deal: str, seed: int, rules: str = "classic", changes: Changes | None = None
) -> Measured:
    """Loops of distinct cards in which the same seats win in the same order as in the deal's.

    Where the cards of a state lie decides nothing but who wins. So the states from which the same
    seats win all around are those whose ranks agree with the comparisons of one lap: the linear
    extensions of the order they make of the places. A state later in the lap has other sizes or
    other winners to come, or is counted here already.
    """
    chosen = rules_of(rules, changes)
    loop, period = _loop(deal, chosen)
    game = Game(chosen, loop)
    place = {card: at for at, card in enumerate(chain.from_iterable(loop.packets))}
    courses, order = [], (0,) * len(place)
    for _ in range(period):
        sizes, tops = tuple(map(len, game.packets)), [packet[0] for packet in game.packets]
        for weak in sorted(tops)[:-1]:
            order = related(order, place[weak], place[max(tops)])
        game.turn()
        courses.append((sizes, game.captor))
    laps = {tuple(courses[start:] + courses[:start]) for start in range(period)}
    states = len(laps) * count_extensions(order)
    return exactly("proof", period=period, states=states, loops=states // period)


def _loop(deal: str, rules: RuleSet) -> tuple[State, int]:
    verdict = classify(rules.read_deal(deal), rules)
    assert verdict.loop is not None and verdict.period is not None
    return verdict.loop, verdict.period
