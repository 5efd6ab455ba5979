"""The catalogue in ``data/endless``: for many rules, a deal that never ends or what was searched.

``python -m waranalysis.construct.catalogue DIRECTORY`` writes it: ``catalogue.jsonl`` with one
answer a line, a certificate for each deal, and ``README.md`` to read and to play from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

from waranalysis.cards import Deck
from waranalysis.certificate import certificate
from waranalysis.construct import several
from waranalysis.construct.search import Effort, find, suited
from waranalysis.construct.smallest import Smallest, smallest
from waranalysis.files import write_json, write_text
from waranalysis.provenance import provenance
from waranalysis.rules import FIXED_ORDERS, ROW_ORDERS, RuleSet, load, preset_names

Record = dict[str, Any]

DECKS: tuple[tuple[str, dict[str, str]], ...] = (
    ("standard", {}),
    ("7-Ax4", {}),
    ("standard+2j", {}),
    ("standard+2j", {"jokers": "ranked"}),
)
EFFORT = Effort(samples=1000, climbs=0)
SHOWN = (
    "standard_winner-first_layers_bottom_3-down",
    "standard_loser-first_rows_bottom_3-down",
    "preset-natural",
    "preset-descending",
    "standard_seat-first_rows_bottom_3-down",
)
_SHOWN_WORDS = 13


def grid() -> Iterator[RuleSet]:
    """The rule sets of the catalogue, for one deck."""
    for order, layout, reverse, recycle, down in product(
        FIXED_ORDERS, ("rows", "layers"), (False, True), ("bottom", "pile-stacked"), (0, 1, 3)
    ):
        if layout == "rows" or order in ROW_ORDERS:
            yield RuleSet(
                capture=order, layout=layout, reverse=reverse, recycle=recycle, face_down=down
            )


def name_of(deck: Deck, rules: RuleSet) -> str:
    """A file name that says deck and rules."""
    if rules.name is not None:
        return f"preset-{rules.name}"
    spec = deck.spec.replace("+", "-plus-") + "-ace-low" * (rules.ace == "low")
    parts = [spec + "-ranked" * (rules.jokers == "ranked"), str(rules.capture), rules.layout]
    parts += ["reversed"] * rules.reverse + [rules.recycle, f"{rules.face_down}-down"]
    return "_".join(parts)


def questions() -> Iterator[tuple[Deck, RuleSet]]:
    """Every deck and rule set of the catalogue, in order."""
    for name in preset_names():
        rules = load(name)
        deck = rules.read_deck(rules.deck or "standard")
        if rules.kind == "deterministic" and rules.limit is None and not deck.half:
            yield deck, rules
    for (spec, change), rules in product(DECKS, grid()):
        own = rules.replace(**change)
        yield own.read_deck(spec), own


def answer(deck: Deck, rules: RuleSet) -> tuple[Record, Record | None]:
    """One line of ``catalogue.jsonl`` and the certificate of the deal, if there is one."""
    found = find(deck, rules, effort=EFFORT)
    about = provenance("endless", rules, deck=deck.spec, split=list(found.sizes))
    effort = {"effort": asdict(EFFORT)}
    line = about | {"name": name_of(deck, rules)} | effort | found.to_dict()
    if found.deal is None or found.verdict is None:
        return line, None
    return line, certificate(found.deal, rules, found.verdict)


def write(directory: Path) -> None:
    """Write the whole catalogue; about an hour on one core. What is there already is kept."""
    (directory / "certificates").mkdir(parents=True, exist_ok=True)
    lines = _read(directory / "catalogue.jsonl")
    for deck, rules in questions():
        name = name_of(deck, rules)
        if name not in lines:
            lines[name], proof = answer(deck, rules)
            if proof is not None:
                path = directory / "certificates" / f"{name}.json"
                write_json(path, proof, force=True)
            text = (json.dumps(line) + "\n" for line in lines.values())
            write_text(directory / "catalogue.jsonl", text, force=True)
    write_page(directory)


def write_page(directory: Path) -> None:
    """Write ``smallest.jsonl`` and ``README.md`` for the catalogue as it is."""
    lines = list(_read(directory / "catalogue.jsonl").values())
    least = [smallest(rules, even) for rules in grid() for even in (True, False)]
    rows = (json.dumps(row.to_dict()) + "\n" for row in least)
    write_text(directory / "smallest.jsonl", rows, force=True)
    page = (line + "\n" for line in _page(lines, least))
    write_text(directory / "README.md", page, force=True)


def _read(path: Path) -> dict[str, Record]:
    if not path.exists():
        return {}
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {line["name"]: line for line in lines}


def _page(lines: list[Record], least: list[Smallest]) -> Iterator[str]:
    found = [line for line in lines if line["deal"] is not None]
    yield "# Deals that never end"
    yield ""
    yield (
        "Stack the two packets as printed, top card first, play by the rules named, and the game "
        "goes round for ever. Each deal has a certificate in `certificates/`; "
        "`waranalysis verify` replays it. Suits make no difference to the game. A deck with the "
        "ace low is the same deck with other names."
    )
    yield ""
    yield "## To play from"
    for name in SHOWN:
        yield from (text for line in found if line["name"] == name for text in _deal(line))
    yield ""
    yield from _several()
    yield ""
    yield "## Every rule set"
    yield ""
    yield (
        "Who is short of cards for a war loses, where the rules name no preset. Games with no war "
        "in them are the same under all rules about wars."
    )
    yield ""
    yield "| deck | rules | tail | period | single cards | wars | found by | certificate |"
    yield "|---|---|--:|--:|--:|--:|---|---|"
    yield from map(_row, found)
    yield ""
    yield "## Nothing found"
    yield ""
    yield (
        "What was searched, for each rule set, stands in `catalogue.jsonl` under `searched`, and "
        "longer searches in `SEARCHES.md`. It "
        "is no proof that no such deal exists."
    )
    yield ""
    yield from _not_found(lines)
    yield ""
    yield "## The smallest decks with a loop"
    yield ""
    yield (
        "Every deal of every deck of fewer cards (up to the names of the strengths), with packets "
        "as even as can be or of all sizes, was played to its end. Who is short of cards for a "
        "war loses."
    )
    yield ""
    yield "| rules | packets | cards | deal | period |"
    yield "|---|---|--:|---|--:|"
    for row in least:
        packets = "even" if row.even else "any"
        cells = [_rules(row.rules), packets, row.told_size, row.deal, row.period or ""]
        yield "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _row(line: Record) -> str:
    name = line["name"]
    numbers = [line[field] for field in ("tail", "period", "identity_period", "ties")]
    cells = [line["deck"], _rules(_rules_of(line)), *(f"{number:,}" for number in numbers)]
    cells += [line["method"], f"[{name}](certificates/{name}.json)"]
    return "| " + " | ".join(cells) + " |"


def _rules_of(line: Record) -> RuleSet:
    return RuleSet.from_dict(line["rules"])


def _not_found(lines: Iterable[Record]) -> Iterator[str]:
    rest: dict[str, list[str]] = {}
    for line in lines:
        if line["deal"] is None:
            rest.setdefault(line["deck"], []).append(_rules(_rules_of(line)))
    for deck, names in rest.items():
        yield f"- {deck}: {'; '.join(names)}"


def _rules(rules: RuleSet) -> str:
    if rules.name is not None:
        return f"preset {rules.name}"
    words = [str(rules.capture)] + [rules.layout] * (rules.capture in ROW_ORDERS)
    words += ["reversed"] * rules.reverse + [rules.recycle] * (rules.recycle != "bottom")
    words += ["jokers ranked"] * (rules.jokers == "ranked")
    return ", ".join([*words, f"{rules.face_down} down"])


def _several() -> Iterator[str]:
    """One deal for several orders."""
    yield "## One deal, several orders"
    yield ""
    five = ("winner-first", "loser-first", "natural", "descending", "ascending")
    small = several.common([RuleSet(capture=order) for order in five], 5)
    yield f"`{small}` goes round under {', '.join(five)} alike; no even deal of fewer cards does."
    orders = ("loser-first", "ascending", "seat-first")
    rules = [RuleSet(capture=order) for order in orders]
    answer = find(rules[0].read_deck("standard"), rules[0], effort=EFFORT)
    assert answer.pattern is not None
    found = several.vary(answer.deck, answer.pattern, rules, 50)
    assert found is not None
    deal, verdicts = found
    periods = [
        f"{order} ({verdict.tail:,} battles, then {verdict.period:,} round and round)"
        for order, verdict in zip(orders, verdicts, strict=True)
    ]
    yield f"The deal below goes round under {', '.join(periods)}; three cards face down."
    yield from _packets(suited(deal))


def _deal(line: Record) -> Iterator[str]:
    yield ""
    yield f"### {line['deck']}: {_rules(_rules_of(line))}"
    yield ""
    pattern = line.get("pattern", {})
    lead = f"{pattern['lead_in']}, then " if pattern.get("lead_in") else ""
    wins = f" Who wins: {lead}{pattern['word']} for ever." if "lead_in" in pattern else ""
    wars = f"{line['ties']:,} wars." if line["ties"] else "No war, so any rule about wars will do."
    yield (
        f"{line['tail']:,} battles, then {line['period']:,} round and round; every single card is "
        f"back after {line['identity_period']:,}. {wars}{wins}"
    )
    yield from _packets(line["cards"])


def _packets(packets: list[list[str]]) -> Iterator[str]:
    for seat, packet in enumerate(packets, 1):
        yield ""
        yield f"Player {seat}:"
        yield ""
        for start in range(0, len(packet), _SHOWN_WORDS):
            yield "    " + " ".join(f"{c:>3}" for c in packet[start : start + _SHOWN_WORDS])


if __name__ == "__main__":
    write(Path(sys.argv[1]))
