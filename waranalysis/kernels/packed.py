"""A packet in one machine word, many games side by side, and shared beginnings.

A card takes `bits` bits, the top card the lowest ones. A turn with all its wars is worked out
without a branch (`step`), so the compiler plays four games in one vector register, and games wait
in *lanes* for their next turn. `deal_out` walks the tree of deals card by card, one pair of cards
at a time, and plays what the cards seen so far decide: deals that begin alike share those battles.

Covers: 16 cards of 16 strengths or 20 cards of 8, pots to the bottom, a fixed number of cards
face down, no automatic rank, no limit. What `settle` cannot decide is handed over in `hard`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waranalysis.kernels.encode import (
    BEST_DOWN,
    LOSER_FIRST,
    NATURAL_BEST,
    NATURAL_WORST,
    SEAT_FIRST,
    WINNER_FIRST,
    Array,
)
from waranalysis.kernels.jit import (
    exponent,
    greater,
    inline,
    inner,
    jit,
    lesser,
    ones_if,
    shift_right,
    spliced,
    whole,
)

# Places in the array of parameters.
BITS, TOTAL, HALF, UP, UP_ALL, PERIOD, LOSES, ALL_SHORT, MIRROR = map(np.int64, range(9))
FLIP, FLIP_1, ORDER, LAYERS, REVERSE, LEVELS, RANKS, LOWEST_BEST, TAIL_0 = map(
    np.int64, (9, 10, 11, 13, 14, 15, 16, 17, 18)
)
# For every number of bits: the cards they hold, and the bits before the first place for a
# face-up card that is not among them.
CARDS_OF, NEEDED, PARAM_SIZE = map(np.int64, (32, 32 + 64, 32 + 128))
# Rows of the lanes, and the fields of STORY: battles, bits laid by each player.
PACKET_0, PACKET_1, LENGTH, STORY, STUCK, KEY, LANE_ROWS = map(np.int64, range(7))
LANES = 384
# The last cards of a deal, whose arrangements are read from a table; TAIL_0 are those of seat 0.
TAIL = 4
BATTLE_BITS = 20
BATTLE_MASK = (1 << BATTLE_BITS) - 1
LONG = 192
# Outcomes; rows of the histogram (battles by outcome, then wars); extremes of the games' lengths.
WINS_0, WINS_1, DRAW, WARS, HIST_ROWS = map(np.int64, range(5))
HIST_COLUMNS = 1 << 15
LONGEST, LONGEST_KEY, SHORTEST, SHORTEST_KEY, EXTREMES_SIZE = map(np.int64, range(5))
SIGN = -(2**63)
# The control array.
LANE_COUNT, HARD_COUNT, LEVEL, ROUNDS, CONTROL_SIZE = map(np.int64, range(5))
# A level of the tree: both rows on the table and won cards with their numbers of cards, ...
ROW_0, ROW_1, ROWED_0, ROWED_1, WON_0, WON_1, TAKEN_0, TAKEN_1, STORIED, EVEN, KEYED = map(
    np.int64, range(11)
)
LEVEL_SIZE = 11


@spliced
def step(
    a: int, b: int, length: int, total: int, up: int, bits: int, flip: int, flip_1: int
) -> tuple[int, int, int, int, int]:
    """One turn of one game, nothing but arithmetic.

    The first difference at a face-up place tells how many cards are laid (`mask`). The rows,
    read as numbers, compare as their last cards do. A turn that cannot be decided changes
    nothing and sets `stuck`.

    Returns
    -------
    tuple of int
        Both packets, bits of the first, what the turn adds to the story, and all ones or 0.
    """
    differ = a ^ b
    differ |= shift_right(differ, 1)
    differ = (differ | shift_right(differ, bits - 2)) & up
    lowest = differ & -differ
    laid = exponent(lowest) + bits
    stuck = ((length - laid) | (total - laid - length) | laid) >> 63
    laid &= ~stuck
    mask = ((lowest << bits) - 1) & ~stuck
    row_0, row_1 = a & mask, b & mask
    wins = ones_if(row_0 > row_1)
    swap = (row_0 ^ row_1) & ((flip & wins) ^ flip_1)
    pot = (row_1 ^ swap) | ((row_0 ^ swap) << laid)
    pot_0 = pot & wins
    rest = length - laid
    a = shift_right(a, laid) | (pot_0 << rest)
    b = shift_right(b, laid) | ((pot ^ pot_0) << (total - laid - length))
    return a, b, rest + ((laid + laid) & wins), (laid << 20) + 1 + stuck, stuck


@jit
def two_turns(lanes: Array, count: int, p: Array) -> None:
    """Play two turns in each of the first `count` lanes."""
    total, up, bits, flip, flip_1 = p[TOTAL], p[UP], p[BITS], p[FLIP], p[FLIP_1]
    for i in range(count):
        a, b, length = lanes[PACKET_0, i], lanes[PACKET_1, i], lanes[LENGTH, i]
        a, b, length, first, _ = step(a, b, length, total, up, bits, flip, flip_1)
        a, b, length, second, stuck = step(a, b, length, total, up, bits, flip, flip_1)
        lanes[PACKET_0, i], lanes[PACKET_1, i], lanes[LENGTH, i] = a, b, length
        lanes[STORY, i] += first + second
        lanes[STUCK, i] = stuck


@inner
def pot_word(row_0: int, row_1: int, count: int, winner: int, p: Array) -> int:
    """The pot of two rows of `count` cards each, as one word."""
    bits, order = p[BITS], p[ORDER + winner]
    card = (1 << bits) - 1
    rows = order == WINNER_FIRST or order == LOSER_FIRST or order == SEAT_FIRST
    first = 0 if order == SEAT_FIRST else winner ^ whole(order == LOSER_FIRST)
    one, two = (row_0, row_1) if first == 0 else (row_1, row_0)
    if rows and not p[LAYERS]:
        pot = one | two << (bits * count)
    elif rows or order == NATURAL_BEST or order == NATURAL_WORST:
        pot = 0
        for i in range(count):
            layer = i if rows else count - 1 - i
            a, b = (one >> (bits * layer)) & card, (two >> (bits * layer)) & card
            if not rows:
                a, b = (
                    (greater(a, b), lesser(a, b))
                    if order == NATURAL_BEST
                    else (lesser(a, b), greater(a, b))
                )
            pot |= (a | b << bits) << (2 * bits * i)
    else:
        pot = 0
        for i in range(2 * count):
            new = ((row_0 if i < count else row_1) >> (bits * (i % count))) & card
            below = 0
            for j in range(i):
                old = (pot >> (bits * j)) & card
                below += old >= new if order == BEST_DOWN else old <= new
            low = (1 << (bits * below)) - 1
            pot = (pot & low) | new << (bits * below) | (pot & ~low) << bits
    if p[REVERSE]:
        turned = 0
        for _ in range(2 * count):
            turned = turned << bits | pot & card
            pot = shift_right(pot, bits)
        pot = turned
    return whole(pot)


@inner
def keep_least(outcome: int, key: int, least: Array) -> None:
    """Keep a key that is among the least of its outcome."""
    place = least.shape[1] - 1
    while place > 0 and least[outcome, place - 1] > key:
        least[outcome, place] = least[outcome, place - 1]
        place -= 1
    least[outcome, place] = key


@inner
def note_extreme(battles: int, key: int, extremes: Array) -> None:
    """Note a game that is at least as long, or as short, as any before it."""
    for at, further in ((LONGEST, battles > extremes[LONGEST]),
                        (SHORTEST, battles < extremes[SHORTEST])):  # fmt: skip
        if further or (battles == extremes[at] and key < extremes[at + 1]):
            extremes[at], extremes[at + 1] = battles, key


@inline
def record(
    outcome: int, story: int, key: int, p: Array, extremes: Array, hist: Array, least: Array
) -> None:
    """Count a game that has ended, and its mirror image if that is not dealt.

    Keys are kept with their first bit turned over, so that they compare as signed numbers. Wars
    are counted by the bits that they laid.
    """
    battles = story & BATTLE_MASK
    wars = (story >> BATTLE_BITS) - p[BITS] * battles
    hist[outcome, battles] += 1
    hist[WARS, wars] += 1
    if (key ^ SIGN) < least[outcome, least.shape[1] - 1]:
        keep_least(outcome, key ^ SIGN, least)
    if p[MIRROR]:
        half = p[HALF]
        front, back = shift_right(key, half), key & ((1 << half) - 1)
        if front != back:
            image = (back << half | front) ^ SIGN
            outcome = outcome if outcome == DRAW else 1 - outcome
            hist[outcome, battles] += 1
            hist[WARS, wars] += 1
            if image < least[outcome, least.shape[1] - 1]:
                keep_least(outcome, image, least)
    if battles >= extremes[LONGEST] or battles <= extremes[SHORTEST]:
        note_extreme(battles, key ^ SIGN, extremes)


@inline
def fight_war(i: int, laid: int, lanes: Array, p: Array) -> None:
    """Play the turn of a lane in which each player lays `laid` bits."""
    a, b, length = lanes[PACKET_0, i], lanes[PACKET_1, i], lanes[LENGTH, i]
    mask = (1 << laid) - 1
    winner = whole((a & mask) < (b & mask))
    pot = pot_word(a & mask, b & mask, p[CARDS_OF + laid], winner, p)
    a, b, rest = shift_right(a, laid), shift_right(b, laid), length - laid
    if winner == 0:
        a |= pot << rest
        rest += 2 * laid
    else:
        b |= pot << (p[TOTAL] - laid - length)
    lanes[PACKET_0, i], lanes[PACKET_1, i], lanes[LENGTH, i] = a, b, rest
    lanes[STORY, i] += 1 + (laid << BATTLE_BITS)


@inline
def settle(
    i: int, lanes: Array, p: Array, extremes: Array, hist: Array, least: Array, hard: Array,
    control: Array,
) -> bool:  # fmt: skip
    """Deal with a lane that is stuck: a game over, a war, a player short. True if it is done."""
    length, other = lanes[LENGTH, i], p[TOTAL] - lanes[LENGTH, i]
    if length > 0 and other > 0:
        bits = p[BITS]
        differ = lanes[PACKET_0, i] ^ lanes[PACKET_1, i]
        differ |= shift_right(differ, 1)
        differ = (differ | shift_right(differ, bits - 2)) & p[UP_ALL]
        laid = exponent(differ & -differ) + bits
        fewer, more = lesser(length, other), greater(length, other)
        if bits <= laid <= fewer:
            fight_war(i, laid, lanes, p)
            length, other = lanes[LENGTH, i], p[TOTAL] - lanes[LENGTH, i]
            if length > 0 and other > 0:
                return False
        elif not p[LOSES]:
            hard[control[HARD_COUNT]] = lanes[KEY, i]
            control[HARD_COUNT] += 1
            return True
        else:
            needed = p[NEEDED + fewer]
            lanes[STORY, i] += 1 + ((bits + needed) << BATTLE_BITS)
            if more <= needed:
                outcome = WINS_1 if p[ALL_SHORT] else DRAW
                record(outcome, lanes[STORY, i], lanes[KEY, i], p, extremes, hist, least)
                return True
    winner = whole(length < other)
    record(winner, lanes[STORY, i], lanes[KEY, i], p, extremes, hist, least)
    return True


@inner
def drain(
    target: int, lanes: Array, p: Array, extremes: Array, hist: Array, least: Array, hard: Array,
    control: Array, stuck: Array,
) -> None:  # fmt: skip
    """Play until at most `target` lanes are still at it; hand over games that grow long."""
    count = control[LANE_COUNT]
    while count > target:
        two_turns(lanes, (count + 7) & -8, p)
        found = 0
        control[ROUNDS] += 1
        sweep = control[ROUNDS] % 32 == 0
        for i in range(count):
            stuck[found] = i
            long = sweep and lanes[STORY, i] & BATTLE_MASK > LONG
            found += (lanes[STUCK, i] != 0) | long
        for j in range(found - 1, -1, -1):
            i = stuck[j]
            settled = lanes[STUCK, i] != 0 and settle(
                i, lanes, p, extremes, hist, least, hard, control
            )
            if not settled and lanes[STORY, i] & BATTLE_MASK > LONG:
                hard[control[HARD_COUNT]] = lanes[KEY, i]
                control[HARD_COUNT] += 1
            elif not settled:
                continue
            count -= 1
            for row in range(LANE_ROWS):
                lanes[row, i] = lanes[row, count]
    control[LANE_COUNT] = count


@inner
def next_sequence(cards: NDArray[np.int64], size: int) -> bool:
    """Go to the next arrangement in lexicographic order; False after the last."""
    i = size - 2
    while i >= 0 and cards[i] >= cards[i + 1]:
        i -= 1
    if i < 0:
        return False
    j = size - 1
    while cards[j] <= cards[i]:
        j -= 1
    cards[i], cards[j] = cards[j], cards[i]
    low, high = i + 1, size - 1
    while low < high:
        cards[low], cards[high] = cards[high], cards[low]
        low += 1
        high -= 1
    return True


@jit
def write_sequences(cards: Array, length: int, out: NDArray[np.uint8]) -> None:
    """Write the sequence `cards` and those that follow it in lexicographic order into `out`.

    The first `length` cards are the sequence, the others, ascending, are what it leaves over;
    `cards` is moved on.
    """
    size = len(cards)
    for row in range(len(out)):
        for i in range(length):
            out[row, i] = cards[i]
        for i in range((size - length) // 2):
            cards[length + i], cards[size - 1 - i] = cards[size - 1 - i], cards[length + i]
        next_sequence(cards, size)


@inline
def reveal(level: int, card: int, p: Array, seats: Array, tree: Array, shifts: Array) -> bool:
    """Turn up the card of a level and play what it decides; False if the mirror image is dealt."""
    bits = p[BITS]
    now = level + 1
    for field in range(LEVEL_SIZE):
        tree[now, field] = tree[level, field]
    seat = seats[level]
    tree[now, ROW_0 + seat] |= card << (bits * tree[now, ROWED_0 + seat])
    tree[now, ROWED_0 + seat] += 1
    named = p[RANKS] - 1 - card if p[LOWEST_BEST] else card
    tree[now, KEYED] |= named << shifts[level]
    count = tree[now, ROWED_0]
    if seat == 0 or count != tree[now, ROWED_1]:
        return True
    place = bits * (count - 1)
    other = tree[now, ROW_0] >> place
    if card == other:
        return True
    if tree[now, EVEN]:
        if (card < other) != (p[LOWEST_BEST] != 0):
            return False
        tree[now, EVEN] = 0
    if (p[UP_ALL] >> place) & 1:
        winner = whole(other < card)
        pot = pot_word(tree[now, ROW_0], tree[now, ROW_1], count, winner, p)
        tree[now, WON_0 + winner] |= pot << (bits * tree[now, TAKEN_0 + winner])
        tree[now, TAKEN_0 + winner] += 2 * count
        tree[now, STORIED] += 1 + ((bits * count) << BATTLE_BITS)
        tree[now, ROW_0] = tree[now, ROW_1] = tree[now, ROWED_0] = tree[now, ROWED_1] = 0
    return True


@inline
def add_deals(
    code: int, mask: int, match: int, p: Array, tree: Array, where: Array, table: Array,
    lanes: Array, control: Array,
) -> None:  # fmt: skip
    """Put a game into the lanes for every arrangement of the last cards, a multiset.

    ``table[where[code]:where[code + 1]]`` has them: the cards of each seat and the end of the key.
    """
    bits, half = p[BITS], p[HALF]
    node = p[LEVELS] - TAIL
    count = control[LANE_COUNT]
    low = (1 << half) - 1
    place_0, place_1 = bits * tree[node, ROWED_0], bits * tree[node, ROWED_1]
    end_0 = place_0 + bits * p[TAIL_0]
    end_1 = place_1 + bits * (TAIL - p[TAIL_0])
    for at in range(where[code], where[code + 1]):
        if (table[at, 2] ^ match) & mask:
            continue
        key = tree[node, KEYED] | table[at, 2]
        if tree[node, EVEN] and shift_right(key, half) > key & low:
            continue
        first_0 = tree[node, ROW_0] | table[at, 0] << place_0
        first_1 = tree[node, ROW_1] | table[at, 1] << place_1
        lanes[PACKET_0, count] = first_0 | tree[node, WON_0] << end_0
        lanes[PACKET_1, count] = first_1 | tree[node, WON_1] << end_1
        lanes[LENGTH, count] = end_0 + bits * tree[node, TAKEN_0]
        lanes[STORY, count] = tree[node, STORIED]
        lanes[KEY, count] = key
        count += 1
    control[LANE_COUNT] = count


@jit
def deal_out(
    left: Array, fixed: Array, mask: int, match: int, p: Array, seats: Array, shifts: Array,
    chosen: Array, tree: Array, where: Array, table: Array, work: Array, lanes: Array,
    extremes: Array, hist: Array, least: Array, hard: Array, control: Array,
) -> bool:  # fmt: skip
    """Play all deals that agree with the fixed cards; False, to be called again, if `hard` is full.

    Parameters
    ----------
    left : int64 array, shape (RANKS,)
        Copies of each card that are not fixed; back as it was in the end.
    fixed : int64 array, shape (LEVELS,)
        The card of each level, or -1.
    mask, match : int
        The fixed cards of the last levels, as bits of a key.
    p : int64 array, shape (PARAM_SIZE,)
    seats, shifts : int64 arrays, shape (LEVELS,)
        Who gets the card of a level, and where it stands in a key.
    control : int64 array, shape (CONTROL_SIZE,)
        With LEVEL = 0, and every ``chosen`` -1, at the beginning.

    Notes
    -----
    A key is a deal as a number: its cards in the order of the packets, first card uppermost.
    """
    bottom = p[LEVELS] - TAIL
    level = control[LEVEL]
    while level >= 0:
        if level == bottom:
            if control[HARD_COUNT] + 2 * LANES > len(hard):
                control[LEVEL] = level
                return False
            for last in range(bottom, p[LEVELS]):
                if fixed[last] >= 0:
                    left[fixed[last]] += 1
            code = 0
            for last in range(p[RANKS]):
                for _ in range(left[last]):
                    code = code << 4 | last
            for last in range(bottom, p[LEVELS]):
                if fixed[last] >= 0:
                    left[fixed[last]] -= 1
            add_deals(code, mask, match, p, tree, where, table, lanes, control)
            if control[LANE_COUNT] > LANES - 24:
                drain(LANES - 128, lanes, p, extremes, hist, least, hard, control, work)
            level -= 1
            continue
        card = chosen[level]
        free = fixed[level] < 0
        if free:
            if card >= 0:
                left[card] += 1
            card += 1
            while card < p[RANKS] and left[card] == 0:
                card += 1
        else:
            card = fixed[level] if card < 0 else p[RANKS]
        if card >= p[RANKS]:
            chosen[level] = -1
            level -= 1
            continue
        chosen[level] = card
        if free:
            left[card] -= 1
        if reveal(level, card, p, seats, tree, shifts):
            level += 1
    drain(0, lanes, p, extremes, hist, least, hard, control, work)
    control[LEVEL] = 0
    return True
