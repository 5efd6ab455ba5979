"""Compiled frontier of the order enumeration: arrays in, arrays out, no checks.

Notation: a *token* is a card whose strength is not known. ``below[x]`` is the bit mask of the
tokens known to be weaker than ``x``, closed transitively. A *row* is one entry of the frontier:
key words, multiplicity words and perhaps the greatest number of battles so far. Rows live in one
pool, in chunks of CHUNK; a *list* is a chain of chunks, newest first, all full but the newest.

Every small array of a worker is a stretch of one scratch vector ``s``, because numba passes an
array as seven arguments.
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

# Indices of the parameter vector.
N, WIDTH, KEY, ROW, FIRST0, FIRST1, STACKED, SWAP, ENDS, KEEP, DEPTH, TWO, BUCKETS = range(13)
# Values of DEPTH: not kept, greatest kept in the last word, every depth a node of its own.
NO_DEPTH, MAX_DEPTH, EACH_DEPTH = range(3)
# What a run of forced battles comes to.
DECISION, WON0, WON1, LOOP = range(4)
CHUNK = 64
PRIME = np.uint64(4294967291)
# Columns of a tally: period or battles, leaves, deals whose best card is with seat 0 and with
# seat 1 (modulo 2^64, then modulo PRIME).
PERIOD, LEAVES, DEALS, DEALS_PRIME = 0, 1, 2, 4
TALLY = 6
# Stretches of the scratch vector. Sizes: cards in the packets, cards in the won piles.
RING, PILES, HEADS, SIZES, SAVED, ARR, PLACE, BELOW = 0, 128, 192, 194, 198, 240, 304, 368
AFTER, WEAKER, START, NUMBER, TOKEN, NIBBLES, FROM = 400, 432, 464, 504, 536, 568, 696
SCRATCH = 704
# Where the digit of position i stands in its word of the key: it takes values 0 .. i.
ONE_WORD = 19
DIGIT_MASK = np.array([(1 << i.bit_length()) - 1 for i in range(32)])
DIGIT = np.array(
    [sum(k.bit_length() for k in range(ONE_WORD * (i >= ONE_WORD), i)) for i in range(32)]
)


def _ones(_: Any, x: Any) -> Any:
    return types.int64(types.int64), lambda _c, b, _s, args: b.ctpop(args[0])


def _lowest(_: Any, x: Any) -> Any:
    flag = ir.Constant(ir.IntType(1), 1)
    return types.int64(types.int64), lambda _c, b, _s, args: b.cttz(args[0], flag)


# Number of bits set, and the index of the lowest one (of an integer other than 0).
ones: Any = intrinsic(_ones)
lowest: Any = intrinsic(_lowest)


@njit(cache=True, nogil=True)
def lay_out(s: Ints) -> None:
    """Rings and piles from the arrangement ARR and the sizes FROM."""
    at = ARR
    for seat in range(2):
        s[HEADS + seat] = 0
        s[SIZES + seat] = s[FROM + seat]
        s[SIZES + 2 + seat] = s[FROM + 2 + seat]
        for i in range(s[FROM + seat]):
            s[RING + 64 * seat + i] = s[at]
            at += 1
        for i in range(s[FROM + 2 + seat]):
            s[PILES + 32 * seat + i] = s[at]
            at += 1


@njit(cache=True, nogil=True)
def arrange(s: Ints, out: int) -> None:
    """Tokens by position: packet and pile of seat 0, then of seat 1."""
    at = out
    for seat in range(2):
        for i in range(s[SIZES + seat]):
            s[at] = s[RING + 64 * seat + ((s[HEADS + seat] + i) & 63)]
            at += 1
        for i in range(s[SIZES + 2 + seat]):
            s[at] = s[PILES + 32 * seat + i]
            at += 1


@njit(cache=True, nogil=True)
def repeats(s: Ints) -> bool:
    """Whether arrangement and sizes are the saved ones (the sizes stand 32 places on)."""
    for i in range(4):
        if s[SAVED + 32 + i] != s[SIZES + i]:
            return False
    at = SAVED
    for seat in range(2):
        for i in range(s[SIZES + seat]):
            if s[at] != s[RING + 64 * seat + ((s[HEADS + seat] + i) & 63)]:
                return False
            at += 1
        for i in range(s[SIZES + 2 + seat]):
            if s[at] != s[PILES + 32 * seat + i]:
                return False
            at += 1
    return True


@njit(cache=True, nogil=True)
def save(s: Ints) -> None:
    """Remember the arrangement and the sizes."""
    arrange(s, SAVED)
    for i in range(4):
        s[SAVED + 32 + i] = s[SIZES + i]


@njit(cache=True, nogil=True)
def capture(s: Ints, winner: int, first: int, stacked: int) -> None:
    """The winner takes both top cards, its own uppermost if ``first``."""
    own = s[RING + 64 * winner + s[HEADS + winner]]
    other = s[RING + 64 * (1 - winner) + s[HEADS + 1 - winner]]
    for seat in range(2):
        s[HEADS + seat] = (s[HEADS + seat] + 1) & 63
        s[SIZES + seat] -= 1
    if not first:
        own, other = other, own
    if stacked:
        at = PILES + 32 * winner + s[SIZES + 2 + winner]
        s[at] = own
        s[at + 1] = other
        s[SIZES + 2 + winner] += 2
        for seat in range(2):
            if s[SIZES + seat] == 0:
                pick_up(s, seat)
    else:
        end = s[HEADS + winner] + s[SIZES + winner]
        s[RING + 64 * winner + (end & 63)] = own
        s[RING + 64 * winner + ((end + 1) & 63)] = other
        s[SIZES + winner] += 2


@njit(cache=True, nogil=True)
def pick_up(s: Ints, seat: int) -> None:
    """The won pile becomes the packet: the card won last lies uppermost."""
    m = s[SIZES + 2 + seat]
    for i in range(m):
        s[RING + 64 * seat + ((s[HEADS + seat] + i) & 63)] = s[PILES + 32 * seat + m - 1 - i]
    s[SIZES + seat] = m
    s[SIZES + 2 + seat] = 0


@njit(cache=True, nogil=True)
def forced_piles(s: Ints, first0: int, first1: int) -> tuple[int, int]:
    """`forced` with won piles."""
    battles, lap, power = 0, 0, 4
    save(s)
    while True:
        if s[SIZES] == 0:
            return WON1, battles
        if s[SIZES + 1] == 0:
            return WON0, battles
        x = s[RING + s[HEADS]]
        y = s[RING + 64 + s[HEADS + 1]]
        if (s[AFTER + x] >> y) & 1:
            capture(s, 0, first0, 1)
        elif (s[AFTER + y] >> x) & 1:
            capture(s, 1, first1, 1)
        else:
            return DECISION, battles
        battles += 1
        lap += 1
        if repeats(s):
            return LOOP, lap
        if lap == power:
            save(s)
            power *= 2
            lap = 0


@njit(cache=True, nogil=True)
def forced(s: Ints, first0: int, first1: int) -> tuple[int, int]:
    """Play while the order decides; return what it comes to, and the battles or the period.

    Brent's search for a repetition. The arrangement after four battles is kept long, because
    most loops come back to it; after that the spans double. No branch depends on who wins.
    """
    head0, head1, cards0, cards1 = s[HEADS], s[HEADS + 1], s[SIZES], s[SIZES + 1]
    battles, lap, power = 0, 0, 4
    s[SAVED + 32] = -1
    while True:
        if cards0 == 0 or cards1 == 0:
            outcome = WON1 if cards0 == 0 else WON0
            break
        x = s[RING + head0]
        y = s[RING + 64 + head1]
        if cards0 == s[SAVED + 32] and x == s[SAVED] and lap:
            s[HEADS], s[HEADS + 1], s[SIZES], s[SIZES + 1] = head0, head1, cards0, cards1
            if repeats(s):
                return LOOP, lap
        win1 = (s[AFTER + y] >> x) & 1
        if win1 == 0 and (s[AFTER + x] >> y) & 1 == 0:
            outcome = DECISION
            break
        if lap == power:
            s[HEADS], s[HEADS + 1], s[SIZES], s[SIZES + 1] = head0, head1, cards0, cards1
            save(s)
            power = max(256, 2 * power)
            lap = 0
        head0 = (head0 + 1) & 63
        head1 = (head1 + 1) & 63
        end = head1 + cards1 - 1 if win1 else head0 + cards0 - 1
        upper = y if (first1 if win1 else 1 - first0) else x
        base = RING + 64 * win1
        s[base + (end & 63)] = upper
        s[base + ((end + 1) & 63)] = x ^ y ^ upper
        cards0 += 1 - 2 * win1
        cards1 -= 1 - 2 * win1
        battles += 1
        lap += 1
    s[HEADS], s[HEADS + 1], s[SIZES], s[SIZES + 1] = head0, head1, cards0, cards1
    return outcome, battles


@njit(cache=True, nogil=True, forceinline=True)
def relate(s: Ints, n: int, weak: int, strong: int) -> int:
    """AFTER is BELOW closed under ``weak < strong``; return the number of pairs it has."""
    more = s[BELOW + weak] | (1 << weak)
    pairs = 0
    for y in range(n):
        mask = s[BELOW + y] | (more & -((s[BELOW + y] >> strong) & 1))
        if y == strong:
            mask |= more
        count = ones(mask)
        s[AFTER + y] = mask
        s[WEAKER + y] = count
        pairs += count
    return pairs


@njit(cache=True, nogil=True, forceinline=True)
def renumber(s: Ints, n: int, place: int) -> None:
    """NUMBER of the tokens by (number of weaker ones, position): a linear extension."""
    for c in range(n + 1):
        s[START + c] = 0
    for x in range(n):
        s[START + s[WEAKER + x] + 1] += 1
    for c in range(1, n):
        s[START + c] += s[START + c - 1]
    for i in range(n):
        x = s[place + i]
        c = s[WEAKER + x]
        j = s[START + c]
        s[START + c] = j + 1
        s[NUMBER + x] = j
        s[TOKEN + j] = x


@njit(cache=True, nogil=True, forceinline=True)
def nibble_tables(s: Ints, n: int) -> None:
    """NIBBLES[16 q + v]: the set v of the tokens 4q..4q+3, renumbered."""
    for q in range((n + 3) >> 2):
        base = NIBBLES + 16 * q
        s[base] = 0
        for i in range(4):
            bit = 1 << s[NUMBER + 4 * q + i]
            for v in range(1 << i):
                s[base + (1 << i) + v] = s[base + v] | bit


@njit(cache=True, nogil=True, forceinline=True)
def renumbered(s: Ints, n: int, mask: int) -> int:
    """A set of tokens, renumbered by the tables."""
    out = 0
    for q in range((n + 3) >> 2):
        out |= s[NIBBLES + 16 * q + ((mask >> (4 * q)) & 15)]
    return out


@njit(cache=True, nogil=True, forceinline=True)
def slot_width(n: int) -> int:
    """Bits of a slot of the key: 4, 3 or 2 slots fill a word."""
    return 16 if n <= 16 else 21 if n <= 21 else 32


@njit(cache=True, nogil=True)
def encode(s: Ints, place: int, sizes: int, n: int, stacked: int, out: Words) -> None:
    """Key of the arrangement at ``place`` under the order AFTER.

    Tokens are numbered by (number of weaker ones, position), an extension of the order, so only
    the triangle below the diagonal is written. First the numbers by position: for each, how many
    earlier positions have a lesser one. Then the rows of the triangle, row j and row n - j in
    one slot. ``sizes`` packs the cards of packet 0, pile 0 and packet 1 in five bits each; it
    shares the slot of row n/2, or has the last slot where there is none, or there are piles.
    """
    renumber(s, n, place)
    nibble_tables(s, n)
    seen = 0
    at = 0
    word = np.uint64(0)
    for i in range(n):
        bit = 1 << s[NUMBER + s[place + i]]
        if i == ONE_WORD:
            out[at] = word
            word = np.uint64(0)
            at = 1
        word |= np.uint64(ones(seen & (bit - 1))) << np.uint64(DIGIT[i])
        seen |= bit
    out[at] = word
    width = slot_width(n)
    shift = 0
    word = np.uint64(0)
    for j in range(1, (n + 1) // 2):
        slot = renumbered(s, n, s[AFTER + s[TOKEN + j]])
        slot |= renumbered(s, n, s[AFTER + s[TOKEN + n - j]]) << j
        word |= np.uint64(slot) << np.uint64(shift)
        shift += width
        if shift + width > 64:
            at += 1
            out[at] = word
            word = np.uint64(0)
            shift = 0
    if n & 1 == 0:
        slot = renumbered(s, n, s[AFTER + s[TOKEN + n // 2]])
        if not stacked:
            slot |= (sizes & 31) << (n // 2)
        word |= np.uint64(slot) << np.uint64(shift)
        shift += width
    if (n & 1 or stacked) and shift + width > 64:
        at += 1
        out[at] = word
        word = np.uint64(0)
        shift = 0
    if n & 1 or stacked:
        word |= np.uint64(sizes if stacked else sizes & 31) << np.uint64(shift)
    out[at + 1] = word


@njit(cache=True, nogil=True, forceinline=True)
def decode_numbers(words: Words, n: int, s: Ints) -> int:
    """ARR from the digits of a key; return how many words they take."""
    # Positions by number, four bits each, by insertion; positions from 16 on are put in after.
    line = np.uint64(0)
    for i in range(min(n, 16)):
        d = (words[0] >> np.uint64(DIGIT[i])) & np.uint64(DIGIT_MASK[i])
        low = (np.uint64(1) << (d << np.uint64(2))) - np.uint64(1)
        rest = line & ~low
        line = (line ^ rest) | (rest << np.uint64(4)) | (np.uint64(i) << (d << np.uint64(2)))
    for j in range(min(n, 16)):
        s[ARR + np.int64((line >> np.uint64(4 * j)) & np.uint64(15))] = j
    at = 0
    for i in range(16, n):
        if i == ONE_WORD:
            at = 1
        number = np.int64(words[at] >> np.uint64(DIGIT[i])) & DIGIT_MASK[i]
        for k in range(i):
            s[ARR + k] += 1 if s[ARR + k] >= number else 0
        s[ARR + i] = number
    return at + 1


@njit(cache=True, nogil=True)
def decode(words: Words, n: int, stacked: int, s: Ints) -> None:
    """ARR, FROM and BELOW of a key, the tokens numbered as in it."""
    at = decode_numbers(words, n, s)
    width = slot_width(n)
    shift = 0
    s[BELOW] = 0
    sizes: Any = 0
    for j in range(1, n // 2 + 1):
        slot = np.int64(words[at] >> np.uint64(shift)) & ((1 << width) - 1)
        s[BELOW + j] = slot & ((1 << j) - 1)
        sizes = slot >> j
        if 2 * j < n:
            s[BELOW + n - j] = sizes & ((1 << (n - j)) - 1)
        shift += width
        if shift + width > 64:
            at += 1
            shift = 0
    if n & 1 or stacked:
        sizes = np.int64(words[at] >> np.uint64(shift))
    s[FROM] = sizes & 31
    s[FROM + 2] = s[FROM + 3] = 0
    s[FROM + 1] = n - s[FROM]
    if stacked:
        s[FROM + 2] = (sizes >> 5) & 31
        s[FROM + 1] = (sizes >> 10) & 31
        s[FROM + 3] = n - s[FROM] - s[FROM + 1] - s[FROM + 2]


@njit(cache=True, nogil=True, forceinline=True)
def seat_order(s: Ints, n: int) -> Any:
    """-1, 0, 1: whether seat 0 comes first by sizes and numbers of weaker tokens."""
    held0 = s[SIZES] + s[SIZES + 2]
    if 2 * held0 != n:
        return n - 2 * held0
    if s[SIZES] != s[SIZES + 1]:
        return s[SIZES + 1] - s[SIZES]
    for i in range(held0):
        d = s[WEAKER + s[PLACE + held0 + i]] - s[WEAKER + s[PLACE + i]]
        if d:
            return d
    return 0


@njit(cache=True, nogil=True)
def canonical(
    s: Ints, n: int, width: int, stacked: int, swap: int, out: Words, spare: Words
) -> None:
    """Key of the state at PLACE; the lesser of the two when the seats may be exchanged."""
    own = s[SIZES] | (s[SIZES + 2] << 5) | (s[SIZES + 1] << 10)
    first = seat_order(s, n) if swap else -1
    if first <= 0:
        encode(s, PLACE, own, n, stacked, out)
        if first < 0:
            return
    held0 = s[SIZES] + s[SIZES + 2]
    for i in range(n):
        s[PLACE + n + i] = s[PLACE + i]
    own = s[SIZES + 1] | (s[SIZES + 3] << 5) | (s[SIZES] << 10)
    if first > 0:
        encode(s, PLACE + held0, own, n, stacked, out)
        return
    encode(s, PLACE + held0, own, n, stacked, spare)
    for i in range(width):
        if spare[i] != out[i]:
            if spare[i] < out[i]:
                for j in range(width):
                    out[j] = spare[j]
            return


@njit(cache=True, nogil=True, forceinline=True)
def key_hash(words: Words, at: int, width: int) -> np.uint64:
    """64-bit hash of the key that begins at ``words[at]``."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(width):
        h = (h ^ words[at + i]) * np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(32)
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(29))


