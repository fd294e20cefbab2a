"""Cases of the cross-check: a computation done in Python and in R on the same data from the same seed, and its results.

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
RECORDS_WITH_TIES = 197
SIMULATED = "simulated"
SIMULATED_WITH_TIES = "simulated with ties"
# Records by level: one level of 10 records, the fewest that a level of its own may have, and two of 10 together.
REGIONS = {"North": 90, "East": 60, "South": 30, "West": 10, "isles": 7, "capital": 3}
# The first level in code point order, Alps, is small, and with isles too small: East or West, of equal size, joins them.
REGIONS_WITH_TIES = {"North": 90, "South": 68, "East": 15, "West": 15, "isles": 7, "Alps": 2}
TIED_UNITS = {"POTHVAL": 100.0, "FEDTAX": 100.0, "FICA": 50.0}
STEP = 37  # has no common factor with either number of records: levels are scattered over the file
MIN_RECORDS = 20
MAX_RECORDS = 1500  # the reference implementations compare every pair of records
# A smaller entry, relative to the largest of its column, is a difference of larger numbers: its error is relative to this share.
SMALL = 1e-3
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
    """The identity of the data."""

    name: str
    """The name of the file, or of the simulated data."""
    sha256: str
    """The SHA-256 of the file, or of the simulated values as doubles by columns."""
    roles: Mapping[str, Sequence[str]]
    """The columns of each role."""


@dataclass(frozen=True, eq=False)
class Problem:
    """The data and the seed of both sides."""

    X: Array
    """The independent columns (n, s); the design, if predictors are categorical."""
    Y: Array
    """The dependent columns (n, t)."""
    seed: int
    """The seed of both sides."""
    ipso_path: Path | None
    """The R file with IPSOabc; None for r_scripts/ipso.R."""
    described: str
    """The data in words."""
    data: Data | None = None
    """The identity of the data."""
    table: pd.DataFrame | None = None
    """The file's own columns, if predictors are categorical."""
    built_in: bool = False
    """Whether these are data simulated here, on which every case is defined and every row must agree."""
    releases: dict[str, Array] = field(default_factory=dict, repr=False)
    """Python's releases of Y by their names in RELEASES, computed once; several rows use them on both sides."""
    r_results: dict[Any, Any] = field(default_factory=dict, repr=False)
    """R's results for these releases, which several rows use."""

    @property
    def name(self) -> str:
        """The name of the data."""
        return self.described if self.data is None else self.data.name

    @cached_property
    def repeated(self) -> Problem:
        """The same problem and releases, without R's results: R computes them a second time."""
        return replace(self, r_results={})

    @cached_property
    def controls(self) -> tuple[Problem, ...]:
        """The built-in data of the same seed, on which a comparison that is not defined here must agree."""
        return built_in(self.seed, self.ipso_path)

    @cached_property
    def condition(self) -> float:
        """The condition number of (1, X, Y), each column at length 1.

        It bounds how much rounding of the data is amplified (Golub and Van Loan 5.3). Columns are not centred, so that a large
        mean counts. Singular values that are rounding belong to columns that depend on others exactly: both sides
        drop such columns by the same rule, and these values do not count.
        """
        A = np.column_stack([np.ones(len(self.Y)), self.X, self.Y])
        lengths = np.linalg.norm(A, axis=0)
        d = np.linalg.svd(A / np.where(lengths > 0, lengths, 1.0), compute_uv=False)
        rounding = max(A.shape) * np.finfo(np.float64).eps * d[0]
        return float(d[0] / d[d > rounding].min())

    def r_result(self, key: Any, compute: Callable[[], Any]) -> Any:
        """R's result of that key, computed once."""
        if key not in self.r_results:
            self.r_results[key] = compute()
        return self.r_results[key]

    def release(self, name: str) -> Array:
        """A release of Y, (n, t), by its method in RELEASES."""
        if name not in self.releases:
            self.releases[name] = RELEASES[name].protect(self.X, self.Y, RStream(self.seed))
        return self.releases[name]

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
    """The first file simulated here: 200 records, three independent and four dependent columns, and categories."""
    from pyfcrm.datasets import census_like

    frame = census_like(n=RECORDS, seed=seed)
    described = f"{RECORDS} records simulated here, like the Census file, from seed {seed}"
    return _simulated(SIMULATED, frame, REGIONS, described, seed=seed, ipso_path=ipso_path)


def embedded_with_ties(seed: int, ipso_path: Path | None = None) -> Problem:
    """The second file simulated here: 197 records, a prime number, with equal values, from another seed."""
    from pyfcrm.datasets import census_like

    frame = census_like(n=RECORDS_WITH_TIES, seed=other_seed(seed, 1))
    for name, unit in TIED_UNITS.items():
        frame[name] = np.rint(frame[name] / unit) * unit
    described = f"{RECORDS_WITH_TIES} records simulated here, with equal values, from seed {other_seed(seed, 1)}"
    return _simulated(SIMULATED_WITH_TIES, frame, REGIONS_WITH_TIES, described, seed=seed, ipso_path=ipso_path)


