"""Reference releases: random releases that do not use a record's own confidential values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...methods.donors import Donors
from ...numerics.decimals import decimals
from ...numerics.design import design, orthogonal_to
from ...numerics.unit_effects import level_indicators, unit_means
from ...rstream import RStream
from ...types import Array, Codes, Mask, Rows, Terms
from .category_model import category_model

NEIGHBOURS = 5  # records near in X, one of which gives its values
DRAWS = 3  # reference releases of each kind by which risks are measured
CHANCE_DRAWS = 20  # of each kind by which unchanged cells are counted
UNCHANGED = 1e-3  # standard deviations within which a released value is the original's
ALONE = 1e-9  # 1 - leverage below which the other records do not determine a prediction


Draw = Callable[[RStream], Array]
"""A random draw of released values (n, t)."""


@dataclass(frozen=True, kw_only=True)
class SampledRecords:
    """Original records on which releases are compared with their references."""

    X: Array
    """Predictors (n, s) as numbers, without missing values."""
    terms: Terms = ()
    """The positions in X of the columns of each category."""
    Y: Array
    """Confidential numbers (n, t), NaN for missing."""
    C: Array
    """Codes (n, q) of the categorical confidential variables, NaN for missing."""
    groups: tuple[Rows, ...]
    """The rows of each stratum."""
    unit: Codes | None = None
    """The unit of each record (n,): those of a unit count as one, and give each other no values. None without units."""
    weights: Array | None = None
    """Survey weights (n,); None without."""
    sampling_unit: Codes | None = None
    """The primary sampling unit (n,) of each record, from 0, where the release has it; None without."""
    gaps: Array | None = None
    """Indicators (n, k) of the missing confidential cells of the release, which are the record's own; None without."""

    def same_as(self, other: SampledRecords) -> bool:
        """Whether the references of other records are references of these."""
        if [list(term) for term in self.terms] != [list(term) for term in other.terms]:
            return False
        if len(self.groups) != len(other.groups):
            return False
        if not all(np.array_equal(rows, others) for rows, others in zip(self.groups, other.groups, strict=True)):
            return False
        arrays = (
            (self.X, other.X),
            (self.Y, other.Y),
            (self.C, other.C),
            (self.unit, other.unit),
            (self.weights, other.weights),
            (self.sampling_unit, other.sampling_unit),
            (self.gaps, other.gaps),
        )
        return all(_equal(a, b) for a, b in arrays)

    @property
    def units(self) -> Codes:
        """The unit of each record (n,), a unit of its own where there are none."""
        return np.arange(len(self.Y)) if self.unit is None else self.unit

    @property
    def unmodified(self) -> Array:
        """What a release shows of each record as it is (n, s + k): the predictors, and which confidential cells are missing.

        That a wage is missing tells something of the age, as do predictors: a release that follows it does not follow the record.
        """
        return self.X if self.gaps is None else np.hstack([self.X, self.gaps])

    @cached_property
    def known(self) -> Array:
        """What references know of each record (n, s + k + m): what is unmodified, and what the other records of its sampling unit tell.

        A release that draws effects of sampling units follows these, as standard errors of the design ask for, and not the record.
        """
        X = self.unmodified
        if self.sampling_unit is None:
            return X
        levels = [indicator for codes in self.C.T for _, indicator in level_indicators(codes)]
        outcomes = np.column_stack([self.Y, *levels])
        return np.hstack([X, unit_means(outcomes, X, self.sampling_unit, self.units)])


def _equal(a: Array | Codes | None, b: Array | Codes | None) -> bool:
    """Whether two arrays have the same shape and values, NaN equal to NaN; or both are None."""
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b, equal_nan=True)


@dataclass(frozen=True, kw_only=True)
class References:
    """Reference releases of some records, of two kinds: of records near in X, and of a model."""

    releases: tuple[Array, ...]
    """Confidential numbers of each kind of release (DRAWS, n, t)."""
    categories: tuple[Array, ...]
    """Codes of the categorical variables of each kind of release (CHANCE_DRAWS, n, q)."""
    expected: Array
    """Unchanged records and cells (kinds, 1 + t + q), see count_unchanged: means over CHANCE_DRAWS releases."""

    @classmethod
    def of(cls, records: SampledRecords, stream: RStream) -> References:
        """Both kinds of reference releases; the model of categories is trees.

        Draws: all releases of near records, then all of the model; in each release by strata, then the categories.
        """
        X = records.known
        Y = records.Y
        C = records.C
        units = records.units
        near: list[Draw] = []
        model: list[Draw] = []
        for rows in records.groups:
            predicted, draw = regression_model(X[rows], Y[rows])
            filled = np.where(np.isnan(Y[rows]), predicted, Y[rows])
            near.append(near_records(X[rows], np.hstack([filled, C[rows]]), records.terms, units[rows]))
            model.append(draw)
        drawn = (
            _drawn(records, near, None, stream),
            _drawn(records, model, category_model(X, C, units), stream),
        )
        t = Y.shape[1]
        return cls(
            releases=tuple(kind[:DRAWS, :, :t].copy() for kind in drawn),
            categories=tuple(kind[:, :, t:].copy() for kind in drawn),
            expected=np.array([_expected_unchanged(records, kind) for kind in drawn]),
        )


