"""What a cross-check is: one computation done on both sides, the file and seed that both work on, the lines in which
their results are compared, and the row that each becomes (the verdict: `verdicts`)."""

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
from pyfcrm.methods import FCRM, IPSO
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..to_r import reference
from ..to_r.session import LARGEST_SEED

if TYPE_CHECKING:
    import pandas as pd

INDEPENDENT = ("AGI", "POTHVAL", "PEARNVAL")
DEPENDENT = ("EMCONTRB", "FEDTAX", "STATETAX", "FICA")
RECORDS = 200
SIMULATED = "simulated"
FEWEST = 20
MOST_RECORDS = 1500  # the R twins compare every pair
# An entry this much smaller than the largest of its column is measured against that: it is a difference of larger ones.
SMALL = 1e-3
EPSILON, TINY = 2.0**-53, np.finfo(np.float64).tiny
Results = Mapping[str, Any]  # numbers and arrays by the name of the line they belong to
SAME_BITS = "the same integers and the same operations in the same order: identical"
ROUNDING = "the same formula, summed in another order"
COUNTED = "the same records counted; their shares are summed in another order"
MEASURES: dict[str, Callable[[Array, Array], reference.Twin]] = {
    "pil": reference.pil,
    "dbrl": reference.dbrl,
    "prl": reference.prl,
    "id": reference.interval_disclosure,
    "id_rank": reference.interval_disclosure_rank,
}
OF = {"IPSO-C's release": "released", "FCRM's release": "near"}


@dataclass(frozen=True)
class Data:
    """What was compared: its name; SHA-256, of the file, or of simulated values as doubles by columns; columns by role."""

    name: str
    sha256: str
    roles: Mapping[str, Sequence[str]]


@dataclass(frozen=True, eq=False)
class Problem:
    """X (n, s) kept, Y (n, t) replaced, the seed of both sides, the R file to run for IPSO (None: ours), words on
    where the data come from, what was computed once for several rows (see twin), the data's identity, and the file's own
    columns where its predictors have categories (X then is their design)."""

    X: Array
    Y: Array
    seed: int
    ipso_path: Path | None
    described: str
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)
    data: Data | None = None
    table: pd.DataFrame | None = None

    @property
    def simulated(self) -> bool:
        """Whether these are the data simulated here, on which every case has a meaning and numbers."""
        return self.data is not None and self.data.name == SIMULATED

    @cached_property
    def released(self) -> Array:
        """A release of Y to judge, (n, t): IPSO-C's."""
        return IPSO("C").protect(self.X, self.Y, RStream(self.seed))

    @cached_property
    def mixed(self) -> pd.DataFrame:
        """The file with a category among the predictors: its own, or one of three levels by record."""
        import pandas as pd

        if self.table is not None:
            return self.table
        x = {f"x{k}": x for k, x in enumerate(self.X.T, 1)}
        group = np.array(["south", "north", "East"], dtype=object)[np.arange(len(self.X)) % 3]
        return pd.DataFrame(x | {"group": group} | {f"y{k}": y for k, y in enumerate(self.Y.T, 1)})

    @cached_property
    def near(self) -> Array:
        """A release that stays nearer to Y, (n, t): FCRM's, with two clusters."""
        return FCRM(c=2).protect(self.X, self.Y, RStream(self.seed))

    @cached_property
    def coarse(self) -> tuple[Array, Array]:
        """Y and the near release in steps of a quarter of Y's standard deviation, so that values agree and tie."""
        step = self.Y.std(axis=0, ddof=1) / 4
        return np.rint(self.Y / step) * step, np.rint(self.near / step) * step


def embedded(seed: int, ipso_path: Path | None = None) -> Problem:
    """The file simulated here: 200 records, three independent and four dependent columns."""
    from pyfcrm.datasets import census_like

    frame = census_like(n=RECORDS, seed=seed)
    X, Y = (frame[list(names)].to_numpy(dtype=np.float64) for names in (INDEPENDENT, DEPENDENT))
    described = f"{RECORDS} records simulated here, like the Census file, from seed {seed}"
    values = np.asfortranarray(np.column_stack([X, Y]), dtype="<f8").tobytes(order="F")
    data = Data(SIMULATED, sha256(values).hexdigest(), _roles(INDEPENDENT, DEPENDENT))
    return Problem(X, Y, seed, ipso_path, described, data=data)


def other_seed(seed: int, k: int) -> int:
    """The k-th seed beside `seed`; 0 is `seed` itself."""
    return (abs(seed) + 1_000_003 * k) % LARGEST_SEED if k else seed


def _roles(independent: Sequence[str], dependent: Sequence[str]) -> dict[str, list[str]]:
    return {"independent": list(independent), "dependent": list(dependent)}


