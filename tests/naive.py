"""A second implementation of War, written from the rules alone.

It is meant to be read next to the rules and to be compared with the package: plain immutable
values, no speed.  A turn is a set of weighted branches that are all moved on by one step at a time
until each has become the state after the turn.  A chance or a choice simply replaces one branch by
several; n cards in random order become all n! orders of their positions, so that equal cards add up
by themselves.

Packets are written top card first.  Piles are written in the order in which they were won (the card
won last is at the end), or sorted when the pile is shuffled before use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from math import factorial, floor
from typing import Any

Cards = tuple[int, ...]
# packets, piles, carried table, is the game over?, its winner, wars of the turn
Outcome = tuple[tuple[Cards, ...], tuple[Cards, ...], Cards, bool, int | None, int]

ONE = Fraction(1)
ROW_ORDERS = {"winner-first", "loser-first", "seat-first"}
CHANCE_CAPTURES = {"shuffled", "coin"}
CHOICE_CAPTURES = {"chosen", "chosen-side"}
SORTED_CAPTURES = {"natural", "descending", "ascending"}

ALLOWED: dict[str, set[Any]] = {
    "best": {"highest", "lowest"},
    "short": {"lose", "use-remaining", "last-card", "short-packet", "draw"},
    "all_short": {"draw", "first-player-loses"},
    "joins_war": {"tied", "all"},
    "layout": {"rows", "layers"},
    "recycle": {"bottom", "pile-stacked", "pile-shuffled"},
    "end": {"all-cards", "first-out"},
    "hand": {1, 2},
}


# ---------------------------------------------------------------- the rule set


@dataclass(frozen=True)
class House:
    """The fields of a rule set that concern play, with defaults filled in."""

    seats: int
    best: str
    face_down: int | None  # None: by rank
    short: str
    all_short: str
    automatic: int | None
    joins_war: str
    capture: tuple[str, ...]  # one for each seat
    winner_first: Fraction
    layout: str
    reverse: bool
    recycle: str
    end: str
    limit: int | None
    recognition: Fraction | None
    hand: int

    def has_chance(self) -> bool:
        return (
            self.recognition is not None
            or self.recycle == "pile-shuffled"
            or bool(CHANCE_CAPTURES & set(self.capture))
        )

    def has_choice(self) -> bool:
        return self.hand == 2 or bool(CHOICE_CAPTURES & set(self.capture))


def read_rules(rules: dict[str, Any], seats: int) -> House:
    """Fill in the defaults for a game of so many packets."""
    given = {name: value for name, value in rules.items() if value is not None}
    if given.get("players", 2) != seats:
        raise ValueError(f"{seats} packets for {given.get('players', 2)} players")
    for name, values in ALLOWED.items():
        if name in given and given[name] not in values:
            raise ValueError(f"{name} = {given[name]!r}")
    if seats > 2 and (given.get("hand", 1) != 1 or given.get("all_short", "draw") != "draw"):
        raise ValueError("hand and all_short are for two players")
    face_down = given.get("face_down", 3)
    automatic = given.get("automatic_rank")
    recognition = given.get("recognition")
    return House(
        seats=seats,
        best=given.get("best", "highest"),
        face_down=None if face_down == "by-rank" else int(face_down),
        short=given.get("short", "lose"),
        all_short=given.get("all_short", "draw"),
        automatic=None if automatic is None else int(automatic),
        joins_war=given.get("joins_war", "tied"),
        capture=read_captures(given.get("capture", "winner-first"), seats),
        winner_first=Fraction(str(given.get("winner_first_probability", "1/2"))),
        layout=given.get("layout", "rows"),
        reverse=bool(given.get("reverse", False)),
        recycle=given.get("recycle", "bottom"),
        end=given.get("end", "all-cards"),
        limit=read_limit(given),
        recognition=None if recognition is None else Fraction(str(recognition)),
        hand=given.get("hand", 1),
    )


def read_captures(value: str | Sequence[str], seats: int) -> tuple[str, ...]:
    """The habit of each seat."""
    habits = (value,) * seats if isinstance(value, str) else tuple(value)
    if len(habits) != seats:
        raise ValueError("capture: one value, or one for each seat")
    unknown = set(habits) - ROW_ORDERS - SORTED_CAPTURES - CHANCE_CAPTURES - CHOICE_CAPTURES
    if unknown:
        raise ValueError(f"capture = {sorted(unknown)}")
    return habits


def read_limit(given: dict[str, Any]) -> int | None:
    """The number of battles after which the cards are counted."""
    if "max_battles" in given and "minutes" in given:
        raise ValueError("max_battles together with minutes")
    if "max_battles" in given:
        return int(given["max_battles"])
    if "minutes" in given:
        seconds = 60 * Fraction(str(given["minutes"]))
        return floor(seconds / Fraction(str(given.get("seconds_per_battle", 6))))
    return None


# ---------------------------------------------------------------- a turn under way


@dataclass(frozen=True)
class Turn:
    """Everything that matters in the middle of a turn."""

    packets: tuple[Cards, ...]
    piles: tuple[Cards, ...]
    carried: Cards  # left on the table by earlier turns
    rows: tuple[Cards, ...]  # what each seat laid this turn
    faces: Cards  # the card each seat has face up; 0 for none
    contest: tuple[int, ...]
    lost: frozenset[int]  # seats that lost at once in this turn
    wars: int

    def left(self, seat: int) -> int:
        return len(self.packets[seat]) + len(self.piles[seat])


Branches = list[tuple[Fraction, Turn]]
Ends = list[tuple[Fraction, Outcome]]


def put(values: tuple[Cards, ...], seat: int, new: Cards) -> tuple[Cards, ...]:
    return (*values[:seat], new, *values[seat + 1 :])


def orders(cards: Cards) -> list[tuple[Fraction, Cards]]:
    """All orders of the cards, the n! orders of their positions being equally likely."""
    total = factorial(len(cards))
    return [(Fraction(n, total), order) for order, n in Counter(permutations(cards)).items()]


def pick_up(turn: Turn, seat: int, house: House) -> Branches:
    """The seat puts its pile under its packet, as it would come to be laid."""
    pile = turn.piles[seat]
    ways = orders(pile) if house.recycle == "pile-shuffled" else [(ONE, pile[::-1])]
    piles = put(turn.piles, seat, ())
    branches: Branches = []
    for weight, way in ways:
        packets = put(turn.packets, seat, turn.packets[seat] + way)
        branches.append((weight, replace(turn, packets=packets, piles=piles)))
    return branches


def move_card(turn: Turn, seat: int, position: int) -> Turn:
    """Lay the card at a position of the packet face up."""
    packet = turn.packets[seat]
    card = packet[position]
    return replace(
        turn,
        packets=put(turn.packets, seat, packet[:position] + packet[position + 1 :]),
        rows=put(turn.rows, seat, turn.rows[seat] + (card,)),
        faces=(*turn.faces[:seat], card, *turn.faces[seat + 1 :]),
    )


def lay(turn: Turn, seat: int, number: int, house: House) -> Branches:
    """The seat lays so many cards, the last one face up; the pile is touched only if needed."""
    if number > turn.left(seat):
        raise ValueError("too few cards")
    ready: Branches = [(ONE, turn)]
    if number > len(turn.packets[seat]):
        ready = pick_up(turn, seat, house)
    return [(weight, lay_from_packet(now, seat, number)) for weight, now in ready]


def lay_from_packet(turn: Turn, seat: int, number: int) -> Turn:
    if number == 0:
        return turn
    packet = turn.packets[seat]
    under, last = packet[: number - 1], packet[number - 1 :]
    before = replace(
        turn,
        packets=put(turn.packets, seat, last),
        rows=put(turn.rows, seat, turn.rows[seat] + under),
    )
    return move_card(before, seat, 0)


def lay_all(turn: Turn, numbers: dict[int, int], house: House) -> Branches:
    """Several seats lay, each its own number of cards."""
    branches: Branches = [(ONE, turn)]
    for seat, number in numbers.items():
        branches = [
            (weight * more, after)
            for weight, before in branches
            for more, after in lay(before, seat, number, house)
        ]
    return branches


# ---------------------------------------------------------------- the beginning of a turn


def turn_up(turn: Turn, seat: int, house: House) -> Branches:
    """The first card of a seat; a team with a hand of two plays either of the top two."""
    if house.hand == 1:
        return lay(turn, seat, 1, house)
    ready: Branches = [(ONE, turn)] if turn.packets[seat] else pick_up(turn, seat, house)
    result: Branches = []
    for weight, now in ready:
        choice = range(min(2, len(now.packets[seat])))
        result += [(weight / len(choice), move_card(now, seat, k)) for k in choice]
    return result


def begin(
    packets: tuple[Cards, ...], piles: tuple[Cards, ...], carried: Cards, house: House
) -> Branches:
    """Everybody who holds cards turns one up."""
    none: tuple[Cards, ...] = ((),) * house.seats
    contest = tuple(seat for seat in range(house.seats) if packets[seat] or piles[seat])
    if len(contest) < 2:
        raise ValueError("the game is over")
    faces = (0,) * house.seats
    start = Turn(packets, piles, carried, none, faces, contest, frozenset(), 0)
    branches: Branches = [(ONE, start)]
    for seat in contest:
        branches = [
            (weight * more, after)
            for weight, before in branches
            for more, after in turn_up(before, seat, house)
        ]
    return branches


# ---------------------------------------------------------------- comparing


def worth(card: int, house: House) -> int:
    return card if house.best == "highest" else -card


def leaders(turn: Turn, house: House) -> list[int]:
    """The seats of the contest whose face-up cards are best."""
    top = max(worth(turn.faces[seat], house) for seat in turn.contest)
    return [seat for seat in turn.contest if worth(turn.faces[seat], house) == top]


def shows_automatic(turn: Turn, house: House) -> bool:
    return house.automatic in [turn.faces[seat] for seat in turn.contest]


def after_seat(seat: int, seats: int) -> list[int]:
    """The other seats, in seat order from the next one on."""
    return [*range(seat + 1, seats), *range(seat)]


def step(turn: Turn, house: House) -> tuple[Branches, Ends]:
    """Judge the face-up cards: branches that go on, and branches at the end of the turn."""
    first = leaders(turn, house)
    if len(first) > 1 or shows_automatic(turn, house):
        return war(replace(turn, wars=turn.wars + 1), first, house)
    ends: Ends = []
    for weight, winner in recognised(turn, first[0], house):
        ends += [(weight * more, end) for more, end in captured(turn, winner, house)]
    return [], ends


def recognised(turn: Turn, winner: int, house: House) -> list[tuple[Fraction, int]]:
    """Who takes the cards of a decided contest."""
    if house.recognition is None:
        return [(ONE, winner)]
    others = [seat for seat in after_seat(winner, house.seats) if seat in turn.contest]
    thief = max(others, key=lambda seat: worth(turn.faces[seat], house))
    return [(house.recognition, winner), (1 - house.recognition, thief)]


# ---------------------------------------------------------------- war


def buried(turn: Turn, tied: list[int], house: House) -> int:
    """How many cards go face down."""
    if house.face_down is not None:
        return house.face_down
    if len(tied) > 1:
        rank = turn.faces[tied[0]]
    else:
        assert house.automatic is not None
        rank = house.automatic
    if rank < 10:
        return rank
    return 10 if rank <= 13 else 11


def losing_joiners(turn: Turn, joiners: list[int], needed: int, house: House) -> list[int]:
    """Those who lose at once (not asked under `draw`)."""
    empty = [seat for seat in joiners if turn.left(seat) == 0]
    if house.short == "lose":
        return [seat for seat in joiners if turn.left(seat) < needed]
    if house.short == "last-card":
        return empty if len(empty) == len(joiners) else []
    return empty


def amounts(turn: Turn, joiners: list[int], needed: int, house: House) -> dict[int, int]:
    """How many cards each remaining joiner lays; none for a card that is left standing."""
    if house.short == "short-packet":
        needed = min([needed, *(turn.left(seat) for seat in joiners)])
    return {seat: min(needed, turn.left(seat)) for seat in joiners}


def war(turn: Turn, tied: list[int], house: House) -> tuple[Branches, Ends]:
    """A war that has been called for and counted."""
    everyone = house.joins_war == "all" or shows_automatic(turn, house)
    joiners = list(turn.contest) if everyone else tied
    needed = buried(turn, tied, house) + 1
    if house.short == "draw" and any(turn.left(seat) < needed for seat in joiners):
        return [], [(ONE, over(None, turn.wars))]
    losers = losing_joiners(turn, joiners, needed, house)
    if losers and house.seats == 2:
        return [], [(ONE, over(winner_of_two(losers, house), turn.wars))]
    remaining = [seat for seat in joiners if seat not in losers]
    turn = replace(turn, lost=turn.lost | set(losers))
    branches = lay_all(turn, {seat: turn.left(seat) for seat in losers}, house)
    if len(remaining) > 1:
        turn_on = [(w, replace(now, contest=tuple(remaining))) for w, now in branches]
        laying = amounts(turn, remaining, needed, house)
        return [(w * v, to) for w, now in turn_on for v, to in lay_all(now, laying, house)], []
    ends: Ends = []
    for weight, now in branches:
        found = captured(now, remaining[0], house) if remaining else all_lost(now, house)
        ends += [(weight * more, end) for more, end in found]
    return [], ends


def winner_of_two(losers: list[int], house: House) -> int | None:
    """Two players, at least one of whom loses at once."""
    if len(losers) == 1:
        return 1 - losers[0]
    return 1 if house.all_short == "first-player-loses" else None


def all_lost(turn: Turn, house: House) -> Ends:
    """No joiner remains: it is up to those who only stand by."""
    bystanders = [s for s in range(house.seats) if turn.rows[s] and s not in turn.lost]
    holding = [seat for seat in bystanders if turn.left(seat) > 0]
    if len(bystanders) == 1:
        return captured(turn, bystanders[0], house)
    if len(holding) == 1:
        return captured(turn, holding[0], house)
    if len(holding) > 1:
        carried = turn.carried + joined(turn.rows)
        return [(ONE, settled(turn.packets, turn.piles, carried, turn.wars, house))]
    return [(ONE, over(None, turn.wars))]


# ---------------------------------------------------------------- capture


def joined(parts: Iterable[Cards]) -> Cards:
    return tuple(card for part in parts for card in part)


def layers(rows: Iterable[Cards]) -> list[Cards]:
    """First cards of the rows, second cards, and so on."""
    rows = list(rows)
    depth = max(len(row) for row in rows)
    return [tuple(row[k] for row in rows if k < len(row)) for k in range(depth)]


def row_order(turn: Turn, winner: int, habit: str, house: House) -> Cards:
    """A pot made of whole rows or of layers."""
    others = after_seat(winner, house.seats)
    seats = {
        "winner-first": [winner, *others],
        "loser-first": [*others, winner],
        "seat-first": list(range(house.seats)),
    }[habit]
    rows = [turn.rows[seat] for seat in seats]
    return joined(layers(rows) if house.layout == "layers" else rows)


def fixed_order(turn: Turn, winner: int, habit: str, house: House) -> Cards:
    """The pot of a habit without chance or choice."""
    if habit == "natural":
        pot = joined(tuple(sorted(layer, reverse=True)) for layer in reversed(layers(turn.rows)))
    elif habit == "descending":
        pot = tuple(sorted(joined(turn.rows), reverse=True))
    elif habit == "ascending":
        pot = tuple(sorted(joined(turn.rows)))
    else:
        pot = row_order(turn, winner, habit, house)
    return pot[::-1] if house.reverse else pot


def pots(turn: Turn, winner: int, house: House) -> list[tuple[Fraction, Cards]]:
    """Every order the pot of this turn may have, weighted."""
    habit = house.capture[winner]
    if habit in ("shuffled", "chosen"):
        return orders(joined(turn.rows))
    if habit in ("coin", "chosen-side"):
        heads = house.winner_first if habit == "coin" else Fraction(1, 2)
        return [
            (heads, fixed_order(turn, winner, "winner-first", house)),
            (1 - heads, fixed_order(turn, winner, "loser-first", house)),
        ]
    return [(ONE, fixed_order(turn, winner, habit, house))]


def captured(turn: Turn, winner: int, house: House) -> Ends:
    """The winner takes the carried cards, untouched, and then the pot."""
    ends: Ends = []
    for weight, pot in pots(turn, winner, house):
        packets, piles = turn.packets, turn.piles
        won = turn.carried + pot
        if house.recycle == "bottom":
            packets = put(packets, winner, packets[winner] + won)
        else:
            piles = put(piles, winner, tidy(piles[winner] + won, house))
        ends.append((weight, settled(packets, piles, (), turn.wars, house)))
    return ends


def tidy(pile: Cards, house: House) -> Cards:
    """The order of a pile that will be shuffled means nothing."""
    return tuple(sorted(pile)) if house.recycle == "pile-shuffled" else pile


# ---------------------------------------------------------------- the end


def over(winner: int | None, wars: int) -> Outcome:
    return ((), (), (), True, winner, wars)


def holdings(packets: tuple[Cards, ...], piles: tuple[Cards, ...]) -> list[int]:
    return [len(packet) + len(pile) for packet, pile in zip(packets, piles, strict=True)]


def richest(held: list[int]) -> int | None:
    """Who has most cards; nobody if several have."""
    return held.index(max(held)) if held.count(max(held)) == 1 else None


def settled(
    packets: tuple[Cards, ...], piles: tuple[Cards, ...], carried: Cards, wars: int, house: House
) -> Outcome:
    """The state after a whole turn, or the end of the game."""
    held = holdings(packets, piles)
    out = held.count(0)
    if out >= house.seats - 1 or (out > 0 and house.end == "first-out"):
        return over(richest(held), wars)
    return (packets, piles, carried, False, None, wars)


# ---------------------------------------------------------------- whole turns


def whole_turn(
    packets: Iterable[Iterable[int]],
    piles: Iterable[Iterable[int]],
    carried: Iterable[int],
    house: House,
) -> dict[Outcome, Fraction]:
    """Move all branches of a turn forward, step by step, until every one has ended.

    A choice is weighted like a fair draw here; only the set of outcomes means something then.
    """
    start = tuple(tuple(packet) for packet in packets)
    won = tuple(tidy(tuple(pile), house) for pile in piles) or ((),) * house.seats
    finished: dict[Outcome, Fraction] = {}
    active = begin(start, won, tuple(carried), house)
    while active:
        following: dict[Turn, Fraction] = {}
        for weight, turn in active:
            moved, ended = step(turn, house)
            for more, after in moved:
                following[after] = following.get(after, Fraction(0)) + weight * more
            for more, end in ended:
                finished[end] = finished.get(end, Fraction(0)) + weight * more
        active = [(weight, turn) for turn, weight in following.items()]
    return {end: weight for end, weight in finished.items() if weight > 0}


def outcomes(
    packets: Sequence[Sequence[int]],
    piles: Sequence[Sequence[int]],
    table: Sequence[int],
    rules: dict[str, Any],
) -> dict[Outcome, Fraction]:
    """The exact distribution of the state after one turn of a deterministic or chance rule set.

    A game that is over is ((), (), (), True, winner, wars); a battle limit is not looked at.
    The n! orders are really gone through: at most 8 or 9 cards should come in random order.
    The n! orders are really gone through: at most 8 or 9 cards should come in random order.
    """
    house = read_rules(rules, len(packets))
    if house.has_choice():
        raise ValueError("a choice has no probabilities")
    return whole_turn(packets, piles, table, house)


def choices(
    packets: Sequence[Sequence[int]],
    piles: Sequence[Sequence[int]],
    table: Sequence[int],
    rules: dict[str, Any],
) -> set[Outcome]:
    """All outcomes of one turn that the players' choices can bring about together."""
    house = read_rules(rules, len(packets))
    if house.has_chance():
        raise ValueError("chance together with choice")
    return set(whole_turn(packets, piles, table, house))


