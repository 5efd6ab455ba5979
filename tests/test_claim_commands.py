"""The command of a claim shows the number of the claim: both are run and set side by side."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pytest

from tests.test_claims import LONG_VERDICTS, ROOT, VERDICTS
from tests.transcripts import output_of
from waranalysis.claims import Finding, chosen, register, run
from waranalysis.claims.finding import GRADES
from waranalysis.claims.page import markdown

DATA = ROOT / "data" / "claims"
# A path such as "within_minutes.20.value" into the JSON that comes out, or what reads the number.
Path = str | Callable[[Any], Any]


@dataclass(frozen=True)
class Shown:
    """A case of a claim, and where the output of its command has the numbers."""

    case: str
    numbers: Mapping[str, Path]


def one(numbers: Mapping[str, Path]) -> Shown:
    return Shown("as stated", numbers)


def first_turn(*names: str) -> dict[str, Path]:
    """Numbers of `claims.deals.first_turn` in the JSON of `play`."""
    paths: dict[str, Path] = {
        "cards": lambda found: sum(map(len, found["turns"][0]["laid"])),
        "wars": "turns.0.wars",
        "winner": lambda found: 1 + next(
            seat for seat in (found["turns"][0]["captor"], found["winner"]) if seat is not None
        ),
    }  # fmt: skip
    return {name: paths[name] for name in names}


def last_turn(*names: str) -> dict[str, Path]:
    """Numbers of `claims.deals.fate` in the JSON of `play`."""
    paths: dict[str, Path] = {
        "battles": "battles",
        "winner": lambda found: 0 if found["winner"] is None else found["winner"] + 1,
    }
    return {name: paths[name] for name in names}


def verdict(place: int = 0) -> dict[str, Path]:
    """Numbers of `claims.deals.fate` for a deal that never ends, in the JSON of `classify`."""
    return {"period": f"deals.{place}.period", "tail": f"deals.{place}.tail"}


def share_of(holds: Callable[[int], bool]) -> Path:
    """The share of all games whose battles do so, in the CSV of `sample`."""

    def read(rows: Sequence[Mapping[str, str]]) -> float:
        counts = {int(row["battles"]): int(row["games"]) for row in rows}
        return sum(n for battles, n in counts.items() if holds(battles)) / sum(counts.values())

    return read


CENSUS: dict[str, Path] = {"never": "never", "longest": "longest"}
DRAWN: dict[str, Path] = {**CENSUS, "draws": "draws", "deals": "deals"}
SIX = "6 s a battle"

SHOWN = {
    "length-10-30": Shown(SIX, {"longer": lambda f: 1 - f["within_minutes"]["30"]["value"]}),
    "length-20-30": Shown(SIX, {"longer": lambda f: 1 - f["within_minutes"]["30"]["value"]}),
    "length-15-45": Shown(SIX, {"within": share_of(lambda n: 150 <= n <= 450)}),
    "length-10-over-30": Shown(
        SIX, {"shorter": share_of(lambda n: n < 100), "longer": share_of(lambda n: n > 400)}
    ),
    "twenty-minutes-shuffled": Shown(SIX, {"within": "within_minutes.20.value"}),
    "shuffling-shortens": Shown("against winner first", {"one": "battles.mean"}),
    "half-deck-shorter": Shown("a random half", {"one": "battles.mean"}),
    "three-players-faster": Shown("until one is out", {"one": "battles.mean"}),
    "one-down-quicker": Shown(
        "battles of a game",
        {"difference": "1.differences.battles.mean", "one": "1.battles.mean"},
    ),
    "length-varies": Shown(
        "three face down",
        {"ratio": lambda f: f["battles"]["quantiles"]["0.95"] / f["battles"]["quantiles"]["0.05"]},
    ),
    "can-take-long": Shown("three face down", {"longest": "battles.quantiles.1"}),
    "twenty-six-battles": one({"battles": "battles.mean"}),
    "timer-shortens": one({"one": "battles.mean"}),
    "some-never-end": Shown("winner first, 5x1", CENSUS),
    "full-deck-never-ends": Shown("three face down", {}),
    "equal-cards-endless": Shown("7 distinct cards", CENSUS),
    "play-order-loop": Shown("seat order", {"never": "proportions.never.value"}),
    "shuffling-ends-all": Shown(
        "4x2, one face down", {"positions": "positions", "stuck": "never_end"}
    ),
    "pile-shuffled-ends-all": Shown("5x1", {"positions": "positions", "stuck": "never_end"}),
    "limit-ends-loop": Shown("100 rounds", last_turn("battles")),
    "count-tie-draw": one(last_turn("battles", "winner")),
    "ten-cards": one(first_turn("cards", "wars", "winner")),
    "battle-examples": Shown("two of spades, three of clubs", first_turn("winner", "wars")),
    "joker-over-ace": Shown("joker and ace", first_turn("winner")),
    "automatic-two": one(first_turn("cards", "wars", "winner")),
    "by-rank-stakes": Shown("twos", first_turn("cards")),
    "three-way-war": Shown("three players", first_turn("wars", "winner")),
    "tied-go-to-war": one(first_turn("cards", "wars", "winner")),
    "everyone-joins": one(first_turn("cards", "wars", "winner")),
    "six-cards": one(first_turn("cards", "wars")),
    "eighteen-cards": one(first_turn("cards", "wars", "winner")),
    "two-down-changes-stake": one(first_turn("cards")),
    "double-war-twenty": Shown("double war", first_turn("cards")),
    "double-war-fifth-card": Shown("three face down", first_turn("cards", "wars")),
    "double-war-comeback": Shown(
        "9 cards against 43 win",
        {"battles": "deals.0.battles", "winner": lambda f: f["deals"][0]["winner"] + 1},
    ),
    "half-deck-in-one-round": Shown("26 cards on the table", first_turn("cards")),
    "lead-lost-in-two-wars": Shown("single wars, 19 cards", last_turn("battles", "winner")),
    "draw-rare": Shown("who is short loses", {"draws": "proportions.draw.value"}),
    "starter-loses": Shown("who started loses", last_turn("battles", "winner")),
    "both-out-equal": Shown("2 and 3 cards", last_turn("battles", "winner")),
    "four-cards-needed": Shown("three left", first_turn("cards", "winner")),
    "last-card-gentler": Shown("a last card stands", first_turn("winner")),
    "last-cards-equal": one(last_turn("winner")),
    "short-two-cards": Shown("short packet", first_turn("cards", "winner")),
    "short-three-cards": one(first_turn("cards", "winner")),
    "short-rules-fair": Shown("short packet", {"wins_1": "wins.0", "wins_2": "wins.1"}),
    "seventeen-and-thirteen": Shown(
        "three players",
        {"least": lambda f: min(len(packet.split()) for packet in f["deal"].split("|"))},
    ),
    "stacked-script": one({"battles": "deals.0.battles"}),
    "speed-luck": Shown("at one in two the weaker cards win as often", {"wins_1": "winners.0"}),
    "ace-low-names": Shown("the two loses to the ace", first_turn("winner")),
    "ace-ruling-matters": one({}),
    "order-changes-battles": one({}),
    "house-rules-matter": Shown(
        "one card buried, not three", {"changed": "1.differences.changed.value"}
    ),
    "stacking-slight": Shown(
        "one changes: games without end", {"never_two": "proportions.never.value"}
    ),
    "stacking-no-control": Shown("4x2", {"can_go_on": "can_go_on", "ends": "end_forced"}),
    "unshuffled-fair": Shown("seat order", {"wins_1": "wins.0", "wins_2": "wins.1"}),
    "limit-fair-100-rounds": Shown(
        "the leader is the likelier winner", {"changed": "1.differences.changed.value"}
    ),
    "distinct-winner-first": Shown("7 cards", CENSUS),
    "distinct-loser-first": Shown("7 cards", CENSUS),
    "distinct-seat-first": Shown("6 cards", CENSUS),
    "spivey-sizes": Shown("6 cards", CENSUS),
    "spivey-52": Shown("rank 1 highest", verdict()),
    "spivey-constructs": one({}),
    "fourteen-card-loops": Shown("112 battles", verdict(1)),
    "natural-2x4": one(DRAWN),
    "natural-5x4": Shown(
        "that game",
        {
            "battles": "battles",
            "pairs": lambda f: sum(len(row) for turn in f["turns"] for row in turn["laid"]) // 2,
        },
    ),
    "natural-52-longest": one({"battles": "deals.0.battles"}),
    "challenge-52": Shown("table pile turned over", {}),
    "standard-loops-natural": Shown("table pile turned over", {}),
    "natural-32": one({}),
    "natural-3x4-examples": Shown("loop", verdict()),
    "three-player-loop": one(verdict()),
    "three-player-loops-12": Shown("as loops", {"period": "deals.0.period"}),
    "three-player-small": Shown(
        "6 cards",
        {
            "cycles": lambda f: len(f["cycles"]),
            "all_in_play": lambda f: sum(
                all(packet.strip() for packet in cycle["states"][0].split("|"))
                for cycle in f["cycles"]
            ),
        },
    ),
    "both-orders-end": Shown("7x1", {"positions": "positions", "stuck": "never_end"}),
    "distinct-cycles": Shown("7 cards", {"up_to_swap": "cycles_up_to_swap"}),
    "random-deals-end": Shown("winner first", {"never": "proportions.never.value"}),
    "mean-shuffled": one({"battles": "battles.mean"}),
    "mean-random-order": Shown("the captured cards shuffled", {"battles": "battles.mean"}),
    "ten-percent-endless": Shown("seat order, by layers", {"never": "proportions.never.value"}),
    "aces-decide": Shown("four aces", {"wins": "held.4.win.value"}),
    "coin-law": Shown("4 and 3", {"battles": "expected_battles"}),
    "coin-deals": Shown("4 2 | 3 5 1", {"battles": "expected_battles", "never": "never"}),
    "shuffled-small-decks": Shown("3x2", {"battles": "expected_battles", "draw": "draw"}),
    "chosen-side": Shown("4x2", {"can_go_on": "can_go_on", "ends": "end_forced"}),
}
# What `verify` and `classify` say in words.
SAID = {
    "full-deck-never-ends": "true   {}: never ends, tail 2, period 1440\n",
    "challenge-52": "true   {}: never ends, tail 10, period 1020\n" * 2,
    "standard-loops-natural": "true   {}: never ends, tail 10, period 1020\n" * 2,
    "natural-32": "true   {}: never ends, tail 0, period 48\n",
}


@lru_cache
def answer_of(command: str) -> Any:
    if command.endswith("--csv"):
        return list(csv.DictReader(io.StringIO(output_of(command))))
    return json.loads(output_of(f"{command} --json"))


def follow(found: Any, path: Path) -> Any:
    if callable(path):
        return path(found)
    for step in path.split("."):
        found = found[int(step) if isinstance(found, list) else step]
    return found


def differences(finding: Finding) -> list[str]:
    """Numbers of a finding that its command does not show as they are."""
    if finding.id in SAID:
        files = finding.command.split()[2:]
        return [] if output_of(finding.command) == SAID[finding.id].format(*files) else ["output"]
    shown, found = SHOWN[finding.id], answer_of(finding.command)
    numbers = finding.to_dict()["numbers"][shown.case]
    wrong = []
    for name, path in shown.numbers.items():
        number = numbers[name]["value"] if isinstance(numbers[name], dict) else numbers[name]
        if _number(follow(found, path)) != pytest.approx(_number(number), rel=1e-12):
            wrong.append(f"{finding.id}: {name} is {number}, not {follow(found, path)}")
    return wrong


def _number(value: Any) -> float:
    above, _, below = str(value).partition("/")
    return float(above) / float(below or 1)


def test_every_claim_has_a_command_of_its_own_or_none_shows_it() -> None:
    own = {claim.id for claim in chosen() if not claim.command.startswith("waranalysis claims ")}
    assert own == SHOWN.keys()
    assert SAID.keys() <= own
    for name, shown in SHOWN.items():
        assert shown.case in register()[name].cases


def test_quick_claims_and_their_commands() -> None:
    findings = run(chosen())
    assert {f.id: (f.verdict, f.grade) for f in findings} == VERDICTS
    assert {f.grade for f in findings} <= set(GRADES)
    page = "".join(f"{line}\n" for line in markdown(findings, 1))
    assert page == (DATA / "quick.md").read_text(encoding="utf-8")
    kept = json.loads((DATA / "quick.json").read_text(encoding="utf-8"))["claims"]
    assert [finding.to_dict() for finding in findings] == kept
    assert [line for f in findings if f.id in SHOWN for line in differences(f)] == []


def test_the_long_claims_that_are_kept() -> None:
    kept = json.loads((DATA / "long.json").read_text(encoding="utf-8"))["claims"]
    assert {claim["id"]: claim["verdict"] for claim in kept}.items() <= LONG_VERDICTS.items()
    for claim in kept:
        assert claim["statement"] == register()[claim["id"]].statement
        assert claim["command"] == register()[claim["id"]].command


def test_orders_and_aces_that_change_a_game() -> None:
    for name, ways in (
        ("order-changes-battles", ["winner-first", "loser-first"]),
        ("ace-ruling-matters", ["high", "low"]),
    ):
        command, _, last = register()[name].command.rpartition("=")
        assert last == ways[1]
        one, two = (answer_of(f"{command}={way}")["deals"][0] for way in ways)
        facts = [(d["verdict"], d.get("winner"), d.get("period")) for d in (one, two)]
        assert facts[0] != facts[1]