@njit(cache=True, nogil=True, forceinline=True)
def append(link: Ints, ends: Ints, free: Ints, index: int) -> Any:
    """Row number of a new row of list ``index``.

    ``ends[2 i]`` is the newest chunk of list i (-1: none), ``ends[2 i + 1]`` its rows;
    ``free[0]`` the height of the stack of free chunks above it.
    """
    chunk = ends[2 * index]
    fill = ends[2 * index + 1]
    if chunk < 0 or fill == CHUNK:
        fresh = free[free[0]]
        free[0] -= 1
        link[fresh] = chunk
        ends[2 * index] = fresh
        chunk = fresh
        fill = 0
    ends[2 * index + 1] = fill + 1
    return chunk * CHUNK + fill


@njit(cache=True, nogil=True)
def release(link: Ints, lists: Ints, free: Ints) -> None:
    """Put the chunks of some lists on the stack of free ones."""
    for t in range(0, len(lists), 2):
        chunk = lists[t]
        while chunk >= 0:
            free[0] += 1
            free[free[0]] = chunk
            chunk = link[chunk]


@njit(cache=True, nogil=True)
def rows_in(link: Ints, lists: Ints) -> int:
    """Rows in some lists."""
    rows = 0
    for t in range(0, len(lists), 2):
        chunk = lists[t]
        fill = lists[t + 1]
        while chunk >= 0:
            rows += fill
            fill = CHUNK
            chunk = link[chunk]
    return rows


