"""Protect numerical microdata and judge the release: one seed, one file, in Python and in R.

>>> import pyfcrm as pf
>>> frame = pf.datasets.survey()
>>> roles = pf.Roles(independent=["age", "hours", "size"], dependent=["wage", "rent", "tax"], identifiers=["name"])
>>> released = pf.protect(frame, pf.IPSO("C"), roles)
>>> pf.evaluate(frame, released.frame, roles=roles)["pil"]  # doctest: +SKIP
"""

# isort: off
from . import interrupting as interrupting  # first: what comes next takes half a second, and Ctrl-C may be pressed

# isort: on
from . import datasets, errors
from .analysing import Analysis, analyse
from .comparing import VariableChanges, variable_changes
from .evaluating import Report, evaluate
from .fuzzy import FCMFit, FCRMFit, fcm, fcrm
from .linking import RecordsAtRisk, records_at_risk
from .methods import (
    EGADP,
    FCRM,
    GADP,
    IPSO,
    METHODS,
    Calibrated,
    Dummy,
    Hybrid,
    LocalSuppression,
    Microaggregation,
    Noise,
    Permutation,
    RankSwapping,
    Recoding,
    Sampling,
    Sequential,
    Shuffling,
    TopBottomCoding,
)
from .protecting import Protected, protect
from .recommending import Recommendation, recommend
from .releasing import protect_file
from .rstream import RStream
from .sweeping import Candidate, Frontier, sweep
from .table import Kept, Roles, SuggestedRoles, suggest_roles

__version__ = "0.1.0"

__all__ = [
    "EGADP",
    "FCRM",
    "GADP",
    "IPSO",
    "METHODS",
    "Analysis",
    "Calibrated",
    "Candidate",
    "Dummy",
    "FCMFit",
    "FCRMFit",
    "Frontier",
    "Hybrid",
    "Kept",
    "LocalSuppression",
    "Microaggregation",
    "Noise",
    "Permutation",
    "Protected",
    "RStream",
    "RankSwapping",
    "Recoding",
    "Recommendation",
    "RecordsAtRisk",
    "Report",
    "Roles",
    "Sampling",
    "Sequential",
    "Shuffling",
    "SuggestedRoles",
    "TopBottomCoding",
    "VariableChanges",
    "analyse",
    "datasets",
    "errors",
    "evaluate",
    "fcm",
    "fcrm",
    "protect",
    "protect_file",
    "recommend",
    "records_at_risk",
    "suggest_roles",
    "sweep",
    "variable_changes",
]
