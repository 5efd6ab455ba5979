"""The catalogue in ``data/endless``: for many rules, a deal that never ends or what was searched.

``python -m waranalysis.construct.catalogue DIRECTORY`` writes it: ``catalogue.jsonl`` with one
answer a line, a certificate for each deal, and ``README.md`` to read and to play from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from waranalysis.certificate import certificate
from waranalysis.construct import several
from waranalysis.construct.search import Effort, Endless, find, suited
from waranalysis.construct.smallest import Smallest, smallest
from waranalysis.files import write_text
from waranalysis.provenance import provenance
from waranalysis.rules import FIXED_ORDERS, ROW_ORDERS, RuleSet, load, preset_names

DECKS: tuple[tuple[str, dict[str, str]], ...] = (
    ("standard", {}),
    ("standard", {"ace": "low"}),
    ("standard+2j", {}),
    ("standard+2j", {"jokers": "ranked"}),
    ("7-Ax4", {}),
)
EFFORT = Effort(longest_word=16, longest_lead_in=2, samples=2000, climbs=1)
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


def name_of(answer: Endless) -> str:
    """A file name that says deck and rules."""
    rules = answer.rules
    if rules.name is not None:
        return f"preset-{rules.name}"
    deck = answer.deck.spec.replace("+", "-plus-") + "-ace-low" * (rules.ace == "low")
    parts = [deck + "-ranked" * (rules.jokers == "ranked"), str(rules.capture), rules.layout]
    parts += ["reversed"] * rules.reverse + [rules.recycle, f"{rules.face_down}-down"]
    return "_".join(parts)


def answers() -> Iterator[Endless]:
    """Every answer of the catalogue, in order."""
    for name in preset_names():
        rules = load(name)
        deck = rules.read_deck(rules.deck or "standard")
        if rules.kind == "deterministic" and rules.limit is None and not deck.half:
            yield find(deck, rules, effort=EFFORT)
    for (spec, change), rules in product(DECKS, grid()):
        own = rules.replace(**change)
        yield find(own.read_deck(spec), own, effort=EFFORT)


def record(answer: Endless) -> dict[str, object]:
    """One line of ``catalogue.jsonl``."""
    about = provenance("endless", answer.rules, deck=answer.deck.spec, split=list(answer.sizes))
    return about | {"name": name_of(answer)} | answer.to_dict()


def write(directory: Path) -> None:
    """Write the whole catalogue; an hour or less on one core."""
    found = directory / "certificates"
    found.mkdir(parents=True, exist_ok=True)
    everything = []
    for answer in answers():
        everything.append(answer)
        if answer.deal is not None and answer.verdict is not None:
            proof = certificate(answer.deal, answer.rules, answer.verdict)
            write_text(found / f"{name_of(answer)}.json", [json.dumps(proof) + "\n"], force=True)
        print(name_of(answer), answer.method, file=sys.stderr, flush=True)
    lines = (json.dumps(record(answer)) + "\n" for answer in everything)
    write_text(directory / "catalogue.jsonl", lines, force=True)
    least = [smallest(rules, even) for rules in grid() for even in (True, False)]
    lines = (json.dumps(row.to_dict()) + "\n" for row in least)
    write_text(directory / "smallest.jsonl", lines, force=True)
    page = (line + "\n" for line in _page(everything, least))
    write_text(directory / "README.md", page, force=True)


def _page(everything: list[Endless], least: list[Smallest]) -> Iterator[str]:
    yield "# Deals that never end"
    yield ""
    yield (
        "Stack the two packets as printed, top card first, play by the rules named, and the game "
        "goes round for ever. Each deal has a certificate in `certificates/`; "
        "`waranalysis verify` replays it. Suits make no difference to the game."
    )
    yield ""
    yield "## Without a single war"
    yield ""
    yield "These games never see a tie, so they go on whatever the rules about wars are."
    shown = set()
    for answer in everything:
        if answer.pattern is not None and answer.rules.name is None:
            key = (answer.deck.spec, answer.rules.ace, answer.rules.capture)
            if key not in shown and not answer.rules.reverse:
                shown.add(key)
                yield from _deal(answer)
    yield ""
    yield from _several()
    yield ""
    yield "## Every rule set"
    yield ""
    yield from _table(everything)
    yield ""
    yield "## Nothing found"
    yield ""
    yield (
        "What was searched, per rule set, stands in `catalogue.jsonl` under `searched`. It is no "
        "proof that no such deal exists."
    )
    yield ""
    yield from _not_found(everything)
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


def _several() -> Iterator[str]:
    """One deal for several orders."""
    yield "## One deal, several orders"
    yield ""
    five = ("winner-first", "loser-first", "natural", "descending", "ascending")
    small = several.common([RuleSet(capture=order) for order in five], 5)
    yield f"`{small}` goes round under {', '.join(five)} alike; no deal of fewer cards does."
    orders = ("loser-first", "ascending", "seat-first")
    rules = [RuleSet(capture=order) for order in orders]
    answer = find(rules[0].read_deck("standard"), rules[0], effort=EFFORT)
    assert answer.pattern is not None
    found = several.vary(answer.deck, answer.pattern, rules, 50)
    assert found is not None
    deal, verdicts = found
    periods = (f"{o} ({v.tail:,} battles, then {v.period:,} round and round)"
               for o, v in zip(orders, verdicts, strict=True))  # fmt: skip
    yield f"The deal below goes round under {', '.join(periods)}; three cards face down."
    yield from _packets(suited(deal))


def _deal(answer: Endless) -> Iterator[str]:
    assert answer.verdict is not None and answer.pattern is not None
    verdict, pattern = answer.verdict, answer.pattern
    yield ""
    yield f"### {_deck(answer)}, {answer.rules.capture}"
    yield ""
    lead = f"{pattern.lead}, then " * bool(pattern.lead)
    yield (
        f"{verdict.tail:,} battles, then {verdict.period:,} round and round. "
        f"Who wins: {lead}{pattern.word} for ever."
    )
    yield from _packets(answer.suited() or [])


def _packets(packets: list[list[str]]) -> Iterator[str]:
    for seat, packet in enumerate(packets, 1):
        yield ""
        yield f"Player {seat}:"
        yield ""
        for start in range(0, len(packet), _SHOWN_WORDS):
            yield "    " + " ".join(f"{c:>3}" for c in packet[start : start + _SHOWN_WORDS])


def _deck(answer: Endless) -> str:
    rules = answer.rules
    changes = " (ace low)" * (rules.ace == "low") + " (jokers ranked)" * (rules.jokers == "ranked")
    return answer.deck.spec + changes


def _rules(rules: RuleSet) -> str:
    if rules.name is not None:
        return f"preset {rules.name}"
    words = [str(rules.capture)] + [rules.layout] * (rules.capture in ROW_ORDERS)
    words += ["reversed"] * rules.reverse + [rules.recycle] * (rules.recycle != "bottom")
    return ", ".join([*words, f"{rules.face_down} down"])


def _table(everything: Iterable[Endless]) -> Iterator[str]:
    yield "| deck | rules | tail | period | wars | found by | certificate |"
    yield "|---|---|--:|--:|--:|---|---|"
    for answer in everything:
        verdict = answer.verdict
        if verdict is not None:
            name = name_of(answer)
            yield (
                f"| {_deck(answer)} | {_rules(answer.rules)} | {verdict.tail:,} | "
                f"{verdict.period:,} | {answer.ties:,} | {answer.method} | "
                f"[{name}](certificates/{name}.json) |"
            )


def _not_found(everything: Iterable[Endless]) -> Iterator[str]:
    rest: dict[str, list[str]] = {}
    for answer in everything:
        if answer.deal is None:
            rest.setdefault(_deck(answer), []).append(_rules(answer.rules))
    for deck, names in rest.items():
        yield f"- {deck}: {'; '.join(names)}"


if __name__ == "__main__":
    write(Path(sys.argv[1]))
