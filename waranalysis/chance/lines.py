"""The lines of certificates that give every position a rank: ``[rank, parts, answers]``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from waranalysis.cards import Deal, Deck
from waranalysis.errors import CertificateError, quoted
from waranalysis.play import State
from waranalysis.rules import RuleSet


def parts_of(state: State) -> list[list[int]]:
    """Write a state: its packets, then piles and table where there are any."""
    parts = [*state.packets, *state.piles, state.table]
    while not parts[-1]:
        parts.pop()
    return list(map(list, parts))


def read_json(line: str, kind: type) -> Any:
    """Read a line, a JSON value of a kind."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CertificateError(f"not JSON: {error}") from None
    if not isinstance(found, kind):
        raise CertificateError(f"{quoted(line)}: expected a JSON {kind.__name__}")
    return found


def starts_of(header: dict[str, Any], rules: RuleSet) -> Iterable[Deal]:
    """All deals that a certificate is about."""
    if "deck" not in header:
        return [rules.read_deal(text) for text in header["deals"]]
    deck, split = rules.read_deck(header["deck"]), header["split"]
    if split == "all":
        return (
            deal for sizes in _splits(deck, rules) for deal in rules.deals(deck, sizes).iterate()
        )
    return rules.deals(deck, [int(size) for size in split.split("/")]).iterate()


def _splits(deck: Deck, rules: RuleSet) -> Iterator[tuple[int, ...]]:
    for sizes in product(range(deck.size + 1), repeat=rules.players):
        if sum(sizes) == deck.size and sum(map(bool, sizes)) > 1:
            yield sizes


def read_position(
    items: Sequence[Any], rules: RuleSet, least: int = 1
) -> tuple[State, int, list[Any]]:
    """Read ``[rank, parts, answers]``; no rank is below `least`."""
    try:
        rank, parts, answers = items
        parts += [[]] * (2 * rules.players + 1 - len(parts))
        *held, table = [tuple(map(int, part)) for part in parts]
        state = State(tuple(held[: rules.players]), tuple(held[rules.players :]), table)
        fits = type(rank) is int and rank >= least and isinstance(answers, list)
        if not fits or len(state.piles) != rules.players:
            raise ValueError
    except (TypeError, ValueError):
        raise CertificateError(
            f"{quoted(json.dumps(items))}: expected [rank, parts, answers]"
        ) from None
    return state, rank, answers
