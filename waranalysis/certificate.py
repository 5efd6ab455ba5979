"""Certificates: what was found about a deal, in a form that anyone can check by playing.

The check uses nothing but `cards`, `rules` and `play`. The JSON schema is `schemas/
certificate.schema.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from waranalysis.callable_module import make_callable
from waranalysis.cards import STRENGTH, Deal
from waranalysis.errors import CertificateError, LimitError, WarAnalysisError, quoted
from waranalysis.play import Game, State, laps
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet

if TYPE_CHECKING:
    from waranalysis.termination import Verdict

MOST_BATTLES = 10**9
SCHEMA = "waranalysis/certificate/1"
_COMMON = {"schema", "version", "rules", "deal", "verdict"}
_ENDS = {"winner", "battles", "wars"}
_LOOP = {"tail", "period", "state"}


def certificate(deal: Deal, rules: RuleSet, verdict: Verdict) -> dict[str, Any]:
    """Return the certificate of a verdict as a JSON object.

    Parameters
    ----------
    deal, rules
        What `verdict` is about.
    verdict : Verdict
        "terminates" or "cycles"; there is nothing to certify about "undecided".

    Raises
    ------
    CertificateError
        For an undecided verdict.
    """
    if verdict.kind == "undecided":
        raise CertificateError(f"nothing to certify: {quoted(deal)} is undecided")
    found = verdict.to_dict()
    if verdict.loop is not None:
        found["state"] = state_to_dict(verdict.loop)
    return provenance("certificate", rules, deal=str(deal)) | found


def state_to_dict(state: State) -> dict[str, Any]:
    """A state as lists of strengths, top card first; piles in the order they were won."""
    packets, piles, table = state
    return {
        "packets": list(map(list, packets)),
        "piles": list(map(list, piles)),
        "table": list(table),
    }


def read(text: str) -> dict[str, Any]:
    """Parse and check the form of a certificate.

    Raises
    ------
    CertificateError
        If it is not JSON, or a field is missing, unknown or of the wrong form.
    """
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"not JSON: {error}") from None
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        schema = record.get("schema") if isinstance(record, dict) else record
        raise CertificateError(f"schema {quoted(schema)}: expected '{SCHEMA}'")
    verdict = record.get("verdict")
    if verdict not in ("terminates", "cycles"):
        raise CertificateError(f"verdict {quoted(verdict)}: expected 'terminates' or 'cycles'")
    _check_fields(record, _COMMON | (_ENDS if verdict == "terminates" else _LOOP))
    return record


def _check_fields(record: Mapping[str, Any], expected: set[str]) -> None:
    if missing := sorted(expected - record.keys()):
        raise CertificateError(f"field '{missing[0]}' is missing")
    optional = {"identity_period"} if "period" in expected else set()
    if unknown := sorted(record.keys() - expected - optional):
        raise CertificateError(f"unknown field {quoted(unknown[0])}")
    for field in record:
        what, fits = _FORMS[field]
        if not fits(record[field]):
            raise CertificateError(f"{field} = {quoted(record[field])}: expected {what}")


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_period(value: Any) -> bool:
    return type(value) is int and value >= 1


def _is_winner(value: Any) -> bool:
    return value is None or _is_count(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_packet(value: Any) -> bool:
    return isinstance(value, list) and all(type(c) is int and 1 <= c <= STRENGTH for c in value)


def _is_state(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"packets", "piles", "table"}
        and all(isinstance(value[k], list) for k in value)
        and all(map(_is_packet, chain(value["packets"], value["piles"], [value["table"]])))
    )


_FORMS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "schema": ("a text", _is_text),
    "version": ("a text", _is_text),
    "rules": ("an object of rule fields", _is_table),
    "deal": ("a deal as text", _is_text),
    "verdict": ("a verdict", _is_text),
    "winner": ("a seat counted from 0, or null", _is_winner),
    "battles": ("a number of battles", _is_count),
    "wars": ("a number of wars", _is_count),
    "tail": ("a number of battles", _is_count),
    "period": ("a number of battles above 0", _is_period),
    "identity_period": ("a number of battles above 0", _is_period),
    "state": ("lists of cards: packets, piles, table", _is_state),
}


def verify(record: Mapping[str, Any]) -> str | None:
    """Replay a certificate that `read` accepted.

    Returns
    -------
    str or None
        The first statement that is false, in words; None if all are true.

    Raises
    ------
    CertificateError
        If the rules or the deal cannot be read, or the rules are not deterministic.
    LimitError
        If a limit of more than `MOST_BATTLES` battles would have to be played out.

    Notes
    -----
    The cost is the game for an ending deal; tail + period turns for a loop. A game that
    loops although the certificate says otherwise is noticed after about three times its own tail
    and period (Brent), however many battles are claimed.
    """
    try:
        rules = RuleSet.from_dict(record["rules"])
        deal = rules.read_deal(record["deal"])
    except WarAnalysisError as error:
        raise CertificateError(str(error)) from None
    if rules.kind != "deterministic":
        raise CertificateError(f"rules of the kind '{rules.kind}': expected deterministic ones")
    if record["verdict"] == "terminates":
        return _false_ending(record, Game(rules, State.of(deal.strengths())))
    return _false_loop(record, rules, deal)


def _repeats(game: Game, battles: int) -> bool:
    """Play on until `battles` or the end; True, and no further, if a state comes again.

    With a limit of battles a state may come again and the game end all the same.
    """
    limited = game.rules.limit is not None
    if limited and battles > MOST_BATTLES:
        raise LimitError(f"replaying {battles} battles: expected at most {MOST_BATTLES}")
    kept, power, steps = game.state(), 1, 0
    while game.ending is None and game.battles < battles:
        game.turn()
        steps += 1
        if not limited and game.state() == kept:
            return game.ending is None
        if steps == power:
            kept, power, steps = game.state(), 2 * power, 0
    return False


def _false_ending(record: Mapping[str, Any], game: Game) -> str | None:
    if _repeats(game, record["battles"]):
        return "the game never ends"
    if game.ending is None:
        return f"the game is not over after {record['battles']} battles"
    played = {"winner": game.ending.winner, "battles": game.battles, "wars": game.wars}
    for field, value in played.items():
        if value != record[field]:
            return f"{field} is {value}, not {record[field]}"
    return None


def _false_loop(record: Mapping[str, Any], rules: RuleSet, deal: Deal) -> str | None:
    tail, period = record["tail"], record["period"]
    if rules.limit is not None:
        return f"with a limit of {rules.limit} battles every game ends"
    if _repeats(Game(rules, State.of(deal.strengths())), tail + period - 1):
        return f"a state comes again before battle {tail + period}"
    game = Game(rules, State.of(deal.labelled()))
    before = game.state()
    while game.ending is None and game.battles < tail:
        before = _strengths(game.state())
        game.turn()
    entry = game.state()
    last = before
    while game.ending is None and game.battles < tail + period:
        last = _strengths(game.state())
        game.turn()
        if game.battles < tail + period and _strengths(game.state()) == _strengths(entry):
            return f"the period is {game.battles - tail}, not {period}"
    if game.ending is not None:
        return f"the game ends after {game.battles} battles: {game.ending.reason.value}"
    return _false_lap(record, entry, game.state(), bool(tail) and before == last)


def _false_lap(
    record: Mapping[str, Any], entry: State, after: State, entered_before: bool
) -> str | None:
    tail, period = record["tail"], record["period"]
    if state_to_dict(_strengths(entry)) != record["state"]:
        return f"the state after {tail} battles is not the one stated"
    if _strengths(after) != _strengths(entry):
        return f"the state after {tail} battles is not back {period} battles later"
    if entered_before:
        return f"the loop begins before battle {tail}"
    actual = period * laps(entry, after)
    stated = record.get("identity_period", actual)
    return None if stated == actual else f"the period of the identities is {actual}, not {stated}"


def _strengths(state: State) -> State:
    packets, piles = (
        tuple(tuple(card & STRENGTH for card in packet) for packet in part)
        for part in (state.packets, state.piles)
    )
    return State(packets, piles, tuple(card & STRENGTH for card in state.table))


make_callable(__name__, certificate)
