"""A cross-check: one computation done in Python and in R on the same data from the same seed, and the results that are compared.

`verdicts` turns a Case and a Problem into rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfcrm.errors import InvalidInput
from pyfcrm.methods import FCRM, IPSO, Method
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..to_r.session import LARGEST_SEED

if TYPE_CHECKING:
    import pandas as pd

INDEPENDENT = ("AGI", "POTHVAL", "PEARNVAL")
DEPENDENT = ("EMCONTRB", "FEDTAX", "STATETAX", "FICA")
RECORDS = 200
SIMULATED = "simulated"
MIN_RECORDS = 20
MAX_RECORDS = 1500  # the reference implementations compare every pair of records
# A smaller entry, relative to the largest of its column, is a difference of larger numbers: its error is relative to this share.
SMALL = 1e-3
EPSILON, TINY = 2.0**-53, np.finfo(np.float64).tiny
Results = Mapping[str, Any]  # numbers and arrays by the names of their lines
SAME_BITS = "the same integers and the same operations in the same order: identical"
ROUNDING = "the same formula, summed in another order"
COUNTED = "the same records counted; their shares are summed in another order"
FCRM_RELEASE = "FCRM's release"
RELEASES: dict[str, Method] = {
    "IPSO-C's release": IPSO("C"),
    FCRM_RELEASE: FCRM(c=2),
}  # FCRM's is nearer to the original


@dataclass(frozen=True)
class Data:
    """Identity of the data: name; SHA-256 of the file, or of simulated values as doubles by columns; columns by role."""

    name: str
    sha256: str
    roles: Mapping[str, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Problem:
    """The data and the seed of both sides.

    X (n, s), Y (n, t) : independent and dependent columns; ipso_path : the R file with IPSOabc, None for r_scripts/ipso.R;
    described : the data in words; data : their identity; table : the file's own columns, if predictors are categorical (then X is
    their design); results : releases of Y, and R's results for them, that several rows use.
    """

    X: Array
    Y: Array
    seed: int
    ipso_path: Path | None
    described: str
    data: Data | None = None
    table: pd.DataFrame | None = None
    results: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def simulated(self) -> bool:
        """Whether these are the data simulated here, on which every case is defined."""
        return self.data is not None and self.data.name == SIMULATED

    def result(self, key: Any, compute: Callable[[], Any]) -> Any:
        """The result of that key, computed once."""
        if key not in self.results:
            self.results[key] = compute()
        return self.results[key]

    def release(self, name: str) -> Array:
        """A release of Y, (n, t), by its method in RELEASES."""
        values: Array = self.result(name, lambda: RELEASES[name].protect(self.X, self.Y, RStream(self.seed)))
        return values

    @cached_property
    def mixed(self) -> pd.DataFrame:
        """The file with a category among the predictors: its own, or one of three levels by record."""
        import pandas as pd

        if self.table is not None:
            return self.table
        x = {f"x{k}": x for k, x in enumerate(self.X.T, 1)}
        group = np.array(["south", "north", "East"], dtype=object)[np.arange(len(self.X)) % 3]
        return pd.DataFrame(x | {"group": group} | {f"y{k}": y for k, y in enumerate(self.Y.T, 1)})

    @property
    def coarse(self) -> tuple[Array, Array]:
        """Y and FCRM's release in steps of a quarter of Y's standard deviation, with equal values and ties."""
        step = self.Y.std(axis=0, ddof=1) / 4
        return np.rint(self.Y / step) * step, np.rint(self.release(FCRM_RELEASE) / step) * step


def embedded(seed: int, ipso_path: Path | None = None) -> Problem:
    """The file simulated here: 200 records, three independent and four dependent columns."""
    from pyfcrm.datasets import census_like

    frame = census_like(n=RECORDS, seed=seed)
    X, Y = (frame[list(names)].to_numpy(dtype=np.float64) for names in (INDEPENDENT, DEPENDENT))
    described = f"{RECORDS} records simulated here, like the Census file, from seed {seed}"
    values = np.asfortranarray(np.column_stack([X, Y]), dtype="<f8").tobytes(order="F")
    data = Data(SIMULATED, sha256(values).hexdigest(), {"independent": INDEPENDENT, "dependent": DEPENDENT})
    return Problem(X, Y, seed, ipso_path, described, data=data)


def other_seed(seed: int, k: int) -> int:
    """The k-th further seed; 0 is `seed` itself."""
    return (abs(seed) + 1_000_003 * k) % LARGEST_SEED if k else seed


def from_file(
    path: str, independent: Sequence[str], dependent: Sequence[str], seed: int, ipso_path: Path | None = None
) -> Problem:
    """Columns of a user's file without incomplete records; of more than 1500 complete ones every k-th.

    Categorical predictors are coded. Raises InvalidInput for a missing or constant column and for a dependent column that is
    not numeric.
    """
    from pyfcrm import Roles
    from pyfcrm.data import checked, open_frame
    from pyfcrm.data.check import refuse_equal, require_columns
    from pyfcrm.data.predictors import coded_predictors
    from pyfcrm.files import open_table
    from pyfcrm.files.manifest import digest

    columns = [*independent, *dependent]
    if not independent or not dependent:
        raise InvalidInput(
            "crosscheck", "a file needs both --independent and --dependent columns", columns or "neither"
        )
    if len(set(columns)) < len(columns):
        raise InvalidInput("crosscheck", "a column is either independent or dependent, once", ", ".join(columns))
    hashed = digest(path)
    file = open_table(path).frame
    require_columns("crosscheck", open_frame("crosscheck", file), columns)
    table = file[columns].dropna()
    _require_records(table, MIN_RECORDS)
    step = -(-len(table) // MAX_RECORDS)
    incomplete = f", {len(file) - len(table)} with missing values left out" if len(table) < len(file) else ""
    described = f"{path}: {len(file)} records{incomplete}" + (f", one in {step} taken" if step > 1 else "")
    table = table.iloc[::step].reset_index(drop=True)
    opened = open_frame("crosscheck", table)
    design = coded_predictors("crosscheck", opened, Roles(independent, dependent), "refuse")
    columns = [*design.roles.independent, *dependent]
    A = checked("crosscheck", design.frame(opened), columns)
    refuse_equal("crosscheck", A, columns)
    s, t = len(columns) - len(dependent), len(dependent)
    _require_records(A, 2 + s + 2 * t)
    data = Data(Path(path).name, hashed, {"independent": independent, "dependent": dependent})
    return Problem(A[:, :s], A[:, s:], seed, ipso_path, described, data=data, table=table if design.terms else None)


def _require_records(records: Array | pd.DataFrame, least: int) -> None:
    if len(records) < least:
        rule = f"needs at least {least} records without a missing value in these columns"
        raise InvalidInput("crosscheck", rule, len(records))


def largest_relative_difference(a: ArrayLike, b: ArrayLike, negligible: float = 0.0) -> float:
    """The largest |a - b| over all entries, relative to the larger of the two entries.

    a, b : of the same shape; the last axis has columns, each in its own unit. The difference of entries below 1/1000 of their
    column's largest is relative to that 1/1000. negligible : two values no further apart are equal. NaN equals NaN.
    Infinite if shapes or missing values differ.
    """
    A, B = as_table(a), as_table(b)
    if np.shape(a) != np.shape(b) or (np.isnan(A) != np.isnan(B)).any():
        return float("inf")
    size = np.maximum(np.abs(A), np.abs(B))
    with np.errstate(invalid="ignore"):
        unequal = (A != B) & ~np.isnan(A) & ~(np.abs(A - B) <= negligible)
    if not unequal.any():
        return 0.0
    unit = np.maximum(size, SMALL * np.nanmax(size, axis=0, initial=0.0))
    with np.errstate(invalid="ignore"):
        gaps = np.where(unequal, np.abs(A - B), 0.0) / np.where(unequal, unit, 1.0)
    return float(np.max(np.where(np.isnan(gaps), np.inf, gaps)))


def same_bits(a: ArrayLike, b: ArrayLike) -> bool:
    """Whether two results are equal to the last bit: 0 is not -0, and R's NA is not NaN."""
    A, B = as_table(a), as_table(b)
    return np.shape(a) == np.shape(b) and A.tobytes() == B.tobytes()


