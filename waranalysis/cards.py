"""Cards, decks and deals: text both ways, and the rank of a deal among all of its deck.

A *card* is an int: the strength (1 to 255) in the low eight bits, and above them whatever tells
equal cards apart: 0 for nothing, 1 to 4 for a suit written in the text, or the number that
`Deal.labelled` gives. Only the strength is ever compared in a game.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import comb, factorial, prod

from waranalysis.errors import CardsError, quoted

Packet = tuple[int, ...]

STRENGTH = 255
JOKER = 15
COLOURED_JOKER = 16
MOST_CARDS = 100_000

_SUIT_LETTERS = "shdc"
_SUIT_SIGNS = "♠♥♦♣"
_LETTERS = {"J": 11, "Q": 12, "K": 13}


@dataclass(frozen=True)
class Naming:
    """How strengths are written.

    Parameters
    ----------
    ace : "high" or "low"
        An ace is 14 or 1.
    jokers : "equal" or "ranked"
        Both jokers are 15, or the coloured one is 16. A bare ``*`` is 15 either way.
    named : bool
        Write ``J Q K A`` and jokers by name, not as integers.
    """

    ace: str = "high"
    jokers: str = "equal"
    named: bool = False

    @property
    def ace_strength(self) -> int:
        """1 or 14."""
        return 1 if self.ace == "low" else 14

    @cached_property
    def strengths(self) -> dict[str, int]:
        """Every name and the strength it stands for."""
        coloured = COLOURED_JOKER if self.jokers == "ranked" else JOKER
        jokers = {"*": JOKER, "*-": JOKER, "*+": coloured}
        return {"T": 10, "A": self.ace_strength} | _LETTERS | jokers

    @cached_property
    def names(self) -> dict[int, str]:
        """The name of every strength that has one of its own."""
        if not self.named:
            return {}
        ranked = {JOKER: "*-", COLOURED_JOKER: "*+"}
        jokers = ranked if self.jokers == "ranked" else {JOKER: "*"}
        return {11: "J", 12: "Q", 13: "K", self.ace_strength: "A"} | jokers

    def read(self, text: str) -> int:
        """Return the card that `text` stands for; raise `CardsError` if none does."""
        body, suit = _split_suit(text)
        if body.isascii() and body.isdigit() and len(body) <= 3:
            strength = int(body)
        else:
            strength = self.strengths.get(body.upper(), 0)
        if not 1 <= strength <= STRENGTH:
            raise CardsError(
                f"unknown card {quoted(text)}: expected 1 to 255, T J Q K A, or * *- *+ "
                "for a joker, with an optional suit s h d c"
            )
        return strength | suit << 8

    def write(self, card: int) -> str:
        """Return the text of a card; `read` gives the card back."""
        strength, suit = card & STRENGTH, card >> 8
        sign = _SUIT_LETTERS[suit - 1] if 1 <= suit <= 4 else ""
        return self.names.get(strength, str(strength)) + sign

    def write_all(self, cards: Sequence[int]) -> str:
        """Return the cards separated by spaces."""
        return " ".join(map(self.write, cards))


def is_name(text: str) -> bool:
    """Tell whether a card was written by name rather than as an integer."""
    return not _split_suit(text)[0].isdigit()


def _split_suit(text: str) -> tuple[str, int]:
    last = text[-1:]
    for suits in (_SUIT_LETTERS, _SUIT_SIGNS):
        if last and last.lower() in suits and len(text) > 1:
            return text[:-1], suits.index(last.lower()) + 1
    return text, 0


# --- deals ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deal:
    """The packets of all players, top card first.

    Two deals are equal when their packets are, however they were written.
    """

    packets: tuple[Packet, ...]
    naming: Naming = field(default=Naming(), compare=False, repr=False)

    @classmethod
    def parse(cls, text: str, ace: str = "high", jokers: str = "equal") -> Deal:
        """Read packets separated by ``|``, cards by spaces, top card first.

        Parameters
        ----------
        text : str
            For instance ``"A K 3 | 2 2 Q"``. A packet may be empty, a deal may not.
        ace, jokers : str
            As in a rule set.

        Raises
        ------
        CardsError
            If a card is unknown or there is none.
        """
        packets = [packet.split() for packet in text.split("|")]
        words = [word for packet in packets for word in packet]
        if not words:
            raise CardsError(f"no card in {quoted(text)}: expected packets such as '4 2 | 3 5 1'")
        naming = Naming(ace, jokers, any(map(is_name, words)))
        return cls(tuple(tuple(map(naming.read, packet)) for packet in packets), naming)

    def __str__(self) -> str:
        return " | ".join(map(self.naming.write_all, self.packets)).strip()

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cards in each packet."""
        return tuple(map(len, self.packets))

    @property
    def cards(self) -> Packet:
        """All cards, packet by packet."""
        return tuple(card for packet in self.packets for card in packet)

    def counts(self) -> Counter[int]:
        """How often each strength occurs."""
        return Counter(card & STRENGTH for card in self.cards)

    def strengths(self) -> Deal:
        """The same deal without suits."""
        packets = tuple(tuple(card & STRENGTH for card in packet) for packet in self.packets)
        return Deal(packets, self.naming)

    def labelled(self) -> Deal:
        """The same deal with every card told apart by its place, counted from 1."""
        cards = iter(enumerate(self.cards, 1))
        packets = tuple(
            tuple(card & STRENGTH | label << 8 for label, card in _take(cards, size))
            for size in self.sizes
        )
        return Deal(packets, self.naming)


