"""A node in the middle of a big deck, dealt out in plain Python: decks no census reaches."""

from collections import Counter
from math import factorial
from random import Random

import numpy as np
import pytest

from waranalysis.order import layout as at
from waranalysis.order.extensions import extensions_of
from waranalysis.order.frontier import Frontier
from waranalysis.order.key import canonical
from waranalysis.order.plan import Plan

BLOCKS = 4  # Four times three cards are not told apart: 6^4 orders.


def node(n, seed):
    """Two packets of n cards, the upper ones not told apart, and the order of the cards."""
    draw = Random(seed)
    levels = draw.sample(range(n - 2 * BLOCKS), n - 2 * BLOCKS)
    level = levels[:BLOCKS] * 3 + levels[BLOCKS:]
    order = tuple(sum(1 << y for y in range(n) if level[y] < level[x]) for x in range(n))
    cards = [x for x in range(n) if x not in (0, BLOCKS)]
    draw.shuffle(cards)
    held = n // 2 - 1 + draw.randrange(-3, 4)
    return ((0, *cards[:held]), (BLOCKS, *cards[held:])), order


def battle(packets, ranks):
    (x, *one), (y, *other) = packets
    if ranks[x] > ranks[y]:
        return (*one, x, y), tuple(other)
    return tuple(one), (*other, y, x)


def game(packets, ranks):
    """How a game goes on, and its battles, around the loop if there is one."""
    seen = {}
    while all(packets) and packets not in seen:
        seen[packets] = len(seen)
        packets = battle(packets, ranks)
    return ("loop", len(seen) - seen[packets]) if packets in seen else ("end", len(seen))


def from_node(plan, packets, order):
    """The tallies of the frontier from that node on."""
    frontier = Frontier(plan, workers=1)
    n, s, p = plan.n, np.zeros(at.SCRATCH, np.int64), plan.parameters
    s[at.SIZES : at.SIZES + 2] = [len(packet) for packet in packets]
    s[at.PLACE : at.PLACE + n] = packets[0] + packets[1]
    s[at.AFTER : at.AFTER + n] = order
    s[at.WEAKER : at.WEAKER + n] = [mask.bit_count() for mask in order]
    row = np.zeros(frontier.row_words, np.uint64)
    canonical(s, n, p[at.WIDTH], p[at.STACKED], p[at.SWAP], row, np.zeros(16, np.uint64))
    row[p[at.KEY] : p[at.KEY] + 1 + plan.two] = 1
    frontier.layer = sum(mask.bit_count() for mask in order)
    frontier.expand_rows(0, row)
    frontier.layer += 1
    return frontier.run()


@pytest.mark.parametrize("n", range(18, 25))
def test_a_node_has_the_games_that_are_dealt(n):
    found = Counter()
    for seed in range(3):
        packets, order = node(n, seed)
        dealt = Counter(game(packets, ranks) for ranks in extensions_of(order))
        assert dealt.total() == factorial(3) ** BLOCKS
        split = n - n // 2
        told = from_node(Plan(n, split, ends=True, depth=at.EACH_DEPTH), packets, order)
        lines = {("loop", period): line for period, line in told.loops.items()}
        lines |= {("end", battles): line for battles, line in told.ended.items()}
        assert {which: line[1] + line[2] for which, line in lines.items()} == dealt
        swapped = from_node(Plan(n, split, swap=True, depth=at.MAX_DEPTH), packets, order)
        loops = {("loop", period): line[1] + line[2] for period, line in swapped.loops.items()}
        assert loops == {which: dealt[which] for which in dealt if which[0] == "loop"}
        ends = [battles for kind, battles in dealt if kind == "end"]
        assert swapped.longest[:1] == ([max(ends)] if ends else [])
        found += dealt
    assert ("loop" in {kind for kind, _ in found}) == (n != 24)
