from __future__ import annotations

import random
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import fixed_rules
from waranalysis.cards import Deal
from waranalysis.errors import CardsError, FileError, RulesError
from waranalysis.rules import RuleSet, from_settings, load, preset_names

PRESETS = [
    "ace-low", "automatic", "by-rank", "children", "classic", "coin", "descending", "distinct",
    "four-players", "four-players-all", "half-deck", "jokers", "jokers-ranked", "last-card",
    "natural", "one-down", "peace", "rounds-100", "short-packet", "speed", "teams",
    "three-players", "three-players-all", "won-pile",
]  # fmt: skip


def test_all_presets_are_there() -> None:
    assert preset_names() == PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_names_itself_its_source_and_its_deck(name: str) -> None:
    rules = load(name)
    assert rules.name == name
    assert rules.title
    assert rules.source
    assert rules.deck
    assert RuleSet.from_dict(rules.to_dict()) == rules
    assert RuleSet.from_dict(tomllib.loads(rules.to_toml())) == rules


def test_the_defaults_are_the_classic_rules() -> None:
    classic = load()
    named = {field: getattr(classic, field) for field in ("name", "title", "source", "deck")}
    assert RuleSet(**named) == classic


@given(st.integers(2, 4).flatmap(fixed_rules))
def test_rule_sets_round_trip(table: dict[str, Any]) -> None:
    rules = RuleSet.from_dict(table)
    assert RuleSet.from_dict(rules.to_dict()) == rules
    assert RuleSet.from_dict(tomllib.loads(rules.to_toml())) == rules


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"face_down": -1}, "face_down = -1: expected a number of cards"),
        ({"face_down": True}, "face_down = true"),
        ({"face_down": "by_rank"}, "near: by-rank"),
        ({"face_dwn": 1}, "unknown field 'face_dwn'; near: face_down"),
        ({"capture": "winer-first"}, "near: winner-first"),
        ({"capture": ["winner-first"]}, "capture lists 1 orders"),
        ({"capture": ["winner-first", "no"]}, "expected winner-first or"),
        ({"capture": []}, "expected winner-first or"),
        ({"players": 1}, "players = 1"),
        ({"players": "2"}, 'players = "2"'),
        ({"minutes": 20, "max_battles": 5}, "exclude each other"),
        ({"max_battles": -1}, "max_battles = -1"),
        ({"minutes": -1}, "minutes = -1"),
        ({"seconds_per_battle": 0}, "above 0"),
        ({"winner_first_probability": "3/2"}, "from 0 to 1"),
        ({"winner_first_probability": "1/0"}, "from 0 to 1"),
        ({"recognition": float("nan")}, "from 0 to 1"),
        ({"recognition": True}, "from 0 to 1"),
        ({"hand": 2, "players": 3}, "hand = 2 is for two sides"),
        ({"hand": 3}, "hand = 3"),
        ({"all_short": "first-player-loses", "players": 3}, "is for two players"),
        ({"automatic_rank": 0}, "automatic_rank = 0"),
        ({"reverse": "yes"}, "expected true or false"),
        ({"name": 5}, "expected a text"),
        ({"recycle": None, "short": 4}, "short = 4"),
    ],
)
def test_what_is_no_rule_set_is_refused(table: dict[str, Any], why: str) -> None:
    with pytest.raises(RulesError, match=why):
        RuleSet.from_dict(table)


def test_the_deck_of_a_rule_set_is_checked() -> None:
    with pytest.raises(CardsError, match="two jokers, found 0"):
        RuleSet(deck="standard", joker_deal="one-each")
    with pytest.raises(CardsError, match="backwards"):
        RuleSet(deck="J-Ax4", ace="low")


