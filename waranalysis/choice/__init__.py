"""Rules that leave something to the players: what can be forced, alone or together."""

from __future__ import annotations

from waranalysis.callable_module import make_callable
from waranalysis.choice.result import Choices
from waranalysis.graph.build import Split, Start, state_graph
from waranalysis.rules import RuleSet


def choice(start: Start, rules: RuleSet | None = None, split: Split = None) -> Choices:
    """Say what the players can bring about by choosing.

    Parameters
    ----------
    start, split
        As for `waranalysis.state_graph`.
    rules : RuleSet, optional
        "classic" with ``capture = "chosen-side"`` by default.

    Returns
    -------
    Choices
    """
    from waranalysis.choice.result import choices

    return choices(state_graph(start, rules or RuleSet(capture="chosen-side"), split))


make_callable(__name__, choice)
