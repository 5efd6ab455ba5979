"""Breadth-first search over positions of two packets, one integer each.

A position of n cards is ``cards | size << bits * n``: the codes of the first packet, top card
lowest, then those of the second; `size` cards belong to the first. Codes ascend with strength.

The rules come as an int64 array, see the constants below, and as `need`, the cards laid in a war
called by each code. Targets below 0 are ends: -1 and -2 for the winner, -3 for a draw. Weights
are d for a probability of 1/d, `HEADS` and `TAILS` for a coin.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

CARDS, BITS, LOWEST, SHORT, FIRST_LOSES, AUTOMATIC, LAYERS, REVERSE, CAPTURE = range(9)
FIELDS = CAPTURE + 2

SHORTS = ("lose", "use-remaining", "last-card", "short-packet", "draw")
LOSE, USE_REMAINING, LAST_CARD, SHORT_PACKET, DRAW = range(5)
ORDERS = (
    "winner-first",
    "loser-first",
    "seat-first",
    "natural",
    "descending",
    "ascending",
    "shuffled",
    "coin",
    "chosen-side",
    "chosen",
)
WINNER_FIRST, LOSER_FIRST, SEAT_FIRST, NATURAL, DESCENDING, ASCENDING = range(6)
SHUFFLED, COIN, CHOSEN_SIDE, CHOSEN = range(6, 10)

HEADS, TAILS = -1, -2
DRAWN = -3

Ints = NDArray[np.int64]


@njit(cache=True)
def unpack(key: int, rule: Ints, hand: Ints) -> int:
    """Write the codes of a position to `hand`; return the size of the first packet."""
    bits = rule[BITS]
    mask = (1 << bits) - 1
    for place in range(rule[CARDS]):
        hand[place] = key & mask
        key >>= bits
    return key


@njit(cache=True)
def lay(hand: Ints, size: int, rule: Ints, need: Ints, rows: Ints, laid: Ints) -> int:
    """Lay the cards of one turn on `rows`; return the captor, or an end below 0."""
    cards, short, automatic = rule[CARDS], rule[SHORT], rule[AUTOMATIC]
    rows[0, 0] = hand[0]
    rows[1, 0] = hand[size]
    laid[0] = laid[1] = 1
    while True:
        one, two = rows[0, laid[0] - 1], rows[1, laid[1] - 1]
        called = automatic >= 0 and (one == automatic or two == automatic)
        if one != two and not called:
            return 0 if (one > two) != (rule[LOWEST] == 1) else 1
        want = need[one if one == two else automatic]
        left0, left1 = size - laid[0], cards - size - laid[1]
        least = want if short in (LOSE, DRAW) else 1
        out0, out1 = left0 < least, left1 < least
        if short == LAST_CARD and out0 != out1:
            out0 = out1 = False
        if out0 or out1:
            if short == DRAW:
                return DRAWN
            if out0 and out1:
                return -2 if rule[FIRST_LOSES] else DRAWN
            return -2 if out0 else -1
        if short == SHORT_PACKET:
            want = min(want, left0, left1)
        for _ in range(min(want, left0)):
            rows[0, laid[0]] = hand[laid[0]]
            laid[0] += 1
        for _ in range(min(want, left1)):
            rows[1, laid[1]] = hand[size + laid[1]]
            laid[1] += 1


@njit(cache=True)
def _sort(pot: Ints, count: int) -> None:
    for place in range(1, count):
        card = pot[place]
        at = place
        while at and pot[at - 1] > card:
            pot[at] = pot[at - 1]
            at -= 1
        pot[at] = card


@njit(cache=True)
def _turn_round(pot: Ints, start: int, stop: int) -> None:
    while start < stop - 1:
        stop -= 1
        pot[start], pot[stop] = pot[stop], pot[start]
        start += 1


@njit(cache=True)
def _natural(rows: Ints, laid: Ints, pot: Ints) -> None:
    """Last layer first, inside a layer the greater first."""
    count = 0
    for layer in range(max(laid[0], laid[1]) - 1, -1, -1):
        if layer < laid[0] and layer < laid[1]:
            pot[count] = max(rows[0, layer], rows[1, layer])
            pot[count + 1] = min(rows[0, layer], rows[1, layer])
            count += 2
        else:
            pot[count] = rows[0 if layer < laid[0] else 1, layer]
            count += 1


@njit(cache=True)
def _by_rows(rows: Ints, laid: Ints, first: int, layers: bool, pot: Ints) -> None:
    """The row of seat `first`, then the other's, by rows or layers."""
    count = 0
    if layers:
        for layer in range(max(laid[0], laid[1])):
            for turn in range(2):
                seat = first ^ turn
                if layer < laid[seat]:
                    pot[count] = rows[seat, layer]
                    count += 1
        return
    for turn in range(2):
        seat = first ^ turn
        for layer in range(laid[seat]):
            pot[count] = rows[seat, layer]
            count += 1