def _drawn(records: SampledRecords, draws: Sequence[Draw], draw_categories: Draw | None, stream: RStream) -> Array:
    """Releases (CHANCE_DRAWS, n, t + q) by one draw for each stratum, numbers then categories.

    draw_categories : of all records; None where the draws of the strata have the categories too.
    """
    t = records.Y.shape[1]
    releases = np.empty((CHANCE_DRAWS, len(records.Y), t + records.C.shape[1]))
    for release in releases:
        for rows, draw in zip(records.groups, draws, strict=True):
            values = draw(stream)
            release[rows, : values.shape[1]] = values
        if draw_categories is not None:
            release[:, t:] = draw_categories(stream)
    return releases


def _expected_unchanged(records: SampledRecords, releases: Array) -> Array:
    """Means (1 + t + q,) over releases (k, n, t + q) of the counts of unchanged records and cells."""
    original = np.hstack([records.Y, records.C])
    width = np.append(UNCHANGED * spread(records.Y), np.zeros(records.C.shape[1]))  # codes must be equal
    counts = []
    for release in releases:
        columns = zip(original.T, release.T, width, strict=True)
        counts.append(count_unchanged(columns, records.unit))
    return np.asarray(np.mean(counts, axis=0))


def near_records(X: Array, Y: Array, terms: Terms, unit: Codes) -> Draw:
    """Draws of Y (n, t) of records of other units (n,) among the nearest in X (n, s); NaN if all are of one unit.

    At least 5 of the nearest are of other units; of records at equal distance each has the same chance.
    """
    if (unit == unit[0]).all():
        return lambda stream: np.full(Y.shape, np.nan)
    donors = Donors(X, NEIGHBOURS + int(np.bincount(unit).max()) - 1, terms)

    def draw(stream: RStream) -> Array:
        """A release (n, t): values of records of other units; records with a donor of their own unit draw again."""
        chosen = donors.draw(stream)
        own = unit[chosen] == unit
        while own.any():
            chosen[own] = donors.draw(stream)[own]
            own = unit[chosen] == unit
        return Y[chosen]

    return draw


def regression_model(X: Array, Y: Array) -> tuple[Array, Draw]:
    """Predictions (n, t) of Y by (1, X) that leave out each record's own value, and draws: these plus normal residuals, rounded.

    A missing value is predicted from the records that are observed. A draw takes n t normals.
    """
    observed = ~np.isnan(Y)
    predicted = np.empty(Y.shape)
    E = np.zeros(Y.shape)  # residuals, 0 where Y is missing
    for j, y in enumerate(Y.T):
        predicted[:, j], E[:, j] = _left_out(X, y, observed[:, j])

    # The covariance of two columns is of the records that have both. With V diag(d) V' its decomposition and negative d as
    # 0, normals times (V diag(d)^1/2)' have this covariance.
    pairs = np.maximum(observed.T.astype(float) @ observed, 1.0)
    values, vectors = np.linalg.eigh(E.T @ E / pairs)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    digits = [decimals(y[rows]) for y, rows in zip(Y.T, observed.T, strict=True)]

    def draw(stream: RStream) -> Array:
        """A release (n, t): predictions and residuals, rounded as the observed values of each column are."""
        release = predicted + stream.rnorm_matrix(*Y.shape) @ root.T
        for j, places in enumerate(digits):
            if places is not None:
                release[:, j] = np.round(release[:, j], places)
        return release

    return predicted, draw


def _left_out(X: Array, y: Array, rows: Mask) -> tuple[Array, Array]:
    """Predictions (n,) of y without each record's own value, and residuals (n,), 0 where y is missing.

    rows : (n,), where y is observed. The residual of a regression without record i is e_i / (1 - h_i), h_i the leverage:
    Cook and Weisberg (1982), Residuals and Influence in Regression. A record that alone determines its prediction has the
    mean.
    """
    center = y[rows].mean() if rows.any() else 0.0
    predicted = np.full(len(y), center)
    residuals = np.zeros(len(y))
    if rows.sum() > 1:
        D = design(X[rows])
        one_less_leverage = 1.0 - np.einsum("ij,ij->i", D.columns, D.columns)
        determined = one_less_leverage > ALONE
        deviation = y[rows] - center
        left_out = orthogonal_to(D, deviation[:, None])[:, 0] / np.where(determined, one_less_leverage, 1.0)
        predicted[rows] = np.where(determined, y[rows] - left_out, center)
        residuals[rows] = np.where(determined, left_out, 0.0)
    return predicted, residuals


def spread(Y: Array) -> Array:
    """Standard deviations (t,) of the observed values of the columns of Y (n, t) or (n,); 0 of fewer than two values."""
    import pandas as pd

    return np.nan_to_num(pd.DataFrame(Y).std().to_numpy())


def count_unchanged(columns: Iterable[tuple[Array, Array, float]], unit: Codes | None = None) -> Array:
    """The number of records whose observed cells are all unchanged, then the share of unchanged cells by column: (1 + t,).

    columns : originals (n,), released values, and the largest deviation of an unchanged cell; unit (n,) : units are counted
    in place of records, those that have such a record.
    """
    has_changed_cell = np.array(False)
    has_observed_cell = np.array(False)
    shares = []
    for y, z, width in columns:
        observed = ~(np.isnan(y) | np.isnan(z))
        unchanged = observed & (np.abs(z - y) <= width)
        shares.append(unchanged.sum() / max(observed.sum(), 1))
        has_changed_cell = has_changed_cell | (observed & ~unchanged)
        has_observed_cell = has_observed_cell | observed
    records = np.flatnonzero(has_observed_cell & ~has_changed_cell)
    count = len(records) if unit is None else len(np.unique(unit[records]))
    return np.array([count, *shares])
