"""What predictors explain: a flexible regression on them, and blocks of records that are near in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from ...methods.relations import relations_of
from ...numerics.design import design
from ...numerics.location import standardise
from ...numerics.sorting import normal_scores
from ...rstream import RStream
from ...types import Array, Codes, Mask, Rows
from .attacks import occurrences

BLOCK = 12  # records of a block at most; 6 at least, where there are as many
PER_REGRESSOR = 4  # records for each regressor of the regression
PER_REGRESSOR_MOVED = 12  # records for each regressor where values are moved
REGRESSORS = 300  # at most
STEPS = (0.25, 0.5, 0.75)  # quantiles at which the regression may jump
WIDTHS = (0.2, 0.4, 0.8)  # of the kernels, in median distances
COMMON = 0.01  # share of the records above which a value is a point mass
NEARLY = 0.25  # of the spread of values for given predictors: closer to what these say, a value is determined by them
HUBER_STEPS = 20
FAR = 2.0  # median residuals beyond which a residual counts less
PEAK = 0.35  # share of an attribute's values that are so near, from which they do not count; 0.2 where they are normal
PLANES = 2  # one after the other, on the values that the first does not predict
FITTED = 2_000  # records of a regression that finds a plane, about


@dataclass(frozen=True)
class Conditional:
    """A flexible regression on the predictors, and blocks of records that are near in them."""

    basis: Array
    """(n, p) orthonormal columns of the regression."""
    moving: Array
    """(n, q) those of a regression with fewer regressors, by which values are moved: its errors make moved values less close."""
    block: Codes
    """(n,) the block of each record, in ascending order."""
    unit: Codes
    """(n,) the unit of each record; records of a unit move together."""
    X: Array
    """(n, s) the predictors."""

    @classmethod
    def of(
        cls, X: Array, stream: RStream, stratum: Codes | None = None, unit: Codes | None = None
    ) -> tuple[Rows, Conditional]:
        """The regression on predictors X (n, s) without gaps, and the order of the records in it.

        stratum (n,) : None for one; unit (n,) : codes from 0, None where each record is a unit. Draws: a permutation of the
        units.
        """
        n = len(X)
        S = normal_scores(X)
        if unit is None:
            unit = np.arange(n)
        if stratum is None:
            stratum = np.zeros(n, dtype=np.int64)
        units_in_random_order = stream.sample_int(int(unit.max()) + 1) - 1
        block, shuffled = _blocks(S, stratum, unit, units_in_random_order)
        order = np.argsort(block, kind="stable")
        basis = _basis(X, S, shuffled, min(REGRESSORS, n // PER_REGRESSOR))
        moving = _basis(X, S, shuffled, min(REGRESSORS, n // PER_REGRESSOR_MOVED))
        fitted = cls(basis=basis[order], moving=moving[order], block=block[order], unit=unit[order], X=X[order])
        return order, fitted

    def residuals(self, A: Array, basis: Array | None = None) -> Array:
        """Residuals (n, k) of A on the regression and the means of the blocks; 0 for missing values."""
        if basis is None:
            basis = self.basis
        known = ~np.isnan(A)
        means = np.where(known, A, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        left = np.nan_to_num(A - means)
        left = left - basis @ (basis.T @ left)
        sizes = np.maximum(np.bincount(self.block), 1)
        sums = np.column_stack([np.bincount(self.block, column) for column in left.T])
        block_means = sums / sizes[:, None]
        return np.where(known, left - block_means[self.block], 0.0)

    def typical(self, S: Array) -> Array:
        """(n, k) what the regression makes of S (n, k) where far residuals count less. Source: Huber's modified residuals (1977)."""
        S = np.nan_to_num(S)
        left = self.residuals(S, self.moving)
        for _ in range(HUBER_STEPS):
            limit = FAR * np.median(np.abs(left), axis=0)
            fitted = S - left
            near = fitted + np.clip(left, -limit, limit)
            left = S - near + self.residuals(near, self.moving)
        return np.asarray(S - left)

    def determined(self, A: Array, S: Array) -> Mask:
        """(n, t) whether a value of A is a point mass, or nearly determined by the record's predictors.

        Then it equals one of them, or a regression on them, as do many values of the attribute. S (n, t) : normal scores of A.
        """
        width = NEARLY * widths(A, self.residuals(S))
        found = np.column_stack([~rare(a) for a in A.T])
        for j, a in enumerate(A.T):
            self._mark_determined(a, width[:, j], found[:, j])
        return found

    def _mark_determined(self, a: Array, width: Array, found: Mask) -> None:
        """Adds to `found` (n,) the values a (n,) that are within `width` (n,) of a predictor, or of a regression, as are many."""
        known = ~np.isnan(a)
        predictors = self.X.shape[1]
        for k in range(predictors + PLANES):
            rows = np.flatnonzero(known & ~found)
            if len(rows) < BLOCK:
                return
            if k < predictors:
                left = a - self.X[:, k]
            else:
                some = rows[:: 1 + len(rows) // FITTED]
                relation = relations_of(self.X[some], a[some, None], explained=-np.inf)
                left = relation.residuals(self.X, a[:, None])[:, 0]
            near = np.abs(left) <= width
            if near[rows].mean() >= PEAK:
                found |= near

    def covariances(self, A: Array, B: Array, places: Rows) -> Array:
        """(1 + k, q) sums of products of residuals of A and B (n, q), B permuted by places (1 + k, n)."""
        left = self.residuals(A)
        other = self.residuals(B)
        sums = np.array([np.einsum("ij,ij->j", left, other[row]) for row in places])
        n, regressors = self.basis.shape
        # Permuted residuals are not orthogonal to the regressors: their products have a smaller sd.
        sums[1:] *= np.sqrt(1.0 / (1.0 - regressors / n))
        return sums

    def permutations(self, k: int, stream: RStream) -> Rows:
        """(1 + k, n) places: as they are, then k permutations within blocks. Draws: k uniforms for each unit."""
        units = int(self.unit.max()) + 1
        permuted = (np.lexsort((stream.runif(units)[self.unit], self.block)) for _ in range(k))
        return np.array([np.arange(len(self.block)), *permuted])


def widths(Y: Array, left: Array) -> Array:
    """(n, t) how far values spread that one has for given predictors: by as much as the residuals `left` of its scores."""
    result = np.zeros(Y.shape)
    for j, (y, residuals) in enumerate(zip(Y.T, left.T, strict=True)):
        known = ~np.isnan(y)
        if not known.any():
            continue
        values = np.sort(y[known])
        half = float(np.sqrt(np.mean(residuals[known] ** 2)))
        score = ndtri((np.searchsorted(values, y[known]) + 0.5) / len(values))
        low = np.quantile(values, ndtr(score - half))
        high = np.quantile(values, ndtr(score + half))
        result[known, j] = (high - low) / 2
    return result


def rare(y: Array) -> Mask:
    """(n,) whether a value is neither missing nor a point mass."""
    frequent = occurrences(y, y) > max(2.0, COMMON * len(y))
    return np.asarray(~frequent & ~np.isnan(y))


def _basis(X: Array, S: Array, shuffled: Rows, most: int) -> Array:
    """(n, q) at most `most` orthonormal columns of a regression on predictors X (n, s).

    The predictors, their scores S, steps, products, and kernels around the first shuffled records.
    """
    steps = [(np.quantile(S, part, axis=0) < S).astype(float) for part in STEPS]
    products = [S[:, [j]] * S[:, j:] for j in range(S.shape[1])]
    A = np.hstack([standardise(X), S, *steps, *products])
    room = (most - A.shape[1]) // len(WIDTHS)
    if S.shape[1] and room > 0:
        squares = ((S[:, None] - S[shuffled[:room]]) ** 2).sum(axis=2)
        scale = max(float(np.median(squares)), 1e-12)
        kernels = [np.exp(-squares / (2 * scale * width**2)) for width in WIDTHS]
        A = np.hstack([A, *kernels])
    return design(A[:, :most]).columns


def _blocks(S: Array, stratum: Codes, unit: Codes, order: Rows) -> tuple[Codes, Rows]:
    """(n,) the block of each record, and the records in the random order of their units.

    A block has units of one stratum and one size, near in the means of S (n, s): the records at one place in them.
    """
    import pandas as pd

    size = np.bincount(unit)
    first = np.unique(unit, return_index=True)[1]
    place = pd.Series(unit).groupby(unit).cumcount().to_numpy()
    none = np.empty((len(size), 0))
    means = np.column_stack([none, *(np.bincount(unit, column) / size for column in S.T)])
    kinds = np.column_stack([stratum[first], size])
    kind = np.unique(kinds, axis=0, return_inverse=True)[1][order]
    blocks = [block for k in range(kind.max() + 1) for block in _halved(order[kind == k], means)]
    block = np.empty(len(size), dtype=np.int64)
    for number, units in enumerate(blocks):
        block[units] = number
    return block[unit] * int(size.max()) + place, first[order]


def _halved(rows: Rows, S: Array) -> list[Rows]:
    """Rows in blocks of at most BLOCK: halved along the column of S that varies most among them."""
    if len(rows) <= BLOCK:
        return [rows]
    if S.shape[1]:
        widest = int(np.argmax(S[rows].std(axis=0)))
        rows = rows[np.argsort(S[rows, widest], kind="stable")]
    half = len(rows) // 2
    return _halved(rows[:half], S) + _halved(rows[half:], S)