@njit(cache=True, nogil=True)
def distinct(p: Ints, pool: Words, link: Ints, lists: Ints, table: Ints, unique: Ints) -> int:
    """Merge the rows of some lists in place; fill ``unique`` and return how many differ.

    A slot of ``table`` (all -1 before) is a row number under 20 bits of its hash, which spare
    most comparisons of keys that differ; keys that agree there are compared in full.
    """
    key, width = p[KEY], p[ROW]
    mask = np.uint64(len(table) - 1)
    count = 0
    for t in range(0, len(lists), 2):
        chunk = lists[t]
        fill = lists[t + 1]
        while chunk >= 0:
            for row in range(chunk * CHUNK, chunk * CHUNK + fill):
                h = key_hash(pool, row * width, key)
                slot = h & mask
                tag = np.int64(h >> np.uint64(45)) << 43
                while True:
                    other = table[slot]
                    if other < 0:
                        table[slot] = tag | row
                        unique[count] = row
                        count += 1
                        break
                    same = (other ^ tag) & ((1 << 43) - 1)
                    if (other >> 43) == (tag >> 43) and merged(pool, row * width, same * width, p):
                        break
                    slot = (slot + np.uint64(1)) & mask
            chunk = link[chunk]
            fill = CHUNK
    return count


@njit(cache=True, nogil=True, forceinline=True)
def merged(pool: Words, row: int, other: int, p: Ints) -> bool:
    """Add the row at ``row`` to the one at ``other`` if their keys are equal."""
    key = p[KEY]
    for i in range(key):
        if pool[row + i] != pool[other + i]:
            return False
    pool[other + key] += pool[row + key]
    if p[TWO]:
        pool[other + key + 1] = (pool[other + key + 1] + pool[row + key + 1]) % PRIME
    if p[DEPTH] == MAX_DEPTH:
        last = p[ROW] - 1
        pool[other + last] = max(pool[other + last], pool[row + last])
    return True