def built_in(seed: int, ipso_path: Path | None = None) -> tuple[Problem, ...]:
    """All data simulated here. On them every case is defined, and every row must agree."""
    return embedded(seed, ipso_path), embedded_with_ties(seed, ipso_path)


def _simulated(
    name: str, frame: pd.DataFrame, regions: Mapping[str, int], described: str, *, seed: int, ipso_path: Path | None
) -> Problem:
    """The problem of a simulated file. regions : the number of records of each level of a category."""
    import pandas as pd

    X = frame[list(INDEPENDENT)].to_numpy(dtype=np.float64)
    Y = frame[list(DEPENDENT)].to_numpy(dtype=np.float64)
    values = np.asfortranarray(np.column_stack([X, Y]), dtype="<f8").tobytes(order="F")
    records = np.arange(len(frame))
    scattered = records * STEP % len(frame)
    region = np.repeat(np.array([*regions], dtype=object), [*regions.values()])[scattered]
    predictors = frame[list(INDEPENDENT)].astype(np.float64)
    categories = pd.DataFrame({"region": region, "urban": records % 4 == 0})
    return Problem(
        X,
        Y,
        seed,
        ipso_path,
        described,
        data=Data(name, sha256(values).hexdigest(), {"independent": INDEPENDENT, "dependent": DEPENDENT}),
        table=pd.concat([predictors, categories, frame[list(DEPENDENT)].astype(np.float64)], axis=1),
        built_in=True,
    )


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
    t = len(dependent)
    s = len(columns) - t
    _require_records(A, 2 + s + 2 * t)
    data = Data(Path(path).name, hashed, {"independent": independent, "dependent": dependent})
    return Problem(A[:, :s], A[:, s:], seed, ipso_path, described, data=data, table=table if design.terms else None)


def _require_records(records: Array | pd.DataFrame, least: int) -> None:
    """Raises InvalidInput for fewer records."""
    if len(records) < least:
        rule = f"needs at least {least} records without a missing value in these columns"
        raise InvalidInput("crosscheck", rule, len(records))


def largest_relative_difference(a: ArrayLike, b: ArrayLike, negligible: float = 0.0) -> float:
    """The largest |a - b| over all entries, relative to the larger of the two entries.

    a, b : of the same shape; the last axis has columns, each in its own unit. The difference of entries below 1/1000 of their
    column's largest is relative to that 1/1000. negligible : two values no further apart are equal. NaN equals NaN.
    Infinite if shapes or missing values differ.
    """
    A = as_table(a)
    B = as_table(b)
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
    """True if two results are equal to the last bit: 0 is not -0, and R's NA is not NaN."""
    A = as_table(a)
    B = as_table(b)
    return np.shape(a) == np.shape(b) and A.tobytes() == B.tobytes()


def as_table(a: ArrayLike) -> NDArray[np.float64]:
    """Any result as (entries, columns) of doubles; a vector is one column."""
    A = np.asarray(a, dtype=np.float64)
    return np.ascontiguousarray(A.reshape(-1, A.shape[-1]) if A.ndim > 1 else A.reshape(-1, 1))


@dataclass(frozen=True)
class Line:
    """One row: a result of a case, and when its two values agree."""

    name: str
    """The name of the result."""
    tolerance: float
    """The largest relative difference allowed; 0: the same bits."""
    reason: str
    """The reason for the tolerance."""
    negligible: float = 0.0
    """In the unit of the result; two values no further apart are equal."""
    rounding: Callable[[Problem], float] | None = None
    """How far rounding of the data can change a result whose change the condition number does not bound, in its own unit."""


@dataclass(frozen=True)
class Case:
    """One computation on both sides, and the lines that compare its results."""

    family: str
    """The first word of each row."""
    python: Callable[[Problem], Results]
    """Python's results by line."""
    r: Callable[[Problem], Results]
    """R's results by line."""
    lines: tuple[Line, ...]
    """The results that are compared."""
    incomparable: Callable[[Problem], str | None] | None = None
    """The reason why the two sides cannot be compared on these data, else None."""
    exact: bool = False
    """Whether rounding of the data cannot change the results."""
    option: str = ""
    """The option of the command that requests the case, empty if it is always computed."""


@dataclass(frozen=True)
class Row:
    """The outcome of one line on one set of data."""

    what: str
    """Family and name of the line."""
    data: str
    """The name of the data."""
    python: float | None
    """Python's value; of an array the mean."""
    r: float | None
    """R's value; of an array the mean."""
    difference: float | None
    """The largest relative difference; None if the two cannot be compared."""
    tolerance: float
    """The largest difference that agrees."""
    reason: str
    """The reason for the tolerance, or for the verdict."""
    verdict: str
    """"ok", "FAIL", "FAIL: did not run", "undecided" or "skipped"."""

    @property
    def family(self) -> str:
        """The first word of `what`."""
        return self.what.partition(": ")[0]


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
