"""What both sides work on: one file, one seed, and the releases of it that the measures judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfcrm.errors import InvalidInput
from pyfcrm.methods import FCRM, IPSO
from pyfcrm.rstream import RStream

Array = NDArray[np.float64]
INDEPENDENT = ("AGI", "POTHVAL", "PEARNVAL")
DEPENDENT = ("EMCONTRB", "FEDTAX", "STATETAX", "FICA")
RECORDS = 200
MOST_RECORDS = 1500  # the R twins compare every pair


@dataclass(frozen=True, eq=False)
class Ground:
    """X (n, s) kept, Y (n, t) replaced, the seed of both sides, the R file to run for IPSO (None: ours), words on
    where the data come from, and what was computed once for several rows (see twins)."""

    X: Array
    Y: Array
    seed: int
    ipso_path: Path | None
    described: str
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def released(self) -> Array:
        """A release of Y to judge, (n, t): IPSO-C's."""
        return IPSO("C").protect(self.X, self.Y, RStream(self.seed))

    @cached_property
    def near(self) -> Array:
        """A release that stays nearer to Y, (n, t): FCRM's, with two clusters."""
        return FCRM(c=2).protect(self.X, self.Y, RStream(self.seed))

    @cached_property
    def coarse(self) -> tuple[Array, Array]:
        """Y and the near release in steps of a quarter of Y's standard deviation, so that values agree and tie."""
        step = self.Y.std(axis=0, ddof=1) / 4
        return np.rint(self.Y / step) * step, np.rint(self.near / step) * step


def embedded(seed: int, ipso_path: Path | None = None) -> Ground:
    """The file simulated here: 200 records, three independent and four dependent columns."""
    from pyfcrm.datasets import census_like

    frame = census_like(n=RECORDS, seed=seed)
    X, Y = (frame[list(names)].to_numpy(dtype=np.float64) for names in (INDEPENDENT, DEPENDENT))
    return Ground(X, Y, seed, ipso_path, f"{RECORDS} records simulated here, like the Census file, from seed {seed}")


def from_file(
    path: str, independent: Sequence[str], dependent: Sequence[str], seed: int, ipso_path: Path | None = None
) -> Ground:
    """Columns of a user's file. Of more than 1500 records every k-th is taken.

    Raises InvalidInput where a column is missing, is not of numbers, has missing values or does not vary.
    """
    from pyfcrm.files import read_table
    from pyfcrm.table import checked, complete_records, open_frame, refuse_constant

    wanted = [*independent, *dependent]
    if not independent or not dependent:
        raise InvalidInput("crosscheck", "a file needs both --independent and --dependent columns", wanted or "neither")
    if len(set(wanted)) < len(wanted):
        raise InvalidInput("crosscheck", "a column is either independent or dependent, once", ", ".join(wanted))
    A = checked("crosscheck", open_frame("crosscheck", read_table(path).frame), wanted)
    complete_records("crosscheck", A, wanted, "refuse")
    step = -(-len(A) // MOST_RECORDS)
    described = f"{path}: {len(A)} records" + (f", one in {step} taken" if step > 1 else "")
    A = A[::step]
    refuse_constant("crosscheck", A, wanted)
    s, t = len(independent), len(dependent)
    least = max(20, 2 + s + 2 * t)
    if len(A) < least:
        raise InvalidInput("crosscheck", f"needs at least {least} records for these columns", len(A))
    return Ground(A[:, :s], A[:, s:], seed, ipso_path, described)
