"""Rule sets: every choice that a table of players makes before the first deal.

The field names and values are the same in Python, TOML, JSON and on the command line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from waranalysis.callable_module import make_callable
from waranalysis.cards import Deal, Deals, Deck, deal_out, jokers_apart, jokers_of
from waranalysis.errors import FileError, RulesError, quoted

FIXED_ORDERS = (
    "winner-first",
    "loser-first",
    "seat-first",
    "natural",
    "descending",
    "ascending",
)
ROW_ORDERS = FIXED_ORDERS[:3]
CHANCE_ORDERS = ("shuffled", "coin")
CHOICE_ORDERS = ("chosen", "chosen-side")
ORDERS = FIXED_ORDERS + CHANCE_ORDERS + CHOICE_ORDERS

Check = Callable[[Any], Any]
Probability = Fraction | str


class _BadError(Exception):
    """What a field expected instead of its value."""


def _one_of(*choices: str) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise _BadError("expected " + " or ".join(choices) + _near(value, choices))
        return value

    return check


def _near(text: object, choices: Sequence[str]) -> str:
    near = get_close_matches(str(text), choices, n=3)
    return f"; near: {', '.join(near)}" if near else ""


def _integer(least: int, most: int | None = None) -> Check:
    expected = f"expected an integer of {least} or more"
    if most is not None:
        expected = f"expected an integer from {least} to {most}"

    def check(value: Any) -> int:
        if type(value) is not int or value < least or (most is not None and value > most):
            raise _BadError(expected)
        return value

    return check


def _boolean(value: Any) -> bool:
    if type(value) is not bool:
        raise _BadError("expected true or false")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _BadError("expected a text")
    return value


def _fraction(value: Any, expected: str) -> Fraction:
    if type(value) is bool or not isinstance(value, int | float | str | Fraction):
        raise _BadError(expected)
    text = str(value)
    if not re.fullmatch(r"[0-9]{1,30}([./][0-9]{1,30})?", text):
        raise _BadError(expected)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise _BadError(expected) from None


def _probability(value: Any) -> Probability:
    expected = "expected a number from 0 to 1, such as 1/2, or the name of a symbol, such as p"
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z]\w*", value, re.ASCII):
        return value
    probability = _fraction(value, expected)
    if not 0 <= probability <= 1:
        raise _BadError(expected)
    return probability


def _positive(value: Any) -> Fraction:
    number = _fraction(value, "expected a number above 0")
    if not number:
        raise _BadError("expected a number above 0")
    return number


def _not_negative(value: Any) -> Fraction:
    return _fraction(value, "expected a number of 0 or more")


def _face_down(value: Any) -> int | str:
    if value == "by-rank":
        return "by-rank"
    if type(value) is not int or value < 0:
        raise _BadError(
            "expected a number of cards (0 or more) or by-rank" + _near(value, ["by-rank"])
        )
    return value


def _capture(value: Any) -> str | tuple[str, ...]:
    one = _one_of(*ORDERS)
    if isinstance(value, list | tuple) and value:
        return tuple(map(one, value))
    return str(one(value))


def _optional(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


_CHECKS: dict[str, Check] = {
    "name": _optional(_text),
    "title": _optional(_text),
    "source": _optional(_text),
    "deck": _optional(_text),
    "players": _integer(2),
    "ace": _one_of("high", "low"),
    "jokers": _one_of("equal", "ranked"),
    "joker_deal": _one_of("any", "one-each"),
    "extra_cards": _one_of("set-aside", "dealt"),
    "deal": _one_of("alternate", "halves"),
    "best": _one_of("highest", "lowest"),
    "face_down": _face_down,
    "short": _one_of("lose", "use-remaining", "last-card", "short-packet", "draw"),
    "all_short": _one_of("draw", "first-player-loses"),
    "automatic_rank": _optional(_integer(1, 255)),
    "joins_war": _one_of("tied", "all"),
    "capture": _capture,
    "winner_first_probability": _probability,
    "layout": _one_of("rows", "layers"),
    "reverse": _boolean,
    "recycle": _one_of("bottom", "pile-stacked", "pile-shuffled"),
    "end": _one_of("all-cards", "first-out"),
    "max_battles": _optional(_integer(0)),
    "minutes": _optional(_not_negative),
    "seconds_per_battle": _positive,
    "recognition": _optional(_probability),
    "hand": _integer(1, 2),
}


@dataclass(frozen=True)
class RuleSet:
    """One set of house rules; every field is checked on construction.

    Attributes
    ----------
    name, title, source, deck : str or None
        What the rule set is called, where it comes from, its usual deck.
    players : int
        2 or more.
    ace, jokers, joker_deal, extra_cards, deal : str
        Strengths of aces and jokers, and how the deck is dealt.
    best : "highest" or "lowest"
        Which card wins a comparison.
    face_down : int or "by-rank"
        Cards laid face down by each side of a war.
    short, all_short : str
        What happens to a player who cannot lay a war, and when nobody can (two players).
    automatic_rank : int or None
        A strength that calls for a war whenever it is turned up.
    joins_war : "tied" or "all"
        Who takes part in a war.
    capture : str or tuple of str
        Order of the pot, for everybody or one value a seat.
    winner_first_probability : Fraction or str
        For ``capture = "coin"``; a str is a symbol.
    layout, reverse, recycle : str, bool, str
        By rows or layers, turned round or not, and where the pot goes.
    end : "all-cards" or "first-out"
    max_battles : int or None
    minutes, seconds_per_battle : Fraction or None, Fraction
        Another way to say `max_battles`.
    recognition : Fraction, str or None
        Probability that the rightful winner captures (Speed War).
    hand : 1 or 2
        Cards a side chooses from each turn (team War).

    Raises
    ------
    RulesError
        For a value that is none of its field's, or a contradiction.
    """

    name: str | None = None
    title: str | None = None
    source: str | None = None
    deck: str | None = None
    players: int = 2
    ace: str = "high"
    jokers: str = "equal"
    joker_deal: str = "any"
    extra_cards: str = "set-aside"
    deal: str = "alternate"
    best: str = "highest"
    face_down: int | str = 3
    short: str = "lose"
    all_short: str = "draw"
    automatic_rank: int | None = None
    joins_war: str = "tied"
    capture: str | tuple[str, ...] = "winner-first"
    winner_first_probability: Probability = Fraction(1, 2)
    layout: str = "rows"
    reverse: bool = False
    recycle: str = "bottom"
    end: str = "all-cards"
    max_battles: int | None = None
    minutes: Fraction | None = None
    seconds_per_battle: Fraction = Fraction(6)
    recognition: Probability | None = None
    hand: int = 1

    def __post_init__(self) -> None:
        for field, check in _CHECKS.items():
            value = getattr(self, field)
            try:
                object.__setattr__(self, field, check(value))
            except _BadError as bad:
                raise RulesError(f"{field} = {_shown(value)}: {bad}") from None
        self._contradictions()

    def _contradictions(self) -> None:
        if self.minutes is not None and self.max_battles is not None:
            raise RulesError("minutes and max_battles exclude each other: expected one of them")
        if self.players > 2 and self.hand == 2:
            raise RulesError(f"hand = 2 is for two sides, not players = {self.players}")
        if self.players > 2 and self.all_short != "draw":
            raise RulesError(
                f"all_short = '{self.all_short}' is for two players, not players = {self.players}"
            )
        if isinstance(self.capture, tuple) and len(self.capture) != self.players:
            raise RulesError(
                f"capture lists {len(self.capture)} orders: expected one for each of "
                f"players = {self.players}"
            )
        if self.deck is not None:
            deck = self.read_deck(self.deck)
            if self.joker_deal == "one-each":
                jokers_of(dict(deck.counts))

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> RuleSet:
        """Build a rule set from the fields of a TOML table or a JSON object.

        Raises
        ------
        RulesError
            For an unknown field (near ones are named) and as the constructor does.
        """
        for field in table:
            if field not in _CHECKS:
                raise RulesError(f"unknown field {quoted(field)}{_near(field, list(_CHECKS))}")
        given = {field: value for field, value in table.items() if value is not None}
        return cls(**given)

    def to_dict(self) -> dict[str, Any]:
        """Return every field that is not none, in plain JSON values; `from_dict` takes it back."""
        table = {field.name: getattr(self, field.name) for field in fields(self)}
        return {field: _plain(value) for field, value in table.items() if value is not None}

    def to_toml(self) -> str:
        """Return the rule set as a TOML document."""
        return "".join(f"{k} = {_shown(v)}\n" for k, v in self.to_dict().items())

    def replace(self, **changes: Any) -> RuleSet:
        """Return a copy with some fields changed."""
        return replace(self, **changes)

    def changed(self, table: Mapping[str, Any]) -> RuleSet:
        """Return the rule set with the fields of a table over it; None stands for none.

        What is changed no longer bears the name, title and source, nor the usual deck if other
        aces or jokers are wanted.
        """
        if not table:
            return self
        dropped = {"name", "title", "source"}
        if table.keys() & {"ace", "jokers", "joker_deal"}:
            dropped.add("deck")
        own = {k: v for k, v in self.to_dict().items() if k not in dropped}
        return RuleSet.from_dict(own | dict(table))

    @cached_property
    def captures(self) -> tuple[str, ...]:
        """The capture order of each seat."""
        if isinstance(self.capture, tuple):
            return self.capture
        return (self.capture,) * self.players

    @cached_property
    def limit(self) -> int | None:
        """Number of battles after which the cards are counted."""
        if self.minutes is not None:
            return int(60 * self.minutes / self.seconds_per_battle)
        return self.max_battles

    @cached_property
    def chance_fields(self) -> list[str]:
        """The fields that bring chance into a turn, as ``field = value``."""
        found = [f"capture = '{order}'" for order in CHANCE_ORDERS if order in self.captures]
        if self.recycle == "pile-shuffled":
            found.append("recycle = 'pile-shuffled'")
        if self.recognition is not None:
            found.append(f"recognition = {_plain(self.recognition)}")
        return found

    @cached_property
    def choice_fields(self) -> list[str]:
        """The fields that bring choice into a turn, as ``field = value``."""
        found = [f"capture = '{order}'" for order in CHOICE_ORDERS if order in self.captures]
        return found + ["hand = 2"] * (self.hand == 2)

    @cached_property
    def kind(self) -> str:
        """``deterministic``, ``chance``, ``choice`` or ``chance and choice``."""
        kinds = ["chance"] * bool(self.chance_fields) + ["choice"] * bool(self.choice_fields)
        return " and ".join(kinds) or "deterministic"

    def read_deal(self, text: str) -> Deal:
        """Read a deal as these rules name the cards, and check it against them."""
        deal = Deal.parse(text, self.ace, self.jokers)
        self.check_deal(deal)
        return deal

    def read_deck(self, spec: str) -> Deck:
        """Read a deck spec as these rules name the cards."""
        return Deck.parse(spec, self.ace, self.jokers)

    def check_deal(self, deal: Deal) -> None:
        """Raise `RulesError` unless the deal has a packet for every player, and legal jokers."""
        if len(deal.packets) != self.players:
            raise RulesError(
                f"{len(deal.packets)} packet{'s' * (len(deal.packets) != 1)} in {quoted(deal)}: "
                f"expected players = {self.players}, separated by |"
            )
        if self.joker_deal == "one-each":
            jokers_of(deal.counts())
            if not jokers_apart(deal):
                raise RulesError(
                    f"{quoted(deal)}: joker_deal = 'one-each' expects the jokers in "
                    "different packets"
                )

    def shuffled_deal(self, deck: Deck, generator: Random) -> Deal:
        """Shuffle a deck and deal it as these rules say.

        Under ``extra_cards = "dealt"`` the seats that get one more are drawn as well; deals that
        `joker_deal` forbids are dealt again.
        """
        if self.joker_deal == "one-each":
            jokers_of(dict(deck.counts))
        cards = list(deck.cards)
        sizes = list(deck.sizes(self.players, self.extra_cards))
        while True:
            generator.shuffle(cards)
            if self.extra_cards == "dealt":
                generator.shuffle(sizes)
            deal = Deal(deal_out(cards, sizes, self.deal), deck.naming)
            if self.joker_deal == "any" or jokers_apart(deal):
                return deal

    def deals(self, deck: Deck, split: Sequence[int] | None = None) -> Deals:
        """All deals of a deck under these rules.

        Parameters
        ----------
        deck : Deck
        split : sequence of int, optional
            Cards for each seat; by default as even as can be.
        """
        sizes = deck.sizes(self.players, self.extra_cards) if split is None else tuple(split)
        if len(sizes) != self.players:
            raise RulesError(
                f"split {quoted('/'.join(map(str, sizes)))} has {len(sizes)} packets: "
                f"expected players = {self.players}"
            )
        return Deals(deck, sizes, self.joker_deal == "one-each")


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else str(value)
    return list(value) if isinstance(value, tuple) else value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_shown, value)) + "]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"' if value.isprintable() else quoted(value)
    return str(value)


# --- presets and files ----------------------------------------------------------------------

_PRESETS = Path(__file__).parent / "presets"


def preset_names() -> list[str]:
    """Names of all presets, sorted."""
    return sorted(path.stem for path in _PRESETS.glob("*.toml"))


def load(name: str | Path = "classic") -> RuleSet:
    """Return a preset by name, or the rule set in a TOML file.

    Parameters
    ----------
    name : str or Path
        The name of a preset, or the path of a file that ends in ``.toml``.

    Raises
    ------
    RulesError
        If there is no such preset, or the file is no rule set.
    FileError
        If the file cannot be read.
    """
    text = str(name)
    if not text.endswith(".toml"):
        if text not in preset_names():
            raise RulesError(
                f"no preset {quoted(text)}{_near(text, preset_names())}; expected a name of "
                "'waranalysis rules list' or a file ending in .toml"
            )
        return read_file(_PRESETS / f"{text}.toml")
    return read_file(Path(name))


def read_file(path: Path) -> RuleSet:
    """Read a rule set from a TOML file."""
    import tomllib

    try:
        table = tomllib.loads(path.read_bytes().decode())
    except OSError as error:
        raise FileError(f"cannot read {quoted(path)}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise RulesError(f"{quoted(path)} is not UTF-8 (byte {error.start})") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise RulesError(f"{quoted(path)} is not TOML: {error}") from None
    try:
        return RuleSet.from_dict(table)
    except (RulesError, ValueError) as error:
        raise RulesError(f"{quoted(path)}: {error}") from None


def from_settings(base: RuleSet, settings: Sequence[str]) -> RuleSet:
    """Return `base` with ``field=value`` texts of the command line applied in order."""
    table: dict[str, Any] = {}
    for setting in settings:
        field, equals, text = setting.partition("=")
        field = field.strip()
        if not equals:
            raise RulesError(f"{quoted(setting)}: expected field=value")
        if field not in _CHECKS:
            raise RulesError(f"unknown field {quoted(field)}{_near(field, list(_CHECKS))}")
        table[field] = _from_text(field, text.strip())
    return base.changed(table)


def _from_text(field: str, text: str) -> Any:
    if text == "none":
        return None
    if field == "capture" and "/" in text:
        return text.split("/")
    if _CHECKS[field] is _boolean and text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?[0-9]{1,30}", text):
        return int(text)
    return text


make_callable(__name__, load)