def as_table(a: ArrayLike) -> NDArray[np.float64]:
    """Any result as (entries, columns) of doubles; a vector is one column."""
    A = np.asarray(a, dtype=np.float64)
    return np.ascontiguousarray(A.reshape(-1, A.shape[-1]) if A.ndim > 1 else A.reshape(-1, 1))


@dataclass(frozen=True)
class Line:
    """One row: name of the result, largest relative difference allowed (0: the same bits), and its reason.

    negligible : in the unit of the result; two values no further apart are equal.
    """

    name: str
    tolerance: float
    reason: str
    negligible: float = 0.0


@dataclass(frozen=True)
class Case:
    """One computation on both sides, and the lines that compare its results.

    family : first word of each row; python, r : the results by line; incomparable : the reason why the two sides cannot be
    compared on these data, else None; perturbed : R's results after changes within rounding, in one of several variants
    counted from 0 (by default R's results for data changed by `perturb`); exact : rounding of the data cannot change the results;
    option : the option of the command that requests the case, empty if it is always computed.
    """

    family: str
    python: Callable[[Problem], Results]
    r: Callable[[Problem], Results]
    lines: tuple[Line, ...]
    incomparable: Callable[[Problem], str | None] | None = None
    perturbed: Callable[[Problem, int], Results] | None = None
    exact: bool = False
    option: str = ""

    def perturbed_r(self, problem: Problem, variant: int) -> Results:
        """R's results after changes within rounding."""
        return self.perturbed(problem, variant) if self.perturbed else self.r(perturb(problem, variant))


@dataclass(frozen=True)
class Row:
    """The outcome of one line: both values (an array's mean), the largest relative difference, and the verdict.

    difference is None if the two cannot be compared; verdict is "ok", "FAIL", "FAIL: did not run" or "skipped".
    """

    what: str
    python: float | None
    r: float | None
    difference: float | None
    tolerance: float
    reason: str
    verdict: str

    @property
    def family(self) -> str:
        """The first word of `what`."""
        return self.what.partition(": ")[0]


def perturb(problem: Problem, variant: int) -> Problem:
    """The same data and releases, each value changed by up to eight units of rounding, equal values of a column alike.

    variant : the signs; 0 increases X and the releases and decreases Y.
    """

    def change(A: Array, sign: int) -> Array:
        size = np.sin(variant * 1e3 * (A - A.min(axis=0)) / np.maximum(np.ptp(A, axis=0), TINY)) if variant else sign
        return np.asarray(A * (1 + 8 * EPSILON * size))

    releases = {name: change(problem.release(name), 1) for name in RELEASES}
    return replace(problem, X=change(problem.X, 1), Y=change(problem.Y, -1), results=releases)


def single(
    family: str, line: Line, python: Callable[[Problem], Any], r: Callable[[Problem], Any], **options: Any
) -> Case:
    """A case of one result. python, r : its value on each side; options : of Case."""
    return Case(
        family,
        lambda problem: {line.name: python(problem)},
        lambda problem: {line.name: r(problem)},
        (line,),
        **options,
    )