@njit(cache=True)
def arrange(rows: Ints, laid: Ints, captor: int, order: int, rule: Ints, pot: Ints) -> None:
    """Put the cards on the table in one of the fixed orders."""
    count = laid[0] + laid[1]
    if order == NATURAL:
        _natural(rows, laid, pot)
    else:
        first = 0 if order == SEAT_FIRST else captor ^ (order == LOSER_FIRST)
        _by_rows(rows, laid, first, rule[LAYERS] == 1 and order <= SEAT_FIRST, pot)
    if order >= DESCENDING:
        _sort(pot, count)
    if (rule[REVERSE] == 1) != (order == DESCENDING):
        _turn_round(pot, 0, count)


@njit(cache=True)
def next_order(pot: Ints, count: int) -> None:
    """The next order of the pot, in place; after the last comes the first."""
    pivot = count - 2
    while pivot >= 0 and pot[pivot] >= pot[pivot + 1]:
        pivot -= 1
    if pivot >= 0:
        swap = count - 1
        while pot[swap] <= pot[pivot]:
            swap -= 1
        pot[pivot], pot[swap] = pot[swap], pot[pivot]
    _turn_round(pot, pivot + 1, count)


@njit(cache=True)
def _orders(pot: Ints, count: int) -> int:
    """How many distinct orders a sorted pot has."""
    orders, run = 1, 0
    for place in range(count):
        run = run + 1 if place and pot[place] == pot[place - 1] else 1
        orders = orders * (place + 1) // run
    return orders


@njit(cache=True)
def after(hand: Ints, size: int, laid: Ints, captor: int, pot: Ints, rule: Ints) -> int:
    """The position after a capture."""
    cards, bits = rule[CARDS], rule[BITS]
    key, shift = 0, 0
    for seat in range(2):
        for place in range(laid[0] if seat == 0 else size + laid[1], size if seat == 0 else cards):
            key |= hand[place] << shift
            shift += bits
        if seat == captor:
            for place in range(laid[0] + laid[1]):
                key |= pot[place] << shift
                shift += bits
    left = size - laid[0]
    if captor == 0:
        left += laid[0] + laid[1]
    return int(key | left << bits * cards)


@njit(cache=True)
def slot(key: int, keys: Any, table: NDArray[np.int32]) -> int:
    """Where a position is, or should be, in the hash table: place in `keys` plus 1, 0 if free."""
    mask = len(table) - 1
    mixed = key * 0x1E3779B97F4A7C15
    mixed ^= (mixed >> 29) & 0x7FFFFFFFF
    mixed *= 0x3F58476D1CE4E5B9
    at = (mixed >> 24) & mask
    while table[at] and keys[table[at] - 1] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True)
def refill(keys: Ints, count: int, table: NDArray[np.int32]) -> None:
    """Enter the first `count` positions, all different, in an empty hash table."""
    for node in range(count):
        table[slot(keys[node], keys, table)] = node + 1


@njit(cache=True)
def enter(key: int, keys: Ints, table: NDArray[np.int32], count: int) -> int:
    """Return the node of a position; it equals `count` if it is new."""
    at = slot(key, keys, table)
    if table[at] == 0:
        table[at] = count + 1
        keys[count] = key
    return int(table[at] - 1)


@njit(cache=True)
def enter_all(wanted: Ints, keys: Ints, table: NDArray[np.int32], count: int, nodes: Ints) -> int:
    """Enter many positions; write their nodes to `nodes` and return the new count."""
    for place in range(len(wanted)):
        node = enter(wanted[place], keys, table, count)
        nodes[place] = node
        count += node == count
    return count


@njit(cache=True)
def turn(
    key: int, rule: Ints, need: Ints, hand: Ints, rows: Ints, laid: Ints, pot: Ints
) -> tuple[int, int, int, int, int]:
    """Play a turn up to the capture.

    Returns
    -------
    size, captor, end, order, ways : int
        Cards of the first packet; who captures, or an end below 0; an end below 0 if the turn
        ends the game; how the pot is ordered; the number of orders, or of sides, to go through.
    """
    size = unpack(key, rule, hand)
    captor = lay(hand, size, rule, need, rows, laid)
    order = WINNER_FIRST if captor < 0 else rule[CAPTURE + captor]
    end = captor
    if captor >= 0 and (rule[CARDS] - size if captor == 0 else size) == laid[1 - captor]:
        end = -1 - captor
    return size, captor, end, order, _ways(order, end >= 0, rows, laid, rule, pot)


