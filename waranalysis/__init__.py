"""Which games of the card game War end, and which go round for ever?

Names are loaded when they are first used, so that the command line starts at once.

>>> import waranalysis as war
>>> war.classify(war.Deal.parse("4 2 | 3 5 1"), war.rules("classic")).period
6
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from waranalysis.cards import Deal, Deals, Deck
    from waranalysis.census import enumerate
    from waranalysis.certificate import certificate
    from waranalysis.chance import chance
    from waranalysis.choice import choice
    from waranalysis.errors import WarAnalysisError
    from waranalysis.graph.build import state_graph
    from waranalysis.graph.model import StateGraph
    from waranalysis.play import Game, State, play, successors, turn
    from waranalysis.rules import RuleSet
    from waranalysis.rules import load as rules
    from waranalysis.termination import Verdict, classify

__version__ = "0.1.0"

_HOMES = {
    "Deal": "cards",
    "Deals": "cards",
    "Deck": "cards",
    "Game": "play",
    "RuleSet": "rules",
    "State": "play",
    "StateGraph": "graph.model",
    "Verdict": "termination",
    "WarAnalysisError": "errors",
    "certificate": "certificate",
    "chance": "chance",
    "choice": "choice",
    "classify": "termination",
    "enumerate": "census",
    "play": "play",
    "rules": "rules",
    "state_graph": "graph.build",
    "successors": "play",
    "turn": "play",
}

__all__ = [
    "Deal",
    "Deals",
    "Deck",
    "Game",
    "RuleSet",
    "State",
    "StateGraph",
    "Verdict",
    "WarAnalysisError",
    "certificate",
    "chance",
    "choice",
    "classify",
    "enumerate",
    "play",
    "rules",
    "state_graph",
    "successors",
    "turn",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'waranalysis' has no attribute '{name}'")
    home = import_module(f"waranalysis.{_HOMES[name]}")
    # A module that bears the name of its function is called in its place.
    return home if _HOMES[name] == name else getattr(home, name)
