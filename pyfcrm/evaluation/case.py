"""A release to be examined: both files, what is known of how it was made, and a sample of records for the dear tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..constraints import Constraint
from ..data import Frame, Roles, is_numeric, paired_rows
from ..data.pairs import Knowledge
from ..data.records import Records
from ..data.strata import Numbering, Strata
from ..methods import Method
from ..rstream import RStream
from ..types import Array, Codes, Rows
from .references import KnownReferences, References

if TYPE_CHECKING:
    from .audit_result import Audit

SAMPLE = 5_000  # records by which risk, linkage and references are measured
MANY_LEVELS = 20  # levels of a categorical predictor beyond which it explains nothing here


@dataclass(frozen=True)
class Case:
    """One release beside its original.

    original, released : opened frames; confidential : the confidential variables that the release has; independent : the
    unmodified predictors; roles, method : None where they are not known; seed : what the release started from, None where
    it is not known; strata, preserve, weights, constraints : with which it was made, options : further arguments of
    protect(); audit : None without one; weighted : whether shares are weighted; in_order : whether records of both files
    stand in the same order.
    """

    original: Frame
    released: Frame
    confidential: tuple[str, ...]
    independent: tuple[str, ...] = ()
    roles: Roles | None = None
    method: Method | None = None
    seed: int | RStream | None = None
    strata: tuple[str, ...] = ()
    preserve: tuple[str, ...] = ()
    weights: str | None = None
    constraints: tuple[Constraint, ...] = ()
    audit: Audit | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    weighted: bool = False
    in_order: bool = True

    @property
    def masks(self) -> str:
        """How the method treats confidential values; an unknown method counts as "values"."""
        return "values" if self.method is None else self.method.masks

    @cached_property
    def rows(self) -> tuple[Rows, Rows] | None:
        """Rows of the original and of the release that belong together; None where records do not pair."""
        pairs = "always" if self.method is None else self.method.pairs
        if not self.in_order or pairs == "never" or (pairs == "by columns" and not self.independent):
            return None
        return paired_rows(self.original, self.released)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The confidential variables that are numbers in both files."""
        both = (self.original, self.released)
        return tuple(name for name in self.confidential if all(is_numeric(frame, name) for frame in both))

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The other confidential variables."""
        return tuple(name for name in self.confidential if name not in self.numbers)

    def columns(self, names: Sequence[str]) -> Iterator[tuple[str, Array, Array]]:
        """Numeric columns (n,) of the records that pair, a column at a time: name, original and released values."""
        assert self.rows is not None
        for name in names:
            yield name, self.original.values(name)[self.rows[0]], self.released.values(name)[self.rows[1]]

    @cached_property
    def strata_codes(self) -> Codes | None:
        """(n,) the stratum of each record that pairs, None without strata."""
        if not self.strata or self.rows is None:
            return None
        return Numbering("evaluate, original", self.strata, "drop").codes(self.original)[self.rows[0]]


@dataclass(frozen=True)
class Sample:
    """At most SAMPLE records that pair, in proportion to strata.

    references : of them; Z (n, t) : their released values; groups : the rows of each stratum; weights (n,) : survey
    weights; knowledge : of an intruder who knows the method; total : how many records pair.
    """

    references: References
    Z: Array
    groups: tuple[Rows, ...]
    weights: Array | None
    knowledge: Knowledge | None
    total: int

    @classmethod
    def of(cls, case: Case, stream: RStream, known: KnownReferences | None = None) -> Sample | None:
        """The sample of a case; None where records do not pair, or no confidential variable is a number.

        known : references of other releases of the same file.
        """
        if case.rows is None or not case.numbers or len(case.rows[0]) < 2:
            return None
        total = len(case.rows[0])
        chosen = _chosen(total, case.strata_codes, stream)
        old, new = case.rows[0][chosen], case.rows[1][chosen]
        Y, Z = _matrix(case.original, case.numbers, old), _matrix(case.released, case.numbers, new)
        codes = np.zeros(len(chosen), np.int64) if case.strata_codes is None else case.strata_codes[chosen]
        groups = Strata.of((), codes).rows
        X = predictors(case.original, case.independent, old)
        weights = None if case.weights is None or not case.weighted else case.original.values(case.weights)[old]
        references = References.shared(X, Y, stream, groups, {} if known is None else known)
        return cls(references, Z, groups, weights, _knowledge(case, old), total)


def _chosen(n: int, strata: Codes | None, stream: RStream) -> Rows:
    """Places of at most SAMPLE of n records, ascending: a systematic sample of a random order within strata."""
    if n <= SAMPLE:
        return np.arange(n)
    order = stream.sample_int(n, n) - 1
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    return np.sort(order[((np.arange(SAMPLE) + 0.5) * n / SAMPLE).astype(np.intp)])


def _matrix(frame: Frame, names: Sequence[str], rows: Rows) -> Array:
    """(n, p) numeric columns at some rows, NaN for missing."""
    return np.column_stack([frame.values(name)[rows] for name in names]) if names else np.empty((len(rows), 0))


def predictors(frame: Frame, names: Sequence[str], rows: Rows) -> Array:
    """(n, s) predictors as numbers without gaps: a gap is the column's mean; a category has a 0/1 column for each level."""
    columns = []
    for name in names:
        if is_numeric(frame, name):
            values = frame.values(name)[rows]
            known = np.isfinite(values)
            columns.append(np.where(known, values, values[known].mean() if known.any() else 0.0))
            continue
        codes = frame.codes(name)[rows]
        levels = np.unique(codes)
        if len(levels) <= MANY_LEVELS:
            columns += [(codes == level).astype(float) for level in levels]
    return np.column_stack(columns) if columns else np.empty((len(rows), 0))


def _knowledge(case: Case, rows: Rows) -> Knowledge | None:
    """What an intruder has who knows the method; None where it is not known."""
    if case.method is None:
        return None
    given = [name for name in case.independent if is_numeric(case.original, name)]
    attacks = case.method.bound(given, case.numbers).attacks
    return Knowledge(attacks, Records(predictors(case.original, given, rows)))
