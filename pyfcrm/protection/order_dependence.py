"""Whether the order of the records tells confidential values: files are often sorted by what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..data.check import is_numeric
from ..data.frame import Frame
from ..numerics.chance import FALSE_ALARMS
from ..numerics.sorting import average_ranks, normal_scores
from ..rstream import RStream
from ..types import Array, Codes, Mask, Rows

EXPLAINED = 5.0  # per cent of a column that the order may explain beyond the predictors
LEVEL = FALSE_ALARMS["order"]  # p-value above which what the order explains is chance
PERMUTATIONS = 199
FEWEST = 30  # records below which the order is not examined
MOST = 5000  # records of a sample
RUN = 100  # records of each of its runs
KNOTS = 10  # of the spline in the position
DEGREE = 3  # of all splines
PREDICTOR_KNOTS = 5  # of the spline in a numeric predictor
MOST_LEVELS = 20  # levels of a category that are looked at, the commonest
RECORDS_A_COLUMN = 5  # of the predictors, at least
FOLDS = 5
SEED = 1  # of a stream of its own, so that no draw of a release depends on it
LAGS = range(2, 31)  # places apart, at which records are compared beside neighbours: files that are dealt out in turns
BEFORE, AFTER = slice(LAGS[-1] - LAGS[0], None, -1), slice(LAGS[-1] + LAGS[0], None)  # the lags in `_windows`
NEGLIGIBLE = 1e-6  # share of a column that the predictors leave unexplained: they determine it


@dataclass(frozen=True)
class OrderDependence:
    """The column that the order of the records explains most."""

    column: str
    """The confidential column."""
    explained: float
    """Per cent of its variance, beyond the predictors, out of fold; at least 0."""
    p_value: float | None
    """By permutations of the order of whole units; None where so little is explained that none were made.

    Permutations end once it must exceed 0.01: then it is a lower bound.
    """

    @property
    def beyond_chance(self) -> float:
        """The part that is explained, per cent; 0 where it may be chance."""
        if self.p_value is None or self.p_value > LEVEL:
            return 0.0
        return self.explained


def order_dependence(
    frame: Frame,
    independent: Sequence[str],
    dependent: Sequence[str],
    places: Rows,
    *,
    unit: Codes | None = None,
    least: float = EXPLAINED,
) -> OrderDependence | None:
    """The original values that the order of a release explains; None without a varying column, or for few records.

    Each column, on normal scores less what the predictors explain, is explained in four ways: by a spline in the position in
    the file, by one in the position within each run of equal predictors, by the mean of the two neighbours' values, those of
    other units, and by that of the two records a few places apart. The column and the way that explain most count.

    frame : the original. independent : predictors and strata. places (n,) : the records of the original in the order of the
    release. unit (n,) : codes from 0 of the released records' units. least : per cent up to which no permutation is made.
    """
    if len(places) < FEWEST:
        return None
    sample = _runs(len(places))
    rows = places[sample]
    names, Y = _scores(frame, dependent, rows)
    R = _unexplained(Y, _predictor_columns(frame, independent, rows))
    varying = (R**2).mean(axis=0) > NEGLIGIBLE
    if not varying.any():
        return None
    names = [name for name, kept in zip(names, varying, strict=True) if kept]
    R = R[:, varying]
    ways = _Ways.of(sample, len(places), _predictor_codes(frame, independent, rows))
    units = np.arange(len(rows)) if unit is None else np.unique(unit[sample], return_inverse=True)[1]
    found = ways.explained(R, units)
    worst = int(found.argmax())
    explained = max(float(found[worst]), 0.0)
    if explained <= least / 100:
        return OrderDependence(names[worst], 100 * explained, None)
    stream = RStream(SEED)
    larger = 0
    for _ in range(PERMUTATIONS):
        if larger + 1 > LEVEL * (1 + PERMUTATIONS):  # the p-value exceeds the level whatever follows
            break
        order = np.argsort(stream.runif(int(units.max()) + 1)[units], kind="stable")
        larger += ways.explained(R[order], units[order]).max() >= explained
    return OrderDependence(names[worst], 100 * explained, (1 + larger) / (1 + PERMUTATIONS))


def _runs(n: int) -> Rows:
    """At most 5,000 of n places, ascending: runs of 100 records, evenly spread."""
    if n <= MOST:
        return np.arange(n)
    starts = np.linspace(0, n - RUN, MOST // RUN).astype(np.int64)
    return np.unique((starts[:, None] + np.arange(RUN)).ravel())


def _scores(frame: Frame, names: Sequence[str], rows: Rows) -> tuple[list[str], Array]:
    """Columns as normal scores (n, t), categories as 0/1 columns of their levels, and the name of each; a gap is 0."""
    labels = list[str]()
    columns = list[Array]()
    for name in names:
        if is_numeric(frame, name):
            labels.append(name)
            columns.append(_normal_scores(frame.values(name)[rows]))
        else:
            levels = _level_columns(frame.codes(name)[rows])
            labels += [name] * len(levels)
            columns += levels
    return labels, np.column_stack([np.empty((len(rows), 0)), *columns])


def _normal_scores(values: Array) -> Array:
    """Normal scores (n,) of mean 0 and variance 1; 0 for a gap, and for all where they are equal."""
    known = np.isfinite(values)
    scores = np.zeros(len(values))
    scores[known] = normal_scores(values[known, None])[:, 0]
    return _standardised(scores, known)


def _relative_ranks(values: Array) -> Array:
    """Ranks (n,) between 0 and 1, equal values at the middle of their places."""
    return (average_ranks(values[:, None])[:, 0] - 0.5) / len(values)


def _level_columns(codes: Codes) -> list[Array]:
    """A standardised 0/1 column (n,) of each of the commonest levels; codes below 0 are missing."""
    levels, counts = np.unique(codes[codes >= 0], return_counts=True)
    commonest = levels[np.argsort(-counts, kind="stable")][:MOST_LEVELS]
    return [_standardised((codes == level).astype(float), codes >= 0) for level in commonest]


def _standardised(values: Array, known: Mask) -> Array:
    """Values (n,) of mean 0 and variance 1 over the known ones, 0 for the others, and for all where they are equal."""
    mean = values[known].mean() if known.any() else 0.0
    centred = np.where(known, values - mean, 0.0)
    spread = float(np.sqrt((centred**2).mean()))
    return centred / spread if spread > 0 else centred


def _predictor_columns(frame: Frame, names: Sequence[str], rows: Rows) -> Array:
    """Columns (n, k) by which predictors explain others: levels, and splines of numbers, at most a column for 5 records."""
    columns = list[Array]()
    for name in names:
        if not is_numeric(frame, name):
            columns += _level_columns(frame.codes(name)[rows])
            continue
        values = frame.values(name)[rows]
        known = np.isfinite(values)
        if known.any():
            filled = np.where(known, values, values[known].mean())
            columns += [filled, *_spline(_relative_ranks(filled), PREDICTOR_KNOTS).T]
    every = np.ones(len(rows), dtype=bool)
    standardised = [_standardised(column, every) for column in columns[: len(rows) // RECORDS_A_COLUMN]]
    return np.column_stack([np.empty((len(rows), 0)), *standardised])


def _unexplained(Y: Array, X: Array) -> Array:
    """Residuals of a regression of Y (n, t) on standardised X (n, k), with a slight ridge since columns may be collinear."""
    if X.shape[1]:
        Y = Y - X @ np.linalg.solve(X.T @ X + np.eye(X.shape[1]), X.T @ Y)
    return Y - Y.mean(axis=0)


def _predictor_codes(frame: Frame, names: Sequence[str], rows: Rows) -> Array:
    """Codes (n, s) of the predictors: equal codes are equal values."""
    return np.column_stack([np.empty((len(rows), 0)), *(frame.codes(name)[rows] for name in names)])


def _spline(values: Array, knots: int) -> Array:
    """Cubic B-splines (n, k) with equal knots of values between 0 and 1; their sum is 1."""
    from scipy.interpolate import BSpline

    inner = np.linspace(0, 1, knots)
    ends = np.concatenate([np.zeros(DEGREE), inner, np.ones(DEGREE)])
    return BSpline.design_matrix(values, ends, DEGREE).toarray()


@dataclass(frozen=True)
class _Spline:
    """A design of fixed places, whose regressions out of fold have what does not depend on the values."""

    design: Array
    """(m, k), fold by fold."""
    squares: Array
    """A'A (folds, k, k) of the design A of each fold."""
    others: Array
    """The same of all other folds together, with a ridge of 1."""

    @classmethod
    def of(cls, design: Array, folds: Sequence[slice]) -> _Spline:
        squares = np.stack([design[fold].T @ design[fold] for fold in folds])
        return cls(design, squares, squares.sum(axis=0) - squares + np.eye(design.shape[1]))