@njit(cache=True, nogil=True, forceinline=True)
def covers(s: Ints, n: int, ideals: Ints) -> None:
    """``ideals[x]``: the set of the tokens that are next above ``x``."""
    for x in range(n):
        ideals[x] = 0
    for y in range(n):
        far = 0
        mask = s[AFTER + y]
        while mask:
            far |= s[AFTER + lowest(mask)]
            mask &= mask - 1
        mask = s[AFTER + y] & ~far
        while mask:
            ideals[lowest(mask)] |= 1 << y
            mask &= mask - 1


@njit(cache=True, nogil=True)
def extensions(s: Ints, n: int, prime: int, counts: Words, ideals: Ints, last: Words) -> None:
    """Linear extensions of AFTER modulo ``prime``, or modulo 2^64 if it is 0.

    ``last[x]`` becomes the number of those that end with ``x``. ``counts`` has 2^n zeros before
    and after. ``ideals`` is work space: covers, then two levels of pairs (ideal, what may be
    added). A count that is 0 by the modulus may list an ideal twice, which adds nothing.
    """
    covers(s, n, ideals)
    half = (len(ideals) - 32) // 2
    now, then = 32, 32 + half
    start = 0
    for x in range(n):
        last[x] = 0
        if s[AFTER + x] == 0:
            start |= 1 << x
    ideals[now] = 0
    ideals[now + 1] = start
    counts[0] = 1
    size = 1
    whole = (1 << n) - 1
    for _ in range(n - 1):
        fresh = then
        for i in range(now, now + 2 * size, 2):
            ideal = ideals[i]
            can = ideals[i + 1]
            count = counts[ideal]
            counts[ideal] = 0
            mask = can
            while mask:
                bit = mask & -mask
                mask ^= bit
                more = ideal | bit
                old = counts[more]
                if old == 0:
                    allowed = can ^ bit
                    up = ideals[lowest(bit)]
                    while up:
                        y = lowest(up)
                        up &= up - 1
                        if s[AFTER + y] & ~more == 0:
                            allowed |= 1 << y
                    ideals[fresh] = more
                    ideals[fresh + 1] = allowed
                    fresh += 2
                old += count
                counts[more] = old % np.uint64(prime) if prime else old
        size = (fresh - then) // 2
        now, then = then, now
    for i in range(now, now + 2 * size, 2):
        ideal = ideals[i]
        last[lowest(whole ^ ideal)] += counts[ideal]
        counts[ideal] = 0


