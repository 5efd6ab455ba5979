"""Backward play: the positions that end are trees, rooted at the positions that end next turn.

`roots` finds the positions whose next turn ends the game and walks the tree above each: every
position that ends is visited once, with no table. A position is two words, `bits` bits a card,
top card lowest, and the number of cards of seat 0. Nothing here is shared with the kernels that
play forward; `successor` is a third way to play a turn.
"""

from __future__ import annotations

import numpy as np

from waranalysis.kernels.encode import (
    ALL_SHORT,
    AUTOMATIC,
    BEST_DOWN,
    DOWN,
    LAST_CARD,
    LAYERS,
    LOSE,
    LOSER_FIRST,
    NATURAL_BEST,
    NATURAL_WORST,
    ORDER,
    REVERSE,
    SEAT_FIRST,
    SHORT,
    SHORT_DRAW,
    SHORT_PACKET,
    WORST_UP,
    Array,
)
from waranalysis.kernels.jit import greater, inline, inner, jit, lesser, shift_right, whole

SEAT_0, SEAT_1, DRAW, GOES_ON = map(np.int64, range(4))
# What `successor` writes: the outcome or GOES_ON, both packets, cards of seat 0, cards laid.
OUTCOME, AFTER_0, AFTER_1, AFTER_CARDS, LAID_0, LAID_1 = map(np.int64, range(6))
# Parameters: bits a card, cards, strengths, cards of a war beyond the first (0: not the same for
# every war), whether the pots are plain rows, whether mirror images are left out, and for each
# winner whether their own row comes first.
BITS, CARDS, RANKS, STRIDE, PLAIN, MIRROR, LEADS, PARAM_SIZE = map(
    np.int64, (0, 1, 2, 3, 4, 5, 6, 8)
)
MOST_CARDS, DEPTHS, STACK, ROOTS, TAIL = 20, 1 << 12, 1 << 16, 1 << 6, 4
# A position on the stack: both words and a mark, which is its place among the counts: battles to
# the end, outcome, and five bits for the cards of seat 0. Counts of one depth lie side by side,
# where the processor's cache keeps them.
SIZES, DEPTH = 32, 4 * 32


@inner
def card_at(packet: int, place: int, bits: int) -> int:
    """The card at a place of a packet, counted from the top."""
    return (packet >> (bits * place)) & ((1 << bits) - 1)


@inner
def leader(order: int, winner: int) -> int:
    """The seat whose row leads a pot made of rows."""
    if order == SEAT_FIRST:
        return 0
    return 1 - winner if order == LOSER_FIRST else winner


@inner
def place_in_pot(seat: int, layer: int, laid_0: int, laid_1: int, lead: int, layers: int) -> int:
    """Where a card of a row goes in a pot made of rows, before `reverse`."""
    if not layers:
        return layer if seat == lead else layer + (laid_1 if lead else laid_0)
    before = lesser(layer, laid_0) + lesser(layer, laid_1)
    mate = laid_1 if seat == 0 else laid_0
    return before + (1 if seat != lead and layer < mate else 0)


@inner
def short_outcome(left_0: int, left_1: int, need: int, rules: Array) -> int:
    """Outcome of a war that cannot be laid, or GOES_ON."""
    short = rules[SHORT]
    strict = short == LOSE or short == SHORT_DRAW
    out_0 = left_0 < need if strict else left_0 == 0
    out_1 = left_1 < need if strict else left_1 == 0
    if short == LAST_CARD and out_0 != out_1:
        return GOES_ON
    if out_0 and out_1:
        return SEAT_1 if rules[ALL_SHORT] and short != SHORT_DRAW else DRAW
    if out_0 or out_1:
        return DRAW if short == SHORT_DRAW else SEAT_1 if out_0 else SEAT_0
    return GOES_ON