# ---------------------------------------------------------------- whole games


def terminates(winner: int | None, battles: int, wars: int) -> dict[str, Any]:
    return {"verdict": "terminates", "winner": winner, "battles": battles, "wars": wars}


def play(packets: list[list[int]], rules: dict[str, Any], bound: int = 100_000) -> dict[str, Any]:
    """Play a game of a deterministic rule set until it ends, repeats a state, or hits the bound."""
    house = read_rules(rules, len(packets))
    if house.has_chance() or house.has_choice():
        raise ValueError("the rule set is not deterministic")
    hands = tuple(tuple(packet) for packet in packets)
    piles: tuple[Cards, ...] = ((),) * house.seats
    table: Cards = ()
    seen: dict[tuple[tuple[Cards, ...], tuple[Cards, ...], Cards], int] = {}
    battles = wars = 0
    held = holdings(hands, piles)
    if held.count(0) >= house.seats - 1:
        return terminates(richest(held), 0, 0)
    while True:
        if house.limit is not None:
            if battles >= house.limit:
                return terminates(richest(holdings(hands, piles)), battles, wars)
        else:
            state = (hands, piles, table)
            if state in seen:
                tail = seen[state]
                return {"verdict": "cycles", "tail": tail, "period": battles - tail}
            if battles >= bound:
                return {"verdict": "undecided"}
            seen[state] = battles
        (outcome,) = whole_turn(hands, piles, table, house)
        hands, piles, table, ended, winner, more = outcome
        battles, wars = battles + 1, wars + more
        if ended:
            return terminates(winner, battles, wars)
