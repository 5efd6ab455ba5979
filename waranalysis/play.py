"""One turn, every outcome of a turn, and whole games, under every rule set.

Plain Python and nothing else: this is the definition of truth that every faster part of the
package is tested against, and the only code a certificate is checked with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import chain, zip_longest
from math import lcm, prod
from typing import Any, NamedTuple

from waranalysis.callable_module import make_callable
from waranalysis.cards import STRENGTH, Deal, Packet
from waranalysis.decisions import Answer, Decide, Decision, chance_of, options, seeded
from waranalysis.rules import RuleSet


class State(NamedTuple):
    """Everything the future of a game depends on.

    Attributes
    ----------
    packets : tuple of packets
        Top card first.
    piles : tuple of packets
        Won piles; the card won last is last. Sorted where a pile is shuffled when picked up.
    table : packet
        Cards left on the table by earlier turns, oldest first.
    """

    packets: tuple[Packet, ...]
    piles: tuple[Packet, ...]
    table: Packet = ()

    @classmethod
    def of(cls, deal: Deal) -> State:
        """The state before the first turn."""
        return cls(deal.packets, ((),) * len(deal.packets))


def laps(before: State, after: State) -> int:
    """Laps of a loop until every single card is back in its place.

    Parameters
    ----------
    before, after : State
        One lap apart, with cards that are all different (`Deal.labelled`) and the same strengths
        in the same places. A lap moves the cards by a permutation of the places that depends on
        the strengths alone, so the answer is the order of that permutation.
    """
    places = [chain(*state.packets, *state.piles, state.table) for state in (before, after)]
    image = dict(zip(*places, strict=True))
    order = 1
    while image:
        card, length = next(iter(image)), 0
        while card in image:
            card, length = image.pop(card), length + 1
        order = lcm(order, length)
    return order


class Reason(Enum):
    """Why a game ended."""

    ALL_CARDS = "one player holds all the cards"
    NO_CARDS = "nobody holds a card"
    SHORT = "not enough cards for a war"
    NOBODY_LEFT = "a war left nobody to capture"
    FIRST_OUT = "a player ran out of cards"
    LIMIT = "the limit of battles was reached"


@dataclass(frozen=True)
class Ending:
    """How a game ended: the winner's seat, or None for a draw, and why."""

    winner: int | None
    reason: Reason


Policy = Callable[["Game", Decision], Answer]


def _no_decision(decision: Decision) -> Answer:
    raise AssertionError(f"a deterministic rule set left {decision} open")


# --- a game ----------------------------------------------------------------------------------

_BY_RANK = [*range(10), 10, 10, 10, 10]


def cards_by_rank(strength: int) -> int:
    """Cards laid face down in a war by rank: 2 for a 2, 10 for a king, 11 for an ace."""
    return _BY_RANK[strength] if strength < len(_BY_RANK) else 11


