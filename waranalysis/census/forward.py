"""The census by compiled kernels: two players, deterministic rules, up to 64 cards.

The same interface and the same answers as `plain`. Decks of up to 16 cards (20 cards of 8
strengths) go through `kernels.packed`; what that hands over, and everything else, goes through
`kernels.ring`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from waranalysis.cards import Deals, rank_sequence, sequences, unrank_sequence
from waranalysis.census.engine import mirrors, packs
from waranalysis.census.result import DRAW, NEVER, UNDECIDED, Census
from waranalysis.kernels import MOST_CARDS, packed, ring
from waranalysis.kernels import encode as codes
from waranalysis.rules import RuleSet
from waranalysis.termination import BOUND, require_deterministic

_BATCH = 1 << 14
_BLOCK = 1 << 22
_HARD = 1 << 16
_NO_KEY = np.iinfo(np.int64).max
KINDS = ("player 1", "player 2", DRAW, NEVER, UNDECIDED)

Words = NDArray[np.int64]


def take_census(
    deals: Deals,
    rules: RuleSet,
    start: int = 0,
    stop: int | None = None,
    keep: int = 1,
    bound: int = BOUND,
    mirror: bool | None = None,
) -> Census:
    """Classify the deals of ranks `start` to `stop`.

    Parameters
    ----------
    deals : Deals
        Such that `engine.covers` holds.
    rules : RuleSet
        Deterministic.
    start, stop : int
        The range of ranks; all of them by default.
    keep : int
        Examples to keep of each kind of outcome.
    bound : int
        Battles after which a deal is undecided.
    mirror : bool, optional
        Count only the deals that are less than their mirror image, together with that image.
        Parts that cover all ranks then add up to the whole census. By default that is done for
        all ranks at once, where `engine.mirrors` allows it.

    Returns
    -------
    Census
    """
    require_deterministic(rules)
    end = deals.ranks if stop is None else stop
    if mirror is None:
        mirror = (start, end) == (0, deals.ranks) and mirrors(deals, rules, bound)
    if packs(deals, rules, bound):
        return _Packed(deals, rules, keep, bound, mirror).census(start, end)
    return _by_ring(deals, rules, start, end, keep, bound)


# --- counting -------------------------------------------------------------------------------


class Tally:
    """Counts that grow by arrays of fates; deals are known by keys that sort like their ranks."""

    def __init__(self, keep: int) -> None:
        self.keep = keep
        self.endings: Counter[tuple[int | None, int]] = Counter()
        self.wars: Counter[int] = Counter()
        self.loops: Counter[tuple[int, int]] = Counter()
        self.undecided = 0
        self.least: dict[str, list[int]] = {}
        self.longest: tuple[int, int] | None = None
        self.shortest: tuple[int, int] | None = None

    def add(self, fates: Words, keys: Sequence[int]) -> None:
        """Count games by what `ring.classify_many` wrote about them."""
        outcomes = fates[:, ring.OUTCOME]
        for outcome, kind in enumerate(KINDS):
            where = np.flatnonzero(outcomes == outcome)
            if not len(where):
                continue
            self.add_examples(kind, (keys[i] for i in where.tolist()))
            if kind == NEVER:
                self.loops += _pairs(fates[where, ring.PERIOD], fates[where, ring.TAIL])
            elif kind == UNDECIDED:
                self.undecided += len(where)
            else:
                self._add_ends(None if kind == DRAW else outcome, fates, where, keys)

    def _add_ends(
        self, winner: int | None, fates: Words, where: Words, keys: Sequence[int]
    ) -> None:
        battles = fates[where, ring.PLAYED]
        for length, count in _counts(battles).items():
            self.endings[winner, length] += count
        self.wars += _counts(fates[where, ring.WARRED])
        for extreme in (battles.max(), battles.min()):
            least = min(keys[i] for i in where[battles == extreme].tolist())
            self.add_extremes((int(extreme), least))

    def add_examples(self, kind: str, keys: Iterator[int]) -> None:
        """Keep the least keys of a kind of outcome."""
        found = sorted([*self.least.get(kind, ()), *keys])[: self.keep]
        if found:
            self.least[kind] = found

    def add_extremes(self, pair: tuple[int, int]) -> None:
        """Note the length and the key of a game that ended."""
        pairs = [pair, *filter(None, (self.longest, self.shortest))]
        self.longest = min(pairs, key=lambda p: (-p[0], p[1]))
        self.shortest = min(pairs)

    def census(self, rank_of: Callable[[int], int]) -> Census:
        """The counts, with ranks in place of keys."""
        ranked = {kind: tuple(map(rank_of, keys)) for kind, keys in sorted(self.least.items())}
        return Census(
            2,
            self.endings,
            self.wars,
            self.loops,
            self.undecided,
            ranked,
            self.longest and (self.longest[0], rank_of(self.longest[1])),
            self.shortest and (self.shortest[0], rank_of(self.shortest[1])),
            self.keep,
        )


def _counts(numbers: Words) -> Counter[int]:
    values, counts = np.unique(numbers, return_counts=True)
    return Counter(dict(zip(values.tolist(), counts.tolist(), strict=True)))


def _pairs(ones: Words, twos: Words) -> Counter[tuple[int, int]]:
    return Counter(zip(ones.tolist(), twos.tolist(), strict=True))


# --- rings ----------------------------------------------------------------------------------


class Player:
    """Plays batches of deals by `kernels.ring`; holds the work space.

    Parameters
    ----------
    rules : RuleSet
    strengths : sequence of int
        The deck's strengths.
    bound : int
        Battles after which a deal is undecided.
    """

    def __init__(self, rules: RuleSet, strengths: Sequence[int], bound: int) -> None:
        self.code = codes.encode(rules, strengths)
        self.bound = min(bound, 2**60)
        self.detect = rules.kind == "deterministic"
        self._work = np.zeros((3, *ring.CARDS_SHAPE), np.uint8)
        self._nums = np.zeros((4, 64), np.int64)
        self._rng = np.zeros(1, np.uint64)

    def fates(
        self, deals: NDArray[np.uint8], sizes: Sequence[int], seed: int = 0, start: int = 0
    ) -> Words:
        """Fates, shape (games, FATE_SIZE), of deals given as rows of places."""
        games = len(deals)
        fates = np.zeros((games, ring.FATE_SIZE), np.int64)
        firsts, both = np.full(games, sizes[0]), np.full(games, sum(sizes))
        ring.classify_many(
            deals, firsts, both, self.code, np.uint64(seed), np.uint64(start), self.bound,
            self.detect, self._work, self._nums, self._rng, fates,
        )  # fmt: skip
        return fates


def _by_ring(
    deals: Deals,
    rules: RuleSet,
    start: int,
    end: int,
    keep: int,
    bound: int,
) -> Census:
    place = codes.places(deals.deck.cards, rules)
    player = Player(rules, deals.deck.cards, bound)
    tally = Tally(keep)
    length = sum(deals.sizes)
    ascending = np.array([place[card] for card, _ in deals.deck.counts], np.uint8)
    cards = _sequence(deals, start) if start < end else np.zeros(0, np.int64)
    for first in range(start, end, _BATCH):
        batch = np.zeros((min(_BATCH, end - first), MOST_CARDS), np.uint8)
        packed.write_sequences(cards, length, batch)
        batch[:, :length] = ascending[batch[:, :length]]
        tally.add(player.fates(batch, deals.sizes), range(first, first + len(batch)))
    return tally.census(lambda key: key)


def _sequence(deals: Deals, rank: int) -> Words:
    """A deal as numbers that ascend with strength, and behind it the cards set aside."""
    counts = dict(deals.deck.counts)
    number = {card: i for i, card in enumerate(counts)}
    dealt = unrank_sequence(counts, sum(deals.sizes), rank)
    left = Counter(counts)
    left.subtract(dealt)
    return np.array([number[card] for card in [*dealt, *sorted(left.elements())]], np.int64)


# --- packed words ---------------------------------------------------------------------------


class _Packed:
    """A census in progress: the kernel's parameters, lanes and counts.

    A *key* is a deal as a number, its cards in the order of the packets, the first card
    uppermost, numbered by ascending strength: keys sort like ranks.
    """

    def __init__(self, deals: Deals, rules: RuleSet, keep: int, bound: int, mirror: bool) -> None:
        self.deals, self.mirror, self.keep = deals, mirror, keep
        self.player = Player(rules, deals.deck.cards, bound)
        self.counts = dict(deals.deck.counts)
        self.cards, self.ranks = deals.deck.size, len(self.counts)
        self.bits = 4 if self.cards <= 16 else 3
        self.flip = rules.best == "lowest"
        self._levels()
        self._parameters()
        self._tails()
        self.lanes = np.zeros((packed.LANE_ROWS, packed.LANES + 8), np.int64)
        self.hist = np.zeros((packed.HIST_ROWS, packed.HIST_COLUMNS), np.int64)
        self.least = np.full((3, keep), _NO_KEY)
        self.extremes = np.array([-1, _NO_KEY, _NO_KEY, _NO_KEY])
        self.hard = np.zeros(_HARD, np.int64)
        self.control = np.zeros(packed.CONTROL_SIZE, np.int64)
        self.work = np.zeros(packed.LANES + 8, np.int64)
        self.tally = Tally(keep)

    def _levels(self) -> None:
        """The order in which cards are turned up: the seats by turns, first cards first."""
        sizes = self.deals.sizes
        turned = [(i, seat) for i in range(max(sizes)) for seat in range(2) if i < sizes[seat]]
        self.seats = np.array([seat for _, seat in turned])
        self.index = [i + seat * sizes[0] for i, seat in turned]
        self.shifts = np.array([self.bits * (self.cards - 1 - i) for i in self.index])

    def _parameters(self) -> None:
        code, p = self.player.code, np.zeros(packed.PARAM_SIZE, np.int64)
        period = int(code[codes.FIXED_DOWN]) + 1
        places = range(0, 63 // self.bits, period)
        orders = code[codes.ORDER : codes.ORDER + 2]
        rows = set(orders.tolist()) <= {codes.WINNER_FIRST, codes.LOSER_FIRST, codes.SEAT_FIRST}
        simple = rows and not code[codes.LAYERS] and not code[codes.REVERSE]
        p[packed.BITS], p[packed.TOTAL] = self.bits, self.bits * self.cards
        p[packed.HALF] = self.bits * self.deals.sizes[1]
        p[packed.UP_ALL] = sum(1 << (self.bits * place) for place in places)
        p[packed.UP] = p[packed.UP_ALL] if simple else 1
        p[packed.PERIOD] = period
        p[packed.LOSES] = code[codes.SHORT] == codes.LOSE
        p[packed.ALL_SHORT], p[packed.MIRROR] = code[codes.ALL_SHORT], self.mirror
        leads = [int(code[codes.FIRST]), 1 - int(code[codes.FIRST + 1])]
        p[packed.FLIP], p[packed.FLIP_1] = -(leads[0] ^ leads[1]), -leads[1]
        p[packed.ORDER : packed.ORDER + 2] = orders
        p[packed.LAYERS], p[packed.REVERSE] = code[codes.LAYERS], code[codes.REVERSE]
        p[packed.LEVELS], p[packed.TAIL_0] = self.cards, np.sum(self.seats[-packed.TAIL :] == 0)
        p[packed.RANKS], p[packed.LOWEST_BEST] = self.ranks, self.flip
        for bits in range(64):
            p[packed.CARDS_OF + bits] = bits // self.bits
            p[packed.NEEDED + bits] = -(-bits // (self.bits * period)) * self.bits * period
        self.p = p

    def _tails(self) -> None:
        """All arrangements of the last cards, those of the same cards side by side."""
        size = packed.TAIL
        tails = np.indices((self.ranks,) * size).reshape(size, -1)
        code = np.zeros(tails.shape[1], np.int64)
        table = np.zeros((tails.shape[1], 3), np.int64)
        placed = [0, 0]
        levels = zip(self.seats[-size:], self.shifts[-size:], strict=True)
        for card, least, (seat, shift) in zip(tails, np.sort(tails, axis=0), levels, strict=True):
            code = code << 4 | least
            table[:, seat] |= card << (self.bits * placed[seat])
            placed[seat] += 1
            table[:, 2] |= (self.ranks - 1 - card if self.flip else card) << shift
        order = np.argsort(code, kind="stable")
        self.table = table[order]
        self.where = np.searchsorted(code[order], np.arange(16**size + 1))

    def census(self, start: int, end: int) -> Census:
        """Play the deals of a range of ranks and count them."""
        for prefix in _blocks(self.counts, start, end):
            self._block(prefix)
        self._hand_over()
        return self._result()

    def _block(self, prefix: Sequence[int]) -> None:
        """Play all deals that begin with the cards of `prefix`, numbered by ascending strength."""
        places = [self.ranks - 1 - card if self.flip else card for card in prefix]
        fixed = np.array([places[i] if i < len(places) else -1 for i in self.index])
        copies = list(self.counts.values())
        left = np.array(copies[::-1] if self.flip else copies)
        np.subtract.at(left, places, 1)
        mask = match = 0
        for level in range(self.cards - packed.TAIL, self.cards):
            if fixed[level] >= 0:
                mask |= ((1 << self.bits) - 1) << int(self.shifts[level])
                match |= prefix[self.index[level]] << int(self.shifts[level])
        chosen = np.full(self.cards + 1, -1)
        tree = np.zeros((self.cards + 1, packed.LEVEL_SIZE), np.int64)
        tree[0, packed.EVEN] = self.mirror
        self.control[packed.LEVEL] = 0
        while not packed.deal_out(
            left, fixed, _signed(mask), _signed(match), self.p, self.seats, self.shifts, chosen,
            tree, self.where, self.table, self.work, self.lanes, self.extremes, self.hist,
            self.least, self.hard, self.control,
        ):  # fmt: skip
            self._hand_over()
        if self.control[packed.HARD_COUNT] > _HARD // 2:
            self._hand_over()

    def _hand_over(self) -> None:
        """Let `ring` classify the games that `packed` gave up."""
        keys = self.hard[: self.control[packed.HARD_COUNT]].view(np.uint64).copy()
        self.control[packed.HARD_COUNT] = 0
        if not len(keys):
            return
        deals = np.zeros((len(keys), MOST_CARDS), np.uint8)
        for i in range(self.cards):
            numbers = self._card(keys, i)
            deals[:, i] = self.ranks - 1 - numbers if self.flip else numbers
        fates = self.player.fates(deals, self.deals.sizes)
        self.tally.add(fates, keys.tolist())
        if self.mirror:
            self._add_mirrored(keys, fates)

    def _card(self, keys: NDArray[np.uint64], i: int) -> NDArray[np.uint64]:
        shift = np.uint64(self.bits * (self.cards - 1 - i))
        return (keys >> shift) & np.uint64((1 << self.bits) - 1)

    def _add_mirrored(self, keys: NDArray[np.uint64], fates: Words) -> None:
        half = int(self.p[packed.HALF])
        low = np.uint64((1 << half) - 1)
        front, back = keys >> np.uint64(half), keys & low
        other = front != back
        fates = fates[other]
        won = fates[:, ring.OUTCOME] <= ring.SEAT_1
        fates[won, ring.OUTCOME] = 1 - fates[won, ring.OUTCOME]
        self.tally.add(fates, ((back << np.uint64(half)) | front)[other].tolist())

    def _result(self) -> Census:
        tally = self.tally
        for outcome, kind in enumerate(KINDS[:3]):
            lengths = self.hist[outcome]
            for battles in np.flatnonzero(lengths).tolist():
                tally.endings[None if kind == DRAW else outcome, battles] += int(lengths[battles])
            found = self.least[outcome]
            tally.add_examples(kind, map(_unsigned, found[found < _NO_KEY].tolist()))
        wars, bits = self.hist[packed.WARS], self.bits * int(self.p[packed.PERIOD])
        tally.wars += Counter({int(n) // bits: int(wars[n]) for n in np.flatnonzero(wars)})
        longest, longest_key, shortest, shortest_key = self.extremes.tolist()
        if longest >= 0:
            tally.add_extremes((longest, _unsigned(longest_key)))
            tally.add_extremes((shortest, _unsigned(shortest_key)))
        return tally.census(self._rank)

    def _rank(self, key: int) -> int:
        """The rank of a deal."""
        card = (1 << self.bits) - 1
        strengths = list(self.counts)
        numbers = [key >> (self.bits * i) & card for i in reversed(range(self.cards))]
        return rank_sequence(self.counts, [strengths[number] for number in numbers])


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def _unsigned(key: int) -> int:
    """A key with its first bit back in place."""
    return (key ^ packed.SIGN) & ((1 << 64) - 1)


def _blocks(counts: dict[int, int], start: int, end: int) -> Iterator[tuple[int, ...]]:
    """Cut a range of ranks into sets of deals that begin alike, told by their first cards.

    Cards are numbered by ascending strength. No block has more than `_BLOCK` deals.
    """
    copies = tuple(counts.values())
    todo: list[tuple[tuple[int, ...], int, int]] = [((), 0, sequences(copies, sum(copies)))]
    while todo:
        prefix, first, size = todo.pop()
        if size == 0 or first >= end or first + size <= start:
            continue
        if size <= _BLOCK and start <= first and first + size <= end:
            yield prefix
            continue
        left = list(copies)
        for card in prefix:
            left[card] -= 1
        parts = []
        for card, number in enumerate(left):
            part = size * number // sum(left)
            parts.append(((*prefix, card), first, part))
            first += part
        todo += reversed(parts)