def from_file(
    path: str, independent: Sequence[str], dependent: Sequence[str], seed: int, ipso_path: Path | None = None
) -> Problem:
    """Columns of a user's file. Records with missing values are left out; of more than 1500 others every k-th is taken.

    Categorical predictors are coded. Raises InvalidInput where a column is missing or does not vary, or a dependent one is not
    of numbers.
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
    _require_records(table, FEWEST)
    step = -(-len(table) // MOST_RECORDS)
    incomplete = f", {len(file) - len(table)} with missing values left out" if len(table) < len(file) else ""
    described = f"{path}: {len(file)} records{incomplete}" + (f", one in {step} taken" if step > 1 else "")
    table = table.iloc[::step].reset_index(drop=True)
    opened = open_frame("crosscheck", table)
    design = coded_predictors("crosscheck", opened, Roles(independent, dependent), "refuse")
    columns = [*design.roles.independent, *dependent]
    A = checked("crosscheck", design.frame(opened), columns)
    refuse_equal("crosscheck", A.min(axis=0), A.max(axis=0), columns)
    s, t = len(columns) - len(dependent), len(dependent)
    _require_records(A, 2 + s + 2 * t)
    data = Data(Path(path).name, hashed, _roles(independent, dependent))
    return Problem(A[:, :s], A[:, s:], seed, ipso_path, described, data=data, table=table if design.terms else None)


def _require_records(records: Array | pd.DataFrame, least: int) -> None:
    if len(records) < least:
        rule = f"needs at least {least} records without a missing value in these columns"
        raise InvalidInput("crosscheck", rule, len(records))


def largest_relative_difference(a: ArrayLike, b: ArrayLike, nothing: float = 0.0) -> float:
    """The largest |a - b| over all entries, relative to the larger of the two entries.

    a, b : of one shape; along the last axis are columns, each in its own unit, and an entry below 1/1000 of its column's
    largest is measured against that 1/1000. nothing : two values no further apart than this are equal. NaN equals NaN.
    Infinite where the shapes or the missing values differ.
    """
    A, B = as_table(a), as_table(b)
    if np.shape(a) != np.shape(b) or (np.isnan(A) != np.isnan(B)).any():
        return float("inf")
    size = np.maximum(np.abs(A), np.abs(B))
    with np.errstate(invalid="ignore"):
        unequal = (A != B) & ~np.isnan(A) & ~(np.abs(A - B) <= nothing)
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
    """One row: the name of a result, the largest relative difference allowed (0: the same bits), and why that.

    nothing : in the result's own unit; two values no further apart than this are equal.
    """

    name: str
    tolerance: float
    reason: str
    nothing: float = 0.0


@dataclass(frozen=True)
class Case:
    """family : the first word of each row; python, r : the two computations, on the same data from the same seed;
    lines : what of their results is compared; scalars show themselves, arrays their mean; unfair : where there is no
    telling a fault from rounding on these data, why, and the lines are skipped; else None; moved : R's results where what
    decides them has moved by rounding, in one of several ways, 0 upwards (see judge); None where there is nothing to round;
    option : the option of the command that requests the case; empty for those that are always computed."""

    family: str
    python: Callable[[Problem], Results]
    r: Callable[[Problem], Results]
    lines: tuple[Line, ...]
    unfair: Callable[[Problem], str | None] = lambda ground: None
    moved: Callable[[Problem, int], Results] | None = None
    option: str = ""


@dataclass(frozen=True)
class Row:
    """The outcome of one line: both values (an array's mean), the largest relative difference, and the verdict.

    difference is None where the two cannot be compared; verdict is "ok", "FAIL", "FAIL: did not run" or "skipped".
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


def twin(ground: Problem, measure: str, release: str) -> reference.Twin:
    """What R's twin of `measure` says of the release in the ground's attribute `release`, "released" or "near"."""
    if (measure, release) not in ground.kept:
        ground.kept[measure, release] = MEASURES[measure](ground.Y, getattr(ground, release))
    found: reference.Twin = ground.kept[measure, release]
    return found


def nudged(ground: Problem, way: int) -> Problem:
    """The same data, and releases, each value moved by up to eight units of rounding; equal ones of a column alike.

    way : which way each goes; 0 is all of X and of the releases up and all of Y down.
    """

    def move(A: Array, side: int) -> Array:
        where = np.sin(way * 1e3 * (A - A.min(axis=0)) / np.maximum(np.ptp(A, axis=0), TINY)) if way else side
        return np.asarray(A * (1 + 8 * EPSILON * where))

    other = replace(ground, X=move(ground.X, 1), Y=move(ground.Y, -1), kept={})
    other.__dict__.update(released=move(ground.released, 1), near=move(ground.near, 1))
    return other


def by_rounding(r: Callable[[Problem], Results]) -> Callable[[Problem, int], Results]:
    """A case's `moved`: its R side on nudged data."""
    return lambda ground, way: r(nudged(ground, way))


def single(
    family: str,
    line: Line,
    python: Callable[[Problem], Any],
    r: Callable[[Problem], Any],
    unfair: Callable[[Problem], str | None] = lambda ground: None,
    *,
    moves: bool = True,
    option: str = "",
) -> Case:
    """A case of one result. python, r : its value on each side; moves : whether rounding of the data can move it."""

    def named(compute: Callable[[Problem], Any]) -> Callable[[Problem], Results]:
        return lambda ground: {line.name: compute(ground)}

    return Case(family, named(python), named(r), (line,), unfair, by_rounding(named(r)) if moves else None, option)
