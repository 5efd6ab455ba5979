"""Certificates of the best probability of winning: how to win with it, and that it is the best.

A file of JSON lines: what it is about, then ``[rank, parts, answers, value]`` for every position,
or ``[rank, parts, answers, lower, upper]``; the first three are those of
`waranalysis.choice.strategy`, the numbers are probabilities of winning. Each turn is played once,
whatever is chosen, and nothing is solved:

- `upper` is at least what any choice leads to, on the average over what chance does. So it does not
  grow in a game however it is played, and no strategy wins with more.
- `lower` is at most what the answers lead to, on the average, and where it is above 0 luck may
  lower the rank. So a game that keeps to the answers comes to an end, or to where `lower` is 0,
  with probability one, and `lower` does not fall on the way: it is won with at least that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import perm, prod
from typing import Any, NamedTuple

from waranalysis.chance.lines import parts_of, read_json, read_position, starts_of
from waranalysis.chance.value import Interval, Value, plain
from waranalysis.choice.strategy import (
    Plan,
    answers,
    frozen,
    frozen_plan,
    key_of,
    plans,
    start_fields,
)
from waranalysis.choice.values import Best
from waranalysis.decisions import Answer
from waranalysis.errors import CertificateError, WarAnalysisError, quoted
from waranalysis.graph.model import Choice
from waranalysis.play import Ending, Game, Outcome, State, successors
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet

SCHEMA = "waranalysis/best/1"


def best_lines(best: Best) -> Iterator[str]:
    """Yield the certificate of the best probability of winning.

    Raises
    ------
    CertificateError
        If a deal is given that is over before the first battle.
    """
    graph = best.arena.graph
    told = start_fields(graph) | {"player": best.player, "value": plain(best.random_deal)}
    yield json.dumps(provenance("best", graph.rules, **told)) + "\n"
    chosen = dict(plans(best))
    for position in range(graph.positions):
        rank, plan = int(best.ranks[position]) + 1, answers(chosen.get(position, []))
        line = [rank, parts_of(graph.state(position)), plan, *numbers(best.values[position])]
        yield json.dumps(line, separators=(",", ":")) + "\n"


def numbers(value: Value) -> list[Any]:
    """A value as text, or as both its bounds."""
    return list(value) if isinstance(value, Interval) else [str(value)]


def statement(lines: Sequence[str]) -> str:
    """What a certificate states, in words."""
    header = read_json(lines[0], dict)
    value = header["value"]
    if isinstance(value, dict):
        value = f"{value['lower']} to {value['upper']}"
    return f"player {header['player'] + 1} wins with probability {value} at best"


# --- checking --------------------------------------------------------------------------------


class _Line(NamedTuple):
    """What is said of a position."""

    rank: int
    plan: Plan
    lower: Fraction
    upper: Fraction


def verify_best(lines: Iterable[str]) -> str | None:
    """Check a certificate of `best_lines`; as `waranalysis.chance.ranks.verify_ranks`."""
    numbered = iter(lines)
    header = read_json(next(numbered, ""), dict)
    try:
        rules, player = RuleSet.from_dict(header["rules"]), header["player"]
        if player not in range(rules.players):
            raise CertificateError(f"player {player}: expected a seat")
        lower, upper = _pair(header["value"])
        listed = dict(_read(line, rules) for line in numbered)
        check = _Check(player, rules, listed)
        why = next(filter(None, map(check.position, listed)), None)
        return why or check.mean(_weighed(header, rules), lower, upper)
    except KeyError as error:
        raise CertificateError(f"field {error} is missing") from None
    except CertificateError:
        raise
    except (WarAnalysisError, TypeError, ValueError, ZeroDivisionError) as error:
        raise CertificateError(str(error)) from None


def _pair(value: Any) -> tuple[Fraction, Fraction]:
    """Both bounds of a value as JSON has it; they are the same if it is exact."""
    if isinstance(value, dict):
        return Fraction(value["lower"]), Fraction(value["upper"])
    return Fraction(value), Fraction(value)


def _read(line: str, rules: RuleSet) -> tuple[State, _Line]:
    found = read_json(line, list)
    if len(found) not in (4, 5):
        raise CertificateError(f"{quoted(line.strip())}: expected 4 or 5 items")
    state, rank, told = read_position(found[:3], rules, least=0)
    return state, _Line(rank, frozen_plan(told), Fraction(found[3]), Fraction(found[-1]))


def _weighed(header: dict[str, Any], rules: RuleSet) -> Iterator[tuple[State, int]]:
    """Every deal, and in how many ways its cards are drawn from the deck."""
    counts = dict(rules.read_deck(header["deck"]).counts) if "deck" in header else {}
    for deal in starts_of(header, rules):
        state = State.of(deal.strengths())
        dealt = [card for packet in state.packets for card in packet]
        drawn = (perm(copies, dealt.count(card)) for card, copies in counts.items())
        yield state, prod(drawn)


class _Worth(NamedTuple):
    """What is left of a turn is worth, times the probability of coming to it."""

    lower: Fraction
    upper: Fraction
    nearer: bool  # luck may lower the rank


@dataclass(frozen=True)
class _Check:
    """Plays every turn, by the answers and by all others."""

    player: int
    rules: RuleSet
    listed: dict[State, _Line]

    def position(self, state: State) -> str | None:
        """The first thing that is false about a position."""
        told = self.listed[state]
        outcomes = [o for o in successors(state, self.rules) if o.probability != 0]
        found = self._worth(told, outcomes, [])
        if told.upper < found.upper:
            return f"more than {told.upper} can be won with at {state}"
        if not 0 <= told.lower <= found.lower:
            return f"the answers at {state} win with less than {told.lower}"
        if told.lower and not found.nearer:
            return f"no turn at {state} leads to a lower rank"
        return None

    def mean(
        self, starts: Iterable[tuple[State, int]], lower: Fraction, upper: Fraction
    ) -> str | None:
        """Whether the mean over the deals is as announced."""
        low, high, total = Fraction(0), Fraction(0), 0
        for state, weight in starts:
            told = self._line(state, Game(self.rules, state).ending)
            low, high = low + weight * told.lower, high + weight * told.upper
            total += weight
        if lower * total <= low and high <= upper * total:
            return None
        return f"the mean over the deals is not between {lower} and {upper}"

    def _line(self, state: State, ending: Ending | None) -> _Line:
        """What is known of a position or an end; a probability is between 0 and 1."""
        if ending is not None:
            won = Fraction(ending.winner == self.player)
            return _Line(0, {}, won, won)
        return self.listed.get(state, _Line(0, {}, Fraction(0), Fraction(1)))

    def _worth(self, told: _Line, outcomes: list[Outcome], before: list[Choice]) -> _Worth:
        """What is left of a turn is worth; one turn has few decisions."""
        path, taken = outcomes[0].path, len(before)
        if taken == len(path):
            return self._arrived(told.rank, outcomes[0])
        decision = path[taken].decision
        branches: dict[Answer, list[Outcome]] = {}
        for outcome in outcomes:
            branches.setdefault(outcome.path[taken].answer, []).append(outcome)
        found = {
            answer: self._worth(
                told, branch, [*before, Choice(decision.seat, decision.kind, answer)]
            )
            for answer, branch in branches.items()
        }
        lower, upper, nearer = zip(*found.values(), strict=True)
        if decision.by_chance:
            return _Worth(sum(lower, Fraction(0)), sum(upper, Fraction(0)), any(nearer))
        if decision.seat != self.player:
            raise CertificateError(f"player {decision.seat + 1} chooses, too")
        key = frozen(key_of(before, Choice(decision.seat, decision.kind, ())))
        only = next(iter(found)) if len(found) == 1 else None
        answer = told.plan.get(key, only)
        if answer not in found:
            return _Worth(Fraction(0), max(upper), False)
        return _Worth(found[answer].lower, max(upper), found[answer].nearer)

    def _arrived(self, rank: int, outcome: Outcome) -> _Worth:
        after, ending, _ = outcome.turn
        told, chance = self._line(after, ending), outcome.probability
        return _Worth(told.lower * chance, told.upper * chance, told.rank < rank)
