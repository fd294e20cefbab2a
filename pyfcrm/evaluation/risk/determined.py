"""Columns that determine a confidential one: nobody is assumed to know them, or they have no role, yet the release has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...numerics.design import with_one
from ...numerics.fitted_tree import fitted_tree
from ...numerics.location import standardise
from ...numerics.sorting import average_ranks
from ...rstream import RStream
from ...types import Array, Codes, Mask, Rows

FOLDS = 3
LEAF = 5  # records of a leaf
MOST = 2_000  # records that trees are fitted to
MOST_PAIRED = 4  # unknown columns whose pairs are tried, those that explain most alone
DETERMINED = 0.9  # share explained out of fold from which a column counts as determined
LIKELY = 0.8  # share explained by classes of a column, from which it is tried whether it determines another
BINS = 50  # classes of a column with more values than a tenth of the records
EQUAL_ROWS = 0.5  # share of the records from which those with an equal one elsewhere speak for all
EXACT = 1e-9  # of the largest value: a smaller residual is one of rounding
SEED = 1  # of the folds


@dataclass(frozen=True)
class Confidential:
    """A confidential column."""

    name: str
    """Its name."""
    values: Array
    """(n,) its numbers, or codes of its levels; NaN for missing."""
    is_category: bool
    """Whether it has levels."""


@dataclass(frozen=True)
class Determined:
    """A confidential column that other columns determine."""

    column: str
    """The confidential column."""
    by: tuple[str, ...]
    """The other columns, one, two or all."""
    explained: float
    """The share that they explain, with the predictors or without, from 0 to 1."""
    by_predictors: float
    """The share that the predictors explain alone, from 0 to 1; 0 where the column is not determined."""

    @property
    def beyond(self) -> float:
        """Percentage points explained beyond the predictors, at most 100; 0 where the column is not determined."""
        if self.explained <= DETERMINED:
            return 0.0
        return 100 * max(self.explained - self.by_predictors, 0.0)


def most_determined(
    U: Array, names: Sequence[str], confidential: Sequence[Confidential], X: Array
) -> Determined | None:
    """The confidential column that one, two or all other columns determine most beyond the predictors; None without columns.

    U (n, q) : the other columns as numbers, without gaps; X (n, s) : predictors. Shares explained are out of fold, by trees.
    """
    n = len(U)
    if n < FOLDS * 2 * LEAF or not names:
        return None
    stream = RStream(SEED)
    rows = np.sort(stream.sample_int(n, n)[: min(n, MOST)] - 1)
    fold = stream.sample_int(len(rows), len(rows)) % FOLDS
    found = list[Determined]()
    all_places = tuple(range(len(names)))
    for column in confidential:
        shares = _Shares(U=U[rows], X=X[rows], y=column.values[rows], fold=fold, is_category=column.is_category)
        singles = [(shares.explained((j,)), (j,)) for j in range(len(names))]
        best = [j for _, (j,) in sorted(singles, reverse=True)[:MOST_PAIRED]]
        pairs = [(shares.explained(places), places) for places in combinations(best, 2)]
        tried = [*singles, *pairs]
        if len(names) > 2:  # a wage is the sum of all its parts
            tried.append((shares.explained(all_places), all_places))
        explained, places = max(tried)
        found.append(
            Determined(
                column=column.name,
                by=tuple(names[j] for j in places),
                explained=explained,
                by_predictors=shares.by_predictors() if explained > DETERMINED else 0.0,
            )
        )
    return max(found, key=lambda each: each.beyond, default=None)


def may_determine(u: Array, y: Array, *, is_category: bool) -> bool:
    """Whether classes of a column u (n,) explain much of y (n,) among the same records: a fast look before trees are fitted.

    Classes are the values of u, or 50 of about equal size where these are too many. y : numbers, or codes of levels; NaN for missing.
    """
    known = ~np.isnan(y)
    if known.sum() < FOLDS * 2 * LEAF:
        return False
    y = y[known]
    _, value, counts = np.unique(u[known], return_inverse=True, return_counts=True)
    classes = value.reshape(-1)
    if len(counts) > len(y) / 10:
        classes = (np.cumsum(counts)[classes] - 1) * BINS // len(y)
    if is_category:
        levels, place = np.unique(y, return_inverse=True)
        table = np.zeros((classes.max() + 1, len(levels)))
        np.add.at(table, (classes, place.reshape(-1)), 1.0)
        commonest_of_class = levels[table.argmax(axis=1)]
        return _share(commonest_of_class[classes], y, is_category=True) > LIKELY
    ranks = average_ranks(y[:, None])[:, 0]
    sizes = np.maximum(np.bincount(classes), 1)
    means = np.bincount(classes, ranks) / sizes
    return _share(means[classes], ranks, is_category=False) > LIKELY


def follows_from(u: Array, X: Array) -> bool:
    """Whether a column u (n,) is a linear function of predictors X (n, s), such as their sum: it tells nothing beyond them.

    Where predictors are about as many as records, everything is such a function: this shows nothing.
    """
    design = with_one(standardise(X))
    if len(u) < 2 * design.shape[1]:
        return False
    residuals = u - design @ np.linalg.lstsq(design, u, rcond=None)[0]
    return bool(np.abs(residuals).max() <= EXACT * np.abs(u).max())


@dataclass(frozen=True)
class _Shares:
    """Shares of a confidential column that others explain, of m records."""

    U: Array
    """(m, q) the unknown columns."""
    X: Array
    """(m, s) the predictors."""
    y: Array
    """(m,) the confidential column, NaN for missing."""
    fold: Rows
    """(m,) the fold of each record."""
    is_category: bool
    """Whether it has levels."""

    def by_predictors(self) -> float:
        """The share that the predictors explain; 0 without any."""
        if not self.X.shape[1]:
            return 0.0
        return _explained(self.X, self.y, self.fold, is_category=self.is_category)

    def explained(self, places: tuple[int, ...]) -> float:
        """The share that some unknown columns explain, the larger of alone and with the predictors."""
        unknown = self.U[:, list(places)]
        alone = _explained(unknown, self.y, self.fold, is_category=self.is_category)
        if not self.X.shape[1]:
            return alone
        with_predictors = np.hstack([unknown, self.X])
        return max(alone, _explained(with_predictors, self.y, self.fold, is_category=self.is_category))


def _explained(A: Array, y: Array, fold: Rows, *, is_category: bool) -> float:
    """The share of y (n,) that columns A (n, p) explain out of fold, from 0 to 1: the largest of some ways.

    By a tree, by equal rows of A, and of numbers by a linear function of A or of its logarithms, which a tree of few records
    follows badly: a wage is the difference of two unknown columns, or their ratio.

    Of numbers, by their ranks, R2 = 1 - sum (y - f)^2 / sum (y - mean)^2; of levels (a - c) / (1 - c), a the accuracy and c that
    of the commonest level. Out of fold both are negative where a way predicts worse than a constant, which explains nothing: 0.
    """
    from scipy.stats import rankdata

    known = ~np.isnan(y)
    A = A[known]
    y = y[known]
    fold = fold[known]
    if len(y) < FOLDS * 2 * LEAF or (y == y[0]).all():
        return 0.0
    ranks = y if is_category else rankdata(y)
    found = [_share(_by_tree(A, ranks, fold, is_category=is_category), ranks, is_category=is_category)]
    _, row, counts = np.unique(A, axis=0, return_inverse=True, return_counts=True)
    row = row.reshape(-1)
    if (counts[row] > 1).mean() > EQUAL_ROWS:
        by_rows, has_equal = _by_equal_rows(row, ranks, fold, is_category=is_category)
        if has_equal.mean() > EQUAL_ROWS:
            found.append(_share(by_rows[has_equal], ranks[has_equal], is_category=is_category))
    if not is_category:
        found.append(_correlation(_by_regression(A, y, fold), ranks))
        if (A > 0).all() and (y > 0).all():
            found.append(_correlation(_by_regression(np.log(A), np.log(y), fold), ranks))
    return max(*found, 0.0)


def _share(predicted: Array, y: Array, *, is_category: bool) -> float:
    """The share of y (n,) that predictions (n,) explain, see _explained."""
    if is_category:
        commonest = float(np.unique(y, return_counts=True)[1].max() / len(y))
        return float(((predicted == y).mean() - commonest) / (1 - commonest)) if commonest < 1 else 0.0
    total = float(((y - y.mean()) ** 2).sum())
    return 1 - float(((y - predicted) ** 2).sum()) / total if total else 0.0


def _correlation(predicted: Array, ranks: Array) -> float:
    """The squared correlation of the ranks of predictions (n,) with ranks (n,); 0 where it is negative."""
    from scipy.stats import rankdata

    if np.ptp(predicted) == 0:
        return 0.0
    return max(float(np.corrcoef(rankdata(predicted), ranks)[0, 1]), 0.0) ** 2


def _by_tree(A: Array, y: Array, fold: Rows, *, is_category: bool) -> Array:
    """Predictions (n,) of y (n,) by a tree on A (n, p), out of fold."""
    predicted = np.empty(len(y))
    for k in range(FOLDS):
        inside = fold == k
        tree = fitted_tree(_tree(is_category=is_category), A[~inside], y[~inside])
        predicted[inside] = tree.predict(A[inside])
    return predicted


def _by_equal_rows(row: Codes, y: Array, fold: Rows, *, is_category: bool) -> tuple[Array, Mask]:
    """The mean (n,), or the commonest level, of the records of other folds with the same code of a row (n,), and who has such."""
    import pandas as pd

    predicted = np.full(len(y), np.nan)
    for k in range(FOLDS):
        inside = fold == k
        others = pd.Series(y[~inside]).groupby(row[~inside])
        of_row = others.agg(lambda values: values.mode().iloc[0]) if is_category else others.mean()
        predicted[inside] = of_row.reindex(row[inside]).to_numpy()
    return predicted, ~np.isnan(predicted)


def _by_regression(A: Array, y: Array, fold: Rows) -> Array:
    """Predictions (n,) of y (n,) by a linear regression on (1, A), A (n, p), out of fold."""
    design = with_one(standardise(A))
    predicted = np.empty(len(y))
    for k in range(FOLDS):
        inside = fold == k
        coef = np.linalg.lstsq(design[~inside], y[~inside], rcond=None)[0]
        predicted[inside] = design[inside] @ coef
    return predicted


def _tree(*, is_category: bool) -> Any:
    """A tree that predicts levels or numbers."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeClassifier if is_category else DecisionTreeRegressor
    return kind(min_samples_leaf=LEAF, random_state=0)