@dataclass(frozen=True)
class _Ways:
    """The four ways in which the order may explain a column, on fixed places of a file."""

    listed: Rows
    """The places (m,), fold by fold."""
    folds: tuple[slice, ...]
    """The places of each fold in `listed`."""
    in_fold: Array
    """Whether a place is in a fold (m, folds), 0 or 1."""
    splines: tuple[_Spline, ...]
    """Of the position in the file and within runs of equal predictors, as listed."""
    stretch: Codes
    """The stretch of the file, from 0, that each place of the sample is in; neighbours are of one stretch."""

    @classmethod
    def of(cls, sample: Rows, n: int, predictors: Array) -> _Ways:
        """The ways for a sample of a file of n records, whose predictors have these codes (m, s)."""
        m = len(sample)
        stretch = np.concatenate([[0], np.cumsum(np.diff(sample) > 1)])
        # A place's fold does not follow its neighbours' folds, nor any period of the file.
        listed = np.argsort(RStream(SEED).runif(m))
        folds = tuple(slice(*pair) for pair in pairwise(np.linspace(0, m, FOLDS + 1).astype(int)))
        in_fold = np.zeros((m, FOLDS))
        for k, fold in enumerate(folds):
            in_fold[listed[fold], k] = 1
        designs = [_spline(sample / (n - 1), KNOTS)]
        if predictors.shape[1]:
            new = (np.diff(predictors, axis=0) != 0).any(axis=1) | (np.diff(stretch) > 0)
            run = np.concatenate([[0], np.cumsum(new)])
            if np.bincount(run).max() >= FOLDS:
                designs.append(_spline(_within(run), KNOTS))
        splines = tuple(_Spline.of(design[listed], folds) for design in designs)
        return cls(listed, folds, in_fold, splines, stretch)

    def explained(self, R: Array, units: Codes) -> Array:
        """The largest share of each column (t,) of R (m, t), out of fold, that one of the ways explains.

        R, units : values and units of the records in the order of the file.
        """
        values = R[self.listed]
        left = [self._left(values, spline) for spline in self.splines]
        before, after = self._shares(units)
        by_others = np.empty(R.shape[1])
        for k, (column, neighbours) in enumerate(zip(R.T, self._neighbours(R, units).T, strict=True)):
            windows = _windows(column, 0.0)
            means = np.vstack([neighbours, before * windows[BEFORE] + after * windows[AFTER]])
            by_others[k] = self._left_by_means(column, means)
        return 1 - np.min([*left, by_others], axis=0) / (R**2).sum(axis=0)

    def _left(self, values: Array, spline: _Spline) -> Array:
        """The squares (t,) that a regression on a spline leaves, out of fold. values (m, t) : as listed.

        Of a fold with design A, values y and coefficients b from the other folds: |y - A b|^2 = y'y + b' (A'A b - 2 A'y).
        """
        products = np.stack([spline.design[fold].T @ values[fold] for fold in self.folds])  # A'y
        coef = np.linalg.solve(spline.others, products.sum(axis=0) - products)
        return (values**2).sum(axis=0) + (coef * (spline.squares @ coef - 2 * products)).sum(axis=(0, 1))

    def _neighbours(self, R: Array, units: Codes) -> Array:
        """The mean (m, t) of the values of the record before and after, of other units in the same stretch; 0 without.

        Successive records of one unit are a block: its neighbours are the record before the block and that after it.
        """
        m = len(R)
        begins = (np.diff(units) != 0) | (np.diff(self.stretch) != 0)
        block = np.concatenate([[0], np.cumsum(begins)])  # (m,)
        first = np.flatnonzero(np.concatenate([[True], begins]))  # (blocks,)
        before = first[block] - 1
        after = np.append(first[1:], m)[block]
        total = np.zeros_like(R)
        count = np.zeros((m, 1))
        for place in (before, after):
            inside = (place >= 0) & (place < m)
            inside[inside] &= self.stretch[place[inside]] == self.stretch[inside]
            total[inside] += R[place[inside]]
            count[inside] += 1
        return total / np.maximum(count, 1)

    def _shares(self, units: Codes) -> tuple[Array, Array]:
        """The shares (lags, m) of the records before and after in the mean of the two that are a number of places apart.

        A record counts that is of another unit and in the same stretch.
        """
        of_unit, of_stretch = _windows(units, -1), _windows(self.stretch, -1)
        before, after = ((of_unit[rows] != units) & (of_stretch[rows] == self.stretch) for rows in (BEFORE, AFTER))
        count = np.maximum(before.astype(float) + after, 1)
        return before / count, after / count

    def _left_by_means(self, column: Array, means: Array) -> float:
        """The least squares that a regression of a column (m,) on one of several means of other records (k, m) leaves, out of fold.

        As in `_left`, with one regressor: y'y + b (b x'x - 2 x'y).
        """
        squares, products = means**2 @ self.in_fold, (means * column) @ self.in_fold  # (k, folds)
        total = squares.sum(axis=1, keepdims=True)
        others = total - squares
        # Without means in the other folds there is no slope: of 31 records two are 30 places apart.
        known = others > NEGLIGIBLE * total
        slope = np.divide(
            products.sum(axis=1, keepdims=True) - products, others, out=np.zeros_like(others), where=known
        )
        return float(column @ column + (slope * (slope * squares - 2 * products)).sum(axis=1).min())


def _windows(column: Any, end: float) -> Any:
    """A column (m,) from 30 places before to 30 places after (61, m); beyond its ends is `end`."""
    ends = np.full(LAGS[-1], end, dtype=column.dtype)
    return sliding_window_view(np.concatenate([ends, column, ends]), len(column))


def _within(run: Codes) -> Array:
    """The position of each record in its run, from 0 to 1; one half in a run of one. run (m,) : ascending codes."""
    length = np.bincount(run)
    start = np.cumsum(length) - length
    place = np.arange(len(run)) - start[run]
    return np.where(length[run] > 1, place / np.maximum(length[run] - 1, 1), 0.5)
