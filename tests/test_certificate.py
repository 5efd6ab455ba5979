from __future__ import annotations

import copy
import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import fixed_rules, packets
from tests.test_termination import SPIVEY
from waranalysis.cards import Deal
from waranalysis.certificate import certificate, read, verify
from waranalysis.errors import CertificateError
from waranalysis.rules import RuleSet, load
from waranalysis.termination import classify

SCHEMA = json.loads(files("waranalysis").joinpath("schemas/certificate.schema.json").read_text())


def certified(text: str, rules: RuleSet, identities: bool = True) -> dict[str, Any]:
    deal = rules.read_deal(text)
    return certificate(deal, rules, classify(deal, rules, identities=identities))


LOOP = certified("2 3 5 | 4 6", load("distinct"))
PILES = certified(
    "2 2 2 3 | 3 3 3 2", RuleSet(capture="seat-first", recycle="pile-stacked", face_down=1)
)
ENDS = certified("A K 3 4 | A 2 Q 5", RuleSet(face_down=1))


def check(record: dict[str, Any]) -> str | None:
    return verify(read(json.dumps(record)))


@settings(max_examples=200)
@given(st.data())
def test_what_is_certified_is_true(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 4))
    rules = RuleSet.from_dict(data.draw(fixed_rules(players)))
    deal = Deal(tuple(map(tuple, data.draw(packets(players)))))
    verdict = classify(deal, rules, bound=5_000, identities=data.draw(st.booleans()))
    if verdict.kind == "undecided":
        with pytest.raises(CertificateError, match="nothing to certify"):
            certificate(deal, rules, verdict)
        return
    record = certificate(deal, rules, verdict)
    jsonschema.validate(record, SCHEMA)
    assert check(record) is None


def test_the_long_loop_is_certified() -> None:
    rules = load("distinct")
    assert check(certificate(SPIVEY, rules, classify(SPIVEY, rules))) is None


@pytest.mark.parametrize(
    ("record", "field", "value", "why"),
    [
        (LOOP, "tail", 2, "not the one stated"),
        (LOOP, "tail", 4, "not the one stated"),
        (LOOP, "tail", 10**18, "a state comes again"),
        (LOOP, "period", 3, "not back 3 battles later"),
        (LOOP, "period", 12, "a state comes again before battle 15"),
        (LOOP, "period", 10**18, "a state comes again"),
        (LOOP, "identity_period", 12, "identities is 6, not 12"),
        (LOOP, "deal", "2 3 6 | 5 4", "ends after"),
        (LOOP, "deal", "2 3 5 | 6 4", ""),
        (PILES, "tail", PILES["tail"] + PILES["period"], "a state comes again"),
        (ENDS, "winner", 0, "winner is 1, not 0"),
        (ENDS, "winner", None, "winner is 1, not None"),
        (ENDS, "battles", 7, ""),
        (ENDS, "battles", 0, "not over after 0 battles"),
        (ENDS, "wars", 0, "wars is 1, not 0"),
        (ENDS, "deal", "4 2 | 3 5 1", ""),
    ],
)
def test_a_false_statement_is_found(
    record: dict[str, Any], field: str, value: object, why: str
) -> None:
    found = check(record | {field: value})
    assert found is not None
    assert why in found


def test_a_loop_is_no_ending() -> None:
    never = {k: v for k, v in ENDS.items() if k != "deal"} | {"deal": "4 2 | 3 5 1"}
    assert check(never | {"battles": 10**15}) == "the game never ends"


def test_a_state_elsewhere_on_the_loop_is_false() -> None:
    record = copy.deepcopy(LOOP)
    record["state"]["packets"][0].reverse()
    assert "not the one stated" in str(check(record))


def test_with_a_limit_no_game_goes_round_for_ever() -> None:
    record = copy.deepcopy(LOOP)
    record["rules"]["max_battles"] = 50
    assert check(record) == "with a limit of 50 battles every game ends"


def test_rules_that_change_nothing_leave_it_true() -> None:
    record = copy.deepcopy(LOOP)
    record["rules"]["face_down"] = 1
    record["rules"]["short"] = "draw"
    assert check(record) is None


def test_rules_that_change_the_game_are_found() -> None:
    record = copy.deepcopy(LOOP)
    record["rules"]["capture"] = "seat-first"
    assert check(record) is not None


@pytest.mark.parametrize("field", sorted(LOOP))
def test_a_field_that_is_missing_is_malformed(field: str) -> None:
    record = {k: v for k, v in LOOP.items() if k != field}
    if field == "identity_period":
        assert check(record) is None
    else:
        with pytest.raises(CertificateError):
            check(record)


@pytest.mark.parametrize(
    ("record", "field", "value"),
    [
        (LOOP, "schema", "other"), (LOOP, "verdict", "undecided"), (LOOP, "period", 0),
        (LOOP, "tail", -1), (LOOP, "tail", True), (LOOP, "tail", 1.0), (LOOP, "more", 1),
        (LOOP, "state", {"packets": []}), (LOOP, "state", [1]), (LOOP, "deal", 3),
        (LOOP, "deal", "x | y"), (LOOP, "deal", "2 | 3 | 4"), (LOOP, "rules", []),
        (LOOP, "rules", {"face_dwn": 1}), (LOOP, "rules", {"capture": "shuffled"}),
        (ENDS, "winner", "0"), (ENDS, "battles", None), (ENDS, "period", 6),
        (LOOP, "state", LOOP["state"] | {"table": [0]}), (LOOP, "verdict", "terminates"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_refused(record: dict[str, Any], field: str, value: object) -> None:
    with pytest.raises(CertificateError):
        check(record | {field: value})


@pytest.mark.parametrize("text", ["", "[]", "{", "null", "[" * 100_000, '{"schema": 1}'])
def test_what_is_no_certificate_is_refused(text: str) -> None:
    with pytest.raises(CertificateError):
        read(text)


@settings(max_examples=300)
@given(st.data())
def test_any_number_that_is_changed_is_noticed(data: st.DataObject) -> None:
    record = copy.deepcopy(data.draw(st.sampled_from([LOOP, PILES, ENDS])))
    numbers = [field for field in record if type(record[field]) is int]
    field = data.draw(st.sampled_from(numbers))
    value = data.draw(st.integers(0, 40).filter(lambda number: number != record[field]))
    try:
        assert check(record | {field: value}) is not None
    except CertificateError:
        assert value == 0
