from __future__ import annotations

import inspect
import re
import shlex
from fractions import Fraction
from itertools import chain, permutations
from pathlib import Path

import click
import pytest

from tests.test_cli import answer
from waranalysis.census.sample import Table
from waranalysis.claims import Claim, chosen, register, run
from waranalysis.claims.comparisons import leaders
from waranalysis.claims.counts import clean_sweep
from waranalysis.claims.deals import kindred, record
from waranalysis.claims.finding import (
    Number,
    Numbers,
    all_hold,
    read_condition,
    verdict_of,
)
from waranalysis.claims.positions import backward, cycles, ways_to_an_end
from waranalysis.claims.register import check_of, claim_of, sources
from waranalysis.claims.samples import _first_wars
from waranalysis.claims.sampling import (
    dealt,
    difference,
    games_of,
    mean,
    mean_of,
    rules_of,
    share,
    table_of,
)
from waranalysis.cli import COMMANDS, cli
from waranalysis.cli import run as command_line
from waranalysis.errors import ClaimsError
from waranalysis.play import start
from waranalysis.termination import classify

ROOT = Path(__file__).parent.parent
SHEETS = {"nz", "household", "printable", "children"}
CLAIMS = [pytest.param(claim, id=claim.id) for claim in register().values()]

# Verdict and grade of every quick claim with seed 1; `test_claim_commands` asks for them.
VERDICTS = {
    "length-10-30": ("false", "sample"),
    "length-15-45": ("depends", "sample"),
    "length-20-30": ("false", "sample"),
    "length-10-over-30": ("depends", "sample"),
    "twenty-minutes-shuffled": ("depends", "sample"),
    "shuffling-shortens": ("false", "sample"),
    "even-split-drags": ("true", "sample"),
    "ties-drag": ("false", "sample"),
    "half-deck-shorter": ("true", "sample"),
    "three-players-faster": ("depends", "sample"),
    "one-down-quicker": ("depends", "sample"),
    "length-varies": ("true", "sample"),
    "can-take-long": ("true", "sample"),
    "twenty-six-battles": ("false", "sample"),
    "timer-shortens": ("true", "sample"),
    "some-never-end": ("true", "exhaustive"),
    "full-deck-never-ends": ("true", "proof"),
    "equal-cards-endless": ("false", "exhaustive"),
    "play-order-loop": ("depends", "sample"),
    "shuffling-ends-all": ("true", "exhaustive"),
    "pile-shuffled-ends-all": ("true", "exhaustive"),
    "limit-ends-loop": ("true", "proof"),
    "count-tie-draw": ("true", "proof"),
    "elimination-same": ("depends", "exhaustive"),
    "ten-cards": ("true", "proof"),
    "battle-examples": ("true", "proof"),
    "joker-over-ace": ("true", "proof"),
    "automatic-two": ("true", "proof"),
    "by-rank-stakes": ("true", "proof"),
    "three-way-war": ("true", "proof"),
    "tied-go-to-war": ("true", "proof"),
    "everyone-joins": ("true", "proof"),
    "six-cards": ("true", "proof"),
    "eighteen-cards": ("true", "proof"),
    "two-down-changes-stake": ("true", "proof"),
    "twenty-cards": ("depends", "sample"),
    "double-war-twenty": ("depends", "proof"),
    "double-war-fifth-card": ("false", "proof"),
    "double-war-comeback": ("true", "proof"),
    "half-deck-in-one-round": ("true", "proof"),
    "lead-lost-in-two-wars": ("true", "proof"),
    "comeback-from-five": ("true", "sample"),
    "draw-rare": ("depends", "sample"),
    "starter-loses": ("true", "proof"),
    "both-out-equal": ("false", "proof"),
    "four-cards-needed": ("true", "proof"),
    "last-card-gentler": ("true", "proof"),
    "last-cards-equal": ("true", "proof"),
    "short-two-cards": ("true", "proof"),
    "short-three-cards": ("true", "proof"),
    "short-rules-fair": ("true", "exhaustive"),
    "seventeen-and-thirteen": ("true", "proof"),
    "predetermined": ("depends", "sample"),
    "stacked-script": ("true", "proof"),
    "speed-luck": ("true", "sample"),
    "ace-low-names": ("depends", "proof"),
    "ace-ruling-matters": ("true", "proof"),
    "order-changes-battles": ("true", "proof"),
    "house-rules-matter": ("depends", "sample"),
    "stacking-slight": ("depends", "sample"),
    "stacking-no-control": ("false", "exhaustive"),
    "winner-on-top-spreads": ("depends", "sample"),
    "unshuffled-fair": ("depends", "exhaustive"),
    "won-pile-less-predictable": ("true", "sample"),
    "limit-fair-20-minutes": ("depends", "sample"),
    "limit-fair-15-minutes": ("depends", "sample"),
    "limit-fair-100-rounds": ("depends", "sample"),
    "jokers-change-odds": ("true", "sample"),
    "one-joker-each-fairer": ("true", "sample"),
    "peace-mirror": ("depends", "exhaustive"),
    "team-choice-matters": ("true", "sample"),
    "distinct-winner-first": ("true", "exhaustive"),
    "distinct-loser-first": ("true", "exhaustive"),
    "distinct-seat-first": ("true", "exhaustive"),
    "spivey-sizes": ("true", "exhaustive"),
    "spivey-constructs": ("true", "proof"),
    "odd-loops-alternate": ("true", "exhaustive"),
    "spivey-52": ("true", "proof"),
    "fourteen-card-loops": ("true", "proof"),
    "natural-2x4": ("true", "exhaustive"),
    "natural-5x4": ("depends", "sample"),
    "natural-52-longest": ("true", "proof"),
    "challenge-52": ("false", "proof"),
    "standard-loops-natural": ("true", "proof"),
    "natural-32": ("true", "proof"),
    "natural-3x4-examples": ("true", "proof"),
    "three-player-loop": ("true", "proof"),
    "three-player-loops-12": ("depends", "proof"),
    "three-player-small": ("true", "exhaustive"),
    "both-orders-end": ("true", "exhaustive"),
    "distinct-cycles": ("true", "exhaustive"),
    "random-deals-end": ("true", "sample"),
    "mean-shuffled": ("true", "sample"),
    "mean-random-order": ("depends", "sample"),
    "ten-percent-endless": ("depends", "sample"),
    "clean-sweep": ("true", "proof"),
    "aces-decide": ("true", "sample"),
    "coin-law": ("true", "exhaustive"),
    "coin-deals": ("true", "exhaustive"),
    "shuffled-small-decks": ("true", "exhaustive"),
    "chosen-side": ("true", "exhaustive"),
}


