"""Which games of the card game War end, and which go round for ever?

>>> import waranalysis as war
>>> war.classify(war.Deal.parse("4 2 | 3 5 1"), war.rules("classic")).period
6
"""

from waranalysis.cards import Deal, Deals, Deck
from waranalysis.certificate import certificate
from waranalysis.errors import WarAnalysisError
from waranalysis.play import Game, State, play, successors, turn
from waranalysis.provenance import VERSION as __version__
from waranalysis.rules import RuleSet
from waranalysis.rules import load as rules
from waranalysis.termination import Verdict, classify

__all__ = [
    "Deal",
    "Deals",
    "Deck",
    "Game",
    "RuleSet",
    "State",
    "Verdict",
    "WarAnalysisError",
    "__version__",
    "certificate",
    "classify",
    "play",
    "rules",
    "successors",
    "turn",
]