class Game:
    """A game under way; `turn` plays one turn in place.

    Parameters
    ----------
    rules : RuleSet
    start : State
    decide : callable, optional
        Answers what the rules leave open; not needed for deterministic rule sets.

    Attributes
    ----------
    packets, piles : list of deque, list of list
        As in `State`.
    table : list of int
    battles, wars : int
    ending : Ending or None
    rows : list of list of int
        What each seat laid in the last turn.
    faces : list of (int, int)
        Seat and place in its row of every card turned up in a war of the last turn.
    captor : int or None
        The seat that captured in the last turn.
    """

    def __init__(self, rules: RuleSet, start: State, decide: Decide = _no_decision) -> None:
        self.rules = rules
        self.decide = decide
        self.packets = [deque(packet) for packet in start.packets]
        self.piles = [list(pile) for pile in start.piles]
        self.table = list(start.table)
        self.battles = 0
        self.wars = 0
        self.rows: list[list[int]] = []
        self.faces: list[tuple[int, int]] = []
        self.captor: int | None = None
        self._seats = range(len(self.packets))
        self._best = max if rules.best == "highest" else min
        self._captures = rules.captures
        self._to_pile = rules.recycle != "bottom"
        self._limit = rules.limit
        self._turned: list[int] = []
        self._lost: set[int] = set()
        self._winner_first = single_battle_orders(rules)
        self.ending = self._over() or self._counted()

    def state(self) -> State:
        """The present state."""
        piles: Iterable[Iterable[int]] = self.piles
        if self.rules.recycle == "pile-shuffled":
            piles = map(sorted, self.piles)
        return State(tuple(map(tuple, self.packets)), tuple(map(tuple, piles)), tuple(self.table))

    def turn(self) -> None:
        """Play one turn, wars included."""
        if self._winner_first is None or not self._single_battle(self._winner_first):
            self._full_turn()

    def _single_battle(self, winner_first: tuple[bool, bool]) -> bool:
        """Play a turn of two cards without a war; False, and nothing done, if it is not one.

        Nearly all turns of a game are of this kind: it is worth a short way of its own.
        """
        one, two = self.packets
        if not one or not two or self.table:
            return False
        rows = [one[0] & STRENGTH, two[0] & STRENGTH]
        if rows[0] == rows[1] or self.rules.automatic_rank in rows:
            return False
        card, other = one.popleft(), two.popleft()
        winner = 0 if self._best(rows) == rows[0] else 1
        if winner_first[winner] == (winner == 0):
            self.packets[winner] += card, other
        else:
            self.packets[winner] += other, card
        self.battles += 1
        self.rows = [[card], [other]]
        self.faces = []
        self.captor = winner
        if not one or not two:
            self.ending = self._over()
        if self._limit is not None and self.ending is None:
            self.ending = self._counted()
        return True

    def _full_turn(self) -> None:
        self.battles += 1
        self.faces = []
        self.captor = None
        self._lost = set()
        self.rows = [[] for _ in self._seats]
        contest = [s for s in self._seats if self.packets[s] or self.piles[s]]
        self._turned = contest
        if self.rules.hand == 2:
            self._choose_cards(contest)
        for seat in contest:
            self.rows[seat].append(self._lay(seat))
        winner = self._battle(contest)
        if winner is not None:
            self._capture(winner)
        elif self.ending is None:
            self.table += chain.from_iterable(self.rows)
        if self.ending is None:
            self.ending = self._over() or self._first_out() or self._counted()

    # Laying cards

    def _left(self, seat: int) -> int:
        return len(self.packets[seat]) + len(self.piles[seat])

    def _lay(self, seat: int) -> int:
        packet = self.packets[seat]
        if not packet:
            self._pick_up(seat)
        return packet.popleft()

    def _pick_up(self, seat: int) -> None:
        pile = self.piles[seat]
        if self.rules.recycle == "pile-shuffled":
            self.packets[seat].extend(self._order(Decision("shuffle", seat, tuple(sorted(pile)))))
        else:
            self.packets[seat].extend(reversed(pile))
        pile.clear()

    def _order(self, decision: Decision) -> Packet:
        answer = self.decide(decision)
        assert isinstance(answer, tuple)
        return answer

    def _choose_cards(self, contest: list[int]) -> None:
        for seat in contest:
            packet = self.packets[seat]
            if not packet:
                self._pick_up(seat)
            if len(packet) > 1 and self.decide(Decision("hand", seat, (packet[0], packet[1]))):
                packet[0], packet[1] = packet[1], packet[0]

    # Who captures

    def _battle(self, contest: list[int]) -> int | None:
        """Return the seat that captures; None if the game ended or the cards stay."""
        rules = self.rules
        while True:
            up = [self.rows[seat][-1] & STRENGTH for seat in contest]
            best = self._best(up)
            tied = [seat for seat, strength in zip(contest, up, strict=True) if strength == best]
            automatic = rules.automatic_rank in up
            if len(tied) == 1 and not automatic:
                return self._recognised(tied[0], contest)
            self.wars += 1
            joiners = contest if automatic or rules.joins_war == "all" else tied
            calling = best if len(tied) > 1 else rules.automatic_rank
            assert calling is not None
            by_rank = isinstance(rules.face_down, str)
            need = (cards_by_rank(calling) if by_rank else int(rules.face_down)) + 1
            contest = self._war(joiners, need)
            if len(contest) < 2:
                return contest[0] if contest else None

    def _recognised(self, winner: int, contest: list[int]) -> int:
        recognition = self.rules.recognition
        if recognition is None or self.decide(
            Decision("recognise", winner, probability=recognition)
        ):
            return winner
        at = contest.index(winner)
        others = contest[at + 1 :] + contest[:at]
        best = self._best(self.rows[seat][-1] & STRENGTH for seat in others)
        return next(seat for seat in others if self.rows[seat][-1] & STRENGTH == best)

    def _war(self, joiners: list[int], need: int) -> list[int]:
        """Lay the cards of one war; return the new contest.

        A contest of one is the seat that captures. An empty one means that nobody does: the
        game has ended, or the cards stay on the table.
        """
        left = {seat: self._left(seat) for seat in joiners}
        losers = self._losers(left, need)
        if self.ending is not None:
            return []
        if losers and self.rules.players == 2:
            self.ending = Ending(self._survivor(losers), Reason.SHORT)
            return []
        if losers:
            self._knock_out(losers)
            joiners = [seat for seat in joiners if seat not in losers]
            if not joiners:
                return self._bystander()
            if len(joiners) == 1:
                return joiners
        if self.rules.short == "short-packet":
            need = min(need, *(left[seat] for seat in joiners))
        for seat in joiners:
            row = self.rows[seat]
            row += [self._lay(seat) for _ in range(min(need, left[seat]))]
            self.faces.append((seat, len(row) - 1))
        return joiners

    def _losers(self, left: dict[int, int], need: int) -> list[int]:
        """The joiners who lose at once; under ``short = "draw"`` the game may end instead."""
        short = self.rules.short
        if short in ("lose", "draw"):
            losers = [seat for seat in left if left[seat] < need]
            if losers and short == "draw":
                self.ending = Ending(None, Reason.SHORT)
            return losers
        losers = [seat for seat in left if not left[seat]]
        # A last card stands as long as anybody can still lay one against it.
        return [] if short == "last-card" and len(losers) < len(left) else losers

    def _survivor(self, losers: list[int]) -> int | None:
        """The winner of a two-player game in which some cannot lay a war."""
        if len(losers) == 1:
            return 1 - losers[0]
        return 1 if self.rules.all_short == "first-player-loses" else None

    def _knock_out(self, losers: list[int]) -> None:
        for seat in losers:
            self.rows[seat] += [self._lay(seat) for _ in range(self._left(seat))]
        self._lost.update(losers)

    def _bystander(self) -> list[int]:
        """Who captures when no joiner is left; see `_war` for what is returned."""
        bystanders = [seat for seat in self._turned if seat not in self._lost]
        if len(bystanders) == 1:
            return bystanders
        holding = [seat for seat in bystanders if self._left(seat)]
        if not holding:
            self.ending = Ending(None, Reason.NOBODY_LEFT)
        return holding if len(holding) == 1 else []

    # The pot

    def _capture(self, winner: int) -> None:
        self.captor = winner
        pot = self._pot(winner)
        if self._to_pile:
            self.piles[winner] += self.table
            self.piles[winner] += pot
        else:
            self.packets[winner].extend(self.table)
            self.packets[winner].extend(pot)
        self.table = []

    def _pot(self, winner: int) -> Sequence[int]:
        order = self._captures[winner]
        if order == "coin":
            probability = self.rules.winner_first_probability
            heads = self.decide(Decision("coin", winner, probability=probability))
            order = "winner-first" if heads else "loser-first"
        elif order == "chosen-side":
            first = self.decide(Decision("side", winner))
            order = "winner-first" if first else "loser-first"
        elif order in ("shuffled", "chosen"):
            kind = "shuffle" if order == "shuffled" else "order"
            pot = self._rows_from(winner)
            return self._order(Decision(kind, winner, tuple(sorted(chain.from_iterable(pot)))))
        pot_in_order = self._fixed(order, winner)
        return pot_in_order[::-1] if self.rules.reverse else pot_in_order

    def _fixed(self, order: str, winner: int) -> list[int]:
        rows = self._rows_from(winner)
        if order == "natural":
            layers = reversed(_layers(rows))
            return [card for layer in layers for card in sorted(layer, key=_weakness)]
        if order == "descending":
            return sorted(chain.from_iterable(rows), key=_weakness)
        if order == "ascending":
            return sorted(chain.from_iterable(rows), key=_strength)
        if order == "loser-first":
            rows = rows[1:] + rows[:1]
        elif order == "seat-first":
            rows = self.rows
        if self.rules.layout == "layers":
            rows = _layers(rows)
        return list(chain.from_iterable(rows))

    def _rows_from(self, winner: int) -> list[list[int]]:
        return self.rows[winner:] + self.rows[:winner]

    # The end

    def _over(self) -> Ending | None:
        holding = [seat for seat in self._seats if self.packets[seat] or self.piles[seat]]
        if len(holding) > 1:
            return None
        if holding:
            return Ending(holding[0], Reason.ALL_CARDS)
        return Ending(None, Reason.NO_CARDS)

    def _first_out(self) -> Ending | None:
        if self.rules.end == "first-out" and not all(map(self._left, self._seats)):
            return Ending(self._most_cards(), Reason.FIRST_OUT)
        return None

    def _counted(self) -> Ending | None:
        if self._limit is not None and self.battles >= self._limit:
            return Ending(self._most_cards(), Reason.LIMIT)
        return None

    def _most_cards(self) -> int | None:
        left = list(map(self._left, self._seats))
        return left.index(max(left)) if left.count(max(left)) == 1 else None


