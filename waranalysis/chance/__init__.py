"""Rules that leave something to chance: Markov chains over every position."""

from __future__ import annotations

from waranalysis.callable_module import make_callable
from waranalysis.chance.result import Chance
from waranalysis.graph.build import Split, Start, state_graph
from waranalysis.rules import RuleSet


def chance(
    start: Start, rules: RuleSet | None = None, split: Split = None, method: str = "auto"
) -> Chance:
    """Say what chance makes of a deck, or of given deals.

    Parameters
    ----------
    start, split
        As for `waranalysis.state_graph`.
    rules : RuleSet, optional
        Without choices and without a limit of battles; "classic" with shuffled pots by default.
    method : str
        "auto", "exact", "lumped" or "certified", see `waranalysis.chance.solve.solve`.

    Returns
    -------
    Chance
    """
    from waranalysis.chance.solve import solve

    return solve(state_graph(start, rules or RuleSet(capture="shuffled"), split), method)


make_callable(__name__, chance)
