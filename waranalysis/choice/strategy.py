"""Strategies: what to choose at every position where the answer to a question is yes.

A certificate is a file of JSON lines: what it is about, then ``[rank, parts, answers]`` for every
position of the winning region. Parts are the packets, then piles and table where there are any;
answers are pairs of what was decided before in this turn and what to choose then. A card of a hand
is picked without seeing another pick: there "hand" and the seat stand in place of what was decided.
To check one,
every turn that the answers allow is played with `waranalysis.play`; nothing is solved.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from waranalysis.chance.ranks import _object, _parts, _starts, _told
from waranalysis.choice.arena import CHANCE, Arena
from waranalysis.choice.questions import QUESTIONS, Region
from waranalysis.errors import CertificateError, WarAnalysisError
from waranalysis.graph.model import Choice
from waranalysis.play import Ending, Outcome, State, Step, successors
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet

SCHEMA = "waranalysis/strategy/1"
Plan = dict[tuple[Any, ...], Any]
Ranks = dict[State, int]


def best_edges(region: Region) -> dict[int, int]:
    """The transition to choose at every node of the region that belongs to its players.

    The one to the lowest rank; the first of several.
    """
    game, ranks = region.arena, region.ranks
    found: dict[int, int] = {}
    for node in range(game.nodes):
        if ranks[node] >= 0 and game.owner[node] in region.ours:
            span = range(int(game.indptr[node]), int(game.indptr[node + 1]))
            inside = [edge for edge in span if ranks[game.indices[edge]] >= 0]
            found[node] = min(inside, key=lambda edge: int(ranks[game.indices[edge]]))
    return found


def plans(region: Region) -> Iterator[tuple[int, list[tuple[list[Any], Choice]]]]:
    """For every position of the region what to answer, given what was decided before."""
    game, best = region.arena, best_edges(region)
    moments: dict[int, list[int]] = {}
    for place, position in enumerate(game.graph.moments.tolist()):
        moments.setdefault(position, []).append(game.graph.positions + place)
    for position in range(game.graph.positions):
        if region.ranks[position] >= 0:
            if position in moments:
                raise CertificateError(
                    "choices that follow chance within a turn cannot be written as a strategy yet"
                )
            yield position, list(_plan(game, position, best, region))


def _plan(
    game: Arena, position: int, best: dict[int, int], region: Region
) -> Iterator[tuple[list[Any], Choice]]:
    """Walk the tree of choices of one turn, all answers of others, our own answers only."""
    todo: list[tuple[int, list[Choice]]] = [(position, [])]
    while todo:
        node, before = todo.pop()
        if game.owner[node] == CHANCE or (node < game.graph.nodes and before):
            continue
        ours = game.owner[node] in region.ours
        span = range(int(game.indptr[node]), int(game.indptr[node + 1]))
        for edge in [best[node]] if ours else span:
            (choice,) = game.choices[game.labels[edge]]
            if ours:
                yield _key(before, choice), choice
            todo.append((int(game.indices[edge]), [*before, choice]))


def _key(before: Sequence[Any], now: Any) -> list[Any]:
    """What an answer may depend on: the answers of this turn by seat, hands before the rest."""
    if now.kind == "hand":
        return ["hand", now.seat]
    told = sorted(before, key=lambda choice: (choice.kind != "hand", choice.seat))
    return [choice.answer for choice in told]


def strategy_lines(region: Region) -> Iterator[str]:
    """Yield the certificate of a region.

    Raises
    ------
    CertificateError
        For the sense "positive" where there is chance, or if choices follow chance in a turn.
    """
    graph = region.arena.graph
    if region.sense == "positive" and graph.rules.chance_fields:
        raise CertificateError("nothing to certify: expected the sense 'almost-sure'")
    about: dict[str, Any] = {"deck": graph.deck, "split": graph.split}
    if graph.deck is None:
        about = {"deals": [graph.text(node) for node in graph.starts if node < graph.positions]}
    told = {"question": region.question, "player": region.player, "yes": region.deals}
    yield json.dumps(provenance("strategy", graph.rules, **about, **told)) + "\n"
    for position, plan in plans(region):
        answers = [(before, choice.answer) for before, choice in plan]
        line = [int(region.ranks[position]) + 1, _parts(graph.state(position)), answers]
        yield json.dumps(line, separators=(",", ":")) + "\n"


def strategy_rows(region: Region) -> Iterator[list[Any]]:
    """Rows of a table: position, rank, seat that chooses, what was decided before, the choice."""
    for position, plan in plans(region):
        about = [region.arena.graph.text(position), int(region.ranks[position])]
        for before, choice in plan:
            told = "" if choice.kind == "hand" else " ".join(map(str, before))
            yield [*about, choice.seat, told, _words(choice)]
        if not plan:
            yield [*about, None, None, None]


def _words(choice: Choice) -> str:
    if isinstance(choice.answer, tuple):
        return " ".join(map(str, choice.answer))
    yes, no = {"side": ("winner-first", "loser-first"), "hand": ("second card", "top card")}[
        choice.kind
    ]
    return yes if choice.answer else no


def statement(lines: Sequence[str]) -> str:
    """What a certificate states, in words."""
    header = _object(lines[0], dict)
    who, question = header.get("player"), str(header.get("question"))
    name = "the players together" if who is None else f"player {who + 1}"
    return f"{name}: {question} from {len(lines) - 1:,} positions, {header.get('yes')} deals"


# --- checking --------------------------------------------------------------------------------


def verify_strategy(lines: Iterable[str]) -> str | None:
    """Check a certificate of `strategy_lines`; as `waranalysis.chance.ranks.verify_ranks`.

    With chance the end is reached with probability one: whatever the others choose, luck may
    lower the rank, and nothing leads out of the region.
    """
    numbered = iter(lines)
    header = _object(next(numbered, ""), dict)
    try:
        rules = RuleSet.from_dict(header["rules"])
        question, player = header["question"], header.get("player")
        if question not in QUESTIONS or question.startswith("force") != isinstance(player, int):
            raise CertificateError(f"question '{question}' with player {player}")
        told = [_told(line, rules) for line in numbered]
        ranks = {state: rank for state, rank, _ in told}
        check = _Check(question, player, rules, ranks)
        for state, _, answers in told:
            plan = {_frozen(before): _frozen(answer) for before, answer in answers}
            if why := check.position(state, plan):
                return why
        starts = [State.of(deal.strengths()) for deal in _starts(header, rules)]
        yes = sum(check.holds(state) for state in starts)
        return None if yes == header["yes"] else f"{yes} deals are listed, not {header['yes']}"
    except KeyError as error:
        raise CertificateError(f"field {error} is missing") from None
    except CertificateError:
        raise
    except (WarAnalysisError, TypeError, ValueError) as error:
        raise CertificateError(str(error)) from None


def _frozen(answer: Any) -> Any:
    return tuple(map(_frozen, answer)) if isinstance(answer, list) else answer


class _Check:
    """Plays every turn that a plan allows."""

    def __init__(self, question: str, player: int | None, rules: RuleSet, ranks: Ranks) -> None:
        self.question = question
        self.player = player
        self.rules = rules
        self.ranks = ranks

    def holds(self, state: State) -> bool:
        """Whether a deal is listed, or is an end of the right kind."""
        from waranalysis.play import Game

        ending = Game(self.rules, state).ending
        return state in self.ranks if ending is None else self._wanted(ending)

    def _wanted(self, ending: Ending) -> bool:
        if "endless" in self.question:
            return False
        return self.question != "force-win" or ending.winner == self.player

    def _ours(self, step: Step) -> bool:
        decision = step.decision
        return not decision.by_chance and self.player in (None, decision.seat)

    def position(self, state: State, plan: Plan) -> str | None:
        """The first thing that is false about a position."""
        allowed = [o for o in successors(state, self.rules) if self._follows(o, plan)]
        if not allowed:
            return f"the answers at {state} allow no turn"
        for outcome in allowed:
            after, ending, _ = outcome.turn
            if not (after in self.ranks if ending is None else self._wanted(ending)):
                return f"a turn at {state} leads to {after}, which is not listed"
        if "endless" not in self.question and not self._lower(self.ranks[state], allowed, 0):
            return f"no turn at {state} leads to a lower rank for certain"
        return None

    def _follows(self, outcome: Outcome, plan: Plan) -> bool:
        """Whether a way through the turn has positive probability and keeps to the plan."""
        if outcome.probability == 0:
            return False
        before: list[Choice] = []
        for step in outcome.path:
            choice = Choice(step.decision.seat, step.decision.kind, step.answer)
            key = tuple(_key(before, choice))
            only = step.decision.kind == "hand" and len(set(step.decision.cards)) == 1
            if self._ours(step) and plan.get(key, step.answer if only else None) != step.answer:
                return False
            if not step.decision.by_chance:
                before.append(choice)
        return True

    def _lower(self, rank: int, outcomes: list[Outcome], depth: int) -> bool:
        """Whether whatever the others choose leaves a chance of a lower rank; a turn is short."""
        if depth == len(outcomes[0].path):
            after, ending, _ = outcomes[0].turn
            return ending is not None or self.ranks[after] < rank
        branches: dict[Any, list[Outcome]] = {}
        for outcome in outcomes:
            branches.setdefault(outcome.path[depth].answer, []).append(outcome)
        lower = (self._lower(rank, branch, depth + 1) for branch in branches.values())
        return any(lower) if outcomes[0].path[depth].decision.by_chance else all(lower)
