"""Deals that end as late as possible: local searches one after the other, with a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waranalysis.cards import Deal, Deck
from waranalysis.construct import batch as batches
from waranalysis.construct.batch import Batch
from waranalysis.construct.search import Climber
from waranalysis.errors import CardsError, FileError, RulesError, quoted
from waranalysis.files import read_text, write_json
from waranalysis.provenance import provenance
from waranalysis.rules import RuleSet
from waranalysis.termination import Verdict, classify, require_deterministic

CLIMBS = 10
STEPS = 50_000
SCHEMA = "longest-checkpoint"


@dataclass(frozen=True)
class Longest:
    """The game that ends latest among those that local search met.

    Attributes
    ----------
    deal : Deal
    verdict : Verdict
        From `classify`; "cycles" only if no deal was met that ends.
    climbs, steps : int
        Local searches, and swaps tried in each.
    seed : int
    """

    deal: Deal
    verdict: Verdict
    climbs: int
    steps: int
    seed: int


def find(
    deck: Deck,
    rules: RuleSet,
    split: Sequence[int] | None = None,
    climbs: int = CLIMBS,
    steps: int = STEPS,
    seed: int = 0,
    checkpoint: Path | None = None,
    done: Callable[[int], None] = lambda climbs: None,
) -> Longest:
    """Search for a deal whose game is long.

    Parameters
    ----------
    deck : Deck
        Up to 64 cards.
    rules : RuleSet
        Two players, deterministic, no limit of battles.
    split : sequence of int, optional
    climbs, steps, seed : int
        As in `Longest`. Search number k under a seed is the same whatever was done before it.
    checkpoint : Path, optional
        Written after every search; read first if it is there.
    done : callable
        Called with the number of searches done.

    Raises
    ------
    RulesError, CardsError
        For rules or decks that the kernel does not play.
    FileError
        For a checkpoint of another search.
    """
    require_deterministic(rules)
    sizes = rules.deals(deck, split).sizes
    if rules.limit is not None or not batches.covered(deck, rules):
        raise RulesError(
            f"--longest on {quoted(deck)}: expected two players, up to 64 cards, and no limit"
        )
    if min(sizes) < 1:
        raise CardsError(f"deck {quoted(deck)}: expected a card for every player")
    if sum(sizes) != deck.size:
        raise CardsError(f"split {sizes}: expected one of all {deck.size} cards")
    question = provenance(SCHEMA, rules, deck=str(deck), split=list(sizes), seed=seed, steps=steps)
    state = _read(checkpoint, question)
    batch = Batch(deck, rules, sizes)
    while state["climbs"] < climbs:
        climber = Climber(batch, seed, state["climbs"])
        climber.run(steps, stop_at_loops=False)
        state["climbs"] += 1
        if state["deal"] is None or climber.battles > state["battles"]:
            state |= {"battles": climber.battles, "deal": str(batch.deal(climber.best[0]))}
        if checkpoint is not None:
            write_json(checkpoint, question | state, force=True)
        done(state["climbs"])
    deal = rules.read_deal(state["deal"])
    return Longest(deal, classify(deal, rules), state["climbs"], steps, seed)


def _read(checkpoint: Path | None, question: dict[str, Any]) -> dict[str, Any]:
    state: dict[str, Any] = {"climbs": 0, "battles": 0, "deal": None}
    if checkpoint is None or not checkpoint.exists():
        return state
    try:
        record = json.loads(read_text(checkpoint))
        same = all(record[field] == question[field] for field in question)
        state = {field: record[field] for field in state}
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{quoted(checkpoint)} is no checkpoint of --longest") from None
    if not same:
        raise FileError(
            f"{quoted(checkpoint)} is the checkpoint of another search: expected the same deck, "
            "rules, split, seed and steps"
        )
    return state
