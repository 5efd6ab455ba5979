"""Does a deal end, or does it go round for ever? Exact verdicts for deterministic rule sets.

Two detectors compare full states, never digests, and give the exact tail and period. *Visited*
keeps every state. *Brent* (R. P. Brent, An improved Monte Carlo factorization algorithm, BIT 20,
1980) keeps one, and plays about three times the turns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from waranalysis.cards import Deal
from waranalysis.errors import RulesError, quoted
from waranalysis.play import Ending, Game, State, laps
from waranalysis.rules import RuleSet

DETECTORS = ("auto", "visited", "brent")
BOUND = 1_000_000
MEMORY = 256_000_000


@dataclass(frozen=True)
class Verdict:
    """What became of a deal.

    Attributes
    ----------
    kind : "terminates", "cycles" or "undecided"
    ending : Ending or None
        Winner and reason, if it terminates.
    battles, wars : int
        Of the whole game if it terminates; else of the part that was looked at.
    tail, period : int or None
        Battles before the first state of the loop, and battles around it.
    loop : State or None
        The first state of the loop.
    identity_period : int or None
        Battles until every single card is back, when that was asked: a multiple of `period`.
    detector : str
        "visited" or "brent", whichever answered.
    """

    kind: str
    ending: Ending | None = None
    battles: int = 0
    wars: int = 0
    tail: int | None = None
    period: int | None = None
    loop: State | None = None
    identity_period: int | None = None
    detector: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fields that apply, as programs read them."""
        if self.ending is not None:
            winner = self.ending.winner
            counts = {"winner": winner, "battles": self.battles, "wars": self.wars}
            return {"verdict": self.kind} | counts
        loop = {
            "tail": self.tail,
            "period": self.period,
            "identity_period": self.identity_period,
        }
        return {"verdict": self.kind} | {k: v for k, v in loop.items() if v is not None}


def require_deterministic(rules: RuleSet) -> None:
    """Raise `RulesError` if a turn is left to chance or choice, naming what answers instead."""
    if rules.choice_fields:
        raise RulesError(
            f"{rules.choice_fields[0]} leaves a choice to the players: no deal has one fate; "
            "expected a deterministic rule set here, see 'waranalysis choice'"
        )
    if rules.chance_fields:
        raise RulesError(
            f"{rules.chance_fields[0]} brings chance into the game: a repeated state is no loop; "
            "expected a deterministic rule set here, see 'waranalysis chance'"
        )


def classify(
    deal: Deal,
    rules: RuleSet,
    detector: str = "auto",
    bound: int = BOUND,
    memory: int = MEMORY,
    identities: bool = False,
) -> Verdict:
    """Decide whether a deal ends.

    Parameters
    ----------
    deal : Deal
    rules : RuleSet
        Deterministic.
    detector : "auto", "visited" or "brent"
        "auto" keeps states while they fit in `memory`, then goes on with Brent's method.
    bound : int
        Battles after which the verdict is "undecided". The tail is then measured by replaying,
        which is not counted.
    memory : int
        Bytes that kept states may take, by a generous estimate.
    identities : bool
        Also find the period of the cards' identities.

    Returns
    -------
    Verdict
        With a limit of battles every game ends; a loop on the way is then played by arithmetic.

    Raises
    ------
    RulesError
        If the rule set is not deterministic or the deal does not fit it.
    """
    require_deterministic(rules)
    rules.check_deal(deal)
    if detector not in DETECTORS:
        raise RulesError(f"detector {quoted(detector)}: expected {', '.join(DETECTORS)}")
    start = State.of(deal.strengths())
    game = Game(rules, start)
    verdict = None
    if detector != "brent":
        verdict = _visited(game, bound, _most_states(start, memory))
    if verdict is None and detector != "visited":
        verdict = _brent(game, start, bound)
    if verdict is None:
        return Verdict("undecided", None, game.battles, game.wars, detector="visited")
    if verdict.kind == "cycles" and rules.limit is not None:
        return _wind_up(game, verdict, rules.limit)
    if verdict.kind == "cycles" and identities:
        period = identity_period(deal, rules, verdict)
        return replace(verdict, identity_period=period)
    return verdict


