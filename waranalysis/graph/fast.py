"""The compiled way to build a state graph, for two packets that fit one integer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.decisions import Orders
from waranalysis.graph.model import Choice
from waranalysis.play import State, cards_by_rank
from waranalysis.rules import RuleSet

if TYPE_CHECKING:
    from waranalysis.graph.build import Bounds, Origin, Parts

_WIDEST = 62
STRIDE = 500_000  # positions at a time: compiled code does not hear an interrupt


@dataclass(frozen=True)
class Coded:
    """The start of a search as the kernel reads it.

    Attributes
    ----------
    rule, need : int64
        See `waranalysis.kernels.explore`.
    strengths : uint8
        The strength that each code stands for.
    keys : (deals,) int64
        The deals.
    whole_deck : bool
        Whether the deals are those of a deck.
    """

    rule: NDArray[np.int64]
    need: NDArray[np.int64]
    strengths: NDArray[np.uint8]
    keys: NDArray[np.int64]
    whole_deck: bool


def fits(rules: RuleSet) -> bool:
    """Whether the kernel knows the rules."""
    two = rules.players == 2 and rules.recycle == "bottom"
    return two and rules.hand == 1 and rules.recognition is None


def encode(origin: Origin, rules: RuleSet) -> Coded | None:
    """Put the deals and the rules into integers; None if they do not fit the kernel."""
    if not fits(rules):
        return None
    sizes = {sum(deals.sizes) for deals in origin.families} | {_cards(s) for s in origin.given}
    ends = any(not all(deals.sizes) or deals.one_each for deals in origin.families)
    if len(sizes) != 1 or ends or not all(map(_is_plain, origin.given)):
        return None
    strengths = sorted(
        {strength for deals in origin.families for strength, _ in deals.deck.counts}
        | {card for state in origin.given for packet in state.packets for card in packet}
    )
    cards = sizes.pop()
    bits = max(len(strengths) - 1, 1).bit_length()
    if cards * bits + cards.bit_length() > _WIDEST:
        return None
    rule = _rule(rules, cards, bits, strengths)
    need = [_need(rules, strength) for strength in strengths]
    return Coded(
        rule,
        np.array(need, dtype=np.int64),
        np.array(strengths, dtype=np.uint8),
        _keys(origin, strengths, rule),
        bool(origin.families),
    )


def _cards(state: State) -> int:
    return sum(map(len, state.packets))


def _is_plain(state: State) -> bool:
    """Whether a state is two packets and nothing else."""
    return all(state.packets) and not any(state.piles) and not state.table


def _need(rules: RuleSet, strength: int) -> int:
    if isinstance(rules.face_down, str):
        return cards_by_rank(strength) + 1
    return rules.face_down + 1


def _rule(rules: RuleSet, cards: int, bits: int, strengths: list[int]) -> NDArray[np.int64]:
    from waranalysis.kernels import explore

    rule = np.zeros(explore.FIELDS, dtype=np.int64)
    rule[explore.CARDS] = cards
    rule[explore.BITS] = bits
    rule[explore.LOWEST] = rules.best == "lowest"
    rule[explore.SHORT] = explore.SHORTS.index(rules.short)
    rule[explore.FIRST_LOSES] = rules.all_short == "first-player-loses"
    automatic = rules.automatic_rank
    rule[explore.AUTOMATIC] = strengths.index(automatic) if automatic in strengths else -1
    rule[explore.LAYERS] = rules.layout == "layers"
    rule[explore.REVERSE] = rules.reverse
    sure = {Fraction(0): "loser-first", Fraction(1): "winner-first"}
    coin = sure.get(rules.winner_first_probability, "coin")  # type: ignore[arg-type]
    orders = [coin if order == "coin" else order for order in rules.captures]
    rule[explore.CAPTURE :] = list(map(explore.ORDERS.index, orders))
    return rule


def _keys(origin: Origin, strengths: list[int], rule: NDArray[np.int64]) -> NDArray[np.int64]:
    from waranalysis.kernels import explore

    code = {strength: place for place, strength in enumerate(strengths)}
    parts = [np.array([_key(state, code, rule) for state in origin.given], dtype=np.int64)]
    for deals in origin.families:
        keys = np.empty(deals.ranks, dtype=np.int64)
        cards = np.array([code[card] for card in deals.deck.cards], dtype=np.int64)
        explore.deal_keys(cards, np.array(deals.sizes, dtype=np.int64), rule, keys)
        parts.append(keys)
    return np.concatenate(parts)


def _key(state: State, code: dict[int, int], rule: NDArray[np.int64]) -> int:
    from waranalysis.kernels import explore

    cards = (code[card] for packet in state.packets for card in packet)
    bits = int(rule[explore.BITS])
    key = sum(card << bits * place for place, card in enumerate(cards))
    return key | len(state.packets[0]) << bits * int(rule[explore.CARDS])


# --- the search ------------------------------------------------------------------------------


class _Arrays:
    """Arrays that grow, within bounds, while the kernel fills them."""

    def __init__(self, deals: int, cards: int, arranged: bool, bounds: Bounds) -> None:
        self.bounds = bounds
        self.cards = cards
        self.arranged = arranged
        room = max(min(2 * deals, bounds.limit), 1 << 12)
        bounds.check(deals, 0, self._bytes(room, room))
        self.keys = np.empty(room, dtype=np.int64)
        self.arrows = np.empty(room, dtype=np.int64)
        self.sides = np.empty(room, dtype=np.int8)
        self.pots = np.zeros(room if arranged else 0, dtype=np.int64)
        self.targets = np.empty(room, dtype=np.int32)
        self.weights = np.empty(room, dtype=np.int32)
        self.table = np.zeros(power(2 * room), dtype=np.int32)

    def _bytes(self, nodes: int, transitions: int) -> int:
        """Of these arrays, and of the graph that is made of them while they are still there."""
        per_node = 37 + self.cards + 1 + 8 * self.arranged
        # A transition that is chosen is an action, too.
        per_transition = 20 + 20 * self.arranged
        return per_node * nodes + 4 * power(2 * nodes) + per_transition * transitions

    def grow(self, begin: int, count: int, edges: int, more: int) -> None:
        """Make room for `more` nodes and transitions."""
        from waranalysis.kernels import explore

        nodes, transitions = len(self.keys), len(self.targets)
        if count + more > nodes:
            nodes = max(min(2 * nodes, self.bounds.limit), count + more)
        if edges + more > transitions:
            transitions = max(2 * transitions, edges + more)
        if count + more > len(self.keys):
            self.bounds.check(count + more, begin, 0)
        self.bounds.check(count, begin, self._bytes(nodes, transitions))
        if nodes > len(self.keys):
            self.keys = grown(self.keys, nodes)
            self.arrows = grown(self.arrows, nodes)
            self.sides = grown(self.sides, nodes)
            if self.arranged:
                self.pots = np.concatenate([self.pots, np.zeros(nodes - len(self.pots), np.int64)])
            self.table = np.zeros(power(2 * nodes), dtype=np.int32)
            explore.refill(self.keys, count, self.table)
        if transitions > len(self.targets):
            self.targets = grown(self.targets, transitions)
            self.weights = grown(self.weights, transitions)


def power(least: int) -> int:
    """The least power of two that is not below `least`."""
    return 1 << (least - 1).bit_length()


def grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """A copy with room for `size` items."""
    larger = np.empty(size, dtype=array.dtype)
    larger[: len(array)] = array
    return larger


def explore(coded: Coded, rules: RuleSet, bounds: Bounds) -> Parts:
    """Find every position that can be reached."""
    from waranalysis.kernels import explore as kernel

    arranged = "chosen" in rules.captures
    arrays = _Arrays(len(coded.keys), int(coded.rule[kernel.CARDS]), arranged, bounds)
    starts = np.empty(len(coded.keys), dtype=np.int64)
    count = kernel.enter_all(coded.keys, arrays.keys, arrays.table, 0, starts)
    begin, edges = 0, 0
    while begin < count:
        begin, count, edges, more = kernel.expand(
            begin,
            begin + STRIDE,
            count,
            edges,
            arrays.keys,
            arrays.table,
            arrays.targets,
            arrays.weights,
            arrays.arrows,
            arrays.sides,
            arrays.pots,
            coded.rule,
            coded.need,
        )
        bounds.done(begin)
        if more:
            arrays.grow(begin, count, edges, more)
    bounds.check(count, count, 0)
    return _parts(coded, rules, arrays, starts, count, edges)


def _parts(
    coded: Coded,
    rules: RuleSet,
    arrays: _Arrays,
    starts: NDArray[np.int64],
    count: int,
    edges: int,
) -> Parts:
    from waranalysis.graph.build import Parts
    from waranalysis.kernels import explore as kernel

    cards = int(coded.rule[kernel.CARDS])
    packed = np.zeros((count, cards + 1), dtype=np.uint8)
    kernel.write_strengths(arrays.keys[:count], coded.rule, coded.strengths, packed)
    weights = arrays.weights[:edges] - kernel.TAILS
    codes = np.flatnonzero(np.bincount(weights))
    place = np.zeros(codes.max(initial=0) + 1, dtype=np.int32)
    place[codes] = np.arange(len(codes))
    arrows = np.concatenate([np.zeros(1, np.int64), arrays.arrows[:count]])
    first_choice, choices = _choices(coded, rules, arrays, count)
    actions, labels, indptr = _actions(arrows, first_choice)
    dealt = None
    if coded.whole_deck:
        first = packed[starts]
        dealt = first[first > 0].reshape(len(starts), cards)
    return Parts(
        packed=packed,
        moments=np.empty(0, dtype=np.int64),
        actions=actions,
        labels=labels,
        choices=choices,
        indptr=indptr,
        targets=arrays.targets[:edges],
        chances=place[weights],
        values=tuple(_chance(rules)(int(code) + kernel.TAILS) for code in codes),
        starts=starts,
        cards=dealt,
    )


def _chance(rules: RuleSet) -> Callable[[int], Any]:
    """What the weights of the kernel stand for."""
    from waranalysis.kernels import explore as kernel

    heads: Any = rules.winner_first_probability
    if isinstance(heads, str):
        import sympy

        heads = sympy.Symbol(heads)
    coin = {kernel.HEADS: heads, kernel.TAILS: 1 - heads}
    return lambda code: coin[code] if code in coin else Fraction(1, code)


def _choices(
    coded: Coded, rules: RuleSet, arrays: _Arrays, count: int
) -> tuple[NDArray[np.int32], tuple[tuple[Choice, ...], ...]]:
    """Everything to choose from, and for each position its first choice; 0 where there is none."""
    sides = arrays.sides[:count].astype(np.int32)
    choices: list[tuple[Choice, ...]] = [()]
    if "chosen-side" in rules.captures:
        choices += [(Choice(seat, "side", first),) for seat in (0, 1) for first in (True, False)]
    first = np.where(sides > 0, 2 * sides - 1, 0).astype(np.int32)
    if not arrays.arranged:
        return first, tuple(choices)
    pots = arrays.pots[:count]
    for seat in range(2):
        found, place = np.unique(np.where(sides == seat + 1, pots, 0), return_inverse=True)
        begin = np.zeros(len(found), dtype=np.int32)
        for number, pot in enumerate(found.tolist()):
            if pot:
                begin[number] = len(choices)
                orders = Orders(_pot(pot, coded))
                choices += [(Choice(seat, "order", order),) for order in orders]
        first = np.where(begin[place] > 0, begin[place], first)
    return first, tuple(choices)


def _pot(key: int, coded: Coded) -> tuple[int, ...]:
    """The strengths of a pot that the kernel packed."""
    from waranalysis.kernels import explore as kernel

    bits, cards = int(coded.rule[kernel.BITS]), int(coded.rule[kernel.CARDS])
    codes = (key >> bits * place & (1 << bits) - 1 for place in range(key >> bits * cards))
    return tuple(int(coded.strengths[code]) for code in codes)


def _actions(
    arrows: NDArray[np.int64], first: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """One action a position, or one a transition where something is chosen."""
    degrees = np.diff(arrows)
    per_position = np.where(first > 0, degrees, 1)
    actions = np.concatenate([np.zeros(1, np.int64), np.cumsum(per_position)])
    places = np.arange(actions[-1]) - np.repeat(actions[:-1], per_position)
    chosen = np.repeat(first > 0, per_position)
    labels = np.where(chosen, np.repeat(first, per_position) + places, 0).astype(np.int32)
    inside = np.repeat(arrows[:-1], per_position) + places
    indptr = np.concatenate([inside, arrows[-1:]])
    return actions, labels, indptr
