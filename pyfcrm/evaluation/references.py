"""Reference releases, which do not use a record's own confidential values: what a risk measure finds in them is not caused
by the release.

One reference alone is too low: near records where X determines a column, regression draws where relations are not linear.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np

from ..engine import Engine
from ..measures.measure import Parts
from ..methods.donors import Donors, donors_near
from ..numerics.decimals import decimals
from ..numerics.design import design, projection
from ..rstream import RStream
from ..types import Array, Mask, Rows

NEIGHBOURS = 5  # records near in X, one of which gives its values
DRAWS = 3  # reference releases of each kind by which risks are measured
CHANCE_DRAWS = 20  # of each kind by which unchanged cells are counted
UNCHANGED = 1e-3  # standard deviations within which a released value is the original's
ALONE = 1e-9  # 1 - leverage below which the other records do not determine a prediction


@dataclass(frozen=True)
class Unchanged:
    """Confidential cells that a release leaves unchanged.

    records : records whose observed cells are all unchanged; columns (t,) : the share of unchanged cells of each column.
    """

    records: float
    columns: Array


@dataclass(frozen=True)
class References:
    """Reference releases of a sample of records.

    X (n, s), Y (n, t) : predictors and confidential values of the sample, NaN in Y for missing; releases : of each kind
    DRAWS releases (n, t); expected : for each kind the unchanged cells, a mean over CHANCE_DRAWS releases; measured : the
    measures of a release by key, by what they depend on, each computed at its first use.
    """

    X: Array
    Y: Array
    releases: tuple[tuple[Array, ...], ...]
    expected: tuple[Unchanged, ...]
    measured: dict[Hashable, dict[str, Parts]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, X: Array, Y: Array, stream: RStream, strata: Sequence[Rows] | None = None) -> References:
        """Both kinds of reference releases.

        X : (n, s) without missing values; strata : rows of each stratum, None for one.
        """
        groups = strata or [np.arange(len(Y))]
        models = [RegressionModel.of(X[rows], Y[rows]) for rows in groups]
        values = [np.where(np.isnan(Y[r]), model.predicted, Y[r]) for r, model in zip(groups, models, strict=True)]
        donors = [Donors(X[rows], NEIGHBOURS) if len(rows) > 1 else None for rows in groups]
        width = UNCHANGED * spread(Y)

        def near(k: int) -> Array:
            of = donors[k]
            return np.full((1, Y.shape[1]), np.nan) if of is None else values[k][of.draw(stream)]

        releases, expected = [], []
        for draw in (near, lambda k: models[k].draw(stream)):
            drawn = np.empty((CHANCE_DRAWS, *Y.shape))
            for release in drawn:
                for k, rows in enumerate(groups):
                    release[rows] = draw(k)
            counts = [count_unchanged(Y, release, width) for release in drawn]
            columns = np.mean([count.columns for count in counts], axis=0)
            expected.append(Unchanged(float(np.mean([count.records for count in counts])), columns))
            releases.append(tuple(drawn[:DRAWS].copy()))
        return cls(X, Y, tuple(releases), tuple(expected))

    @classmethod
    def shared(cls, X: Array, Y: Array, stream: RStream, strata: Sequence[Rows], known: KnownReferences) -> References:
        """As `of`; from `known` where the same sample was drawn before, and kept there."""
        digest = sha256()
        for array in (X, Y, *strata):
            digest.update(f"{array.shape}".encode() + np.ascontiguousarray(array).tobytes())
        key = digest.digest()
        if key not in known:
            known[key] = cls.of(X, Y, stream, strata)
        return known[key]


KnownReferences = dict[bytes, References]
"""References by digest of their sample, for many releases of one file."""


def near_records(X: Array, Y: Array, stream: RStream, engine: Engine | None = None) -> Array:
    """Confidential values of a record drawn among the 5 nearest in X, of records at equal distance each with equal chance.

    X : (n, s) ; Y : (n, t). Without columns in X any other record has the same chance. Returns (n, t). Draws: n uniforms.
    """
    return np.asarray(Y[donors_near("evaluate", X, NEIGHBOURS, stream, engine)])


@dataclass(frozen=True)
class RegressionModel:
    """A regression of Y on (1, X) that leaves out each record's own value.

    predicted (n, t) : leave-one-out predictions; root (t, t) : a square root of the residual covariance; digits (t,) : the
    decimals of each column, None for a column without.
    """

    predicted: Array
    root: Array
    digits: tuple[int | None, ...]

    @classmethod
    def of(cls, X: Array, Y: Array) -> RegressionModel:
        """Fitted to X (n, s) and Y (n, t); a missing value is predicted from the records that are observed."""
        predicted, E, observed = np.empty(Y.shape), np.zeros(Y.shape), ~np.isnan(Y)
        for j, y in enumerate(Y.T):
            predicted[:, j], E[:, j] = _left_out(X, y, observed[:, j])
        pairs = np.maximum(observed.T.astype(float) @ observed, 1.0)
        values, vectors = np.linalg.eigh(E.T @ E / pairs)
        digits = tuple(decimals(y[rows]) for y, rows in zip(Y.T, observed.T, strict=True))
        return cls(predicted, vectors * np.sqrt(np.maximum(values, 0.0)), digits)

    def draw(self, stream: RStream) -> Array:
        """Predictions (n, t) plus normal residuals, rounded. Draws: n t normals."""
        draw = self.predicted + stream.rnorm_matrix(*self.predicted.shape) @ self.root.T
        for j, digits in enumerate(self.digits):
            draw[:, j] = draw[:, j] if digits is None else np.round(draw[:, j], digits)
        return draw


def _left_out(X: Array, y: Array, rows: Mask) -> tuple[Array, Array]:
    """Predictions (n,) of y without each record's own value, and residuals (n,), 0 where y is missing."""
    center = y[rows].mean() if rows.any() else 0.0
    predicted, residuals = np.full(len(y), center), np.zeros(len(y))
    if rows.sum() > 1:
        D = design(X[rows])
        left = 1.0 - np.einsum("ij,ij->i", D.columns, D.columns)
        known, deviation = left > ALONE, y[rows] - center
        own = (deviation - projection(D, deviation[:, None])[:, 0]) / np.where(known, left, 1.0)
        predicted[rows] = np.where(known, y[rows] - own, center)
        residuals[rows] = np.where(known, own, 0.0)
    return predicted, residuals


def spread(Y: Array) -> Array:
    """(t,) the standard deviation of the observed values of each column."""
    observed = ~np.isnan(Y)
    many = np.maximum(observed.sum(axis=0), 1)
    mean = np.where(observed, Y, 0.0).sum(axis=0) / many
    return np.asarray(np.sqrt((np.where(observed, Y - mean, 0.0) ** 2).sum(axis=0) / np.maximum(many - 1, 1)))


def count_unchanged(Y: Array, Z: Array, width: Array) -> Unchanged:
    """The unchanged cells of a release Z (n, t) of Y (n, t). width : (t,) the largest deviation of an unchanged cell."""
    observed = ~(np.isnan(Y) | np.isnan(Z))
    same = observed & (np.abs(np.where(observed, Z - Y, 0.0)) <= width)
    whole = (same | ~observed).all(axis=1) & observed.any(axis=1)
    return Unchanged(float(whole.sum()), same.sum(axis=0) / np.maximum(observed.sum(axis=0), 1))