def _take(cards: Iterator[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    return [next(cards) for _ in range(size)]


def deal_out(cards: Sequence[int], sizes: Sequence[int], how: str) -> tuple[Packet, ...]:
    """Deal a shuffled deck, first card first; what is left over is set aside.

    Parameters
    ----------
    cards : sequence of int
        At least ``sum(sizes)`` cards.
    sizes : sequence of int
        Cards for each seat.
    how : "alternate" or "halves"
        One card at a time round the table, passing over seats that have all theirs, or the
        first packet at once, then the second, and so on.
    """
    packets: list[list[int]] = [[] for _ in sizes]
    deck = iter(cards)
    if how == "halves":
        return tuple(tuple(next(deck) for _ in range(size)) for size in sizes)
    for layer in range(max(sizes, default=0)):
        for packet, size in zip(packets, sizes, strict=True):
            if layer < size:
                packet.append(next(deck))
    return tuple(map(tuple, packets))


# --- decks ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deck:
    """A multiset of strengths.

    Attributes
    ----------
    spec : str
        The text it was read from.
    counts : tuple of (strength, copies)
        Ascending by strength.
    naming : Naming
        The style of the text.
    half : bool
        Only a random half of these cards is dealt.
    """

    spec: str
    counts: tuple[tuple[int, int], ...]
    naming: Naming = field(default=Naming(), compare=False, repr=False)
    half: bool = False

    @classmethod
    def parse(cls, spec: str, ace: str = "high", jokers: str = "equal") -> Deck:
        """Read a deck spec.

        Parameters
        ----------
        spec : str
            ``standard``, ``RxC`` (R strengths from 2 up, C copies each), ``LO-HIxC``,
            ``A:4,K:4,2:1``; ``+2j`` behind any of them adds two jokers, ``half:`` before it
            means a random half.
        ace, jokers : str
            As in a rule set.

        Raises
        ------
        CardsError
            If the spec is none of these, a range runs backwards, a count is not positive, or
            jokers meet ordinary cards of their strength or more.
        """
        body = spec.strip()
        half = body.startswith("half:")
        body = body.removeprefix("half:")
        added = body.endswith("+2j")
        body = body.removesuffix("+2j")
        reader = _SpecReader(spec, Naming(ace, jokers, added))
        counts = reader.read(body)
        if added:
            reader.add_jokers(counts)
        if sum(counts.values()) > MOST_CARDS:
            raise CardsError(f"deck {quoted(spec)} has more than {MOST_CARDS:,} cards")
        return cls(spec.strip(), tuple(sorted(counts.items())), reader.naming, half)

    def __str__(self) -> str:
        return self.spec

    @property
    def size(self) -> int:
        """Number of cards."""
        return sum(copies for _, copies in self.counts)

    @property
    def cards(self) -> Packet:
        """All cards in ascending order."""
        return tuple(strength for strength, copies in self.counts for _ in range(copies))

    def sizes(self, players: int, extra_cards: str = "set-aside") -> tuple[int, ...]:
        """Default packet sizes: as even as can be.

        Two players share the whole deck (or half of it), the first getting the odd card. With
        more, what does not go round is set aside, or dealt to the first seats.
        """
        each, over = divmod(self.size // (2 if self.half else 1), players)
        if players > 2 and extra_cards == "set-aside":
            over = 0
        return tuple(each + (seat < over) for seat in range(players))


class _SpecReader:
    """Reads one deck spec; collects the naming on the way."""

    def __init__(self, spec: str, naming: Naming) -> None:
        self.spec = spec
        self.naming = naming

    def read(self, body: str) -> Counter[int]:
        if body == "standard":
            first = 1 if self.naming.ace == "low" else 2
            return self._range(first, first + 12, 4, named=True)
        if match := re.fullmatch(r"(\d{1,9})x(\d{1,9})", body, re.ASCII):
            ranks, copies = map(int, match.groups())
            return self._range(2, ranks + 1, copies, named=False)
        if match := re.fullmatch(r"([^-:,]+)-([^-:,]+)x(\d{1,9})", body, re.ASCII):
            low, high = self._strength(match[1]), self._strength(match[2])
            named = is_name(match[1]) or is_name(match[2])
            return self._range(low, high, int(match[3]), named)
        return self._explicit(body)

    def add_jokers(self, counts: Counter[int]) -> None:
        if any(strength >= JOKER for strength in counts):
            raise CardsError(
                f"deck {quoted(self.spec)} has cards of strength {JOKER} or more, "
                "which jokers are: expected only lower ones beside jokers"
            )
        counts.update([JOKER, self.naming.strengths["*+"]])

    def _range(self, low: int, high: int, copies: int, named: bool) -> Counter[int]:
        if low > high:
            self._fail(f"its range runs backwards ({low} to {high})")
        if high > STRENGTH:
            self._fail(f"its strengths reach {high}, expected at most {STRENGTH}")
        if copies < 1:
            self._fail("expected at least one copy of each card")
        self._named(named)
        return Counter(dict.fromkeys(range(low, high + 1), copies))

    def _explicit(self, body: str) -> Counter[int]:
        counts: Counter[int] = Counter()
        jokers = False
        for part in body.split(","):
            card, colon, copies = part.strip().partition(":")
            if not colon or not re.fullmatch(r"\d{1,9}", copies, re.ASCII) or int(copies) < 1:
                self._fail("expected standard, RxC, LO-HIxC or CARD:COUNT,…, maybe +2j or half:")
            counts[self._strength(card)] += int(copies)
            jokers = jokers or card.startswith("*")
            self._named(is_name(card))
        ordinary = (p.strip() for p in body.split(",") if not p.strip().startswith("*"))
        if jokers and any(self._strength(p.partition(":")[0]) >= JOKER for p in ordinary):
            self._fail(f"jokers beside ordinary cards of strength {JOKER} or more")
        return counts

    def _named(self, named: bool) -> None:
        naming = self.naming
        self.naming = Naming(naming.ace, naming.jokers, naming.named or named)

    def _strength(self, text: str) -> int:
        try:
            card = self.naming.read(text)
        except CardsError as error:
            raise CardsError(f"deck {quoted(self.spec)}: {error}") from None
        if card > STRENGTH:
            self._fail(f"expected a card without a suit, not {quoted(text)}")
        return card

    def _fail(self, why: str) -> None:
        raise CardsError(f"deck {quoted(self.spec)}: {why}")


# --- all deals of a deck --------------------------------------------------------------------


@lru_cache(maxsize=4096)
def sequences(copies: tuple[int, ...], length: int) -> int:
    """Number of distinct sequences of `length` cards from a multiset.

    `copies` holds the number of copies of each strength, in any order. Cost O(ranks · length ·
    copies), or one multinomial coefficient when at most one card is left over: that card is then
    the last of exactly one order of all the cards.
    """
    if length >= sum(copies) - 1:
        return factorial(sum(copies)) // prod(map(factorial, copies))
    ways = [1] + [0] * length
    for most in copies:
        ways = [
            sum(ways[n - k] * comb(n, k) for k in range(min(n, most) + 1))
            for n in range(length + 1)
        ]
    return ways[length]


def _completions(counts: Mapping[int, int], length: int) -> int:
    return sequences(tuple(sorted(filter(None, counts.values()))), length)


def unrank_sequence(counts: Mapping[int, int], length: int, rank: int) -> Packet:
    """Return sequence number `rank`, in lexicographic order, of `length` cards from a multiset.

    Cost O(length · ranks) if at most one card is left over, else one call of `sequences` for each.
    """
    left = dict(sorted(counts.items()))
    total, size = _completions(left, length), sum(left.values())
    whole = length >= size - 1
    cards = []
    for place in range(length):
        for card in left:
            if not left[card]:
                continue
            # Dividing a multinomial coefficient is exact and spares computing the next one.
            below = (
                total * left[card] // (size - place)
                if whole
                else _without(left, card, length - place - 1)
            )
            if rank < below:
                break
            rank -= below
        cards.append(card)
        left[card] -= 1
        total = below
    return tuple(cards)


def rank_sequence(counts: Mapping[int, int], cards: Sequence[int]) -> int:
    """Return the number that `unrank_sequence` turns into `cards`."""
    left = dict(sorted(counts.items()))
    total, size = _completions(left, len(cards)), sum(left.values())
    whole = len(cards) >= size - 1
    rank = 0
    for place, card in enumerate(cards):
        for other in left:
            below = (
                total * left[other] // (size - place)
                if whole
                else _without(left, other, len(cards) - place - 1)
            )
            if other == card:
                break
            rank += below
        left[card] -= 1
        total = below
    return rank


def _without(left: dict[int, int], card: int, length: int) -> int:
    if not left[card]:
        return 0
    return _completions(left | {card: left[card] - 1}, length)


def next_sequence(cards: list[int], length: int) -> bool:
    """Turn `cards` into the next sequence in place; False after the last.

    The first `length` cards are the sequence, the others, ascending, are what it leaves over.
    """
    cards[length:] = reversed(cards[length:])
    pivot = len(cards) - 2
    while pivot >= 0 and cards[pivot] >= cards[pivot + 1]:
        pivot -= 1
    if pivot < 0:
        return False
    swap = len(cards) - 1
    while cards[swap] <= cards[pivot]:
        swap -= 1
    cards[pivot], cards[swap] = cards[swap], cards[pivot]
    cards[pivot + 1 :] = reversed(cards[pivot + 1 :])
    return True


class Deals:
    """All deals of a deck into packets of given sizes, in lexicographic order.

    Parameters
    ----------
    deck : Deck
    sizes : sequence of int
        Cards for each seat; the rest of the deck is set aside.
    one_each : bool
        Pass over the deals in which one player holds both jokers. Ranks still count them, so
        that a range of ranks means the same either way.

    Attributes
    ----------
    ranks : int
        Number of ranks: all deals.
    count : int
        Number of deals that are not passed over.
    """

    def __init__(self, deck: Deck, sizes: Sequence[int], one_each: bool = False) -> None:
        self.deck = deck
        self.sizes = tuple(sizes)
        self.one_each = one_each
        self._counts = dict(deck.counts)
        self._length = sum(self.sizes)
        if deck.half:
            raise CardsError(f"deck {quoted(deck)}: a random half can only be sampled")
        if self._length > deck.size or self._length == 0:
            raise CardsError(
                f"split {quoted('/'.join(map(str, self.sizes)))} does not fit "
                f"deck {quoted(deck)} of {deck.size} cards"
            )
        self.ranks = _completions(self._counts, self._length)
        self.count = self.ranks - (self._one_sided() if one_each else 0)

    @property
    def split(self) -> str:
        """The packet sizes as text, such as 5/3."""
        return "/".join(map(str, self.sizes))

    def _one_sided(self) -> int:
        jokers = jokers_of(self._counts)
        rest = Counter(self._counts)
        rest.subtract(jokers)
        orders = len(set(jokers))
        pairs = sum(comb(size, 2) for size in self.sizes)
        return pairs * orders * _completions(rest, self._length - 2) if pairs else 0

    def unrank(self, rank: int) -> Deal:
        """Return deal number `rank`, counted from 0. Cost O(cards · ranks)."""
        if not 0 <= rank < self.ranks:
            raise CardsError(
                f"rank {rank} is not a deal of '{self.deck}': expected 0 to {self.ranks - 1}"
            )
        return self._deal(unrank_sequence(self._counts, self._length, rank))

    def rank(self, deal: Deal) -> int:
        """Return the number of a deal; raise `CardsError` if it is none of these."""
        counts = deal.counts()
        fits = all(counts[card] <= self._counts.get(card, 0) for card in counts)
        if deal.sizes != self.sizes or not fits:
            raise CardsError(f"{quoted(deal)} is not a deal of '{self.deck}' into {self.split}")
        return rank_sequence(self._counts, deal.strengths().cards)

    def iterate(self, start: int = 0, stop: int | None = None) -> Iterator[Deal]:
        """Yield the deals of ranks `start` to `stop`, those passed over left out."""
        end = self.ranks if stop is None else stop
        if start >= end:
            return
        cards = list(unrank_sequence(self._counts, self._length, start))
        left = Counter(self._counts)
        left.subtract(cards)
        cards += sorted(left.elements())
        for _ in range(start, end):
            deal = self._deal(cards)
            if not self.one_each or jokers_apart(deal):
                yield deal
            next_sequence(cards, self._length)

    def _deal(self, cards: Sequence[int]) -> Deal:
        packets = deal_out(cards, self.sizes, "halves")
        return Deal(packets, self.deck.naming)


def jokers_of(counts: Mapping[int, int]) -> list[int]:
    """Return the two jokers of a deck; raise `CardsError` unless there are exactly two."""
    jokers = [c for c in (JOKER, COLOURED_JOKER) for _ in range(counts.get(c, 0))]
    if len(jokers) != 2:
        raise CardsError(f"joker_deal = 'one-each' expects two jokers, found {len(jokers)}")
    return jokers


def jokers_apart(deal: Deal) -> bool:
    """Tell whether no player holds both jokers."""
    return all(sum(card & STRENGTH >= JOKER for card in packet) < 2 for packet in deal.packets)