@njit(cache=True, nogil=True, forceinline=True)
def tally_line(tally: Words, period: int) -> int:
    """Where the line of a period begins, a new one (the first with no leaves) if need be."""
    at = 0
    while tally[at + LEAVES] != 0 and tally[at + PERIOD] != np.uint64(period):
        at += TALLY
    tally[at + PERIOD] = np.uint64(period)
    tally[at + LEAVES] += np.uint64(1)
    return at


@njit(cache=True, nogil=True)
def score(
    p: Ints,
    row: Words,
    period: int,
    s: Ints,
    tally: Words,
    counts: Words,
    ideals: Ints,
    last: Words,
) -> None:
    """Add the deals of the leaf at PLACE to the line of ``period``.

    The strongest card never changes hands, so the seat that has it is the seat that was dealt it.
    """
    n = p[N]
    line = tally_line(tally, period)
    side = s[SIZES] + s[SIZES + 2]
    for word in range(2 if p[TWO] else 1):
        prime: Any = np.int64(PRIME) if word else 0
        extensions(s, n, prime, counts, ideals, last)
        for seat in range(2):
            deals = np.uint64(0)
            for i in range(side * seat, n if seat else side):
                deals += last[s[PLACE + i]]
            at = line + (DEALS_PRIME if word else DEALS) + seat
            if word:
                tally[at] = (tally[at] + deals % PRIME * row[p[KEY] + 1]) % PRIME
            else:
                tally[at] += deals * row[p[KEY]]