@lru_cache(maxsize=256)
def single_battle_orders(rules: RuleSet) -> tuple[bool, bool] | None:
    """Whether the winner's card comes first in the pot of two single cards, for each winner.

    None where that is not settled: more players, won piles, chance, choice, cards left over.
    """
    if rules.players > 2 or rules.recycle != "bottom" or rules.kind != "deterministic":
        return None
    greater_first = rules.best == "highest"
    first = {"winner-first": True, "loser-first": False, "natural": greater_first}
    first |= {"descending": greater_first, "ascending": not greater_first}
    one, two = (
        (seat == 0 if order == "seat-first" else first[order]) != rules.reverse
        for seat, order in enumerate(rules.captures)
    )
    return one, two


def _strength(card: int) -> int:
    return card & STRENGTH


def _weakness(card: int) -> int:
    return -(card & STRENGTH)


def _layers(rows: list[list[int]]) -> list[list[int]]:
    layers = zip_longest(*rows)
    return [[card for card in layer if card is not None] for layer in layers]


# --- one turn --------------------------------------------------------------------------------


class Turn(NamedTuple):
    """What one turn led to: the state after it, the ending if it ended the game, its wars."""

    state: State
    ending: Ending | None
    wars: int


def turn(state: State, rules: RuleSet, decide: Decide = _no_decision) -> Turn:
    """Play one turn from a state in which the game is not over.

    Limits of battles are left out of account: the counter is not part of the state.
    """
    game = Game(_unlimited(rules), state, decide)
    if game.ending is not None:
        raise ValueError(f"no turn is left to play: {game.ending.reason.value}")
    game.turn()
    return Turn(game.state(), game.ending, game.wars)