@inner
def successor(a: int, b: int, size: int, p: Array, rules: Array, pot: Array, out: Array) -> None:
    """Play one turn of a position in which seat 0 holds `size` cards."""
    bits, held_1 = p[BITS], p[CARDS] - size
    laid_0 = laid_1 = whole(1)
    out[OUTCOME] = GOES_ON
    while True:
        x, y = card_at(a, laid_0 - 1, bits), card_at(b, laid_1 - 1, bits)
        if x != y and x != rules[AUTOMATIC] and y != rules[AUTOMATIC]:
            break
        need = 1 + rules[DOWN + (x if x == y else rules[AUTOMATIC])]
        left_0, left_1 = size - laid_0, held_1 - laid_1
        out[OUTCOME] = short_outcome(left_0, left_1, need, rules)
        if out[OUTCOME] != GOES_ON:
            return
        if rules[SHORT] == SHORT_PACKET:
            need = lesser(need, lesser(left_0, left_1))
        laid_0 += lesser(need, left_0)
        laid_1 += lesser(need, left_1)
    winner = whole(x < y)
    fill_pot(a, b, laid_0, laid_1, winner, p, rules, pot)
    won = 0
    for i in range(laid_0 + laid_1 - 1, -1, -1):
        won = won << bits | pot[i]
    a, b = a >> (bits * laid_0), b >> (bits * laid_1)
    size, held_1 = size - laid_0, held_1 - laid_1
    if winner == 0:
        a |= won << (bits * size)
        size += laid_0 + laid_1
        out[OUTCOME] = SEAT_0 if held_1 == 0 else GOES_ON
    else:
        b |= won << (bits * held_1)
        out[OUTCOME] = SEAT_1 if size == 0 else GOES_ON
    out[AFTER_0], out[AFTER_1], out[AFTER_CARDS] = a, b, size
    out[LAID_0], out[LAID_1] = laid_0, laid_1


