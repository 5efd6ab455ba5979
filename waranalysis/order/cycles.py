"""How many different cycles the deals come to: a cycle and its exchange of seats count once.

A loop that the enumeration finds says two things about the cards: Q, the comparisons of its own
lap, and P, those of the way there as well. Loops with the same lap are of one *class*; the least
renamed state of the lap, or of the lap with the seats exchanged, names it. Written in the places
of that state, every loop of the class is a set of total orders, the linear extensions of its P,
and a cycle of the class is reached by a deal just if its order is in one of these sets. Every
cycle is written so in the same number of ways, one for each of its states that look like the
least one. So the cycles of a class are the size of the union of the sets over that number.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from random import Random

import numpy as np
from numpy.typing import NDArray

from waranalysis.cards import Deal
from waranalysis.errors import RulesError
from waranalysis.order import layout as k
from waranalysis.order.extensions import Order, count_extensions, members, random_extension
from waranalysis.order.frontier import Frontier
from waranalysis.order.key import decode_key
from waranalysis.order.laps import ENTRIES
from waranalysis.order.plan import MEMORY, Plan, Progress, Tallies, packet_sizes
from waranalysis.order.tokens import Board, Pot, deal_of, related, starts
from waranalysis.rules import RuleSet

_MOST_CARDS = 20
State = tuple[int, Order]


@dataclass
class _Class:
    """Loops with the same lap.

    `whole` tells that one of them has no more to it than its lap: then every linear extension of
    the lap's order is reached. Otherwise `orders` has what is reached.
    """

    ways: int
    whole: bool = False
    orders: set[Order] = field(default_factory=set)

    def cycles(self, least: State) -> int:
        """Its different cycles."""
        lap = least[1]
        total = count_extensions(lap) if self.whole else count_union(lap, self.orders)
        number, rest = divmod(total, self.ways)
        assert rest == 0
        return number


def count_cycles(
    n: int,
    rules: RuleSet,
    split: Sequence[int] | None = None,
    workers: int | None = None,
    memory: int = MEMORY,
    progress: Progress | None = None,
) -> int:
    """Number of different cycles that deals of `n` distinct cards come to.

    Where the rules treat both seats alike, a cycle and its exchange of seats count once.

    Parameters
    ----------
    n, rules, split, workers, memory, progress
        As for `enumerate_orders`; n is at most 20, and won piles are refused. All loops are kept
        in memory.
    """
    pot = Pot.of(rules)
    sizes = packet_sizes(n, split, _MOST_CARDS)
    if pot.stacked:
        raise RulesError('recycle = "pile-stacked": cycles are counted for "bottom" only')
    if 0 in sizes:
        return 0
    plan = Plan(n, sizes[0], pot.first, swap=pot.symmetric, keep=True)
    frontier = Frontier(plan, workers or os.cpu_count() or 1, memory)
    tallies = frontier.run(progress)
    classes = _classes(plan, tallies, pot)
    if not all(group.whole for group in classes.values()):
        s = np.zeros(k.SCRATCH, np.int64)
        for row in _kept(frontier):
            board, order = _board(row, plan, s)
            least, views = _views(board, order, pot)
            classes[least].orders.update(_renamed(order, view) for view in views)
    return sum(group.cycles(least) for least, group in classes.items())


def cycles_told(plan: Plan, tallies: Tallies, pot: Pot) -> int | None:
    """Number of different cycles, if all classes are whole and all laps were noted."""
    classes = _classes(plan, tallies, pot)
    if 4 * len(tallies.laps) >= 3 * ENTRIES or not all(g.whole for g in classes.values()):
        return None
    return sum(group.cycles(least) for least, group in classes.items())


def _classes(plan: Plan, tallies: Tallies, pot: Pot) -> dict[State, _Class]:
    """The classes of the laps that were noted."""
    classes: dict[State, _Class] = {}
    for lap, whole in tallies.laps.items():
        held, *beaten = map(int, lap.split())
        board = Board((tuple(range(held)), tuple(range(held, plan.n))))
        least, views = _views(board, tuple(beaten), pot)
        group = classes.setdefault(least, _Class(len(views)))
        assert group.ways == len(views)
        group.whole |= whole
    return classes


def loop_examples(
    n: int, rules: RuleSet, number: int, seed: int, split: Sequence[int] | None = None
) -> list[Deal]:
    """Deals that never end, one for each of some loops drawn at random, all loops alike.

    A loop is a pattern of results, with all the deals that follow it; the cards are a linear
    extension drawn at random.
    """
    pot = Pot.of(rules)
    sizes = packet_sizes(n, split, _MOST_CARDS)
    if 0 in sizes:
        return []
    plan = Plan(n, sizes[0], pot.first, pot.stacked, swap=pot.symmetric, keep=True)
    frontier = Frontier(plan, memory=MEMORY)
    frontier.run()
    s = np.zeros(k.SCRATCH, np.int64)
    loops = sorted(_board(row, plan, s) for row in _kept(frontier))
    generator = Random(seed)
    deals = []
    for board, order in generator.sample(loops, min(number, len(loops))):
        ranks = random_extension(order, generator)
        begun = _begun(board, order, sizes[0], pot)
        deals.append(deal_of(sizes[0], [ranks[token] for token in begun], rules.best))
    return deals


def _begun(board: Board, order: Order, split: int, pot: Pot) -> tuple[int, ...]:
    """Tokens by place in a deal that comes to a board, or to the same with seats exchanged."""
    for at in [board, Board(board.packets[::-1], board.piles[::-1])]:
        for _, begun in starts(at, order, split, pot):
            return begun.packets[0] + begun.packets[1]
    raise AssertionError("no deal comes to a loop that was found")


def _kept(frontier: Frontier) -> NDArray[np.uint64]:
    """The rows of the loops that were kept."""
    buckets = range(frontier.plan.buckets)
    rows = [frontier.take_rows(frontier.plan.layers, bucket) for bucket in buckets]
    return np.concatenate(rows).reshape(-1, frontier.row_words)


def _board(key: NDArray[np.uint64], plan: Plan, s: NDArray[np.int64]) -> tuple[Board, Order]:
    """The board of a key, and the order of its tokens."""
    decode_key(key, plan.n, plan.stacked, s)
    cards = iter(s[k.ARR : k.ARR + plan.n].tolist())
    one, other, pile, other_pile = s[k.FROM : k.FROM + 4].tolist()
    parts = [tuple(islice(cards, size)) for size in (one, pile, other, other_pile)]
    board = Board((parts[0], parts[2]), (parts[1], parts[3]))
    return board, tuple(s[k.BELOW : k.BELOW + plan.n].tolist())


def _views(board: Board, order: Sequence[int], pot: Pot) -> tuple[State, set[Board]]:
    """The class of a loop, and its boards (exchanged ones too) that look like the least one.

    The order need not be closed: the results of the lap's battles will do.
    """
    lap, at, lap_order = [board], board, (0,) * len(order)
    while True:
        x, y = at.packets[0][0], at.packets[1][0]
        winner = 0 if order[x] >> y & 1 else 1
        lap_order = related(lap_order, (y, x)[winner], (x, y)[winner])
        at = at.battle(winner, pot)
        if at == board:
            break
        lap.append(at)
    boards = set(lap)
    if pot.symmetric:
        boards |= {Board(at.packets[::-1]) for at in lap}
    looks = {at: (len(at.packets[0]), _renamed(lap_order, at)) for at in boards}
    least = min(looks.values())
    return least, {at for at, look in looks.items() if look == least}


def _renamed(order: Order, board: Board) -> Order:
    """The order of the places of a board."""
    tokens = board.packets[0] + board.packets[1]
    bit = [0] * len(tokens)
    for place, token in enumerate(tokens):
        bit[token] = 1 << place
    return tuple(sum(bit[weak] for weak in members(order[token])) for token in tokens)


def count_union(base: Order, orders: set[Order]) -> int:
    """Total orders that extend at least one of `orders`, each of which extends `base`.

    A pair that one of them relates is decided both ways, until one of them is wholly decided.
    """
    total = 0
    stack = [(base, sorted(orders))]
    while stack:
        known, left = stack.pop()
        gaps = [[y for y, mask in enumerate(order) if mask & ~known[y]] for order in left]
        if [] in gaps:
            total += count_extensions(known)
        elif left:
            nearest = min(range(len(left)), key=lambda i: len(gaps[i]))
            y = gaps[nearest][0]
            x = next(members(left[nearest][y] & ~known[y]))
            for weak, strong in ((x, y), (y, x)):
                more = related(known, weak, strong)
                stack.append((more, [order for order in left if _agree(order, more)]))
    return total


def _agree(order: Order, known: Order) -> bool:
    """Whether no pair is related one way here and the other way there."""
    return not any(
        order[weak] >> strong & 1 for strong, mask in enumerate(known) for weak in members(mask)
    )
