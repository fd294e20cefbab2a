"""Method-aware attacks: linkage by an intruder who knows the method, by family of methods.

A method states its attacks (`Facts.attacks`); an attack scores every pair of an original and a protected record, and
`linked` gives the links. Sources: Nin, Herranz and Torra (2008); Nin and Torra (2009); Domingo-Ferrer and
Muralidhar (2016).
"""

from .base import Attack, Found, Scores, linked
from .likelihood import FactorLikelihood, LaplaceLikelihood, NormalLikelihood, PredictionLikelihood
from .mixture import MixtureLikelihood, PredictionBoxes
from .windows import NearestCentroid, RankWindows, ranks_within, same_ranks

__all__ = [
    "Attack",
    "FactorLikelihood",
    "Found",
    "LaplaceLikelihood",
    "MixtureLikelihood",
    "NearestCentroid",
    "NormalLikelihood",
    "PredictionBoxes",
    "PredictionLikelihood",
    "RankWindows",
    "Scores",
    "linked",
    "ranks_within",
    "same_ranks",
]
