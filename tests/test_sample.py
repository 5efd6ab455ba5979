"""Samples: the numbers, their intervals, and that they are the same on any number of workers."""

from __future__ import annotations

import json
from math import isclose
from pathlib import Path

import pytest
from click.testing import CliRunner

from waranalysis.census.campaign import inline, run_campaign
from waranalysis.census.compare import compare_campaign, merged_comparison
from waranalysis.census.sample import (
    Table,
    lengths,
    merged_sample,
    play_games,
    proportion,
    quantile,
    sample_campaign,
    sample_of,
)
from waranalysis.cli import cli
from waranalysis.errors import CardsError, RulesError
from waranalysis.rules import RuleSet, load
from waranalysis.termination import classify


def table(spec: str = "standard", **settings: object) -> Table:
    rules = RuleSet.from_dict(settings)
    return Table(rules.read_deck(spec), rules)


@pytest.mark.parametrize("deal", ["alternate", "halves"])
def test_compiled_games_are_the_plain_ones(deal: str) -> None:
    dealt = table("13x4", capture="seat-first", face_down=1, deal=deal)
    games = play_games(dealt, 11, 40, 60, bound=2000)
    for number in range(20):
        played = dealt.deal(11, 40 + number)
        verdict = classify(played, dealt.rules, bound=2000)
        kinds = {"cycles": "never", "undecided": "undecided"}
        ending = verdict.ending
        seat = "draw" if ending is None or ending.winner is None else f"player {ending.winner + 1}"
        assert games.kinds[number] == kinds.get(verdict.kind, seat)
        if ending is not None:
            assert games.battles[number] == verdict.battles
        assert games.prized[number] == played.packets[0].count(14)


@pytest.mark.parametrize("settings", [{"capture": "shuffled"}, {"players": 3}])
def test_shards_do_not_matter(settings: dict[str, object]) -> None:
    dealt = table("5x2", **settings)
    whole = sample_of(play_games(dealt, 3, 0, 90))
    parts = [sample_of(play_games(dealt, 3, start, start + 30)) for start in (60, 0, 30)]
    assert parts[0].merge(parts[1]).merge(parts[2]) == whole
    records = run_campaign(sample_campaign(dealt, 3, 90), inline)
    assert merged_sample(json.loads(json.dumps(records))) == whole


def test_fair_coin_and_distinct_cards_give_gamblers_ruin() -> None:
    battles = sample_of(play_games(table("10x1", capture="coin"), 0, 0, 200_000)).to_dict(6)
    assert battles["battles"]["low"] < 25 < battles["battles"]["high"]


def test_half_decks_and_extra_cards() -> None:
    half = load("half-deck")
    dealt = Table(half.read_deck("half:standard"), half)
    assert dealt.deal(0, 0).sizes == (13, 13)
    spread = {
        table("5x2", players=3, extra_cards="dealt").deal(0, game).sizes for game in range(40)
    }
    assert spread == {(4, 3, 3), (3, 4, 3), (3, 3, 4)}


def test_one_joker_each() -> None:
    rules = load("jokers-ranked").replace(joker_deal="one-each")
    dealt = Table(rules.read_deck("standard+2j"), rules)
    for game in range(20):
        rules.check_deal(dealt.deal(1, game))
    assert not dealt.compiled


def test_proportions() -> None:
    assert proportion(0, 1000)["high"] == pytest.approx(0.002991, abs=1e-6)
    assert proportion(1000, 1000)["low"] == pytest.approx(1 - 0.002991, abs=1e-6)
    # Wilson's interval for 15 of 148, from R's prop.test without correction.
    found = proportion(15, 148)
    assert isclose(found["low"], 0.0624, abs_tol=1e-4)
    assert isclose(found["high"], 0.1605, abs_tol=1e-4)


def test_lengths() -> None:
    histogram = {2: 1, 4: 2, 10: 1}
    assert quantile(histogram, 0.25) == 2
    assert quantile(histogram, 0.5) == 4
    assert quantile(histogram, 1) == 10
    found = lengths(histogram)
    assert found["mean"] == 5
    assert isclose(found["high"] - 5, 1.959964 * 12**0.5 / 2, rel_tol=1e-6)