def _most_states(start: State, memory: int) -> int:
    """How many states fit: 8 bytes a card and some 60 a tuple, and their place in a dict."""
    cards = sum(map(len, start.packets))
    return memory // (8 * cards + 120 * len(start.packets) + 250)


def _ended(game: Game, detector: str) -> Verdict:
    return Verdict("terminates", game.ending, game.battles, game.wars, detector=detector)


def _visited(game: Game, bound: int, most: int) -> Verdict | None:
    """Play with every state kept; None if `most` states were kept without an answer."""
    first = {game.state(): 0}
    while game.ending is None:
        if game.battles >= bound:
            return Verdict("undecided", None, game.battles, game.wars, detector="visited")
        if len(first) >= most:
            return None
        game.turn()
        state = game.state()
        tail = first.setdefault(state, game.battles)
        if tail != game.battles and game.ending is None:
            period = game.battles - tail
            return Verdict(
                "cycles", None, game.battles, game.wars, tail, period, state, None, "visited"
            )
    return _ended(game, "visited")


def _brent(game: Game, start: State, bound: int) -> Verdict:
    """Play on with one state kept, replaced at distances that double."""
    kept = _position(game)
    power = steps = 1
    while game.ending is None:
        if game.battles >= bound:
            return Verdict("undecided", None, game.battles, game.wars, detector="brent")
        game.turn()
        if _position_is(game, kept) and game.ending is None:
            tail, loop = _tail(game.rules, start, steps)
            return Verdict(
                "cycles", None, game.battles, game.wars, tail, steps, loop, None, "brent"
            )
        if steps == power:
            kept = _position(game)
            power, steps = 2 * power, 0
        steps += 1
    return _ended(game, "brent")


Position = tuple[list[Any], list[Any], list[int]]


def _position(game: Game) -> Position:
    """A copy of the state as the game holds it: quick to compare with."""
    packets = [packet.copy() for packet in game.packets]
    return packets, [pile.copy() for pile in game.piles], game.table.copy()


def _position_is(game: Game, position: Position) -> bool:
    packets, piles, table = position
    return game.packets == packets and game.piles == piles and game.table == table


def _tail(rules: RuleSet, start: State, period: int) -> tuple[int, State]:
    """Battles before the loop, and its first state: two games, one a lap ahead, until they meet."""
    behind, ahead = Game(rules, start), Game(rules, start)
    for _ in range(period):
        ahead.turn()
    while not _position_is(behind, (ahead.packets, ahead.piles, ahead.table)):
        behind.turn()
        ahead.turn()
    return behind.battles, behind.state()


def _wind_up(game: Game, verdict: Verdict, limit: int) -> Verdict:
    """Finish a game that loops until the limit of battles, whole laps at once."""
    assert verdict.period is not None
    battles, wars = game.battles, game.wars
    while game.ending is None and game.battles < battles + verdict.period:
        game.turn()
    laps = (limit - game.battles - 1) // verdict.period if game.ending is None else 0
    game.wars += laps * (game.wars - wars)
    game.battles += laps * verdict.period
    while game.ending is None:
        game.turn()
    return _ended(game, verdict.detector)


def identity_period(deal: Deal, rules: RuleSet, verdict: Verdict) -> int:
    """Battles until every single card is back in its place.

    Cost: tail + period turns.
    """
    assert verdict.tail is not None and verdict.period is not None
    game = Game(rules, State.of(deal.labelled()))
    while game.battles < verdict.tail:
        game.turn()
    before = game.state()
    while game.battles < verdict.tail + verdict.period:
        game.turn()
    return verdict.period * laps(before, game.state())
