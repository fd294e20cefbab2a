"""Linkage by an intruder who knows the method: what each family's releases tell of whose record is whose.

A method names its attack (`Method.attack`); an attack scores every pair of an original and a protected record, and
`linked` counts what is found. Sources: Nin, Herranz and Torra (2008); Nin and Torra (2009); Domingo-Ferrer and
Muralidhar (2016).
"""

from .attack import Attack
from .boxes import PredictionBoxes
from .centroids import NearestCentroid
from .links import Found, Scores, linked
from .mixture import MixtureLikelihood
from .noises import FactorLikelihood, LaplaceLikelihood
from .normal import NormalLikelihood, PredictionLikelihood
from .windows import RankWindows, ranks_within, same_ranks

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
