"""Checks that look at every deal of a deck, or count them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, perm
from typing import Any

from waranalysis.census import enumerate
from waranalysis.census.result import Census
from waranalysis.claims.finding import Measured, exactly
from waranalysis.claims.sampling import rules_of
from waranalysis.play import Game, State
from waranalysis.rules import RuleSet
from waranalysis.termination import classify

Changes = Mapping[str, Any]


@lru_cache(maxsize=64)
def _census(deck: str, rules: RuleSet) -> Census:
    return enumerate(deck, rules)


def census(
    deck: str, seed: int, rules: str = "classic", changes: Changes | None = None
) -> Measured:
    """Outcomes of all deals: how many never end, draws, wins, the longest game, the loops."""
    found = _census(deck, rules_of(rules, changes))
    periods = sorted(found.cycle_lengths)
    return exactly(
        "exhaustive",
        never=found.never,
        deals=found.deals,
        draws=found.draws,
        draw_share=Fraction(found.draws, found.deals),
        undecided=found.undecided,
        wins_1=found.wins[0],
        wins_2=found.wins[1],
        longest=found.longest[0] if found.longest else 0,
        shortest_loop=periods[0] if periods else 0,
        longest_loop=periods[-1] if periods else 0,
    )


def same_census(
    deck: str, seed: int, changes: Changes, rules: str = "classic", common: Changes | None = None
) -> Measured:
    """How many deals would have to move for two rule sets to have the same outcomes."""
    base = rules_of(rules, common)
    one, two = _census(deck, base), _census(deck, base.changed(changes))
    apart = (one.endings - two.endings) + (one.loops - two.loops)
    return exactly("exhaustive", deals=one.deals, different=apart.total())


def alternation(
    deck: str, seed: int, rules: str = "distinct", changes: Changes | None = None
) -> Measured:
    """In how many loops the two players win by turns, and in how many not."""
    chosen = rules_of(rules, changes)
    loops = alternating = 0
    for deal in chosen.deals(chosen.read_deck(deck)).iterate():
        verdict = classify(deal, chosen)
        if verdict.loop is not None and verdict.period is not None:
            loops += 1
            alternating += _alternates(verdict.loop, verdict.period, chosen)
    return exactly("exhaustive", loops=loops, others=loops - alternating)


def _alternates(loop: State, period: int, rules: RuleSet) -> bool:
    game = Game(rules, loop)
    captors = []
    for _ in range(period):
        game.turn()
        captors.append(game.captor)
    return all(captors[i] != captors[i - 1] for i in range(period))


def clean_sweep(ranks: int, copies: int, seed: int) -> Measured:
    """Probability that a named player wins every battle of the first round, without a tie.

    The deck falls into pairs, slot by slot. Strength by strength from the lowest, some of its
    cards are given to the named player, each against a lower card that still waits for one; the
    others wait.
    """
    ways = {0: 1}
    for _ in range(ranks):
        after: dict[int, int] = {}
        for waiting, count in ways.items():
            for winners in range(min(copies, waiting) + 1):
                left = waiting - winners + copies - winners
                chosen = comb(copies, winners) * perm(waiting, winners)
                after[left] = after.get(left, 0) + count * chosen
        ways = after
    pairs = ranks * copies // 2
    probability = Fraction(ways.get(0, 0) * factorial(pairs), factorial(2 * pairs))
    return exactly("proof", probability=probability)
