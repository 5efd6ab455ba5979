"""Strategies: what to choose at every position where the answer to a question is yes.

A certificate is a file of JSON lines: what it is about, then ``[rank, parts, answers]`` for every
position of the winning region. Parts are the packets, then piles and table where there are any;
answers are pairs of what was decided before in this turn, by chance too, and what to choose then.
A card of a hand is picked without seeing another pick: there "hand" and the seat stand in place of
it. To check one, every turn that the answers allow is played with `waranalysis.play`; nothing is
solved.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from waranalysis.chance.lines import parts_of, read_json, read_position, starts_of
from waranalysis.choice.arena import CHANCE, Arena
from waranalysis.choice.questions import QUESTIONS, SENSES, Region
from waranalysis.errors import CertificateError, WarAnalysisError
from waranalysis.graph.build import paths_to_moments
from waranalysis.graph.model import Choice, StateGraph
from waranalysis.graph.structure import Marks, Structure, structure
from waranalysis.play import Ending, Game, Outcome, State, successors
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet

SCHEMA = "waranalysis/strategy/1"
Plan = dict[tuple[Any, ...], Any]
Ranks = dict[State, int]


class Strategy(Protocol):
    """What to choose where: a `Region`, or a `waranalysis.choice.values.Best`."""

    @property
    def arena(self) -> Arena:
        """The game graph."""
        ...

    @property
    def ours(self) -> tuple[int, ...]:
        """The seats it is for."""
        ...

    @property
    def ranks(self) -> NDArray[np.int32]:
        """``(nodes,)``: -1 where there is nothing to be gained."""
        ...

    @property
    def edges(self) -> dict[int, int]:
        """The transition to choose at the other nodes of these seats."""
        ...


def plans(strategy: Strategy) -> Iterator[tuple[int, list[tuple[list[Choice], Choice]]]]:
    """For every position of rank 0 or more what to choose, given what was decided before."""
    graph, ranks = strategy.arena.graph, strategy.ranks
    first, last = (np.searchsorted(graph.moments, np.arange(graph.positions), s) for s in _SIDES)
    for position in range(graph.positions):
        if ranks[position] < 0:
            continue
        roots: list[tuple[int, list[Choice]]] = [(position, [])]
        if first[position] < last[position]:
            paths = paths_to_moments(graph.state(position), graph.rules)
            told = ([Choice(s.decision.seat, s.decision.kind, s.answer) for s in p] for p in paths)
            roots += enumerate(told, graph.positions + int(first[position]))
        found: list[tuple[list[Choice], Choice]] = []
        for node, before in roots:
            if ranks[node] >= 0 and _keeps_to(found, before):
                found += _plan(strategy, node, before)
        yield position, found


def _keeps_to(plan: Iterable[tuple[list[Choice], Choice]], before: Sequence[Choice]) -> bool:
    """Whether what was decided before a moment agrees with the plan of the same turn."""
    planned = {frozen(key_of(told, now)): now for told, now in plan}
    keys = (frozen(key_of(before[:place], now)) for place, now in enumerate(before))
    return all(
        now.kind in _CHANCE or planned.get(key, now).answer == now.answer
        for key, now in zip(keys, before, strict=True)
    )


_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


def _plan(
    strategy: Strategy, root: int, told: list[Choice]
) -> Iterator[tuple[list[Choice], Choice]]:
    """Walk the tree of choices from a node, all answers of others, our own answers only."""
    game, best = strategy.arena, strategy.edges
    todo = [(root, told)]
    while todo:
        node, before = todo.pop()
        if game.owner[node] == CHANCE or (node < game.graph.nodes and node != root):
            continue
        ours = game.owner[node] in strategy.ours
        span = range(int(game.indptr[node]), int(game.indptr[node + 1]))
        for edge in [best[node]] if ours else span:
            (choice,) = game.choices[game.labels[edge]]
            if ours:
                yield before, choice
            todo.append((int(game.indices[edge]), [*before, choice]))


def _visible(before: Sequence[Choice], now: Choice) -> list[Choice]:
    """What a choice may depend on: all before it in the turn, hands first, but of hands nothing."""
    if now.kind == "hand":
        return [choice for choice in before if choice.kind in _CHANCE]
    return sorted(before, key=lambda c: (c.kind != "hand", c.seat if c.kind == "hand" else 0))


_CHANCE = ("shuffle", "coin", "recognise")


def key_of(before: Sequence[Choice], now: Choice) -> list[Any]:
    """How a certificate names the point at which something is chosen."""
    told = [choice.answer for choice in _visible(before, now)]
    return ["hand", now.seat, *told] if now.kind == "hand" else told


def strategy_lines(region: Region) -> Iterator[str]:
    """Yield the certificate of a region.

    Raises
    ------
    CertificateError
        If a deal is given that is over before the first battle.
    """
    graph = region.arena.graph
    told = {"question": region.question, "player": region.player, "sense": region.sense}
    header = provenance("strategy", graph.rules, **start_fields(graph), **told, yes=region.deals)
    yield json.dumps(header) + "\n"
    for position, plan in plans(region):
        line = [int(region.ranks[position]) + 1, parts_of(graph.state(position)), answers(plan)]
        yield json.dumps(line, separators=(",", ":")) + "\n"


def start_fields(graph: StateGraph) -> dict[str, Any]:
    """The deck, or the deals, that a certificate is about."""
    if graph.deck is not None:
        return {"deck": graph.deck, "split": graph.split}
    if (graph.starts >= graph.positions).any():
        raise CertificateError("nothing to certify: a deal is over before the first battle")
    return {"deals": list(map(graph.text, graph.starts.tolist()))}


def answers(plan: Iterable[tuple[list[Choice], Choice]]) -> list[Any]:
    """What to choose in a turn, as certificates have it."""
    return [(key_of(before, choice), choice.answer) for before, choice in plan]


def strategy_rows(strategy: Strategy) -> Iterator[tuple[int, list[Any]]]:
    """Nodes, each with a row: position, rank, seat that chooses, what was decided, the choice."""
    for position, plan in plans(strategy):
        about = [strategy.arena.graph.text(position), int(strategy.ranks[position])]
        for before, choice in plan:
            told = "; ".join(map(_words, _visible(before, choice)))
            yield position, [*about, choice.seat, told, _words(choice)]
        if not plan:
            yield position, [*about, None, None, None]


def _words(choice: Choice) -> str:
    if isinstance(choice.answer, tuple):
        return " ".join(map(str, choice.answer))
    yes, no = {
        "side": ("winner-first", "loser-first"),
        "coin": ("winner-first", "loser-first"),
        "hand": ("second card", "top card"),
        "recognise": ("seen", "not seen"),
    }[choice.kind]
    return yes if choice.answer else no


def marked(strategy: Strategy) -> Structure:
    """The graph with a strategy marked, for the files of `waranalysis.graph`."""
    graph = strategy.arena.graph
    ranks = strategy.ranks[: graph.nodes]
    return replace(structure(graph), marks=Marks(ranks >= 0, ranks, chosen_actions(strategy)))


def chosen_actions(strategy: Strategy) -> NDArray[np.bool_]:
    """``(actions,)``: the actions of the graph that keep to the choices of a strategy."""
    graph, ours = strategy.arena.graph, strategy.ours
    chosen = np.zeros(len(graph.labels), dtype=np.bool_)
    several = np.flatnonzero(np.diff(graph.actions) > 1)
    for node in several[strategy.ranks[several] >= 0].tolist():
        own = {frozenset([*before, now]) for before, now in _plan(strategy, node, [])}
        for action in range(int(graph.actions[node]), int(graph.actions[node + 1])):
            label = frozenset(graph.choices[graph.labels[action]])
            told = frozenset(choice for choice in label if choice.seat in ours)
            chosen[action] = bool(told) and all(
                any(now in part for part in own if part <= label) for now in told
            )
    return chosen


def statement(lines: Sequence[str]) -> str:
    """What a certificate states, in words."""
    header = read_json(lines[0], dict)
    who, question = header.get("player"), str(header.get("question"))
    name = "the players together" if who is None else f"player {who + 1}"
    if header.get("sense") == "positive":
        question += " with some probability"
    return f"{name}: {question} from {len(lines) - 1:,} positions, {header.get('yes')} deals"


# --- checking --------------------------------------------------------------------------------


def verify_strategy(lines: Iterable[str]) -> str | None:
    """Check a certificate of `strategy_lines`; as `waranalysis.chance.ranks.verify_ranks`.

    Notes
    -----
    What is checked of every turn, whatever the others choose:

    - an end is reached almost surely: luck may lower the rank, and nothing leads out of the list;
    - with some probability: luck may lower the rank;
    - there is surely no end: nothing leads out of the list;
    - with some probability there is none: luck may lower the rank, or else nothing leads out of
      the list or to a greater rank. (At the least rank nothing does; at others it may come lower,
      or for ever does not.)
    """
    numbered = iter(lines)
    header = read_json(next(numbered, ""), dict)
    try:
        rules = RuleSet.from_dict(header["rules"])
        question, player = header["question"], header.get("player")
        if question not in QUESTIONS or question.startswith("force") != isinstance(player, int):
            raise CertificateError(f"question '{question}' with player {player}")
        sense = header.get("sense", "almost-sure")
        if sense not in SENSES:
            raise CertificateError(f"sense '{sense}': expected {' or '.join(SENSES)}")
        told = [read_position(read_json(line, list), rules) for line in numbered]
        ranks = {state: rank for state, rank, _ in told}
        check = _Check(question, player, sense, rules, ranks)
        for state, _, listed in told:
            plan = frozen_plan(listed)
            if why := check.position(state, plan):
                return why
        starts = [State.of(deal.strengths()) for deal in starts_of(header, rules)]
        yes = sum(check.holds(state) for state in starts)
        return None if yes == header["yes"] else f"{yes} deals are listed, not {header['yes']}"
    except KeyError as error:
        raise CertificateError(f"field {error} is missing") from None
    except CertificateError:
        raise
    except (WarAnalysisError, TypeError, ValueError) as error:
        raise CertificateError(str(error)) from None


def frozen_plan(listed: list[Any]) -> Plan:
    """The answers of a certificate, to be looked up."""
    return {frozen(before): frozen(answer) for before, answer in listed}


def frozen(answer: Any) -> Any:
    """An answer of a certificate with tuples in place of lists."""
    return tuple(map(frozen, answer)) if isinstance(answer, list) else answer


class _Verdict(NamedTuple):
    """What is so of a turn from some point on, whatever the others choose."""

    safe: bool  # nothing leads out of the list
    lower: bool  # luck may lower the rank
    level: bool  # it may, or nothing leads out of the list or to a greater rank


_NO = _Verdict(False, False, False)


@dataclass(frozen=True)
class _Check:
    """Plays every turn that a plan allows."""

    question: str
    player: int | None
    sense: str
    rules: RuleSet
    ranks: Ranks

    def holds(self, state: State) -> bool:
        """Whether a deal is listed, or is an end of the right kind."""
        ending = Game(self.rules, state).ending
        return state in self.ranks if ending is None else self._wanted(ending)

    def _wanted(self, ending: Ending) -> bool:
        if "endless" in self.question:
            return False
        return self.question != "force-win" or ending.winner == self.player

    def position(self, state: State, plan: Plan) -> str | None:
        """The first thing that is false about a position."""
        outcomes = [o for o in successors(state, self.rules) if o.probability != 0]
        found = self._judge(self.ranks[state], outcomes, plan, [])
        out = f"a turn at {state} leads to what is not listed, or has no answer"
        up = f"no turn at {state} leads to a lower rank for certain"
        endless = "endless" in self.question
        if self.sense == "positive":
            return None if (found.level if endless else found.lower) else up
        if not found.safe:
            return out
        return None if endless or found.lower else up

    def _judge(
        self, rank: int, outcomes: list[Outcome], plan: Plan, before: list[Choice]
    ) -> _Verdict:
        """Judge what is left of a turn; one turn has few decisions."""
        path, taken = outcomes[0].path, len(before)
        if taken == len(path):
            return self._arrived(rank, outcomes[0])
        decision = path[taken].decision
        branches: dict[Any, list[Outcome]] = {}
        for outcome in outcomes:
            branches.setdefault(outcome.path[taken].answer, []).append(outcome)

        def follow(answer: Any) -> _Verdict:
            made = Choice(decision.seat, decision.kind, answer)
            return self._judge(rank, branches[answer], plan, [*before, made])

        if not decision.by_chance and self.player in (None, decision.seat):
            only = next(iter(branches)) if len(branches) == 1 else None
            key = frozen(key_of(before, Choice(decision.seat, decision.kind, ())))
            answer = plan.get(key, only)
            return follow(answer) if answer in branches else _NO
        safe, lower, level = zip(*map(follow, branches), strict=True)
        if decision.by_chance:
            return _Verdict(all(safe), any(lower), any(lower) or all(level))
        return _Verdict(all(safe), all(lower), all(level))

    def _arrived(self, rank: int, outcome: Outcome) -> _Verdict:
        after, ending, _ = outcome.turn
        if ending is not None:
            wanted = self._wanted(ending)
            return _Verdict(wanted, wanted, wanted)
        if after not in self.ranks:
            return _NO
        return _Verdict(True, self.ranks[after] < rank, self.ranks[after] <= rank)
