"""What a cross-check is: one computation done on both sides, the file and seed that both work on, the lines in which
their results are compared, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfcrm.errors import InvalidInput, PyfcrmError
from pyfcrm.methods import FCRM, IPSO
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..to_r import reference
from ..to_r.session import REnded, RUnavailable

INDEPENDENT = ("AGI", "POTHVAL", "PEARNVAL")
DEPENDENT = ("EMCONTRB", "FEDTAX", "STATETAX", "FICA")
RECORDS = 200
MOST_RECORDS = 1500  # the R twins compare every pair
# An entry this much smaller than the largest of its column is measured against that: it is a difference of larger ones.
SMALL = 1e-3
UNDECIDED = 1e-6  # a bound above it would let a fault through
WAYS, SAFETY = 4, 10  # in which the data are moved; on the largest movement seen
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
REFUSED = "not decided: where these data move by their last digits R itself refuses them, as columns that determine each other"
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
    where the data come from, what was computed once for several rows (see twin), and the data's identity."""

    X: Array
    Y: Array
    seed: int
    ipso_path: Path | None
    described: str
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)
    data: Data | None = None

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


def embedded(seed: int, ipso_path: Path | None = None) -> Problem:
    """The file simulated here: 200 records, three independent and four dependent columns."""
    from pyfcrm.datasets import census_like

    frame = census_like(n=RECORDS, seed=seed)
    X, Y = (frame[list(names)].to_numpy(dtype=np.float64) for names in (INDEPENDENT, DEPENDENT))
    described = f"{RECORDS} records simulated here, like the Census file, from seed {seed}"
    values = np.asfortranarray(np.column_stack([X, Y]), dtype="<f8").tobytes(order="F")
    data = Data("simulated", sha256(values).hexdigest(), _roles(INDEPENDENT, DEPENDENT))
    return Problem(X, Y, seed, ipso_path, described, data=data)


def _roles(independent: Sequence[str], dependent: Sequence[str]) -> dict[str, list[str]]:
    return {"independent": list(independent), "dependent": list(dependent)}


