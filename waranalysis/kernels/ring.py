"""Two players with up to 64 cards: packets as rings of bytes, every rule the kernels know.

A game is two arrays. ``cards`` (uint8, 7 x 64) holds in its rows the two packets, the two won
piles, the two rows on the table and the pot; ``num`` (int64) says where they begin and end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from waranalysis.kernels.encode import (
    ALL_SHORT,
    AUTOMATIC,
    BEST_DOWN,
    BOTTOM,
    BY_CHANCE,
    COIN,
    DOWN,
    FIRST,
    FIXED_DOWN,
    HEADS,
    LAST_CARD,
    LAYERS,
    LIMIT,
    LOSE,
    LOSER_FIRST,
    NATURAL_BEST,
    NATURAL_WORST,
    ORDER,
    PILE_SHUFFLED,
    RECYCLE,
    REVERSE,
    SEAT_FIRST,
    SHORT,
    SHORT_DRAW,
    SHORT_PACKET,
    SHUFFLED,
    WORST_UP,
    Array,
)
from waranalysis.kernels.jit import greater, inline, inner, jit, lesser, ones_if, whole
from waranalysis.kernels.random import Stream, draw, mix, shuffle

Cards = NDArray[np.uint8]

PILE, ROW, POT = map(np.int64, (2, 4, 6))
HEAD, LEN, PILED, ROWED, WARS, BATTLES, NUM_SIZE = map(np.int64, (0, 2, 4, 6, 8, 9, 10))
CARDS_SHAPE = (7, 64)
WRAP = 63

SEAT_0, SEAT_1, DRAW, CYCLE, UNDECIDED, GOES_ON, REPEATS = map(np.int64, range(7))
# What `classify` writes.
OUTCOME, PLAYED, WARRED, TAIL, PERIOD, FATE_SIZE = map(np.int64, range(6))
PROBE = 1024

_ONE, _TWO = np.uint64(1), np.uint64(2)


@inner
def lay(seat: int, count: int, cards: Cards, num: Array, rules: Array, rng: Stream) -> None:
    """Move cards from the packet to the row on the table; pick the won pile up when needed.

    The pile becomes the packet with the card won last on top, or shuffled.
    """
    for _ in range(count):
        if num[LEN + seat] == 0:
            size = num[PILED + seat]
            for i in range(size):
                cards[seat, i] = cards[PILE + seat, size - 1 - i]
            if rules[RECYCLE] == PILE_SHUFFLED:
                shuffle(cards, seat, size, rng)
            num[HEAD + seat], num[LEN + seat], num[PILED + seat] = 0, size, 0
        head = num[HEAD + seat]
        cards[ROW + seat, num[ROWED + seat]] = cards[seat, head]
        num[HEAD + seat] = (head + 1) & WRAP
        num[LEN + seat] -= 1
        num[ROWED + seat] += 1


@inner
def short_ending(left_0: int, left_1: int, need: int, rules: Array) -> int:
    """Outcome if somebody loses a war at once, or a short player makes it a draw; or GOES_ON."""
    short = rules[SHORT]
    least = need if short == LOSE or short == SHORT_DRAW else 1
    lost_0, lost_1 = left_0 < least, left_1 < least
    if not (lost_0 or lost_1) or (short == LAST_CARD and not (lost_0 and lost_1)):
        return GOES_ON
    if short == SHORT_DRAW:
        return DRAW
    if lost_0 and lost_1:
        return SEAT_1 if rules[ALL_SHORT] else DRAW
    return SEAT_1 if lost_0 else SEAT_0


@inner
def fight(cards: Cards, num: Array, rules: Array, rng: Stream) -> int:
    """Lay and compare until somebody captures (SEAT_0, SEAT_1) or the game ends (outcome + 8)."""
    need = 1
    while True:
        for seat in range(2):
            laid = lesser(need, num[LEN + seat] + num[PILED + seat])
            lay(seat, laid, cards, num, rules, rng)
        a, b = cards[ROW, num[ROWED] - 1], cards[ROW + 1, num[ROWED + 1] - 1]
        automatic = rules[AUTOMATIC]
        if a != b and a != automatic and b != automatic:
            return SEAT_0 if a > b else SEAT_1
        num[WARS] += 1
        need = rules[DOWN + (a if a == b else automatic)] + 1
        left_0, left_1 = num[LEN] + num[PILED], num[LEN + 1] + num[PILED + 1]
        result = short_ending(left_0, left_1, need, rules)
        if result != GOES_ON:
            return result + 8
        if rules[SHORT] == SHORT_PACKET:
            need = lesser(need, lesser(left_0, left_1))


@inner
def place_in_pot(seat: int, layer: int, card: int, winner: int, order: int, layers: bool) -> int:
    """A number by which the cards on the table are sorted into the pot."""
    if order == BEST_DOWN:
        return -card
    if order == WORST_UP:
        return card
    if order == NATURAL_BEST:
        return -(layer << 8) - card
    if order == NATURAL_WORST:
        return -(layer << 8) + card
    leads = seat if order == SEAT_FIRST else seat ^ winner ^ whole(order == LOSER_FIRST)
    return layer << 8 | leads if layers else leads << 8 | layer


@inner
def capture(
    winner: int, cards: Cards, num: Array, rules: Array, rng: Stream, places: Array
) -> None:
    """Order the cards on the table and put them under the packet, or onto the pile."""
    order, size = rules[ORDER + winner], 0
    sign = -1 if rules[REVERSE] else 1
    if order == COIN:
        first = whole(draw(rng) >> _ONE) <= rules[HEADS + winner]
        order = LOSER_FIRST - whole(first != (rules[REVERSE] != 0))
    for seat in range(2):
        for layer in range(num[ROWED + seat]):
            card = whole(cards[ROW + seat, layer])
            if order == SHUFFLED:
                place = whole(draw(rng) >> _ONE)
            else:
                place = sign * place_in_pot(seat, layer, card, winner, order, rules[LAYERS] != 0)
            i = size
            while i > 0 and places[i - 1] > place:
                cards[POT, i], places[i] = cards[POT, i - 1], places[i - 1]
                i -= 1
            cards[POT, i], places[i] = card, place
            size += 1
    bottom = rules[RECYCLE] == BOTTOM
    row, part = (winner, LEN + winner) if bottom else (PILE + winner, PILED + winner)
    end = num[part] + (num[HEAD + winner] if bottom else 0)
    for i in range(size):
        cards[row, (end + i) & WRAP] = cards[POT, i]
    num[part] += size


@inner
def over(num: Array, limit: int) -> int:
    """Outcome of the game as it stands after a turn, or GOES_ON."""
    left_0, left_1 = num[LEN] + num[PILED], num[LEN + 1] + num[PILED + 1]
    if left_0 > 0 and left_1 > 0 and (limit < 0 or num[BATTLES] < limit):
        return GOES_ON
    if left_0 == left_1:
        return DRAW
    return SEAT_0 if left_0 > left_1 else SEAT_1


@inner
def same_packets(
    cards: Cards, head_0: int, head_1: int, len_0: int, len_1: int, kept: Cards, kept_num: Array
) -> bool:
    """Compare both packets, card by card, with those of `kept`."""
    for i in range(len_0):
        if cards[0, (head_0 + i) & WRAP] != kept[0, (kept_num[HEAD] + i) & WRAP]:
            return False
    for i in range(len_1):
        if cards[1, (head_1 + i) & WRAP] != kept[1, (kept_num[HEAD + 1] + i) & WRAP]:
            return False
    return True


@inner
def same(cards: Cards, num: Array, kept: Cards, kept_num: Array) -> bool:
    """Whether two games are in the same state: packets and piles, card by card."""
    for part in range(LEN, ROWED):
        if num[part] != kept_num[part]:
            return False
    for seat in range(2):
        for i in range(num[PILED + seat]):
            if cards[PILE + seat, i] != kept[PILE + seat, i]:
                return False
    return same_packets(cards, num[HEAD], num[HEAD + 1], num[LEN], num[LEN + 1], kept, kept_num)


@inline
def quick_war(cards: Cards, head_0: int, head_1: int, len_0: int, len_1: int, rules: Array) -> int:
    """Play a turn that begins with a tie where pots are plain rows or `natural` and wars all alike.

    Returns the number of cards that each laid, negative if seat 1 won; 0, with nothing changed, if
    a player is short or the pot might overwrite cards still needed.
    """
    period, last = rules[FIXED_DOWN] + 1, rules[FIXED_DOWN] + 1
    fewer = lesser(len_0, len_1)
    while last < fewer and (cards[0, (head_0 + last) & WRAP] == cards[1, (head_1 + last) & WRAP]):
        last += period
    if last >= fewer or greater(len_0, len_1) + 2 * (last + 1) > WRAP:
        return 0
    wins = cards[0, (head_0 + last) & WRAP] > cards[1, (head_1 + last) & WRAP]
    winner = 1 - whole(wins)
    order = rules[ORDER + winner]
    end = head_0 + len_0 if wins else head_1 + len_1
    if order == NATURAL_BEST or order == NATURAL_WORST:
        for layer in range(last, -1, -1):
            a, b = cards[0, (head_0 + layer) & WRAP], cards[1, (head_1 + layer) & WRAP]
            first = greater(a, b) if order == NATURAL_BEST else lesser(a, b)
            cards[winner, end & WRAP] = first
            cards[winner, (end + 1) & WRAP] = a ^ b ^ first
            end += 2
    else:
        leads = 0 if order == SEAT_FIRST else winner ^ whole(order == LOSER_FIRST)
        second = end + last + 1
        at_0, at_1 = (end, second) if leads == 0 else (second, end)
        for layer in range(last + 1):
            cards[winner, (at_0 + layer) & WRAP] = cards[0, (head_0 + layer) & WRAP]
            cards[winner, (at_1 + layer) & WRAP] = cards[1, (head_1 + layer) & WRAP]
    return whole(last + 1 if wins else -last - 1)


@inner
def single_battles(
    cards: Cards, num: Array, rules: Array, rng: Stream, stop: int, kept: Cards, kept_num: Array
) -> bool:
    """Play single battles and quick wars, pots going to the bottom, as long as there are any.

    The two cards of a battle are written behind both packets; only the winner's grows over them.
    Returns True if the state `kept` came again.
    """
    automatic, kept_len = rules[AUTOMATIC], kept_num[LEN]
    first_0, first_1 = rules[FIRST], rules[FIRST + 1]
    chance = first_0 == BY_CHANCE or first_1 == BY_CHANCE
    # All ones where the card of seat 0 comes first: for a winner of seat 1, and the change to 0.
    lead_1 = first_1 - 1
    lead_change = -first_0 ^ lead_1
    head_0, head_1, len_0, battles = num[HEAD], num[HEAD + 1], num[LEN], num[BATTLES]
    size = len_0 + num[LEN + 1]
    plain = rules[LAYERS] == 0 and rules[REVERSE] == 0
    quick = plain and greater(rules[ORDER], rules[ORDER + 1]) <= NATURAL_WORST
    quick = quick and rules[FIXED_DOWN] >= 0 and automatic < 0
    repeats = False
    while battles < stop and 0 < len_0 < size:
        a, b = whole(cards[0, head_0]), whole(cards[1, head_1])
        if a == b and quick:
            laid = quick_war(cards, head_0, head_1, len_0, size - len_0, rules)
            if laid == 0:
                break
            many = abs(laid)
            head_0, head_1 = (head_0 + many) & WRAP, (head_1 + many) & WRAP
            len_0 += laid
            battles += 1
            num[WARS] += (many - 1) // (rules[FIXED_DOWN] + 1)
            if len_0 == kept_len and same_packets(
                cards, head_0, head_1, len_0, size - len_0, kept, kept_num
            ):
                repeats = True
                break
            continue
        if a == b or a == automatic or b == automatic:
            break
        wins = ones_if(a > b)
        lead = lead_1 ^ (lead_change & wins)
        if chance:
            winner = 1 + wins
            if rules[FIRST + winner] == BY_CHANCE:
                heads = whole(draw(rng) >> _ONE) <= rules[HEADS + winner]
                lead = ones_if(heads) ^ ~wins
        swap = (a ^ b) & lead
        one, two = np.uint8(b ^ swap), np.uint8(a ^ swap)
        end_0, end_1 = (head_0 + len_0) & WRAP, (head_1 + size - len_0) & WRAP
        cards[0, end_0] = cards[1, end_1] = one
        cards[0, (end_0 + 1) & WRAP] = cards[1, (end_1 + 1) & WRAP] = two
        head_0, head_1 = (head_0 + 1) & WRAP, (head_1 + 1) & WRAP
        len_0 -= 1 + 2 * wins
        battles += 1
        if len_0 == kept_len and same_packets(
            cards, head_0, head_1, len_0, size - len_0, kept, kept_num
        ):
            repeats = True
            break
    num[HEAD], num[HEAD + 1], num[BATTLES] = head_0, head_1, battles
    num[LEN], num[LEN + 1] = len_0, size - len_0
    return repeats


@inner
def play_on(
    cards: Cards, num: Array, rules: Array, rng: Stream, stop: int, kept: Cards, kept_num: Array,
    places: Array,
) -> int:  # fmt: skip
    """Play until the game ends, `stop` battles are played, or the state `kept` comes again.

    A length of -1 in `kept_num` stands for no state. Returns an outcome, GOES_ON or REPEATS.
    """
    result = over(num, rules[LIMIT])
    if rules[LIMIT] >= 0:
        stop = lesser(stop, rules[LIMIT])
    while result == GOES_ON and num[BATTLES] < stop:
        before = num[BATTLES]
        if rules[RECYCLE] == BOTTOM:
            if single_battles(cards, num, rules, rng, stop, kept, kept_num):
                return REPEATS
            result = over(num, rules[LIMIT])
        if num[BATTLES] == before:
            num[ROWED] = num[ROWED + 1] = 0
            result = fight(cards, num, rules, rng)
            num[BATTLES] += 1
            if result >= 8:
                return result - 8
            capture(result, cards, num, rules, rng, places)
            result = over(num, rules[LIMIT])
            if result == GOES_ON and num[LEN] == kept_num[LEN] and same(cards, num, kept, kept_num):
                return REPEATS
    return result


@inner
def set_up(deals: Cards, row: int, first: int, size: int, cards: Cards, num: Array) -> None:
    """Lay out a deal: `first` cards for seat 0, the rest of `size` for seat 1."""
    for i in range(NUM_SIZE):
        num[i] = 0
    num[LEN], num[LEN + 1] = first, size - first
    for i in range(size):
        seat = whole(i >= first)
        cards[seat, i - seat * first] = deals[row, i]


@jit
def classify_many(
    deals: Cards, firsts: Array, sizes: Array, rules: Array, seed: np.uint64, start: np.uint64,
    bound: int, detect: bool, work: NDArray[np.uint8], nums: Array, rng: Stream, fates: Array,
) -> None:  # fmt: skip
    """Play deals to their ends or round their loops, whichever each has, within `bound` battles.

    Parameters
    ----------
    deals : uint8 array, shape (games, at least the cards)
        Places of the cards, those of seat 0 and then those of seat 1.
    firsts, sizes : int64 arrays
        Cards of seat 0, and of both.
    rules : int64 array
        From `encode`.
    seed, start
        The deals are the games from number `start` on, for what is left to chance.
    bound : int
        A game that has neither ended nor come back to an earlier state by then is undecided.
    detect : bool
        False where a repeated state means nothing: rules of chance.
    work : uint8 array, shape (3, 7, 64)
    nums : int64 array, shape (4, 64)
    rng : uint64 array, shape (1,)
        Work space, like the two before it.
    fates : int64 array, shape (games, FATE_SIZE)
        Written: outcome, battles, wars, tail, period.

    Notes
    -----
    Most games are short, so the first `PROBE` battles are played without looking back. Then
    Brent's method: one state is kept, and replaced at distances that double.
    """
    cards, kept, other = work[0], work[1], work[2]
    num, kept_num, other_num, places = nums[0], nums[1], nums[2], nums[3]
    watch = detect and rules[LIMIT] < 0
    most = 4 * bound + PROBE if watch else bound
    for game in range(len(deals)):
        rng[0] = mix(mix(seed) + _TWO * (start + np.uint64(game)) + _ONE)
        set_up(deals, game, firsts[game], sizes[game], cards, num)
        kept_num[LEN] = -1
        power = lesser(bound, PROBE) if watch else bound
        result = GOES_ON
        while result == GOES_ON and num[BATTLES] < most:
            result = play_on(cards, num, rules, rng, num[BATTLES] + power, kept, kept_num, places)
            if result == GOES_ON:
                power = 1 if kept_num[LEN] < 0 else 2 * power
                for i in range(NUM_SIZE):
                    kept_num[i] = num[i]
                for row in range(ROW):
                    for i in range(WRAP + 1):
                        kept[row, i] = cards[row, i]
        battles, wars = num[BATTLES], num[WARS]
        tail = period = whole(0)
        if result == REPEATS:
            result, period = CYCLE, battles - kept_num[BATTLES]
            # The tail: two games, one a lap ahead, until they meet.
            set_up(deals, game, firsts[game], sizes[game], cards, num)
            set_up(deals, game, firsts[game], sizes[game], other, other_num)
            kept_num[LEN] = -1
            ahead = period
            while tail + period <= bound:
                play_on(other, other_num, rules, rng, ahead, kept, kept_num, places)
                play_on(cards, num, rules, rng, tail, kept, kept_num, places)
                if same(cards, num, other, other_num):
                    break
                tail += 1
                ahead += 1
        if (
            result == GOES_ON
            or tail + period > bound
            or battles > most
            or (period == 0 and battles > bound)
        ):
            result = UNDECIDED
        fates[game, OUTCOME], fates[game, PLAYED], fates[game, WARRED] = result, battles, wars
        fates[game, TAIL], fates[game, PERIOD] = tail, period
