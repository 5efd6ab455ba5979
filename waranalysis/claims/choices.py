"""Checks that ask what players can bring about by choosing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from waranalysis.claims.finding import Measured, exactly
from waranalysis.claims.sampling import rules_of


def forced(
    deck: str, seed: int, rules: str = "classic", changes: Mapping[str, Any] | None = None
) -> Measured:
    """Deals that end whatever is chosen, deals that can go on for ever, and all."""
    from waranalysis.choice import choice

    found = choice(deck, rules_of(rules, changes)).to_dict()
    return exactly(
        "exhaustive", deals=found["deals"], ends=found["end_forced"], can_go_on=found["can_go_on"]
    )
