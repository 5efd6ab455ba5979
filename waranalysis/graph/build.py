"""Build state graphs: breadth first from the deals, under any rule set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.cards import Deal, Deals, Deck, Naming
from waranalysis.errors import CardsError, LimitError, RulesError, quoted
from waranalysis.graph.model import Choice, StateGraph, pack, unpack
from waranalysis.play import Game, Outcome, State, Step, successors
from waranalysis.rules import RuleSet

LIMIT = 30_000_000
NODES = (1 << 31) - 1  # a node is a 32-bit number
MEMORY = 4_000_000_000
_DEAL_BYTES = 64  # at least, for a node

Split = Sequence[int] | str | None
Start = str | Deck | Deal | State | Sequence[Deal | State]


def state_graph(
    start: Start,
    rules: RuleSet | None = None,
    split: Split = None,
    limit: int = LIMIT,
    memory: int = MEMORY,
    plain: bool = False,
    done: Callable[[int], None] = lambda _: None,
) -> StateGraph:
    """Build the graph of everything that can be reached from a deck or from given deals.

    Parameters
    ----------
    start : str, Deck, Deal, State or sequence of Deal or State
        A deck spec such as "4x2", a deal such as "4 2 | 3 5 1", or these as objects.
    rules : RuleSet, optional
        "classic" by default. Any kind but one with a limit of battles.
    split : sequence of int or "all", optional
        For a deck: cards for each player, or every split in which two players or more hold
        cards. As even as can be by default.
    limit : int
        Most nodes.
    memory : int
        Most bytes, by estimate.
    plain : bool
        Do without the compiled kernel.
    done : callable
        Told the number of positions played on, now and then.

    Returns
    -------
    StateGraph
        Two players, ``recycle = "bottom"``, ``hand = 1``, no `recognition`, and states of at most
        62 bits (15 distinct cards, 4x4) go through a compiled kernel, about
        10^6 positions a second; everything else through `waranalysis.play.successors`.

    Raises
    ------
    RulesError
        If the rule set has a limit of battles (the count of battles is not part of the state)
        or does not fit the deals.
    CardsError
        If the deck or the split is none.
    LimitError
        If there are more nodes than `limit`, or they would need more than `memory`.
    """
    rules = RuleSet() if rules is None else rules
    if rules.limit is not None:
        raise RulesError(
            f"a limit of {rules.limit} battles is not part of the state: expected a rule set "
            "without max_battles and minutes for a state graph"
        )
    origin = read_origin(start, rules, split)
    bounds = Bounds(limit, memory, str(origin), done)
    bounds.check_deals(origin.size)
    from waranalysis.graph import fast

    if not plain and (coded := fast.encode(origin, rules)) is not None:
        return finish(origin, rules, fast.explore(coded, rules, bounds))
    return finish(origin, rules, _Search(rules, bounds).run(origin))


# --- where it starts -------------------------------------------------------------------------


@dataclass(frozen=True)
class Origin:
    """The deals a graph starts from: all those of a deck, or a list of states."""

    naming: Naming
    families: tuple[Deals, ...] = ()
    given: tuple[State, ...] = ()
    deck: Deck | None = None
    split: str | None = None

    def __str__(self) -> str:
        return quoted(self.deck) if self.deck is not None else "the given deals"

    @property
    def size(self) -> int:
        """Number of deals."""
        return sum(deals.count for deals in self.families) + len(self.given)

    @property
    def most_positions(self) -> int:
        """About how many positions there can be, every split counted; 0 for given deals."""
        return self.size * (self.deck.size - 1) if self.deck else 0

    def states(self) -> Iterator[State]:
        """Every start, in order."""
        for deals in self.families:
            yield from map(State.of, deals.iterate())
        yield from self.given


def read_origin(start: Start, rules: RuleSet, split: Split) -> Origin:
    """Read what a graph is to start from; the parameters are those of `state_graph`."""
    if isinstance(start, str):
        start = rules.read_deal(start) if "|" in start else rules.read_deck(start)
    if isinstance(start, Deck):
        return _deck_origin(start, rules, split)
    if split is not None:
        raise RulesError("a split is for a deck, not for given deals")
    given = [start] if isinstance(start, Deal | State) else list(start)
    if not given:
        raise CardsError("no deal to start from: expected a deck or deals")
    deals = [item for item in given if isinstance(item, Deal)]
    for deal in deals:
        rules.check_deal(deal)
    states = tuple(State.of(s.strengths()) if isinstance(s, Deal) else s for s in given)
    for state in states:
        if len(state.packets) != rules.players:
            raise RulesError(f"{len(state.packets)} packets: expected players = {rules.players}")
    return Origin(deals[0].naming if deals else Naming(rules.ace, rules.jokers), given=states)


def _deck_origin(deck: Deck, rules: RuleSet, split: Split) -> Origin:
    if split != "all":
        if isinstance(split, str):
            raise RulesError(f"split {quoted(split)}: expected sizes such as 5/3, or all")
        family = rules.deals(deck, split)
        return Origin(deck.naming, (family,), deck=deck, split=family.split)
    sizes = (
        sizes
        for sizes in product(range(deck.size + 1), repeat=rules.players)
        if sum(sizes) == deck.size and sum(map(bool, sizes)) > 1
    )
    families = tuple(rules.deals(deck, each) for each in sizes)
    return Origin(deck.naming, families, deck=deck, split="all")


@dataclass(frozen=True)
class Bounds:
    """How large a graph may become."""

    limit: int
    memory: int
    name: str
    done: Callable[[int], None] = lambda _: None
    most: int = NODES  # a limit that nobody can raise

    def check_deals(self, deals: int, each: int = _DEAL_BYTES) -> None:
        """Raise `LimitError` if the deals alone are too many nodes, or take too many bytes."""
        if deals > self.limit:
            what, instead = f"{self.limit:,} nodes", self._larger
        elif deals * each > self.memory:
            what, instead = f"{self.memory:,} bytes", " or more memory"
        else:
            return
        count = f"{deals:,}" if deals < 10**15 else f"{Decimal(deals):.3g}"
        raise LimitError(
            f"the state graph of {self.name} takes more than {what}: there are {count} deals "
            f"alone; expected a smaller deck{instead}"
        )

    def check(self, nodes: int, expanded: int, used: int) -> None:
        """Raise `LimitError` if there are too many nodes, or bytes are used or about to be."""
        self.done(expanded)
        if nodes > self.limit:
            self._fail(f"more than {self.limit:,} nodes", nodes, expanded, self._larger)
        if used > self.memory:
            self._fail(f"more than {self.memory:,} bytes", nodes, expanded, " or more memory")

    @property
    def _larger(self) -> str:
        return " or a larger limit" if self.limit < self.most else ""

    def _fail(self, what: str, nodes: int, expanded: int, instead: str) -> None:
        raise LimitError(
            f"the state graph of {self.name} takes {what} ({nodes:,} nodes found, {expanded:,} of "
            f"them played on): expected a smaller deck{instead}"
        )


# --- plain Python ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """A graph before its nodes are numbered for good.

    `starts` and `targets` hold a position, ``-1 - seat`` or ``-1 - players`` for an end, and
    ``-2 - players - number`` for a moment. The other fields are those of `StateGraph`, `cards`
    are the strengths dealt at each start.
    """

    packed: NDArray[np.uint8]
    moments: NDArray[np.int64]
    actions: NDArray[np.int64]
    labels: NDArray[np.int32]
    choices: tuple[tuple[Choice, ...], ...]
    indptr: NDArray[np.int64]
    targets: NDArray[np.int32]
    chances: NDArray[np.int32]
    values: tuple[Any, ...]
    starts: NDArray[np.int64]
    cards: NDArray[np.uint8] | None


_NODE_BYTES = 400
_TRANSITION_BYTES = 100


class _Places(dict[Any, int]):
    """Numbers things in the order in which they are first asked for."""

    def __missing__(self, key: Any) -> int:
        self[key] = place = len(self)
        return place


Moment = tuple[int, list[Outcome], int]


class _Search:
    """A breadth-first search through `successors`."""

    def __init__(self, rules: RuleSet, bounds: Bounds) -> None:
        self.rules = rules
        self.bounds = bounds
        self.nodes: dict[bytes, int] = {}
        self.queue: list[bytes] = []
        self.moments: list[Moment] = []
        self.choices = _Places({(): 0})
        self.values = _Places()

    def run(self, origin: Origin) -> Parts:
        """Find every position that can be reached, and what can be done there."""
        starts, dealt = [], []
        self.bounds.check(origin.size, 0, origin.size * _NODE_BYTES)
        for state in origin.states():
            starts.append(self._target(state, Game(self.rules, state).ending))
            dealt.append(pack(state).replace(b"\0", b""))
        positions, moments = _Rows(), _Rows()
        done = 0
        for number, packed in enumerate(self.queue):  # grows on the way
            outcomes = list(successors(unpack(packed, self.rules.players), self.rules))
            positions.add(self._actions((number, outcomes, 0)))
            while done < len(self.moments):
                moments.add(self._actions(self.moments[done]))
                self.moments[done] = (number, [], 0)
                done += 1
            self._check(number + 1, len(positions.targets) + len(moments.targets))
        return self._parts(positions.joined(moments), starts, dealt, origin)

    def _check(self, expanded: int, transitions: int) -> None:
        nodes = len(self.queue) + len(self.moments)
        used = nodes * _NODE_BYTES + transitions * _TRANSITION_BYTES
        self.bounds.check(nodes, expanded, used)

    def _target(self, state: State, ending: Any) -> int:
        if ending is not None:
            return -1 - (self.rules.players if ending.winner is None else int(ending.winner))
        packed = pack(state)
        node = self.nodes.setdefault(packed, len(self.queue))
        if node == len(self.queue):
            self.queue.append(packed)
        return node

    def _actions(self, moment: Moment) -> dict[int, dict[int, Any]]:
        """For every action the chance of every target; choices come before chance."""
        _, outcomes, done = moment
        actions: dict[int, dict[int, Any]] = {}
        inner: dict[tuple[Any, ...], int] = {}
        for outcome in outcomes:
            path = outcome.path
            chance = _run(path, done, by_chance=False)
            after = _run(path, chance, by_chance=True)
            probability = Outcome(outcome.turn, path[chance:after]).probability
            if probability == 0:
                continue
            label = tuple(
                Choice(s.decision.seat, s.decision.kind, s.answer) for s in path[done:chance]
            )
            reached = actions.setdefault(self.choices[label], {})
            if after == len(path):
                target = self._target(outcome.turn.state, outcome.turn.ending)
            else:
                key = tuple(step.answer for step in path[:after])
                if key in inner:
                    self.moments[inner[key]][1].append(outcome)
                    continue
                inner[key] = len(self.moments)
                target = -2 - self.rules.players - len(self.moments)
                self.moments.append((moment[0], [outcome], after))
            reached[target] = reached.get(target, 0) + probability
        return {
            label: {target: self.values[_plain(p)] for target, p in reached.items()}
            for label, reached in actions.items()
        }

    def _parts(self, rows: _Rows, starts: list[int], dealt: list[bytes], origin: Origin) -> Parts:
        width = max(map(len, self.queue), default=0)
        packed = b"".join(state.ljust(width, b"\0") for state in self.queue)
        cards = None
        if origin.deck is not None:
            cards = np.frombuffer(b"".join(dealt), np.uint8).reshape(len(dealt), -1)
        return Parts(
            np.frombuffer(packed, np.uint8).reshape(len(self.queue), width),
            np.array([moment[0] for moment in self.moments], dtype=np.int64),
            np.array(rows.actions, dtype=np.int64),
            np.array(rows.labels, dtype=np.int32),
            tuple(self.choices),
            np.array(rows.indptr, dtype=np.int64),
            np.array(rows.targets, dtype=np.int32),
            np.array(rows.chances, dtype=np.int32),
            tuple(self.values),
            np.array(starts, dtype=np.int64),
            cards,
        )


def paths_to_moments(state: State, rules: RuleSet) -> list[tuple[Step, ...]]:
    """What was decided in the turn of a position before each of its moments, in their order."""
    search = _Search(rules, Bounds(LIMIT, MEMORY, ""))
    search._actions((0, list(successors(state, rules)), 0))
    for moment in search.moments:  # grows on the way
        search._actions(moment)
    return [outcomes[0].path[:done] for _, outcomes, done in search.moments]


class _Rows:
    """Compressed rows under construction."""

    def __init__(self) -> None:
        self.actions = [0]
        self.labels: list[int] = []
        self.indptr = [0]
        self.targets: list[int] = []
        self.chances: list[int] = []

    def add(self, actions: dict[int, dict[int, int]]) -> None:
        """Append the actions of the next node."""
        for label, reached in actions.items():
            self.labels.append(label)
            self.targets += reached
            self.chances += reached.values()
            self.indptr.append(len(self.targets))
        self.actions.append(len(self.labels))

    def joined(self, other: _Rows) -> _Rows:
        """These rows and then the others."""
        self.actions += [len(self.labels) + first for first in other.actions[1:]]
        self.indptr += [len(self.targets) + first for first in other.indptr[1:]]
        self.labels += other.labels
        self.targets += other.targets
        self.chances += other.chances
        return self


def _run(path: Sequence[Step], begin: int, by_chance: bool) -> int:
    """Where the decisions of one kind that start at `begin` stop."""
    while begin < len(path) and path[begin].decision.by_chance == by_chance:
        begin += 1
    return begin


def _plain(probability: Any) -> Any:
    """A Fraction where the symbols cancel, else the expanded expression."""
    if isinstance(probability, Fraction):
        return probability
    expanded = probability.expand()
    return Fraction(int(expanded.p), int(expanded.q)) if expanded.is_Rational else expanded


# --- numbering -------------------------------------------------------------------------------


def finish(origin: Origin, rules: RuleSet, parts: Parts) -> StateGraph:
    """Number moments and ends behind the positions, and put the probabilities in order."""
    draw = -1 - rules.players
    found = np.unique(np.concatenate([parts.targets[parts.targets < 0], parts.starts]))
    codes = found[(draw <= found) & (found < 0)][::-1]
    # What stands for a node below 0, with a place for each from -1 down.
    below = np.full(1 - draw + len(parts.moments), -1, dtype=np.int64)
    below[-codes] = len(parts.packed) + len(parts.moments) + np.arange(len(codes))
    below[1 - draw :] = len(parts.packed) + np.arange(len(parts.moments))
    order = sorted(range(len(parts.values)), key=lambda place: _by_size(parts.values[place]))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    first = _renumbered(parts.starts, below)
    starts, place, deals = np.unique(first, return_inverse=True, return_counts=True)
    weights = np.zeros(len(starts), dtype=np.int64)
    np.add.at(weights, place, _weights(parts.cards, origin, len(first)))
    return StateGraph(
        rules=rules,
        deck=None if origin.deck is None else str(origin.deck),
        split=origin.split,
        naming=origin.naming,
        packed=parts.packed,
        moments=parts.moments,
        ends=tuple(None if code == draw else int(-1 - code) for code in codes),
        actions=np.concatenate([parts.actions, np.repeat(parts.actions[-1:], len(codes))]),
        labels=parts.labels,
        choices=parts.choices,
        indptr=parts.indptr,
        indices=_renumbered(parts.targets, below),
        chances=rank[parts.chances],
        values=tuple(parts.values[place] for place in order),
        starts=starts,
        deals=deals.astype(np.int64),
        weights=weights,
    )


def _renumbered(nodes: NDArray[Any], below: NDArray[np.int64]) -> NDArray[Any]:
    result = nodes.copy()
    result[nodes < 0] = below[-nodes[nodes < 0]]
    return result


def _by_size(value: Any) -> tuple[bool, Fraction, str]:
    number = isinstance(value, Fraction)
    return not number, value if number else Fraction(0), str(value)


def _weights(cards: NDArray[np.uint8] | None, origin: Origin, deals: int) -> NDArray[np.int64]:
    """Relative probability of each deal: the ways to draw its cards, told apart."""
    if origin.deck is None or cards is None or cards.shape[1] == origin.deck.size:
        return np.ones(deals, dtype=np.int64)
    weights = np.ones(deals, dtype=np.int64)
    for strength, copies in origin.deck.counts:
        drawn = (cards == strength).sum(axis=1)
        for taken in range(copies):
            weights[drawn > taken] *= copies - taken
    return weights // max(int(np.gcd.reduce(weights)), 1)