LONG_VERDICTS = {
    "four-players-faster": "true",
    "distinct-8-and-9": "true",
    "distinct-to-15-winner-first": "true",
    "distinct-to-15-loser-first": "true",
    "distinct-16": "true",
    "distinct-17": "true",
    "distinct-17-loser-first": "true",
    "natural-3x4": "true",
    "descending-3x4": "true",
    "natural-4x4": "true",
    "descending-4x4": "true",
    "distinct-cycles-9": "true",
    "distinct-cycles-more": "true",
    "distinct-12-positions": "true",
    "three-player-more": "true",
    "shuffled-5x2": "true",
}


# --- the register ---------------------------------------------------------------------------


def test_the_register_covers_sheets_and_papers() -> None:
    claims = register().values()
    assert sum(bool(SHEETS & set(claim.sources)) for claim in claims) >= 40
    assert {key for claim in claims for key in claim.sources} == set(sources())


def test_no_id_is_given_twice() -> None:
    texts = [path.read_text() for path in (ROOT / "waranalysis/claims/register").iterdir()]
    ids = re.findall(r'^id = "(.*)"$', "\n".join(texts), re.MULTILINE)
    assert sorted(ids) == sorted(register())


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_is_complete(claim: Claim) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", claim.id)
    assert claim.source
    assert claim.statement.endswith(".")
    for label, given in claim.cases.items():
        arguments = {**claim.arguments, **given}
        arguments.pop("holds", None)
        check = check_of(arguments.pop("check", claim.check))
        inspect.signature(check).bind(seed=1, **arguments)
        assert check.__doc__
        assert claim.conditions(label)
        assert all(map(read_condition, claim.conditions(label)))


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_command_of_a_claim_exists(claim: Claim) -> None:
    program, name, *args = shlex.split(claim.command)
    assert program == "waranalysis"
    assert name in COMMANDS
    context = click.Context(cli, help_option_names=["-h", "--help"])
    command = cli.get_command(context, name)
    while isinstance(command, click.Group):
        command = command.commands[args.pop(0)]
    assert command is not None
    command.make_context(name, list(args), parent=context)
    assert all((ROOT / arg).exists() for arg in args if arg.startswith("data/"))
    if name == "claims":
        assert args == [claim.id]