@inner
def fill_pot(
    a: int, b: int, laid_0: int, laid_1: int, winner: int, p: Array, rules: Array, pot: Array
) -> None:
    """Write the pot, card by card."""
    bits, order, size = p[BITS], rules[ORDER + winner], 0
    if order == BEST_DOWN or order == WORST_UP:
        for step in range(p[RANKS]):
            card = p[RANKS] - 1 - step if order == BEST_DOWN else step
            for i in range(laid_0):
                if card_at(a, i, bits) == card:
                    pot[size] = card
                    size += 1
            for i in range(laid_1):
                if card_at(b, i, bits) == card:
                    pot[size] = card
                    size += 1
    elif order == NATURAL_BEST or order == NATURAL_WORST:
        for layer in range(greater(laid_0, laid_1) - 1, -1, -1):
            x = card_at(a, layer, bits) if layer < laid_0 else -1
            y = card_at(b, layer, bits) if layer < laid_1 else -1
            first = greater(x, y)
            if order == NATURAL_WORST and lesser(x, y) >= 0:
                first = lesser(x, y)
            pot[size] = first
            size += 1
            if lesser(x, y) >= 0:
                pot[size] = x + y - first
                size += 1
    else:
        size, lead = laid_0 + laid_1, leader(order, winner)
        for i in range(laid_0):
            pot[place_in_pot(0, i, laid_0, laid_1, lead, rules[LAYERS])] = card_at(a, i, bits)
        for i in range(laid_1):
            pot[place_in_pot(1, i, laid_0, laid_1, lead, rules[LAYERS])] = card_at(b, i, bits)
    if rules[REVERSE]:
        for i in range(size // 2):
            pot[i], pot[size - 1 - i] = pot[size - 1 - i], pot[i]


# --- predecessors ----------------------------------------------------------------------------


@inline
def push(a: int, b: int, mark: int, stack: Array, top: int) -> int:
    """Put a position on the stack; return the new top."""
    stack[top, 0], stack[top, 1], stack[top, 2] = a, b, mark
    return top + 1


@inline
def undo(
    mine: int, other: int, held: int, leads: int, laid: int, last: int, ties: int, bits: int,
    winner: int, mark: int, stack: Array, top: int,
) -> int:  # fmt: skip
    """Put down the only position that leads here by laying `laid` cards each, if there is one.

    The pot, plain rows, is at the bottom of the packet of the winner, who holds `held` cards. A
    single battle is written in any case, which costs less than a branch; a war is a rare guest.
    """
    width = last + bits
    under = bits * held - 2 * width
    pot = shift_right(mine, under & 63)
    low, high = pot & ((1 << width) - 1), shift_right(pot, width)
    swap = (low ^ high) & (leads - 1)
    won, lost = low ^ swap, high ^ swap
    fits = ((low ^ high) & ties) == 0 and shift_right(won, last) > shift_right(lost, last)
    fits = fits and under >= 0
    if laid == 1 or fits:
        stack[top, winner] = (mine & ((1 << (under & 63)) - 1)) << width | won
        stack[top, 1 - winner] = other << width | lost
        stack[top, 2] = mark + DEPTH + (laid if winner else -laid)
    return top + fits


@inline
def undo_wars(
    mine: int, other: int, held: int, leads: int, bits: int, stride: int, winner: int, mark: int,
    stack: Array, top: int,
) -> int:  # fmt: skip
    """Put down the positions that lead here by a war that `winner` won."""
    card = (1 << bits) - 1
    laid, last, ties = 1 + stride, bits * stride, card
    while 2 * laid <= held:
        top = undo(mine, other, held, leads, laid, last, ties, bits, winner, mark, stack, top)
        ties |= card << last
        last += bits * stride
        laid += stride
    return top


@inner
def climb_plain(top: int, p: Array, stack: Array, counts: Array) -> bool:
    """Like `climb`, the pots being plain rows and wars all alike.

    A function of its own: among the code for any rules its words would not stay in registers.
    """
    bits, stride, cards = p[BITS], p[STRIDE], p[CARDS]
    leads_0, leads_1 = p[LEADS], p[LEADS + 1]
    while top > 0:
        top -= 1
        a, b, mark = stack[top, 0], stack[top, 1], stack[top, 2]
        counts[mark] += 1
        if mark >= (DEPTHS - 1) * DEPTH or top + 2 * MOST_CARDS > STACK:
            return False
        size = mark & (SIZES - 1)
        held = cards - size
        top = undo(a, b, size, leads_0, 1, 0, 0, bits, 0, mark, stack, top)
        top = undo(b, a, held, leads_1, 1, 0, 0, bits, 1, mark, stack, top)
        top = undo_wars(a, b, size, leads_0, bits, stride, 0, mark, stack, top)
        top = undo_wars(b, a, held, leads_1, bits, stride, 1, mark, stack, top)
    return True


@inner
def may_lay(place: int, i: int, count: int, laid_0: int, laid_1: int, lead: int, order: int,
            rules: Array) -> bool:  # fmt: skip
    """Whether card `i` of the pot can have been laid at a place (2 * layer + seat)."""
    layer, seat = place >> 1, place & 1
    if order == BEST_DOWN or order == WORST_UP:
        return True
    i = count - 1 - i if rules[REVERSE] else i
    if order == NATURAL_BEST or order == NATURAL_WORST:
        above = greater(laid_0 - 1 - layer, 0) + greater(laid_1 - 1 - layer, 0)
        return above <= i < above + (layer < laid_0) + (layer < laid_1)
    return i == place_in_pot(seat, layer, laid_0, laid_1, lead, rules[LAYERS])


@inner
def arrange(
    a: int, b: int, size: int, mark: int, winner: int, laid_0: int, laid_1: int, p: Array,
    rules: Array, work: Array, stack: Array, top: int,
) -> int:  # fmt: skip
    """Lay the bottom cards of the winner back in every way that, played, gives this position.

    Tries the cards of the pot place by place, both rows layer by layer, and gives up where a
    comparison that must have been a tie is none.
    """
    bits, stride, count = p[BITS], p[STRIDE], laid_0 + laid_1
    pot, used, chosen, places, out = work[0], work[1], work[2], work[3], work[4]
    order = rules[ORDER + winner]
    lead = leader(order, winner)
    mine, held = (a, size) if winner == 0 else (b, p[CARDS] - size)
    filled = 0
    for layer in range(greater(laid_0, laid_1)):
        for seat in range(2):
            if layer < (laid_0 if seat == 0 else laid_1):
                places[filled] = 2 * layer + seat
                filled += 1
    for i in range(count):
        pot[i], used[i], chosen[i] = card_at(mine, held - count + i, bits), 0, -1
    if order == BEST_DOWN or order == WORST_UP:
        down = whole(order == BEST_DOWN) ^ rules[REVERSE]
        for i in range(count - 1):
            if (pot[i + 1] - pot[i] if down else pot[i] - pot[i + 1]) > 0:
                return top
    rest = mine & ((1 << (bits * (held - count))) - 1)
    at = row_0 = row_1 = 0
    while at >= 0:
        place = places[at]
        layer, seat = place >> 1, place & 1
        clear = ~(((1 << bits) - 1) << (bits * layer))
        if seat == 0:
            row_0 &= clear
        else:
            row_1 &= clear
        i = chosen[at]
        if i >= 0:
            used[i] = 0
        before = pot[i] if i >= 0 else -1
        i += 1
        while i < count and (
            used[i]
            or pot[i] == before
            or not may_lay(place, i, count, laid_0, laid_1, lead, order, rules)
        ):
            i += 1
        if i == count:
            chosen[at] = -1
            at -= 1
            continue
        chosen[at], used[i] = i, 1
        if seat == 0:
            row_0 |= pot[i] << (bits * layer)
        else:
            row_1 |= pot[i] << (bits * layer)
        if (
            stride
            and seat == 1
            and layer % stride == 0
            and layer + stride < lesser(laid_0, laid_1)
            and card_at(row_0, layer, bits) != pot[i]
        ):
            continue
        if at < count - 1:
            at += 1
            continue
        one = row_0 | (rest if winner == 0 else a) << (bits * laid_0)
        two = row_1 | (rest if winner == 1 else b) << (bits * laid_1)
        before_size = size + laid_0 - (count if winner == 0 else 0)
        successor(one, two, before_size, p, rules, work[5], out)
        same = out[AFTER_0] == a and out[AFTER_1] == b and out[AFTER_CARDS] == size
        if out[OUTCOME] == GOES_ON and same and out[LAID_0] == laid_0 and out[LAID_1] == laid_1:
            top = push(one, two, mark + DEPTH + before_size - size, stack, top)
    return top


@inner
def predecessors(
    a: int, b: int, size: int, mark: int, p: Array, rules: Array, work: Array, stack: Array,
    top: int,
) -> int:  # fmt: skip
    """Positions that lead to this one, under any rules."""
    strict = p[STRIDE] > 0 and (rules[SHORT] == LOSE or rules[SHORT] == SHORT_DRAW)
    for winner in range(2):
        held = size if winner == 0 else p[CARDS] - size
        for laid_0 in range(1, held):
            for laid_1 in range(1, held - laid_0 + 1):
                if strict and (laid_0 != laid_1 or (laid_0 - 1) % p[STRIDE]):
                    continue
                top = arrange(a, b, size, mark, winner, laid_0, laid_1, p, rules, work, stack, top)
    return top


@inner
def climb(
    top: int, p: Array, rules: Array, work: Array, stack: Array, counts: Array
) -> bool:  # fmt: skip
    """Count the positions on the stack and all above them; False if there was no room."""
    if p[PLAIN]:
        return climb_plain(top, p, stack, counts)
    while top > 0:
        top -= 1
        a, b, mark = stack[top, 0], stack[top, 1], stack[top, 2]
        counts[mark] += 1
        if mark >= (DEPTHS - 1) * DEPTH or top + 2 * MOST_CARDS > STACK:
            return False
        size = mark & (SIZES - 1)
        top = predecessors(a, b, size, mark, p, rules, work, stack, top)
    return True


# --- roots -----------------------------------------------------------------------------------


@inline
def verdict(layer: int, a: int, b: int, size: int, p: Array, rules: Array) -> int:
    """What a layer that both have says of a position whose earlier comparisons were all ties.

    An outcome if the turn ends the game whatever the cards below are, GOES_ON if it does not, -1
    if that is still open.
    """
    stride, held_1 = p[STRIDE], p[CARDS] - size
    if (stride and layer % stride) or (not stride and layer):
        return -1
    x, y = card_at(a, layer, p[BITS]), card_at(b, layer, p[BITS])
    if not stride and (x == rules[AUTOMATIC] or y == rules[AUTOMATIC]):
        return -1
    if x != y:
        if (held_1 if x > y else size) == layer + 1:
            return SEAT_0 if x > y else SEAT_1
        return GOES_ON
    strict = rules[SHORT] == LOSE or rules[SHORT] == SHORT_DRAW
    if stride and strict:
        left_0, left_1 = size - layer - 1, held_1 - layer - 1
        outcome = short_outcome(left_0, left_1, stride, rules)
        return -1 if outcome == GOES_ON else outcome
    return -1


@inline
def push_all(
    a: int, b: int, mark: int, left: Array, where: Array, tails: Array, p: Array, stack: Array,
    top: int,
) -> int:  # fmt: skip
    """Put a position on the stack for every arrangement of the cards that are left."""
    code = 0
    for card in range(p[RANKS]):
        for _ in range(left[card]):
            code = code << 4 | card
    for at in range(where[code], where[code + 1]):
        top = push(a | tails[at, 0], b | tails[at, 1], mark, stack, top)
    return top


@jit
def roots(
    size: int, left: Array, above: Array, where: Array, tails: Array, p: Array, rules: Array,
    work: Array, stack: Array, counts: Array,
) -> bool:  # fmt: skip
    """Walk all trees whose root gives seat 0 `size` cards; False if there was no room.

    Parameters
    ----------
    left : int64 array, shape (RANKS,)
        Copies of each card; back as they were in the end.
    above : int64 array, shape (2,)
        For each word, all bits but those of the last `TAIL` cards to be turned up.
    where, tails : int64 arrays, shapes (16**TAIL + 1,) and (arrangements, 2)
        Both words of every arrangement of these, ``tails[where[code]:where[code + 1]]``, the
        code being the cards, in ascending order, as hexadecimal digits.
    work : int64 array, shape (8, 2 * MOST_CARDS)
    stack : int64 array, shape (STACK, 3)
    counts : int64 array, shape (DEPTHS * 4 * SIZES,)
        Added to: positions by battles to the end, outcome and cards of seat 0.

    Notes
    -----
    Cards are turned up layer by layer; a branch is left as soon as its turn cannot end the game.
    """
    bits, total = p[BITS], p[CARDS]
    chosen, known, out = work[6], work[7], work[4]
    shared = 2 * lesser(size, total - size)
    bottom = total - TAIL
    a = b = level = top = 0
    chosen[0] = known[0] = -1
    while level >= 0:
        if top >= ROOTS:
            if not climb(top, p, rules, work, stack, counts):
                return False
            top = 0
        if level == bottom and known[level] >= 0:
            a, b = a & above[0], b & above[1]
            top = push_all(a, b, DEPTH + known[level] * SIZES + size, left, where, tails, p,
                           stack, top)  # fmt: skip
            level -= 1
            continue
        seat = level & 1 if level < shared else whole(size < total - size)
        layer = level >> 1 if level < shared else level - shared // 2
        place = bits * layer
        card = chosen[level]
        if card >= 0:
            left[card] += 1
        card += 1
        while card < p[RANKS] and left[card] == 0:
            card += 1
        keep = (1 << place) - 1
        if seat == 0:
            a &= keep
        else:
            b &= keep
        if card == p[RANKS]:
            level -= 1
            continue
        chosen[level] = card
        left[card] -= 1
        if seat == 0:
            a |= card << place
        else:
            b |= card << place
        known[level + 1] = known[level]
        if known[level] < 0 and level < shared and seat == 1:
            known[level + 1] = verdict(layer, a, b, size, p, rules)
            if known[level + 1] == GOES_ON or (p[MIRROR] and known[level + 1] == SEAT_1):
                continue
        if level + 1 < total:
            level += 1
            chosen[level] = -1
            continue
        outcome = known[level + 1]
        if outcome < 0:
            successor(a, b, size, p, rules, work[5], out)
            outcome = out[OUTCOME]
        if outcome == GOES_ON or (p[MIRROR] and outcome == SEAT_1):
            continue
        top = push(a, b, DEPTH + outcome * SIZES + size, stack, top)
    return climb(top, p, rules, work, stack, counts)
