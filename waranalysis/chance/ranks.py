"""Certificates that a game ends with probability one: a rank for every position.

A file of JSON lines: what it is about, then for every position ``[rank, parts, answers]``. The
parts are the packets, then piles and table where there are any; the answers are what chance must
say in the turn from there, to come to an end or to a position of lower rank. Nothing is solved to
check it: each position is played on once, and the positions are all there are, or those that any
turn leads to are there, too. Only `cards`, `rules` and `play` are used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from math import factorial, prod
from typing import TYPE_CHECKING, Any

from waranalysis.cards import Deal
from waranalysis.chance.lines import parts_of, read_json, read_position, starts_of
from waranalysis.decisions import Answer, Decision, options
from waranalysis.errors import CertificateError, WarAnalysisError
from waranalysis.play import Game, State, successors, turn
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet

if TYPE_CHECKING:
    from waranalysis.chance.ends import Ends

SCHEMA = "waranalysis/ranks/1"
Ranks = dict[State, int]


def rank_lines(ends: Ends) -> Iterator[str]:
    """Yield the certificate that every position of a graph ends with probability one.

    Parameters
    ----------
    ends : Ends
        Of a graph without choices, built from a deck or from deals.

    Raises
    ------
    CertificateError
        If it is not so.
    """
    graph = ends.graph
    if not ends.certain:
        raise CertificateError("nothing to certify: not every position ends with probability one")
    about: dict[str, Any] = {"deck": graph.deck, "split": graph.split}
    if graph.deck is None:
        about = {"deals": [graph.text(node) for node in graph.starts if node < graph.positions]}
    yield json.dumps(provenance("ranks", graph.rules, positions=graph.positions, **about)) + "\n"
    rank = ends.rank.tolist()
    states = [graph.state(node) for node in range(graph.positions)]
    ranks = dict(zip(states, rank, strict=False))
    for state in states:
        line = [ranks[state], parts_of(state), _descent(state, ranks, graph.rules)]
        yield json.dumps(line, separators=(",", ":")) + "\n"


def _descent(state: State, ranks: Ranks, rules: RuleSet) -> list[Any]:
    """What chance must say to come closer to an end."""
    for outcome in successors(state, rules):
        ended = outcome.turn.ending is not None
        if (ended or ranks[outcome.turn.state] < ranks[state]) and outcome.probability != 0:
            return [step.answer for step in outcome.path]
    raise AssertionError(f"no way down from {state}")


class Replay:
    """Answers decisions from a list, and raises `CertificateError` for an answer that is none."""

    def __init__(self, answers: Sequence[Any]) -> None:
        self.answers = [tuple(a) if isinstance(a, list) else a for a in answers]
        self.taken = 0

    def __call__(self, decision: Decision) -> Answer:
        """Give the next answer."""
        if self.taken == len(self.answers):
            raise CertificateError(f"no answer to the decision '{decision.kind}'")
        answer = self.answers[self.taken]
        self.taken += 1
        if decision.kind in ("shuffle", "order"):
            fits = isinstance(answer, tuple) and sorted(answer) == sorted(decision.cards)
        else:
            fits = answer in options(decision) and _can_be(decision, answer)
        if not fits:
            raise CertificateError(f"{answer} is no answer to the decision '{decision.kind}'")
        return answer


def _can_be(decision: Decision, answer: Answer) -> bool:
    if not decision.by_chance or isinstance(decision.probability, str):
        return True
    return decision.probability != (0 if answer else 1)


def verify_ranks(lines: Iterable[str]) -> str | None:
    """Check a certificate of `rank_lines`.

    Returns
    -------
    str or None
        The first statement that is false, in words; None if all are true.

    Raises
    ------
    CertificateError
        If it is none, or its rules or deals cannot be read.

    Notes
    -----
    Cost: one turn a position if the positions are all that the deck has, else every turn. A symbol
    stands for any probability strictly between 0 and 1.
    """
    numbered = iter(lines)
    header = read_json(next(numbered, ""), dict)
    try:
        rules = RuleSet.from_dict(header["rules"])
        starts = starts_of(header, rules)
        if rules.choice_fields or rules.limit is not None:
            raise CertificateError("expected rules without choices and without a limit of battles")
        told = [read_position(read_json(line, list), rules) for line in numbered]
    except KeyError as error:
        raise CertificateError(f"field {error} is missing") from None
    except CertificateError:
        raise
    except WarAnalysisError as error:
        raise CertificateError(str(error)) from None
    ranks = {state: rank for state, rank, _ in told}
    if len(ranks) != len(told):
        return "a position is listed twice"
    return (
        _false_rank(told, ranks, rules)
        or _missing_start(starts, ranks, rules)
        or _missing_successor(ranks, rules)
    )


def _false_rank(
    told: list[tuple[State, int, list[Any]]], ranks: Ranks, rules: RuleSet
) -> str | None:
    for state, rank, answers in told:
        if Game(rules, state).ending is not None:
            return f"{state} is an end already"
        after = turn(state, rules, Replay(answers))
        if after.ending is None and ranks.get(after.state, rank) >= rank:
            return f"the answers at {state} lead to no position of lower rank"
    return None


def _missing_start(starts: Iterable[Deal], ranks: Ranks, rules: RuleSet) -> str | None:
    for deal in starts:
        state = State.of(deal.strengths())
        if state not in ranks and Game(rules, state).ending is None:
            return f"the deal {deal} is not listed"
    return None


def _missing_successor(ranks: Ranks, rules: RuleSet) -> str | None:
    """Whether some turn leads out of the list; for a full list there is nowhere else to go."""
    if _all_there_are(ranks, rules):
        return None
    for state in ranks:
        for outcome in successors(state, rules):
            if outcome.turn.ending is None and outcome.turn.state not in ranks:
                return f"{outcome.turn.state}, which follows {state}, is not listed"
    return None


def _all_there_are(ranks: Ranks, rules: RuleSet) -> bool:
    """Whether the list has every arrangement of its cards in two packets that are not empty."""
    if rules.players > 2 or rules.recycle != "bottom":
        return False
    cards = None
    for packets, piles, table in ranks:
        here = sorted(packets[0] + packets[1])
        if any(piles) or table or not all(packets) or here != (cards or here):
            return False
        cards = here
    if cards is None:
        return True
    arrangements = factorial(len(cards)) // prod(factorial(cards.count(c)) for c in set(cards))
    return len(ranks) == arrangements * (len(cards) - 1)