def test_same_decks_under_two_rule_sets() -> None:
    tables = table("4x4", capture="natural", face_down=0), table("4x4", face_down=1)
    records = run_campaign(compare_campaign(tables, 5, 400, 2), inline)
    found = merged_comparison(json.loads(json.dumps(records)))
    kinds = [play_games(dealt, 5, 0, 400).kinds for dealt in tables]
    changed = [i for i, (one, two) in enumerate(zip(*kinds, strict=True)) if one != two]
    assert found.changed == tuple(changed[:2])
    assert found.to_dict()["changed"]["value"] == len(changed) / 400
    assert found.games == 400


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample", "4x4", "--set", "capture=chosen"], "choice"),
        (["sample", "4x4", "--split", "9/9"], "split"),
        (["compare", "4x4", "--rules", "natural"], "two rule sets"),
    ],
)
def test_wrong_input(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code != 0
    assert message in str(result.exception) + result.output


def test_commands() -> None:
    arguments = ["sample", "4x2", "--games", "50", "--seed", "2", "--json"]
    record = json.loads(CliRunner().invoke(cli, arguments).output)
    assert (record["games"], record["seed"], record["deck"]) == (50, 2, "4x2")
    assert sum(record["wins"]) + record["draws"] + record["never"] == 50
    text = CliRunner().invoke(cli, ["sample", "4x2", "--games", "50"]).output
    assert "none in 50; below 5.82 %" in text
    both = ["compare", "4x2", "--rules", "classic", "--rules", "one-down", "--games", "20"]
    one, two = json.loads(CliRunner().invoke(cli, [*both, "--json"]).output)
    assert one["games"] == two["differences"]["games"] == 20
    assert "The outcome changes in" in CliRunner().invoke(cli, both).output


def test_shares_within_minutes() -> None:
    arguments = ["sample", "4x2", "--games", "60", "--set", "seconds_per_battle=60", "--json"]
    record = json.loads(CliRunner().invoke(cli, arguments).output)
    lengths = CliRunner().invoke(cli, [*arguments[:-1], "--csv"]).output.splitlines()[1:]
    for minutes, share in record["within_minutes"].items():
        pairs = (map(int, line.split(",")) for line in lengths)
        over = sum(games for battles, games in pairs if battles <= int(minutes))
        assert share["value"] == over / 60
        assert share["low"] <= share["value"] <= share["high"]


def test_nothing_to_deal() -> None:
    with pytest.raises(CardsError, match="split"):
        sample_campaign(Table(RuleSet().read_deck("4x2"), RuleSet(), (9, 1)), 0, 10)
    with pytest.raises(RulesError, match="same packets"):
        compare_campaign((table("4x2"), table("4x3")), 0, 10)


def test_comparison_keeps_what_never_ends(tmp_path: Path) -> None:
    arguments = ["compare", "5x1", "--rules", "distinct", "--rules", "coin", "--games", "40"]
    kept = ["--certificates", str(tmp_path / "kept")]
    result = CliRunner().invoke(cli, [*arguments, *kept, "--json"])
    assert result.exit_code == 0, result.output
    never = json.loads(result.output)[0]["never"]
    found = sorted((tmp_path / "kept").iterdir())
    assert 0 < len(found) == min(never, 10)
    assert all(path.name.startswith("rules-1-never-") for path in found)
    assert CliRunner().invoke(cli, ["verify", *map(str, found)]).exit_code == 0
    rows = CliRunner().invoke(cli, [*arguments, "--csv"]).output.splitlines()
    assert rows[0] == "first,second,games"
    assert sum(int(row.rsplit(",", 1)[1]) for row in rows[1:]) == 40


@pytest.mark.parametrize(
    ("arguments", "engine"),
    [
        (["enumerate", "4x1"], "plain Python"),
        (["enumerate", "3x4", "--rules", "one-down"], "packed kernel"),
        (["enumerate", "3x4", "--rules", "by-rank"], "ring kernel"),
        (["enumerate", "2x2", "--all-positions"], "tree kernel"),
        (["sample", "4x2", "--games", "9"], "ring kernel"),
        (["sample", "4x3", "--games", "9", "--rules", "three-players"], "plain Python"),
        (["compare", "4x2", "--rules", "classic", "--rules", "speed", "--games", "9"], "and ring"),
    ],
)
def test_the_engine_is_named_on_request_only(arguments: list[str], engine: str) -> None:
    quiet = CliRunner().invoke(cli, [*arguments, "--json"])
    told = CliRunner().invoke(cli, [*arguments, "--json", "--verbose"])
    assert quiet.stderr == ""
    assert engine in told.stderr
    assert told.stdout == quiet.stdout