# --- what follows from numbers --------------------------------------------------------------

NUMBERS: Numbers = {
    "one": Number.exact(1),
    "half": Number.exact(Fraction(1, 2)),
    "wide": Number(0.5, 0.375, 0.625),
}


@pytest.mark.parametrize(
    ("condition", "held"),
    [
        ("one == 1", True),
        ("one > 1", False),
        ("one >= 1", True),
        ("half == 1/2", True),
        ("half < one", True),
        ("half <= -0.5", False),
        ("wide > 0.3", True),
        ("wide > 5/8", False),
        ("wide <= 0.625", True),
        ("wide < 0.625", None),
        ("wide >= half", None),
        ("wide == half", None),
        ("wide == one", False),
    ],
)
def test_conditions_know_when_they_are_open(condition: str, held: bool | None) -> None:
    assert all_hold([condition], NUMBERS) is held


def test_one_false_condition_is_enough() -> None:
    assert all_hold(["wide > half", "one > 2"], NUMBERS) is False
    assert all_hold(["wide > half", "one > 0"], NUMBERS) is None


def test_a_verdict_follows_from_the_cases() -> None:
    assert verdict_of([True, True]) == "true"
    assert verdict_of([False, False]) == "false"
    assert verdict_of([True, False]) == verdict_of([None]) == verdict_of([False, None]) == "depends"


@pytest.mark.parametrize("text", ["one", "one = 1", "1 < one", "one < x y", "one >= half/2"])
def test_a_condition_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ClaimsError, match="expected such as"):
        read_condition(text)


def test_a_condition_on_a_number_that_is_not_there() -> None:
    with pytest.raises(ClaimsError, match="'two': expected one of one, half, wide"):
        all_hold(["two > 1"], NUMBERS)


def test_numbers_as_text_and_for_programs() -> None:
    assert (str(NUMBERS["half"]), NUMBERS["half"].to_json()) == ("1/2", "1/2")
    assert (str(Number.exact(31920)), Number.exact(31920).to_json()) == ("31,920", 31920)
    assert str(NUMBERS["wide"]) == "0.5 (0.375 to 0.625)"
    assert str(Number(11.5, 11.5, 11.5 + 2e-9)) == "11.5 to 11.500000002"
    assert NUMBERS["wide"].to_json() == {"value": 0.5, "low": 0.375, "high": 0.625}


# --- statistics and checks ------------------------------------------------------------------


