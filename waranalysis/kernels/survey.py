"""Positions and ranks without a list of transitions: turns are played again when asked for.

Positions, rules and ends are those of `waranalysis.kernels.explore`. What follows a shuffle is
kept once for all positions it follows from, as a *fan*: ``node << 7 | captor << 6 | pot``, where
`node` is the position that the pot in ascending order leads to, and `pot` its number of cards.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from waranalysis.kernels.explore import (
    BITS,
    CARDS,
    COIN,
    SHUFFLED,
    after,
    arrange_way,
    enter,
    next_order,
    slot,
    turn,
    unpack,
)

Ints = NDArray[np.int64]


@njit(cache=True)
def spread(fan: int, keys: Ints, rule: Ints, hand: Ints, pot: Ints) -> tuple[int, int]:
    """Write the sorted pot of a fan; return its first place, and the position without it."""
    size = unpack(keys[fan >> 7], rule, hand)
    count, bits = fan & 63, rule[BITS]
    place = (rule[CARDS] if fan >> 6 & 1 else size) - count
    for card in range(count):
        pot[card] = hand[place + card]
    return place, keys[fan >> 7] & ~(((1 << bits * count) - 1) << bits * place)


@njit(cache=True)
def following(rest: int, place: int, count: int, bits: int, pot: Ints) -> int:
    """The position with the pot as it is ordered now."""
    for card in range(count):
        rest |= pot[card] << bits * (place + card)
    return rest


@njit(cache=True)
def meet(
    begin: int,
    stop: int,
    count: int,
    keys: Ints,
    table: NDArray[np.int32],
    fan_of: NDArray[np.int32],
    many: int,
    fans: Ints,
    fan_table: NDArray[np.int32],
    ended: NDArray[np.bool_],
    rule: Ints,
    need: Ints,
) -> tuple[int, int, int, int, int]:
    """Enter everything that follows the positions from `begin` up to `stop`, while there is room.

    `fan_of` gets the number of the fan that follows a position, or -1; ``ended[k]`` becomes true
    where a turn comes to the end -1 - k.

    Returns
    -------
    begin, count, many, transitions, room : int
        The next position, the positions and the fans that are entered, the transitions of the
        positions played on, and how much room the next one takes (0 at `stop`).
    """
    hand, pot = np.empty(rule[CARDS], np.int64), np.empty(rule[CARDS], np.int64)
    rows, laid = np.empty((2, rule[CARDS]), np.int64), np.empty(2, np.int64)
    transitions = 0
    while begin < min(stop, count):
        size, captor, end, order, ways = turn(keys[begin], rule, need, hand, rows, laid, pot)
        if count + ways > len(keys) or many == len(fans):
            return begin, count, many, transitions, ways
        transitions += ways
        fan_of[begin] = -1
        if end < 0:
            ended[-1 - end] = True
        elif order == SHUFFLED:
            node = enter(after(hand, size, laid, captor, pot, rule), keys, table, count)
            count += node == count
            fan = enter(node << 7 | captor << 6 | laid[0] + laid[1], fans, fan_table, many)
            fan_of[begin] = fan
            if fan == many:
                many += 1
                count = _enter_fan(fans[fan], ways, keys, table, count, rule, hand, pot)
        else:
            first = -1
            for way in range(ways):
                arrange_way(rows, laid, captor, order, way, ways, rule, pot)
                node = enter(after(hand, size, laid, captor, pot, rule), keys, table, count)
                count += node == count
                transitions -= order == COIN and node == first
                first = node
        begin += 1
    return begin, count, many, transitions, 0


@njit(cache=True)
def _enter_fan(
    fan: int,
    ways: int,
    keys: Ints,
    table: NDArray[np.int32],
    count: int,
    rule: Ints,
    hand: Ints,
    pot: Ints,
) -> int:
    place, rest = spread(fan, keys, rule, hand, pot)
    for _ in range(1, ways):
        next_order(pot, fan & 63)
        key = following(rest, place, fan & 63, rule[BITS], pot)
        count += enter(key, keys, table, count) == count
    return count


@njit(cache=True)
def lower(
    layer: int,
    begin: int,
    stop: int,
    fans: Ints,
    low: NDArray[np.bool_],
    keys: Ints,
    table: NDArray[np.int32],
    rank: NDArray[np.int32],
    rule: Ints,
) -> None:
    """Mark the fans from `begin` up to `stop` that hold a position ranked below `layer`."""
    hand, pot = np.empty(rule[CARDS], np.int64), np.empty(rule[CARDS], np.int64)
    for number in range(begin, min(stop, len(fans))):
        if low[number]:
            continue
        fan = fans[number]
        place, rest = spread(fan, keys, rule, hand, pot)
        first = key = keys[fan >> 7]
        while not low[number]:
            target = table[slot(key, keys, table)] - 1
            low[number] = 0 <= rank[target] < layer
            next_order(pot, fan & 63)
            key = following(rest, place, fan & 63, rule[BITS], pot)
            if key == first:
                break


@njit(cache=True)
def climb(
    layer: int,
    begin: int,
    stop: int,
    fan_of: NDArray[np.int32],
    low: NDArray[np.bool_],
    keys: Ints,
    table: NDArray[np.int32],
    rank: NDArray[np.int32],
    rule: Ints,
    need: Ints,
) -> int:
    """Give the rank `layer` to positions that can come to an end, or to a lower rank.

    Positions without a rank hold -1; those from `begin` up to `stop` are looked at. Returns how
    many got it.
    """
    hand, pot = np.empty(rule[CARDS], np.int64), np.empty(rule[CARDS], np.int64)
    rows, laid = np.empty((2, rule[CARDS]), np.int64), np.empty(2, np.int64)
    found = 0
    for node in range(begin, min(stop, len(rank))):
        if rank[node] >= 0:
            continue
        down = fan_of[node] >= 0 and low[fan_of[node]]
        if fan_of[node] < 0:
            size, captor, end, order, ways = turn(keys[node], rule, need, hand, rows, laid, pot)
            down = end < 0
            for way in range(0 if down else ways):
                arrange_way(rows, laid, captor, order, way, ways, rule, pot)
                key = after(hand, size, laid, captor, pot, rule)
                down |= 0 <= rank[table[slot(key, keys, table)] - 1] < layer
        if down:
            rank[node] = layer
            found += 1
    return found
