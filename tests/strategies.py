"""Random rule sets, deals and states for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

FIXED = ["winner-first", "loser-first", "seat-first", "natural", "descending", "ascending"]
SEAT_BLIND = ["winner-first", "loser-first", "natural", "descending", "ascending"]


@st.composite
def fixed_rules(draw: st.DrawFn, players: int, orders: list[str] = FIXED) -> dict[str, Any]:
    """A deterministic rule set as a table of fields."""
    one = st.sampled_from(orders)
    rules: dict[str, Any] = {
        "players": players,
        "best": draw(st.sampled_from(["highest", "lowest"])),
        "face_down": draw(st.sampled_from([0, 1, 2, 3, 7, "by-rank"])),
        "short": draw(
            st.sampled_from(["lose", "use-remaining", "last-card", "short-packet", "draw"])
        ),
        "joins_war": draw(st.sampled_from(["tied", "all"])),
        "capture": draw(st.one_of(one, st.lists(one, min_size=players, max_size=players))),
        "layout": draw(st.sampled_from(["rows", "layers"])),
        "reverse": draw(st.booleans()),
        "recycle": draw(st.sampled_from(["bottom", "pile-stacked"])),
        "end": draw(st.sampled_from(["all-cards", "first-out"])),
    }
    if players == 2:
        rules["all_short"] = draw(st.sampled_from(["draw", "first-player-loses"]))
    if draw(st.integers(0, 3)) == 0:
        rules["automatic_rank"] = draw(st.integers(2, 4))
    if draw(st.integers(0, 3)) == 0:
        rules["max_battles"] = draw(st.integers(0, 30))
    return rules


@st.composite
def chance_rules(draw: st.DrawFn, players: int) -> dict[str, Any]:
    """A rule set in which something is left to chance and nothing to the players."""
    rules = draw(fixed_rules(players))
    rules.pop("max_battles", None)
    rules["face_down"] = draw(st.integers(0, 1))
    source = draw(st.sampled_from(["shuffled", "coin", "pile-shuffled", "recognition"]))
    if source == "pile-shuffled":
        rules["recycle"] = source
    elif source == "recognition":
        rules["recognition"] = draw(st.sampled_from(["3/4", "1/3", "0", "1"]))
    else:
        rules["capture"] = source
        rules["winner_first_probability"] = draw(st.sampled_from(["1/2", "1/3", "1"]))
    return rules


@st.composite
def choice_rules(draw: st.DrawFn, players: int) -> dict[str, Any]:
    """A rule set in which something is left to the players and nothing to chance."""
    rules = draw(fixed_rules(players))
    rules.pop("max_battles", None)
    rules["face_down"] = draw(st.integers(0, 1))
    if players == 2 and draw(st.booleans()):
        rules["hand"] = 2
    else:
        rules["capture"] = draw(st.sampled_from(["chosen", "chosen-side"]))
    return rules


def packets(players: int, most: int = 8, ranks: int = 4) -> st.SearchStrategy[list[list[int]]]:
    """Packets of a few ranks, so that wars are common; at least one card in all."""
    packet = st.lists(st.integers(2, 1 + ranks), max_size=most)
    return st.lists(packet, min_size=players, max_size=players).filter(any)
