"""Protect numerical microdata and judge the release: one seed, one file, in Python and in R.

>>> import pyfcrm as pf
>>> frame = pf.datasets.survey()
>>> roles = pf.Roles(independent=["age", "hours", "size"], dependent=["wage", "rent", "tax"], identifiers=["name"])
>>> released = pf.protect(frame, pf.IPSO("C"), roles)
>>> pf.evaluate(frame, released.frame, roles=roles)["pil"]  # doctest: +SKIP
"""

from . import datasets, errors, methods
from .constraints.structure import find_structure
from .data import (
    Roles,
    SampleUniques,
    SuggestedRoles,
    Variable,
    VariableDescription,
    Variables,
    describe,
    suggest_roles,
)
from .data.structure import Proposal, Structure
from .evaluation.analyse import analyse
from .evaluation.auditing.audit_result import Audit
from .evaluation.auditing.dependence import Dependence
from .evaluation.combine import combine
from .evaluation.dependence_test import dependence_test
from .evaluation.key_risk import key_risk
from .evaluation.records_at_risk import records_at_risk
from .evaluation.report import Report
from .evaluation.risk.key_variables import KeyRisk
from .evaluation.risk.linked_records import RecordsAtRisk
from .evaluation.utility.changes import VariableChanges
from .evaluation.utility.combining import Combined
from .evaluation.utility.panel.utility import Utility
from .evaluation.utility.regression import Analysis
from .evaluation.variable_changes import variable_changes
from .files.formats import read_table
from .fuzzy import FCMFit, FCRMFit, fcm, fcrm
from .interface import audit, evaluate, protect, protect_file, recommend, sweep
from .methods import *  # noqa: F403
from .plans.plan import Plan, read_plan
from .protection.codebook import codebook
from .protection.data_dictionary import Codebook
from .protection.protected import Protected
from .rstream import RStream
from .search.candidates import Candidate, Frontier
from .search.recode_search import recode_search
from .search.recoding_search import RecodingSearch, RecodingStep
from .search.recommendation import Recommendation
from .trust.board.dossier import Dossier, dossier
from .trust.qualify import Qualification, qualify
from .trust.run import PlanRun, run
from .trust.verify import Verification, verify

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "Audit",
    "Candidate",
    "Codebook",
    "Combined",
    "Dependence",
    "Dossier",
    "FCMFit",
    "FCRMFit",
    "Frontier",
    "KeyRisk",
    "Plan",
    "PlanRun",
    "Proposal",
    "Protected",
    "Qualification",
    "RStream",
    "RecodingSearch",
    "RecodingStep",
    "Recommendation",
    "RecordsAtRisk",
    "Report",
    "Roles",
    "SampleUniques",
    "Structure",
    "SuggestedRoles",
    "Utility",
    "Variable",
    "VariableChanges",
    "VariableDescription",
    "Variables",
    "Verification",
    "analyse",
    "audit",
    "codebook",
    "combine",
    "datasets",
    "dependence_test",
    "describe",
    "dossier",
    "errors",
    "evaluate",
    "fcm",
    "fcrm",
    "find_structure",
    "key_risk",
    "protect",
    "protect_file",
    "qualify",
    "read_plan",
    "read_table",
    "recode_search",
    "recommend",
    "records_at_risk",
    "run",
    "suggest_roles",
    "sweep",
    "variable_changes",
    "verify",
]
__all__ += methods.__all__


def __dir__() -> list[str]:
    """The public names; modules that are only built from are not among them."""
    return sorted([*__all__, "__version__"])
