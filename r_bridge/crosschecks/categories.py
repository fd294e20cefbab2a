"""Categories whose totals disclose contributions: which rules each level violates, which levels are pooled, and a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyfcrm.data.predictors import MIN_RECORDS
from pyfcrm.data.preserved_totals import Contributions
from pyfcrm.types import Array

from ..to_r import reference
from .case import Line, Problem, single
from .hard_files import disclosing_levels
from .syntheses import IPSO_KINDS
from .synthesis import CATEGORIES, design_matrix, predictor_table, protected_values

if TYPE_CHECKING:
    import pandas as pd

    from pyfcrm import Roles

EXACT_COUNTS = "whole numbers that are counted, added and compared: identical"
RULES = ("fewer than 3 contributors", "p% rule", "(1, 75) dominance", "(2, 85) dominance")
CONFIDENTIAL = ("turnover", "tax")


def _rules(problem: Problem) -> Array:
    """The rules that each level violates, (levels, 1 + 8) of 0 and 1: too few records, then the rules of both columns' totals.

    Levels are in code point order.
    """
    frame, Y = disclosing_levels()
    levels = []
    for level in sorted(set(frame["activity"])):
        own = Contributions.of(np.abs(Y[(frame["activity"] == level).to_numpy()]))
        violated = [rule in own.violated_rules(j) for j in range(Y.shape[1]) for rule in RULES]
        levels.append([own.records < MIN_RECORDS, *violated])
    return np.array(levels, dtype=np.float64)


def _rules_r(problem: Problem) -> Array:
    """The same by R."""
    frame, Y = disclosing_levels()
    return reference.rules_by_level(frame["activity"].tolist(), Y)


def _file() -> tuple[pd.DataFrame, Roles]:
    """The file of disclosing levels, with its confidential columns."""
    from pyfcrm import Roles

    frame, Y = disclosing_levels()
    roles = Roles([str(name) for name in frame], CONFIDENTIAL)
    for name, values in zip(CONFIDENTIAL, Y.T, strict=True):
        frame[name] = values
    return frame, roles


def _design_r(problem: Problem) -> Array:
    """The design of the file of disclosing levels, by R."""
    frame, roles = _file()
    return reference.predictors(predictor_table(frame, roles), frame[[*CONFIDENTIAL]].to_numpy())


def _released(problem: Problem) -> Array:
    """A release of that file by pf.protect()."""
    frame, roles = _file()
    return protected_values(SYNTHESIS.method, frame, roles, problem.seed)


def _released_r(problem: Problem) -> Array:
    """The same release by R."""
    frame, roles = _file()
    return SYNTHESIS.r(predictor_table(frame, roles), frame[[*CONFIDENTIAL]].to_numpy(), problem.seed).Z


SYNTHESIS = IPSO_KINDS["C"]
CASES = (
    single("categories", Line("rules that totals of levels violate", 0.0, EXACT_COUNTS), _rules, _rules_r, exact=True),
    single(
        "categories",
        Line("design with unsafe levels pooled", 0.0, "numbers unchanged, categories as 0 and 1"),
        lambda problem: design_matrix(*_file()),
        _design_r,
        exact=True,
    ),
    single(
        "categories",
        Line("IPSO, C, with unsafe levels pooled", SYNTHESIS.tolerance, SYNTHESIS.reason + CATEGORIES),
        _released,
        _released_r,
    ),
)
