"""What predictors explain: a flexible regression on them, and blocks of records that are near in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
PER_LEVEL = 10  # records for each value of a predictor, from which its values are levels
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
ROUNDING = 1e-12  # of a column's largest deviation from its mean: smaller residuals are errors of rounding
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

    codes: Array
    """(n, c) codes of predictors with many categories, which X does not have."""

    @classmethod
    def of(
        cls,
        X: Array,
        stream: RStream,
        *,
        codes: Array | None = None,
        stratum: Codes | None = None,
        unit: Codes | None = None,
    ) -> tuple[Rows, Conditional]:
        """The regression on predictors X (n, s) without gaps, and the order of the records in it.

        codes (n, c) : of predictors with many categories, None for none; stratum (n,) : None for one; unit (n,) : codes from 0,
        None where each record is a unit. Draws: a permutation of the units.
        """
        n = len(X)
        S = normal_scores(X)
        if codes is None:
            codes = np.empty((n, 0))
        if unit is None:
            unit = np.arange(n)
        if stratum is None:
            stratum = np.zeros(n, dtype=np.int64)
        units_in_random_order = stream.sample_int(int(unit.max()) + 1) - 1
        block, shuffled = _blocks(S, stratum, unit, units_in_random_order)
        order = np.argsort(block, kind="stable")
        levels = _levels(np.hstack([X, codes]))
        most = min(REGRESSORS, n // PER_REGRESSOR)
        basis = _basis(X, S, levels, shuffled, most)
        moving = _basis(X, S, levels, shuffled, min(REGRESSORS, n // PER_REGRESSOR_MOVED))
        fitted = cls(
            basis=basis[order],
            moving=moving[order],
            block=block[order],
            unit=unit[order],
            X=X[order],
            codes=codes[order],
        )
        return order, fitted

    def additive(self) -> Conditional:
        """The same blocks with an additive regression, which trees complete."""
        n = len(self.X)
        S = normal_scores(self.X)
        levels = _levels(np.hstack([self.X, self.codes]))
        basis = _additive_basis(self.X, S, levels, min(REGRESSORS, n // PER_REGRESSOR))
        moving = _additive_basis(self.X, S, levels, min(REGRESSORS, n // PER_REGRESSOR_MOVED))
        return replace(self, basis=basis, moving=moving)

    def residuals(self, A: Array, basis: Array | None = None) -> Array:
        """Residuals (n, k) of A on the regression and the means of the blocks; 0 for missing values."""
        if basis is None:
            basis = self.basis
        known = ~np.isnan(A)
        means = np.where(known, A, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        left = np.nan_to_num(A - means)
        largest = np.abs(left).max(axis=0, initial=0.0)
        left = left - basis @ (basis.T @ left)
        sizes = np.maximum(np.bincount(self.block), 1)
        sums = np.column_stack([np.bincount(self.block, column) for column in left.T])
        left -= (sums / sizes[:, None])[self.block]
        # A level that one record has varies in one block: elsewhere products of residuals would be statistics of rounding.
        is_zero = np.abs(left) <= ROUNDING * largest
        return np.where(known & ~is_zero, left, 0.0)

    def typical(self, S: Array) -> Array:
        """Fitted values (n, k) of S (n, k) by the regression, in which far residuals count less.

        Each step replaces S by its fitted values and residuals that are cut off at FAR of their median, and fits again.
        Source: Huber (1977), modified residuals.
        """
        S = np.nan_to_num(S)
        left = self.residuals(S, self.moving)
        for _ in range(HUBER_STEPS):
            limit = FAR * np.median(np.abs(left), axis=0)
            fitted = S - left
            modified = fitted + np.clip(left, -limit, limit)
            fitted_again = modified - self.residuals(modified, self.moving)
            left = S - fitted_again
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
            else:  # a plane through most of the values that are not marked yet
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
        sums[1:] *= self._shrinkage
        return sums

    def cross_products(self, left: Array, other: Array, places: Rows) -> Array:
        """(1 + k, a, b) sums of products of residuals `left` (n, a) and `other` (n, b), these permuted by places (1 + k, n)."""
        sums = np.array([left.T @ other[row] for row in places])
        sums[1:] *= self._shrinkage
        return sums

    @property
    def _shrinkage(self) -> float:
        """Ratio of the sd of products without permutation to that with: permuted residuals are not orthogonal to the regressors.

        Residuals of q regressors have n - q dimensions; those of a permuted column have n: sqrt(1 / (1 - q / n)).
        """
        n, regressors = self.basis.shape
        return float(np.sqrt(1.0 / (1.0 - regressors / n)))

    def permutations(self, k: int, stream: RStream) -> Rows:
        """(1 + k, n) places: as they are, then k permutations within blocks. Draws: k uniforms for each unit."""
        units = int(self.unit.max()) + 1
        places = [np.arange(len(self.block))]
        for _ in range(k):
            # Blocks in their order, the records of a block by the uniform of their unit.
            of_unit = stream.runif(units)
            places.append(np.lexsort((of_unit[self.unit], self.block)))
        return np.array(places)


def widths(Y: Array, left: Array) -> Array:
    """(n, t) half the spread of the values of Y (n, t) for given predictors: where `left` are the residuals of its scores.

    With s the root mean square of the residuals, and z the score of a value, from the quantile of z - s to that of z + s.
    """
    result = np.zeros(Y.shape)
    for j, (y, residuals) in enumerate(zip(Y.T, left.T, strict=True)):
        known = ~np.isnan(y)
        if not known.any():
            continue
        values = np.sort(y[known])
        s = float(np.sqrt(np.mean(residuals[known] ** 2)))
        score = ndtri((np.searchsorted(values, y[known]) + 0.5) / len(values))
        low = np.quantile(values, ndtr(score - s))
        high = np.quantile(values, ndtr(score + s))
        result[known, j] = (high - low) / 2
    return result


def rare(y: Array) -> Mask:
    """(n,) whether a value is neither missing nor a point mass."""
    frequent = occurrences(y, y) > max(2.0, COMMON * len(y))
    return np.asarray(~frequent & ~np.isnan(y))


def _basis(X: Array, S: Array, levels: Sequence[Array], shuffled: Rows, most: int) -> Array:
    """(n, q) at most `most` orthonormal columns of a regression on predictors X (n, s).

    After the first columns: steps, products of the scores S (n, s), and kernels around the first shuffled records.
    levels : 0/1 columns (n, l) of each predictor of few values.
    """
    A = _first_columns(X, S, levels, most)
    steps = [(np.quantile(S, part, axis=0) < S).astype(float) for part in STEPS]
    A = np.hstack([A, *steps, _products(S)])
    room = (most - A.shape[1]) // len(WIDTHS)
    if S.shape[1] and room > 0:
        squares = ((S[:, None] - S[shuffled[:room]]) ** 2).sum(axis=2)
        scale = max(float(np.median(squares)), 1e-12)
        kernels = [np.exp(-squares / (2 * scale * width**2)) for width in WIDTHS]
        A = np.hstack([A, *kernels])
    return design(A[:, :most]).columns


def _magnitudes(X: Array) -> tuple[Array, Array]:
    """Normal scores (n, s) of |x| for predictors X (n, s), and log |x| (n, s), standardised.

    A predictor of one sign counts from its median for the scores. The log of 0 is that of the smallest other magnitude.
    """
    one_sign = (X.min(axis=0, initial=0.0) >= 0) | (X.max(axis=0, initial=0.0) <= 0)
    center = np.where(one_sign, np.median(X, axis=0), 0.0)
    size = np.abs(X)
    smallest = np.min(np.where(size > 0, size, np.inf), axis=0, initial=np.inf)
    floor = np.where(np.isfinite(smallest), smallest, 1.0)
    return normal_scores(np.abs(X - center)), standardise(np.log(np.maximum(size, floor)))


def few_values(P: Array) -> list[Array]:
    """The columns (n,) of predictors P (n, p) with 3 to n / 10 values, whose values are levels."""
    return [column for column in P.T if 2 < len(np.unique(column)) <= len(P) / PER_LEVEL]


def many_values(P: Array) -> list[Array]:
    """The columns (n,) of predictors P (n, p) with more than n / 10 values."""
    return [column for column in P.T if len(np.unique(column)) > len(P) / PER_LEVEL]


def _levels(P: Array) -> list[Array]:
    """0/1 columns (n, l) of the levels of each predictor of P (n, p) that has few; of the fewest first."""
    found = list[Array]()
    for column in few_values(P):
        values, level = np.unique(column, return_inverse=True)
        found.append((level[:, None] == np.arange(len(values))).astype(float))
    return sorted(found, key=lambda columns: columns.shape[1])


def _additive_basis(X: Array, S: Array, levels: Sequence[Array], most: int) -> Array:
    """(n, q) at most `most` orthonormal columns of an additive regression on predictors X (n, s).

    As in _basis, but with quadratic splines of each predictor's scores S (n, s) in place of products and kernels. They follow
    waves in one predictor; what predictors do together is left to trees. Source: de Boor (2001), truncated powers.
    """
    A = _first_columns(X, S, levels, most)
    room = (most - A.shape[1]) // max(S.shape[1], 1)
    if room > 0:
        for column in S.T:
            knots = np.unique(np.quantile(column, np.arange(1, room) / room))
            A = np.hstack([A, np.maximum(column[:, None] - knots, 0.0) ** 2])
    return design(A[:, :most]).columns


def _first_columns(X: Array, S: Array, levels: Sequence[Array], most: int) -> Array:
    """(n, q) what each regression begins with: the predictors X (n, s), their scores S, their magnitudes, and levels where there is room.

    Laws in powers of predictors, with noise in proportion, are nearly linear in log |x|, as are ratios of such values.
    """
    M, L = _magnitudes(X)
    A = np.hstack([standardise(X), S, M, M**2, M**3, L])
    for columns in levels:
        # All levels of a predictor or none: without some of them the others' means are not fitted either.
        if A.shape[1] + columns.shape[1] < most:
            A = np.hstack([A, columns])
    return np.hstack([A, _products(L)])


def _products(S: Array) -> Array:
    """(n, s (s + 1) / 2) squares and products of the columns of S (n, s)."""
    return np.hstack([np.empty((len(S), 0)), *(S[:, [j]] * S[:, j:] for j in range(S.shape[1]))])


def _blocks(S: Array, stratum: Codes, unit: Codes, order: Rows) -> tuple[Codes, Rows]:
    """(n,) the block of each record, and (units,) the first record of each unit in the random order of the units.

    A block has units of one stratum and one size, near in the means of S (n, s): the records at one place in them.
    order : the units in random order.
    """
    import pandas as pd

    size = np.bincount(unit)  # (units,)
    first = np.unique(unit, return_index=True)[1]
    place = pd.Series(unit).groupby(unit).cumcount().to_numpy()  # (n,) of a record in its unit
    none = np.empty((len(size), 0))
    means = np.column_stack([none, *(np.bincount(unit, column) / size for column in S.T)])  # (units, s)
    stratum_and_size = np.column_stack([stratum[first], size])
    kind = np.unique(stratum_and_size, axis=0, return_inverse=True)[1][order]
    block_of_unit = np.empty(len(size), dtype=np.int64)
    number = 0
    for k in range(kind.max() + 1):
        for units in _halved(order[kind == k], means):
            block_of_unit[units] = number
            number += 1
    # Records at different places of their units are never permuted with each other.
    return block_of_unit[unit] * int(size.max()) + place, first[order]


def _halved(rows: Rows, S: Array) -> list[Rows]:
    """Rows in blocks of at most BLOCK: halved along the column of S that varies most among them."""
    if len(rows) <= BLOCK:
        return [rows]
    if S.shape[1]:
        widest = int(np.argmax(S[rows].std(axis=0)))
        rows = rows[np.argsort(S[rows, widest], kind="stable")]
        half = _cut(S[rows, widest])
    else:
        half = len(rows) // 2
    return _halved(rows[:half], S) + _halved(rows[half:], S)


def _cut(ordered: Array) -> int:
    """The place at which ascending values are halved: the change of value nearest to the middle, in the middle half; else the middle.

    Records of one level so stay in blocks of their own, where they are exchangeable whatever the regression.
    """
    n = len(ordered)
    changes = np.flatnonzero(np.diff(ordered)) + 1
    changes = changes[(changes >= n / 4) & (changes <= 3 * n / 4)]
    if not len(changes):
        return n // 2
    return int(changes[np.argmin(np.abs(changes - n // 2))])