def _unlimited(rules: RuleSet) -> RuleSet:
    return rules if rules.limit is None else rules.replace(max_battles=None, minutes=None)


class Step(NamedTuple):
    """One decision on the way through a turn; the probability is None for a choice."""

    decision: Decision
    answer: Answer
    probability: Any


@dataclass(frozen=True)
class Outcome:
    """One way a turn can go.

    Attributes
    ----------
    turn : Turn
    path : tuple of Step
        The decisions that led there, in the order they were made.
    """

    turn: Turn
    path: tuple[Step, ...]

    @property
    def probability(self) -> Any:
        """Probability given the choices: a Fraction, or a sympy expression with symbols."""
        chances = [step.probability for step in self.path if step.decision.by_chance]
        return prod(chances, start=Fraction(1))

    @property
    def choices(self) -> tuple[tuple[int, Answer], ...]:
        """Seat and answer of each choice."""
        return tuple((s.decision.seat, s.answer) for s in self.path if not s.decision.by_chance)


def successors(state: State, rules: RuleSet) -> Iterator[Outcome]:
    """Yield every outcome of a turn, each with its exact probability and its choices.

    Outcomes that lead to the same state by different paths are yielded one by one. The cost is
    one turn for each. For every choice the probabilities of what chance adds sum to 1.
    """
    script: list[int] = []
    while True:
        replay = _Replay(script)
        result = turn(state, rules, replay)
        yield Outcome(result, tuple(replay.path))
        script = replay.next_script()
        if not script:
            return


class _Replay:
    """Answers decisions by number, and notes how many answers each has."""

    def __init__(self, script: list[int]) -> None:
        self.script = script
        self.path: list[Step] = []
        self._ways: list[int] = []

    def __call__(self, decision: Decision) -> Answer:
        at = len(self.path)
        if at == len(self.script):
            self.script.append(0)
        answers = options(decision)
        answer = answers[self.script[at]]
        self._ways.append(len(answers))
        chance = chance_of(decision, answer, len(answers)) if decision.by_chance else None
        self.path.append(Step(decision, answer, chance))
        return answer

    def next_script(self) -> list[int]:
        """The script that follows in lexicographic order; empty after the last."""
        script = self.script
        while script and script[-1] + 1 == self._ways[len(script) - 1]:
            script.pop()
        if script:
            script[-1] += 1
        return script


# --- whole games -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """A game that was played out; `ending` is None if the bound came first."""

    ending: Ending | None
    battles: int
    wars: int


def start(deal: Deal, rules: RuleSet, seed: int = 0, policy: Policy | None = None) -> Game:
    """Set up a game that is about to be played.

    Parameters
    ----------
    deal : Deal
    rules : RuleSet
    seed : int
        For whatever is left to chance, and for choices without a policy.
    policy : callable, optional
        Called with the game in the middle of its turn (`rows` shows what lies on the table) and
        the `Decision` that a player makes; returns one of `options(decision)`.
    """
    rules.check_deal(deal)
    if rules.kind == "deterministic":
        return Game(rules, State.of(deal))
    chance = seeded(seed)
    game = Game(rules, State.of(deal), chance)
    if policy is not None:
        chosen = policy
        game.decide = lambda d: chance(d) if d.by_chance else chosen(game, d)
    return game


def play(
    deal: Deal,
    rules: RuleSet,
    seed: int = 0,
    policy: Policy | None = None,
    bound: int = 1_000_000,
) -> Result:
    """Play a game to its end, or for `bound` battles.

    No loop is looked for: see `waranalysis.termination.classify`. Parameters as for `start`.
    """
    game = start(deal, rules, seed, policy)
    while game.ending is None and game.battles < bound:
        game.turn()
    return Result(game.ending, game.battles, game.wars)


make_callable(__name__, play)