@njit(cache=True, nogil=True)
def keep_longest(best: Ints, battles: int, winner: int, s: Ints, n: int) -> None:
    """Keep the longest game: battles, winner, order of the final packet; the least of equals."""
    mine = 33
    best[mine] = winner
    for i in range(n):
        x = 0
        for j in range(n):
            x |= ((s[AFTER + s[PLACE + i]] >> s[PLACE + j]) & 1) << j
        best[mine + 1 + i] = x
    less = battles > best[0]
    if battles == best[0]:
        for i in range(n + 1):
            if best[mine + i] != best[1 + i]:
                less = best[mine + i] < best[1 + i]
                break
    if less:
        best[0] = battles
        for i in range(n + 1):
            best[1 + i] = best[mine + i]


@njit(cache=True, nogil=True, forceinline=True)
def depth_of(p: Ints, row: Words) -> Any:
    """Battles up to a node, as far as they are kept."""
    if p[DEPTH] == MAX_DEPTH:
        return np.int64(row[p[ROW] - 1])
    if p[DEPTH] == EACH_DEPTH:
        return np.int64(row[p[WIDTH]])
    return np.int64(0)


@njit(cache=True, nogil=True, forceinline=True)
def emit(
    p: Ints, row: Words, pool: Words, link: Ints, ends: Ints, free: Ints, s: Ints, key: Words,
    spare: Words, layer: int, battles: int,
) -> None:  # fmt: skip
    """Append the node at PLACE, with the multiplicity of ``row``, to its list."""
    canonical(s, p[N], p[WIDTH], p[STACKED], p[SWAP], key, spare)
    if p[DEPTH] == EACH_DEPTH:
        key[p[WIDTH]] = np.uint64(battles)
    bucket = np.int64(key_hash(key, 0, p[KEY]) >> np.uint64(24)) % p[BUCKETS]
    new = append(link, ends, free, layer * p[BUCKETS] + bucket) * p[ROW]
    for i in range(p[KEY]):
        pool[new + i] = key[i]
    for i in range(p[KEY], p[ROW]):
        pool[new + i] = row[i]
    if p[DEPTH] == MAX_DEPTH:
        pool[new + p[ROW] - 1] = np.uint64(battles)