def test_limits() -> None:
    assert RuleSet(minutes=20).limit == 200  # type: ignore[arg-type]
    assert RuleSet(minutes="1/2", seconds_per_battle=7).limit == 4  # type: ignore[arg-type]
    assert RuleSet(minutes=0.5).minutes == Fraction(1, 2)  # type: ignore[arg-type]
    assert RuleSet(max_battles=0).limit == 0
    assert RuleSet().limit is None


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "deterministic"),
        ({"capture": "shuffled"}, "chance"),
        ({"capture": ("coin", "natural")}, "chance"),
        ({"recycle": "pile-shuffled"}, "chance"),
        ({"recognition": "p"}, "chance"),
        ({"capture": "chosen"}, "choice"),
        ({"capture": "chosen-side"}, "choice"),
        ({"hand": 2}, "choice"),
        ({"capture": ("chosen", "shuffled")}, "chance and choice"),
    ],
)
def test_kinds(changes: dict[str, Any], kind: str) -> None:
    assert RuleSet(**changes).kind == kind


def test_settings_of_the_command_line() -> None:
    rules = from_settings(
        load("rounds-100"),
        ["max_battles=none", "capture=winner-first/loser-first", "reverse=true", "face_down=0"],
    )
    assert rules.limit is None
    assert rules.captures == ("winner-first", "loser-first")
    assert rules.reverse
    assert rules.face_down == 0
    assert rules.name is None
    with pytest.raises(RulesError, match="'face_down': expected field=value"):
        from_settings(load(), ["face_down"])
    with pytest.raises(RulesError, match="unknown field 'shorts'; near: short"):
        from_settings(load(), ["shorts=lose"])


def test_unchanged_rules_keep_their_name() -> None:
    assert load("peace").changed({}).name == "peace"
    assert load("peace").changed({"best": "lowest"}).name is None


def test_rules_files(tmp_path: Path) -> None:
    good, bad, binary = (tmp_path / f"{name}.toml" for name in ("good", "bad", "binary"))
    good.write_text('short = "draw"\n')
    assert load(good).short == "draw"
    bad.write_text("short = draw")
    with pytest.raises(RulesError, match="is not TOML"):
        load(bad)
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(RulesError, match="is not UTF-8"):
        load(binary)
    bad.write_text("shrt = 1")
    with pytest.raises(RulesError, match=r"bad\.toml': unknown field 'shrt'; near: short"):
        load(bad)
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(FileError, match="Is a directory"):
        load(tmp_path / "folder.toml")
    with pytest.raises(FileError, match="No such file"):
        load("none.toml")
    with pytest.raises(RulesError, match="no preset 'clasic'; near: classic"):
        load("clasic")


def test_a_deal_has_a_packet_for_every_player() -> None:
    with pytest.raises(RulesError, match="1 packet in '2 3': expected players = 2"):
        RuleSet().read_deal("2 3")
    with pytest.raises(RulesError, match="2 packets"):
        RuleSet(players=3).read_deal("2 3 | 4")


def test_jokers_are_dealt_one_each() -> None:
    rules = RuleSet(joker_deal="one-each")
    assert rules.read_deal("* 2 | 3 *").sizes == (2, 2)
    with pytest.raises(RulesError, match="different packets"):
        rules.read_deal("* * | 3 2")
    with pytest.raises(CardsError, match="found 1"):
        rules.read_deal("* 2 | 3 2")


def test_shuffled_deals() -> None:
    rules = load("jokers")
    deck = rules.read_deck("1x2+2j")
    deals = {str(rules.shuffled_deal(deck, random.Random(seed))) for seed in range(200)}
    assert deals == {f"{a} | {b}" for a in ("2 *", "* 2") for b in ("2 *", "* 2")}
    three = RuleSet(players=3, extra_cards="dealt")
    sizes = {
        three.shuffled_deal(three.read_deck("5x2"), random.Random(seed)).sizes for seed in range(50)
    }
    assert sizes == {(4, 3, 3), (3, 4, 3), (3, 3, 4)}
    half = RuleSet().shuffled_deal(RuleSet().read_deck("half:standard"), random.Random(1))
    assert half.sizes == (13, 13)
    assert half == RuleSet().shuffled_deal(RuleSet().read_deck("half:standard"), random.Random(1))
    assert isinstance(half, Deal)
