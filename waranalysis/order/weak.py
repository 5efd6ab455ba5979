"""Order enumeration with equal cards and wars: exact, for small decks, in plain Python.

As for distinct cards, but every comparison has three results, and what is known of the tokens is
a *weak* partial order: classes of equal tokens, and a strict order of the classes. A class never
holds more tokens than the deck has copies. A comparison inside a war branches before the turn
is played, so a node is always a position between turns. The deals of a path are the ways to give
every token a strength such that each strength occurs as often as in the deck.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from waranalysis.errors import CardsError, RulesError, quoted
from waranalysis.order.extensions import members
from waranalysis.rules import RuleSet
from waranalysis.termination import require_deterministic

Packet = tuple[int, ...]
Packets = tuple[Packet, Packet]
_ORDERS = ("winner-first", "loser-first", "seat-first")


class Known(NamedTuple):
    """What is known: masks of weaker and of equal tokens, by token (each is equal to itself)."""

    weaker: tuple[int, ...]
    equal: tuple[int, ...]

    def compare(self, x: int, y: int) -> int | None:
        """1 if x is stronger than y, -1 if weaker, 0 if equal, None if that is not known."""
        if self.equal[x] >> y & 1:
            return 0
        if self.weaker[x] >> y & 1:
            return 1
        return -1 if self.weaker[y] >> x & 1 else None

    def with_result(self, x: int, y: int, result: int) -> Known:
        """The closure after ``compare(x, y)`` has turned out to be `result`."""
        if result < 0:
            x, y = y, x
        weaker, equal = list(self.weaker), list(self.equal)
        if result:
            more = self.weaker[y] | self.equal[y]
            for z in range(len(weaker)):
                if self.equal[x] >> z & 1 or self.weaker[z] >> x & 1:
                    weaker[z] |= more
            return Known(tuple(weaker), self.equal)
        together = self.equal[x] | self.equal[y]
        below = self.weaker[x] | self.weaker[y]
        for z in range(len(weaker)):
            if together >> z & 1:
                equal[z], weaker[z] = together, below
            elif self.weaker[z] & together:
                weaker[z] |= together | below
        return Known(tuple(weaker), tuple(equal))

    def renamed(self, tokens: Sequence[int]) -> Known:
        """The same with token ``tokens[i]`` called i."""
        place = {token: i for i, token in enumerate(tokens)}
        weaker, equal = (
            tuple(sum(1 << place[z] for z in members(masks[token])) for token in tokens)
            for masks in self
        )
        return Known(weaker, equal)

    def pairs(self) -> int:
        """How many pairs are compared."""
        return sum(map(int.bit_count, self.weaker)) + sum(map(int.bit_count, self.equal))

    def deals(self, copies: int) -> int:
        """Ways to give the tokens strengths, `copies` tokens each."""
        whole = (1 << len(self.equal)) - 1
        level = {0: 1}
        for _ in range(len(self.equal) // copies):
            larger: dict[int, int] = {}
            for ideal, ways in level.items():
                for chosen in self._levels(ideal, copies):
                    larger[ideal | chosen] = larger.get(ideal | chosen, 0) + ways
            level = larger
        return level.get(whole, 0)

    def _levels(self, ideal: int, copies: int) -> Iterator[int]:
        """Sets of `copies` tokens that may have the next strength above those of an ideal."""
        free = {
            mask
            for z, mask in enumerate(self.equal)
            if not ideal >> z & 1 and self.weaker[z] & ~ideal == 0
        }
        chosen = {0}
        for mask in sorted(free):
            chosen |= {one | mask for one in chosen if (one | mask).bit_count() <= copies}
        return (one for one in chosen if one.bit_count() == copies)


@dataclass(frozen=True)
class Paths:
    """The paths to a node: how many, their battles together, and the most battles of one."""

    number: int
    battles: int
    longest: int

    def after(self, battles: int) -> Paths:
        """The same paths, so many battles on."""
        more = self.battles + self.number * battles
        return Paths(self.number, more, self.longest + battles)

    def __add__(self, other: Paths) -> Paths:
        return Paths(
            self.number + other.number,
            self.battles + other.battles,
            max(self.longest, other.longest),
        )


@dataclass
class WeakCounts:
    """Outcomes of all deals; `longest` and `total_battles` are over those that end."""

    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    cycle_lengths: dict[int, int] = field(default_factory=dict)
    longest: int = 0
    total_battles: int = 0
    nodes: int = 0

    @property
    def never(self) -> int:
        """Deals that never end."""
        return sum(self.cycle_lengths.values())


class _Turn(NamedTuple):
    """What a turn comes to: a comparison that is not known, an end, or the next packets."""

    unknown: tuple[int, int] | None = None
    ended: bool = False
    winner: int | None = None
    packets: Packets = ((), ())


def _turn(packets: Packets, known: Known, rules: RuleSet) -> _Turn:
    """One turn with all its wars; a side too short for a war loses, both make a draw."""
    need = int(rules.face_down) + 1
    laid = 1
    while True:
        result = known.compare(packets[0][laid - 1], packets[1][laid - 1])
        if result is None:
            return _Turn(unknown=(packets[0][laid - 1], packets[1][laid - 1]))
        if result:
            break
        short = [len(packet) - laid < need for packet in packets]
        if any(short):
            return _Turn(ended=True, winner=None if all(short) else short.index(False))
        laid += need
    winner = 0 if result > 0 else 1
    order = rules.captures[winner]
    first = 0 if order == "seat-first" else winner if order == "winner-first" else 1 - winner
    pot = packets[first][:laid] + packets[1 - first][:laid]
    after = [packet[laid:] for packet in packets]
    after[winner] += pot[::-1] if rules.reverse else pot
    if not after[1 - winner]:
        return _Turn(ended=True, winner=winner)
    return _Turn(packets=(after[0], after[1]))


def enumerate_weak_orders(
    ranks: int, copies: int, rules: RuleSet, split: Sequence[int] | None = None
) -> WeakCounts:
    """Count what becomes of all deals of a deck of `ranks` strengths, `copies` cards each.

    Parameters
    ----------
    ranks, copies : int
    rules : RuleSet
        For two players, ``short = "lose"``, captures by rows, a fixed number of cards face down.
    split : sequence of int, optional
        Cards of each seat, at least one.

    Raises
    ------
    RulesError, CardsError
        For other rules, or sizes that do not fit.
    """
    _check(rules)
    n = ranks * copies
    sizes = (n - n // 2, n // 2) if split is None else tuple(split)
    if len(sizes) != 2 or sum(sizes) != n or min(sizes) < 1:
        shown = "/".join(map(str, sizes))
        raise CardsError(f"split {quoted(shown)}: expected two packets of {n} cards in all")
    counts = WeakCounts()
    nothing = Known((0,) * n, tuple(1 << x for x in range(n)))
    layers: list[dict[tuple[int, Known], Paths]] = [{} for _ in range(n * n + 1)]
    layers[nothing.pairs()][sizes[0], nothing] = Paths(1, 0, 0)
    for layer in layers:
        for (size, known), paths in layer.items():
            counts.nodes += 1
            packets = (tuple(range(size)), tuple(range(size, n)))
            unknown = _turn(packets, known, rules).unknown
            assert unknown is not None
            for result in (-1, 0, 1):
                more = known.with_result(*unknown, result)
                if more.equal[unknown[0]].bit_count() <= copies:
                    _play_on(packets, more, paths, rules, copies, layers, counts)
    return counts


def _play_on(
    packets: Packets,
    known: Known,
    paths: Paths,
    rules: RuleSet,
    copies: int,
    layers: list[dict[tuple[int, Known], Paths]],
    counts: WeakCounts,
) -> None:
    """Play what is forced; count an end or a loop, or add a node to its layer."""
    seen: dict[Packets, int] = {}
    while packets not in seen:
        turn = _turn(packets, known, rules)
        if turn.unknown:
            node = len(packets[0]), known.renamed(packets[0] + packets[1])
            layer, here = layers[known.pairs()], paths.after(len(seen))
            layer[node] = layer[node] + here if node in layer else here
            return
        seen[packets] = len(seen)
        if turn.ended:
            _count_end(turn.winner, known.deals(copies), paths.after(len(seen)), counts)
            return
        packets = turn.packets
    for period, deals in _periods(list(seen)[seen[packets] :], known, copies).items():
        total = counts.cycle_lengths.get(period, 0) + deals * paths.number
        counts.cycle_lengths[period] = total


def _periods(loop: Sequence[Packets], known: Known, copies: int) -> dict[int, int]:
    """Deals by the period of their strengths, which may be less than that of the tokens.

    The strengths are back after d battles just if the tokens that then lie in the same places are
    equal; the deals of all shorter periods that divide d are among these.
    """
    found: dict[int, int] = {}
    for d in range(1, len(loop) + 1):
        if len(loop) % d == 0:
            equal = _with_equals(loop[0], loop[d % len(loop)], known, copies)
            deals = equal.deals(copies) if equal else 0
            deals -= sum(number for period, number in found.items() if d % period == 0)
            if deals:
                found[d] = deals
    return found


def _with_equals(one: Packets, other: Packets, known: Known, copies: int) -> Known | None:
    """What is known if tokens in the same places are equal; None if they cannot be."""
    if len(one[0]) != len(other[0]):
        return None
    for x, y in zip(one[0] + one[1], other[0] + other[1], strict=True):
        result = known.compare(x, y)
        if result is None:
            known = known.with_result(x, y, 0)
        elif result:
            return None
    return known if all(mask.bit_count() <= copies for mask in known.equal) else None


def _count_end(winner: int | None, deals: int, paths: Paths, counts: WeakCounts) -> None:
    if winner is None:
        counts.draws += deals * paths.number
    else:
        counts.wins[winner] += deals * paths.number
    counts.total_battles += deals * paths.battles
    if deals:
        counts.longest = max(counts.longest, paths.longest)


def _check(rules: RuleSet) -> None:
    require_deterministic(rules)
    plain = RuleSet()
    for name in ("players", "best", "short", "all_short", "automatic_rank", "layout", "recycle"):
        value = getattr(rules, name)
        if value != getattr(plain, name):
            raise RulesError(f"{name} = {value}: weak orders expect {getattr(plain, name)}")
    if rules.face_down == "by-rank" or rules.limit is not None:
        raise RulesError("weak orders expect a number of cards face down, and no battle limit")
    for order in rules.captures:
        if order not in _ORDERS:
            raise RulesError(f'capture = "{order}": weak orders expect {", ".join(_ORDERS)}')
