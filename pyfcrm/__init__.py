"""Protect numerical microdata and judge the release: one seed, one file, in Python and in R.

>>> import pyfcrm as pf
>>> frame = pf.datasets.census_like(n=1080, seed=1)
>>> roles = pf.Roles(independent=["AGI", "POTHVAL"], dependent=["FEDTAX", "TAXINC"])
>>> released = pf.protect(frame, pf.FCRM(c=8), roles, seed=1)
>>> pf.evaluate(frame, released.frame, columns=roles.dependent)["pil"]  # doctest: +SKIP
"""

from . import datasets, errors
from .evaluating import Report, evaluate
from .fuzzy import FCMFit, FCRMFit, fcm, fcrm
from .methods import FCRM, IPSO, METHODS
from .protecting import Protected, protect
from .rstream import RStream
from .sweeping import Candidate, Frontier, sweep
from .table import Roles

__version__ = "0.1.0"

__all__ = [
    "FCRM",
    "IPSO",
    "METHODS",
    "Candidate",
    "FCMFit",
    "FCRMFit",
    "Frontier",
    "Protected",
    "RStream",
    "Report",
    "Roles",
    "datasets",
    "errors",
    "evaluate",
    "fcm",
    "fcrm",
    "protect",
    "sweep",
]
