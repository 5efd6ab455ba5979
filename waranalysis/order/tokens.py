"""Games of tokens: cards whose strengths are not known, only the results of their battles."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from waranalysis.cards import Deal
from waranalysis.errors import RulesError
from waranalysis.order.extensions import Order, first_extension
from waranalysis.rules import RuleSet
from waranalysis.termination import require_deterministic

Packet = tuple[int, ...]


@dataclass(frozen=True)
class Pot:
    """What becomes of the two cards of a battle.

    Attributes
    ----------
    first : tuple of bool
        For each winning seat, whether its own card is the upper one.
    stacked : bool
        Whether they go to a won pile instead of the bottom of the packet.
    """

    first: tuple[bool, bool]
    stacked: bool = False

    @classmethod
    def of(cls, rules: RuleSet) -> Pot:
        """Read the rules for distinct cards, where there is no war.

        Raises
        ------
        RulesError
            If more than comparisons matters, naming the field and what answers instead.
        """
        instead = "see 'waranalysis enumerate'"
        if rules.players != 2:
            raise RulesError(
                f"players = {rules.players}: the order enumeration expects 2; {instead}"
            )
        require_deterministic(rules)
        strengths = "the strengths themselves matter, not only comparisons"
        if rules.automatic_rank is not None:
            raise RulesError(f"automatic_rank = {rules.automatic_rank}: {strengths}; {instead}")
        if rules.face_down == "by-rank":
            raise RulesError(f'face_down = "by-rank": {strengths}; expected a number, or {instead}')
        if rules.limit is not None:
            raise RulesError(f"max_battles = {rules.limit}: every game ends then; expected none")
        greater_first = rules.best == "highest"
        upper = {"winner-first": True, "loser-first": False, "natural": greater_first}
        upper |= {"descending": greater_first, "ascending": not greater_first}
        one, two = (
            (seat == 0 if order == "seat-first" else upper[order]) != rules.reverse
            for seat, order in enumerate(rules.captures)
        )
        return cls((one, two), rules.recycle == "pile-stacked")

    @property
    def symmetric(self) -> bool:
        """Whether both seats are treated alike."""
        return self.first[0] == self.first[1]


class Board(NamedTuple):
    """Packets, top card first, and won piles, the card won last at the end."""

    packets: tuple[Packet, Packet]
    piles: tuple[Packet, Packet] = ((), ())

    def battle(self, winner: int, pot: Pot) -> Board:
        """The board after a battle that `winner` wins."""
        own, other = self.packets[winner][0], self.packets[1 - winner][0]
        won = (own, other) if pot.first[winner] else (other, own)
        packets = [packet[1:] for packet in self.packets]
        piles = list(self.piles)
        if not pot.stacked:
            packets[winner] += won
        else:
            piles[winner] += won
            for seat in range(2):
                if not packets[seat]:
                    packets[seat], piles[seat] = piles[seat][::-1], ()
        return Board((packets[0], packets[1]), (piles[0], piles[1]))

    def before(self, pot: Pot) -> Iterator[tuple[int, Board]]:
        """Yield every winner and board from which one battle leads here."""
        for winner in range(2):
            for board in self._candidates(winner, pot):
                if all(board.packets) and board.battle(winner, pot) == self:
                    yield winner, board

    def _candidates(self, winner: int, pot: Pot) -> Iterator[Board]:
        """Boards that may lead here: the pot taken back, and piles perhaps laid down again."""
        for taken in self._piles_down(winner, pot):
            held = (taken.piles if pot.stacked else taken.packets)[winner]
            if len(held) < 2:
                continue
            pair = held[-2:] if pot.first[winner] else held[:-3:-1]
            parts = [list(taken.packets), list(taken.piles)]
            parts[pot.stacked][winner] = held[:-2]
            for seat, card in ((winner, pair[0]), (1 - winner, pair[1])):
                parts[0][seat] = (card, *parts[0][seat])
            yield Board((parts[0][0], parts[0][1]), (parts[1][0], parts[1][1]))

    def _piles_down(self, winner: int, pot: Pot) -> Iterator[Board]:
        """This board, and with packets that may just have been picked up as piles again."""
        yield self
        if not pot.stacked:
            return
        for seats in ((0,), (1,), (0, 1)):
            if not any(self.piles[seat] for seat in seats):
                packets, piles = list(self.packets), list(self.piles)
                for seat in seats:
                    packets[seat], piles[seat] = (), packets[seat][::-1]
                yield Board((packets[0], packets[1]), (piles[0], piles[1]))


@dataclass(frozen=True)
class Path:
    """A game of tokens, numbered by their place in the deal.

    Attributes
    ----------
    split : int
        Cards of seat 0.
    results : tuple of int
        Winners of the battles that were not decided before they were fought.
    order : Order
        What the results say about the cards.
    winner : int or None
        None if the game never ends.
    battles : int
        Of the game, or until it is where it was before.
    period : int or None
    """

    split: int
    results: tuple[int, ...]
    order: Order
    winner: int | None
    battles: int
    period: int | None

    def deal(self, strengths: Sequence[int] | None = None, best: str = "highest") -> Deal:
        """A deal that goes this way.

        Parameters
        ----------
        strengths : sequence of int, optional
            By token, 0 for the weakest: any linear extension of the order. By default the first.
        best : str
            "lowest" turns the strengths round.
        """
        return deal_of(self.split, strengths or first_extension(self.order), best)


def deal_of(split: int, ranks: Sequence[int], best: str = "highest") -> Deal:
    """The deal of the strengths 2, 3, … with these ranks, the weakest card 0."""
    top = len(ranks) + 1
    cards = tuple(top - rank if best == "lowest" else rank + 2 for rank in ranks)
    return Deal((cards[:split], cards[split:]))


def related(order: Order, weak: int, strong: int) -> Order:
    """The order closed under ``weak < strong``; masks of weaker tokens, by token."""
    more = order[weak] | 1 << weak
    return tuple(
        mask | more if y == strong or mask >> strong & 1 else mask for y, mask in enumerate(order)
    )


def follow(n: int, split: int, pot: Pot, results: Sequence[int]) -> Path | None:
    """Play on with given results; None if they do not settle the game.

    Results that are not needed are left out of the path.
    """
    board = Board((tuple(range(split)), tuple(range(split, n))))
    order: Order = (0,) * n
    used: list[int] = []
    seen: dict[Board, int] = {}
    battles = 0
    while all(board.packets):
        if board in seen:
            return Path(split, tuple(used), order, None, battles, battles - seen[board])
        seen[board] = battles
        x, y = board.packets[0][0], board.packets[1][0]
        if order[x] >> y & 1:
            winner = 0
        elif order[y] >> x & 1:
            winner = 1
        elif len(used) == len(results):
            return None
        else:
            winner = results[len(used)]
            used.append(winner)
            order = related(order, (y, x)[winner], (x, y)[winner])
            seen.clear()
        board = board.battle(winner, pot)
        battles += 1
    return Path(split, tuple(used), order, 0 if board.packets[0] else 1, battles, None)


def paths(n: int, split: int, pot: Pot) -> Iterator[Path]:
    """Every path, with no merging: each deal goes exactly one of them. For small decks."""
    stack: list[tuple[int, ...]] = [()]
    while stack:
        results = stack.pop()
        path = follow(n, split, pot, results)
        if path is not None:
            yield path
        else:
            stack += [(*results, 1), (*results, 0)]


def starts(board: Board, order: Order, split: int, pot: Pot) -> Iterator[tuple[int, Board]]:
    """Deals that come to `board`, the nearest first: battles before it, and the first board.

    Parameters
    ----------
    board : Board
    order : Order
        Only ways on which it decides every battle are taken back.
    split : int
        Cards of seat 0 in a deal.
    """
    todo = deque([(0, board)])
    seen = {board}
    while todo:
        battles, at = todo.popleft()
        if len(at.packets[0]) == split and not any(at.piles):
            yield battles, at
        for winner, before in at.before(pot):
            x, y = before.packets[winner][0], before.packets[1 - winner][0]
            if order[x] >> y & 1 and before not in seen:
                seen.add(before)
                todo.append((battles + 1, before))