def from_file(
    path: str, independent: Sequence[str], dependent: Sequence[str], seed: int, ipso_path: Path | None = None
) -> Problem:
    """Columns of a user's file. Of more than 1500 records every k-th is taken.

    Raises InvalidInput where a column is missing, is not of numbers, has missing values or does not vary.
    """
    from pyfcrm.data import checked, complete_records, open_frame
    from pyfcrm.data.check import refuse_equal
    from pyfcrm.files import read_table
    from pyfcrm.files.manifest import digest

    columns = [*independent, *dependent]
    if not independent or not dependent:
        raise InvalidInput(
            "crosscheck", "a file needs both --independent and --dependent columns", columns or "neither"
        )
    if len(set(columns)) < len(columns):
        raise InvalidInput("crosscheck", "a column is either independent or dependent, once", ", ".join(columns))
    hashed = digest(path)
    A = checked("crosscheck", open_frame("crosscheck", read_table(path).frame), columns)
    complete_records("crosscheck", A, columns, "refuse")
    step = -(-len(A) // MOST_RECORDS)
    described = f"{path}: {len(A)} records" + (f", one in {step} taken" if step > 1 else "")
    A = A[::step]
    refuse_equal("crosscheck", A.min(axis=0), A.max(axis=0), columns)
    s, t = len(independent), len(dependent)
    least = max(20, 2 + s + 2 * t)
    if len(A) < least:
        raise InvalidInput("crosscheck", f"needs at least {least} records for these columns", len(A))
    data = Data(Path(path).name, hashed, _roles(independent, dependent))
    return Problem(A[:, :s], A[:, s:], seed, ipso_path, described, data=data)


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
    decides them has moved by rounding, in one of several ways, 0 upwards (see judge); None where there is nothing to round."""

    family: str
    python: Callable[[Problem], Results]
    r: Callable[[Problem], Results]
    lines: tuple[Line, ...]
    unfair: Callable[[Problem], str | None] = lambda ground: None
    moved: Callable[[Problem, int], Results] | None = None


@dataclass(frozen=True)
class Row:
    """The outcome of one line: both values (an array's mean), the largest relative difference, and the verdict.

    difference is None where the two cannot be compared; verdict is "ok", "FAIL" or "skipped".
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


def judge(case: Case, ground: Problem) -> list[Row]:
    """One row a line. Where R does not cover the data a row is skipped, with R's reason; where only Python fails, FAIL.

    A difference above the line's tolerance is measured against a bound: ten times what R's own result moves by when the
    data move by their last digits. Where that is above 1e-6 four movements say little of the largest: what holds within ten
    times the bound is not decided, and skipped.
    """
    unfair = case.unfair(ground)
    if unfair is not None:
        return [_unjudged(case, line, "skipped", unfair) for line in case.lines]
    python, refused = _attempt(case.python, ground)
    r, uncovered = _attempt(case.r, ground)
    if uncovered is not None:
        return [_unjudged(case, line, "skipped", f"R does not cover this: {uncovered}") for line in case.lines]
    if refused is not None:
        return [_unjudged(case, line, "FAIL", f"Python refused what R computed: {refused}") for line in case.lines]
    rows = [_compared(case, line, python[line.name], r[line.name]) for line in case.lines]
    if case.moved is None or all(row.verdict == "ok" for row in rows):
        return rows
    others: list[Results] = []
    judged = rows
    for way in range(WAYS):
        others.append(_attempt(case.moved, ground, way)[0])
        judged = [_bounded(row, line, r, others) for row, line in zip(rows, case.lines, strict=True)]
        if all(now is row or now.verdict == "skipped" for row, now in zip(rows, judged, strict=True)):
            break  # further ways would only widen the bounds
    return judged


def _bounded(row: Row, line: Line, r: Results, others: Sequence[Results]) -> Row:
    """The row, or where it failed what a bound from the data's own condition makes of it.

    others : what R gives where the data move, empty where it refuses them.
    """
    if row.verdict == "ok" or line.tolerance == 0:
        return row
    nothing = line.nothing / SAFETY  # so that what moves by less cannot differ by more than nothing
    moves = max(
        (largest_relative_difference(r[line.name], moved[line.name], nothing) for moved in others if moved), default=0.0
    )
    if not all(others) and row.difference is not None:
        return replace(row, reason=REFUSED, verdict="skipped")
    bound = max(SAFETY * moves, line.tolerance)
    if bound > UNDECIDED:
        bound *= SAFETY
    held = row.difference is not None and row.difference <= bound
    if held and bound > UNDECIDED:
        reason = f"not decided: these data leave R's own value open by {moves:.1g}, too much for a fault to be seen"
        return replace(row, tolerance=bound, reason=reason, verdict="skipped")
    reason = (
        f"{line.reason}; ten times what R's own value moves by, {moves:.1g}, where its data move by their last digits"
    )
    return replace(row, tolerance=bound, reason=reason, verdict="ok" if held else "FAIL")


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
    moves: bool = True,
) -> Case:
    """A case of one result. python, r : its value on each side; moves : whether rounding of the data can move it."""

    def named(compute: Callable[[Problem], Any]) -> Callable[[Problem], Results]:
        return lambda ground: {line.name: compute(ground)}

    return Case(family, named(python), named(r), (line,), unfair, by_rounding(named(r)) if moves else None)


def _attempt(compute: Callable[..., Results], *arguments: Any) -> tuple[Results, str | None]:
    try:
        return compute(*arguments), None
    except (RUnavailable, REnded):  # no answer is not an answer
        raise
    except (PyfcrmError, ArithmeticError, np.linalg.LinAlgError) as error:
        return {}, " ".join(str(error).split())


def _compared(case: Case, line: Line, python: Any, r: Any) -> Row:
    difference = largest_relative_difference(python, r, line.nothing)
    held = same_bits(python, r) if line.tolerance == 0 else difference <= line.tolerance
    return Row(
        f"{case.family}: {line.name}", _shown(python), _shown(r), difference if np.isfinite(difference) else None,
        line.tolerance, line.reason, "ok" if held else "FAIL",
    )  # fmt: skip


def _unjudged(case: Case, line: Line, verdict: str, reason: str) -> Row:
    return Row(f"{case.family}: {line.name}", None, None, None, line.tolerance, reason, verdict)


def _shown(value: Any) -> float | None:
    values = np.asarray(value, dtype=np.float64)
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else None
