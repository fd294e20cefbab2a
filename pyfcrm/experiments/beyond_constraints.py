"""Beyond the paper: constraints declared on each file, and how many records of a release break one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..constraints import Constraint, parsed
from ..protecting import protect
from ..table import Roles
from .beyond_files import Limits
from .beyond_settings import IPSO_C, IPSO_SMOOTH, LINEAR_SMOOTH, SETTINGS

CHECKED = (IPSO_C, IPSO_SMOOTH, LINEAR_SMOOTH, "Rank swapping, p=15", "Noise uncorrelated, 50 %")


@dataclass(frozen=True)
class Broken:
    """Records that break a constraint, summed over the seeds: `declared` where protect() was told of them, `without`
    where not; `original` in the file itself; records : in one release."""

    key: str
    setting: str
    original: int
    without: int
    declared: int
    records: int


def broken_in(limits: Limits, setting: str, frame: Any, seeds: Iterable[int]) -> Broken:
    """One method's releases of one file, with the constraints and without, counted."""
    constraints = parsed("beyond", list(limits.constraints))
    roles = Roles(limits.case.independent, limits.case.dependent)
    without = declared = 0
    for seed in seeds:
        without += records_breaking(constraints, protect(frame, SETTINGS[setting], roles, seed).frame)
        kept = protect(frame, SETTINGS[setting], roles, seed, constraints=constraints)
        declared += records_breaking(constraints, kept.frame)
    return Broken(limits.key, setting, records_breaking(constraints, frame), without, declared, len(frame))


def records_breaking(constraints: Iterable[Constraint], frame: Any) -> int:
    """How many records break one or more of the constraints. The columns hold whole numbers, so sums are exact."""
    broken = np.zeros(len(frame), dtype=bool)
    for one in constraints:
        coefficients, bound = one.scaled()
        total = sum(c * np.asarray(frame[name], dtype=np.float64) for name, c in coefficients.items())
        broken |= total != bound if one.equality else total > bound
    return int(broken.sum())
