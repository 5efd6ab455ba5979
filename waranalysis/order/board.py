"""Compiled play of a game of tokens, and what a comparison adds to their order."""

from waranalysis.kernels.jit import inline, inner
from waranalysis.order.layout import (
    AFTER,
    ARR,
    BELOW,
    DECISION,
    FROM,
    HEADS,
    LOOP,
    PILES,
    PLACE,
    RING,
    SAVED,
    SIZES,
    WEAKER,
    WON0,
    WON1,
    Ints,
    ones,
)  # fmt: skip


@inner
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


@inner
def arrange(s: Ints) -> None:
    """PLACE: tokens by position, packet and pile of seat 0, then of seat 1."""
    at = PLACE
    for seat in range(2):
        for i in range(s[SIZES + seat]):
            s[at] = s[RING + 64 * seat + ((s[HEADS + seat] + i) & 63)]
            at += 1
        for i in range(s[SIZES + 2 + seat]):
            s[at] = s[PILES + 32 * seat + i]
            at += 1


@inner
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


@inner
def save(s: Ints) -> None:
    """Remember the arrangement and the sizes."""
    arrange(s)
    for i in range(32):
        s[SAVED + i] = s[PLACE + i]
    for i in range(4):
        s[SAVED + 32 + i] = s[SIZES + i]


@inline
def capture(s: Ints, x: int, y: int, winner: int, first: int, end: int) -> None:
    """The pot, ``x`` of seat 0 and ``y`` of seat 1, goes under the winner's packet.

    The packet ends at ``end``; the winner's own card is the upper one if ``first``.
    """
    upper = y if winner == first else x
    base = RING + 64 * winner
    s[base + (end & 63)] = upper
    s[base + ((end + 1) & 63)] = x ^ y ^ upper


@inner
def capture_on_pile(s: Ints, x: int, y: int, winner: int, first: int) -> None:
    """The pot goes onto the winner's pile; an empty packet is replaced by its pile."""
    upper = y if winner == first else x
    at = PILES + 32 * winner + s[SIZES + 2 + winner]
    s[at] = upper
    s[at + 1] = x ^ y ^ upper
    s[SIZES + 2 + winner] += 2
    for seat in range(2):
        s[HEADS + seat] = (s[HEADS + seat] + 1) & 63
        s[SIZES + seat] -= 1
        if s[SIZES + seat] == 0:
            pick_up(s, seat)


@inner
def pick_up(s: Ints, seat: int) -> None:
    """The won pile becomes the packet: the card won last lies uppermost."""
    m = s[SIZES + 2 + seat]
    for i in range(m):
        s[RING + 64 * seat + ((s[HEADS + seat] + i) & 63)] = s[PILES + 32 * seat + m - 1 - i]
    s[SIZES + seat] = m
    s[SIZES + 2 + seat] = 0


@inner
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
        win1 = (s[AFTER + y] >> x) & 1
        if win1 == 0 and (s[AFTER + x] >> y) & 1 == 0:
            return DECISION, battles
        capture_on_pile(s, x, y, win1, first1 if win1 else first0)
        battles += 1
        lap += 1
        if repeats(s):
            return LOOP, lap
        if lap == power:
            save(s)
            power *= 2
            lap = 0


@inner
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
            power = 256 if power < 128 else 2 * power
            lap = 0
        head0 = (head0 + 1) & 63
        head1 = (head1 + 1) & 63
        end = head1 + cards1 - 1 if win1 else head0 + cards0 - 1
        capture(s, x, y, win1, first1 if win1 else first0, end)
        cards0 += 1 - 2 * win1
        cards1 -= 1 - 2 * win1
        battles += 1
        lap += 1
    s[HEADS], s[HEADS + 1], s[SIZES], s[SIZES + 1] = head0, head1, cards0, cards1
    return outcome, battles


@inline
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