@njit(cache=True)
def expand(
    begin: int,
    stop: int,
    count: int,
    edges: int,
    keys: Ints,
    table: NDArray[np.int32],
    targets: NDArray[np.int32],
    weights: NDArray[np.int32],
    arrows: Ints,
    sides: NDArray[np.int8],
    pots: Ints,
    rule: Ints,
    need: Ints,
) -> tuple[int, int, int, int]:
    """Play on from position `begin` up to `stop`, while there is room in the arrays.

    `arrows[v]` gets the number of transitions up to and with position v, `sides[v]` the captor
    plus 1 where it is the captor who picks a side, or an order: then there is a transition for
    each, winner first, or in the order of `next_order` from the sorted pot, which `pots[v]` gets
    with the number of its cards above them.

    Returns
    -------
    begin, count, edges, room : int
        The next position, what is filled, and how much room that position takes (0 at `stop`).
    """
    cards = rule[CARDS]
    hand, pot = np.empty(cards, np.int64), np.empty(cards, np.int64)
    rows, laid = np.empty((2, cards), np.int64), np.empty(2, np.int64)
    while begin < min(stop, count):
        size, captor, end, order, ways = turn(keys[begin], rule, need, hand, rows, laid, pot)
        if count + ways > len(keys) or edges + ways > len(targets):
            return begin, count, edges, ways
        sides[begin] = captor + 1 if order >= CHOSEN_SIDE else 0
        if order == CHOSEN:
            pots[begin] = _packed(pot, laid[0] + laid[1], rule)
        for way in range(ways):
            targets[edges] = end
            weights[edges] = 1
            if end >= 0:
                weights[edges] = arrange_way(rows, laid, captor, order, way, ways, rule, pot)
                key = after(hand, size, laid, captor, pot, rule)
                targets[edges] = enter(key, keys, table, count)
                count += targets[edges] == count
            edges += 1
        if order == COIN and ways == 2 and targets[edges - 1] == targets[edges - 2]:
            edges -= 1
            weights[edges - 1] = 1
        arrows[begin] = edges
        begin += 1
    return begin, count, edges, 0


@njit(cache=True)
def _packed(pot: Ints, count: int, rule: Ints) -> int:
    key = count << rule[BITS] * rule[CARDS]
    for place in range(count):
        key |= pot[place] << rule[BITS] * place
    return int(key)


@njit(cache=True)
def _ways(order: int, goes_on: bool, rows: Ints, laid: Ints, rule: Ints, pot: Ints) -> int:
    """How many transitions a turn has; a pot in any order is put into the first."""
    if order == CHOSEN_SIDE or (order == COIN and goes_on):
        return 2
    if order == CHOSEN or (order == SHUFFLED and goes_on):
        count = laid[0] + laid[1]
        _by_rows(rows, laid, 0, False, pot)
        _sort(pot, count)
        return int(_orders(pot, count))
    return 1


@njit(cache=True)
def arrange_way(
    rows: Ints, laid: Ints, captor: int, order: int, way: int, ways: int, rule: Ints, pot: Ints
) -> int:
    """Put the pot into its order number `way`; return the weight of the transition."""
    if order == SHUFFLED or order == CHOSEN:
        if way:
            next_order(pot, laid[0] + laid[1])
        return ways if order == SHUFFLED else 1
    if order < SHUFFLED:
        arrange(rows, laid, captor, order, rule, pot)
        return 1
    arrange(rows, laid, captor, WINNER_FIRST if way == 0 else LOSER_FIRST, rule, pot)
    if order == COIN:
        return HEADS if way == 0 else TAILS
    return 1


@njit(cache=True)
def deal_keys(codes: Ints, sizes: Ints, rule: Ints, keys: Ints) -> None:
    """Fill `keys` with the deals of a sorted deck, in lexicographic order."""
    cards, total = rule[CARDS], len(codes)
    for rank in range(len(keys)):
        key = sizes[0] << rule[BITS] * cards
        for place in range(cards):
            key |= codes[place] << rule[BITS] * place
        keys[rank] = key
        _turn_round(codes, cards, total)
        next_order(codes, total)


@njit(cache=True)
def write_strengths(
    keys: Ints, rule: Ints, strengths: NDArray[np.uint8], packed: NDArray[np.uint8]
) -> None:
    """Write the positions as bytes: strengths of the first packet, a 0, those of the second."""
    hand = np.empty(rule[CARDS], np.int64)
    for node in range(len(keys)):
        size = unpack(keys[node], rule, hand)
        for place in range(rule[CARDS]):
            packed[node, place + (place >= size)] = strengths[hand[place]]
        packed[node, size] = 0
