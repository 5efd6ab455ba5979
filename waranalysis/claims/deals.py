"""Checks that play one deal: what a rule does, or that something can happen at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from waranalysis.claims.finding import Measured, exactly
from waranalysis.claims.sampling import rules_of, table_of
from waranalysis.play import start
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
