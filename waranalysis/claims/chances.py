"""Checks that ask what chance makes of a deck or a deal: exact values, or certified ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from waranalysis.claims.finding import Measured, Number
from waranalysis.claims.sampling import rules_of


def outlook(
    start: str,
    seed: int,
    rules: str = "classic",
    changes: Mapping[str, Any] | None = None,
    split: list[int] | None = None,
) -> Measured:
    """Expected battles, chances of a draw and of a win of the first player; positions and ends.

    `start` is a deck, of which a random deal is taken, or a deal. Where games without end have a
    chance above 0 there are no expected battles.
    """
    from waranalysis.chance import chance

    found = chance(start, rules_of(rules, changes), split)
    values = found.random_deal
    told = {"draw": values.draw, "never": values.never, "wins_1": values.winners[0]}
    if values.battles is not None:
        told["battles"] = values.battles
    grade = "certified" if found.method == "certified" else "exhaustive"
    numbers = {name: _number(value) for name, value in told.items()}
    graph = found.graph
    sizes = {"positions": Number.exact(graph.positions), "ends": Number.exact(len(graph.ends))}
    return Measured(grade, numbers | sizes)


def _number(value: Any) -> Number:
    from waranalysis.chance.value import Interval, middle

    if isinstance(value, Interval):
        return Number(middle(value), value.lower, value.upper)
    return Number.exact(value)