def test_intervals() -> None:
    # Wilson's interval for 5 of 10, the rule of three for none of 100.
    five, none = share(5, 10), share(0, 100)
    assert (five.low, five.high) == pytest.approx((0.236593, 0.763407), abs=1e-6)
    assert (none.low, none.high) == pytest.approx((0, 0.029513), abs=1e-6)
    assert (1 - none.high) ** 100 == pytest.approx(0.05)
    assert share(100, 100).low == pytest.approx(1 - none.high)
    assert str(none) == "none seen, below 0.0295"
    some = mean_of([1, 2, 3, 4])
    assert (some.value, some.high - some.low) == pytest.approx((2.5, 2 * 1.265154), abs=1e-5)
    assert mean({1: 2, 4: 1}) == mean_of([1, 4, 1])
    assert mean_of([7]).high == float("inf")
    apart = difference(some, some)
    assert (apart.value, apart.high) == pytest.approx((0, 1.265154 * 2**0.5), abs=1e-5)


@pytest.mark.parametrize("deck", ["standard", "standard+2j", "half:standard"])
def test_cards_dealt_are_those_of_the_deals(deck: str) -> None:
    table = table_of(rules_of(), deck)
    rows = dealt(table, 5, 3).tolist()
    assert rows == [list(chain(*table.deal(3, game).packets)) for game in range(5)]


@pytest.mark.parametrize(("rules", "down"), [("classic", 3), ("one-down", 1), ("natural", 0)])
def test_wars_of_the_first_round_are_those_that_are_played(rules: str, down: int) -> None:
    table = table_of(rules_of(rules))
    cards = dealt(table, 200, 1)
    found = _first_wars(cards[:, :26] == cards[:, 26:], down).tolist()
    assert found == [_wars_seen(table, game) for game in range(200)]
    assert len(set(found)) > 3


def _wars_seen(table: Table, number: int) -> int:
    """Play while both turn up dealt cards; the last turn may need won cards for its war."""
    game = start(table.deal(1, number), table.rules)
    turned = wars = 0
    while turned < 26 and game.ending is None:
        game.turn()
        row = game.rows[0] if len(game.rows[0]) <= len(game.rows[1]) else game.rows[1]
        other = game.rows[1] if row is game.rows[0] else game.rows[0]
        step = table.rules.face_down + 1  # type: ignore[operator]
        wars += sum(row[i] == other[i] for i in range(0, len(row), step) if turned + i < 26)
        turned += len(row)
    return wars


def test_who_leads_after_some_battles() -> None:
    rules = rules_of()
    table, led, won = table_of(rules), 0, 0
    for number in range(60):
        game = start(table.deal(1, number), rules)
        while game.ending is None and game.battles < 100:
            game.turn()
        held = list(map(len, game.packets))
        if game.ending is None and held[0] != held[1]:
            led += 1
            while game.ending is None:
                game.turn()
            won += game.ending.winner == held.index(max(held))
    found = leaders(1, 100, games=60).numbers
    assert found["leader_wins"].value == won / led
    assert found["still_going"].value >= led / 60


def test_a_clean_sweep_is_counted_as_playing_would() -> None:
    cards = [2, 2, 3, 3, 4, 4]
    orders = list(permutations(cards))
    swept = sum(all(a > b for a, b in zip(o[::2], o[1::2], strict=True)) for o in orders)
    found = clean_sweep(3, 2, seed=1).numbers["probability"].value
    assert found == Fraction(swept, len(orders))


def test_positions_without_a_way_to_an_end_are_found() -> None:
    rules = rules_of("distinct")
    deck = rules.read_deck("5x1")
    deals = [
        deal for first in range(1, 5) for deal in rules.deals(deck, (first, 5 - first)).iterate()
    ]
    lost = sum(classify(deal, rules).kind == "cycles" for deal in deals)
    found = ways_to_an_end("5x1", 1, "distinct").numbers
    assert (found["positions"].value, found["stuck"].value) == (len(deals), lost) == (480, 84)


def test_positions_backward_and_by_their_graph() -> None:
    back, graph = (check("7x1", 1).numbers for check in (backward, cycles))
    for name in ("positions", "never", "longest"):
        assert back[name] == graph[name]