@njit(cache=True, nogil=True)
def expand(
    p: Ints, row: Words, pool: Words, link: Ints, ends: Ints, free: Ints, s: Ints, key: Words,
    spare: Words, tally: Words, ended: Words, best: Ints, counts: Words, ideals: Ints, last: Words,
) -> int:  # fmt: skip
    """Both results of the next comparison; return how many rows were appended."""
    n, stacked = p[N], p[STACKED]
    decode(row, n, stacked, s)
    depth = depth_of(p, row)
    appended = 0
    for winner in range(2):
        lay_out(s)
        pairs = relate(s, n, s[RING + 64 * (1 - winner)], s[RING + 64 * winner])
        capture(s, winner, p[FIRST0 + winner], stacked)
        if stacked:
            outcome, length = forced_piles(s, p[FIRST0], p[FIRST1])
        else:
            outcome, length = forced(s, p[FIRST0], p[FIRST1])
        arrange(s, PLACE)
        battles = depth + 1 + length
        if outcome == DECISION:
            emit(p, row, pool, link, ends, free, s, key, spare, pairs, battles)
            appended += 1
        elif outcome == LOOP:
            score(p, row, length, s, tally, counts, ideals, last)
            if p[KEEP]:
                emit(p, row, pool, link, ends, free, s, key, spare, n * (n - 1) // 2 + 1, length)
        else:
            if p[ENDS]:
                score(p, row, battles, s, ended, counts, ideals, last)
            if p[DEPTH] and battles >= best[0]:
                keep_longest(best, battles, outcome - WON0, s, n)
    return appended


@njit(cache=True, nogil=True)
def process(
    p: Ints, pool: Words, link: Ints, lists: Ints, ends: Ints, free: Ints, table: Ints,
    unique: Ints, s: Ints, key: Words, spare: Words, tally: Words, ended: Words, best: Ints,
    counts: Words, ideals: Ints, last: Words,
) -> tuple[int, int]:  # fmt: skip
    """Merge some lists, expand every node, give the chunks back.

    Return the number of nodes and of rows appended.
    """
    nodes = distinct(p, pool, link, lists, table, unique)
    appended = 0
    row = np.empty(16, np.uint64)
    width = p[ROW]
    for i in range(nodes):
        for j in range(width):
            row[j] = pool[unique[i] * width + j]
        appended += expand(
            p, row, pool, link, ends, free, s, key, spare, tally, ended, best, counts, ideals, last
        )
    release(link, lists, free)
    return nodes, appended


@njit(cache=True, nogil=True)
def gather(
    p: Ints, pool: Words, link: Ints, lists: Ints, free: Ints, table: Ints, unique: Ints, out: Words
) -> int:
    """Merge some lists into ``out``, give the chunks back; return the number of rows."""
    nodes = distinct(p, pool, link, lists, table, unique)
    width = p[ROW]
    for i in range(nodes):
        for j in range(width):
            out[i * width + j] = pool[unique[i] * width + j]
    release(link, lists, free)
    return nodes


@njit(cache=True, nogil=True)
def scatter(
    p: Ints, rows: Words, pool: Words, link: Ints, ends: Ints, free: Ints, index: int
) -> None:
    """Append rows to list ``index``."""
    width = p[ROW]
    for i in range(len(rows) // width):
        new = append(link, ends, free, index) * width
        for j in range(width):
            pool[new + j] = rows[i * width + j]