def test_loops_with_the_same_winners() -> None:
    # All loops of five cards are of one kind, whichever of them is asked about.
    graph = cycles("5x1", 1).numbers
    for deal in ("4 2 | 3 5 1", "2 3 5 | 4 6"):
        found = kindred(deal, 1, "distinct").numbers
        assert (found["loops"], found["period"].value) == (graph["cycles"], 6)


def test_the_record_of_a_deck_lies_between_the_bounds() -> None:
    found = record("3 1 1 2 3 2 | 3 1 3 2 1 2", 1, "natural").numbers
    assert found["battles"].value == found["longest"].low == 37
    assert found["pairs"].value == found["most_pairs"].low == 54
    assert found["deals_up_to_swap"].value == 17_370
    assert found["longest"].high == 11 * 34_650


@pytest.mark.slow
def test_long_claims() -> None:
    long = [claim for claim in chosen(long=True) if claim.long]
    assert {f.id: f.verdict for f in run(long)} == LONG_VERDICTS


# --- commands -------------------------------------------------------------------------------


def test_an_unknown_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["claims", "check", "ten-card"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Error: no claim 'ten-card'; near: ten-cards")


def test_json_of_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "claims", "check", "ten-cards", "spivey-52")
    ten, spivey = found["claims"]
    assert (found["schema"], found["seed"]) == ("waranalysis/claims/1", 1)
    assert (ten["id"], ten["verdict"], ten["grade"]) == ("ten-cards", "true", "proof")
    assert ten["source"] == claim_of("ten-cards").source
    assert ten["numbers"] == {"as stated": {"cards": 10, "lost": 5, "wars": 1, "winner": 1}}
    assert ten["command"].startswith("waranalysis play")
    assert spivey["holds"] == {"rank 1 highest": True, "rank 1 lowest": True}
    assert spivey["numbers"]["rank 1 highest"]["period"] == 31920


def test_details_of_a_claim_that_depends(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(["claims", "check", "unshuffled-fair"]) == 0
    shown = capsys.readouterr().out
    assert "unshuffled-fair: depends (exhaustive)" in shown
    assert "yes   winner first: wins_1 == wins_2" in shown
    assert "no    seat order: wins_1 == wins_2" in shown
    assert "1 claim: 0 true, 0 false, 1 depends (seed 1)" in shown


def test_what_is_shown_fits_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = [claim for claim in chosen() if claim.check in ("deals.fate", "deals.first_turn")]
    monkeypatch.setattr("waranalysis.cli.claims.chosen", lambda ids=(), long=False: quick)
    for args in (["claims", "list"], ["claims", "check"], ["claims", "check", "x"]):
        assert command_line(args) == 0
        lines = capsys.readouterr().out.splitlines()
        assert all(len(line) <= 80 for line in lines if "$" not in line)
        assert len(lines) > len(quick)


def test_the_list_names_every_claim(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "claims", "list")["claims"]
    assert [claim["id"] for claim in found] == list(register())
    assert all(claim["source"] and claim["statement"] for claim in found)


def test_a_page_in_markdown(tmp_path: Path) -> None:
    page = tmp_path / "claims.md"
    args = ["claims", "check", "ten-cards", "equal-cards-endless", "-o", str(page)]
    assert command_line(args) == 0
    text = page.read_text()
    assert "| [ten-cards](#ten-cards) | true | proof |" in text
    assert "**false** (exhaustive)." in text
    assert '8 3 6 9 4 10"' in text
    assert command_line(args) == 2


def test_the_same_seed_gives_the_same_findings() -> None:
    table = {
        "id": "few",
        "sources": ["nz"],
        "statement": "A few games.",
        "check": "samples.outcomes",
        "holds": ["battles > 0"],
        "with": {"games": 5, "changes": {"capture": "shuffled"}},
    }
    findings = []
    for seed in (1, 1, 2):
        games_of.cache_clear()
        findings.append(Claim.from_dict(table).find(seed).to_dict()["numbers"])
    assert findings[0] == findings[1] != findings[2]
