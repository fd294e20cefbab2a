"""Out-of-fold predictions by gradient-boosted trees: levels, jumps and powers that the regression on a basis does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...numerics.one_thread import one_thread
from ...rstream import RStream
from ...types import Array, Integers, Mask
from .predictor_regression import Conditional, few_values

FOLDS = 5
FEWEST = 30  # known values of a column to which trees are fitted
SHRINKAGE = 1.0  # records at the overall mean that are added to each level, where it is coded by its mean
TREES: dict[str, Any] = {"max_iter": 80, "learning_rate": 0.15, "max_leaf_nodes": 8, "min_samples_leaf": 5}


def tree_predictions(A: Array, of: Conditional, stream: RStream) -> Array:
    """Predictions (n, k) of columns A, NaN for missing, from the predictors; each record's by trees fitted to the other folds.

    Trees are fitted to what a regression on few regressors leaves. Predictors of few values are also coded by the mean of
    the column in each. Draws: a permutation of the units, for the folds.
    """
    units = int(of.unit.max()) + 1
    fold = (stream.sample_int(units) % FOLDS)[of.unit]
    levels = [np.unique(column, return_inverse=True)[1] for column in (*few_values(of.X), *of.codes.T)]
    result = np.zeros(A.shape)
    with one_thread():
        for j, a in enumerate(A.T):
            known = ~np.isnan(a)
            if known.sum() < FEWEST:
                continue
            full = np.where(known, a, np.nanmean(a))
            smooth = of.moving @ (of.moving.T @ full)
            left = full - smooth
            for number in range(FOLDS):
                predicted = _predicted(left, known, [of.X, *levels], fold, number)
                own = fold == number
                result[own, j] = smooth[own] + predicted
    return result


def _predicted(y: Array, known: Mask, predictors: list[Any], fold: Integers, number: int) -> Array:
    """Predictions of y (n,) in the fold `number`, from trees fitted to the known values in the others.

    predictors : X (n, s), then levels (n,) of each predictor of few values.
    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    X, *levels = predictors
    own = fold == number
    rest = known & ~own
    columns = [X, *(_level_means(y, rest, level, fold)[:, None] for level in levels)]
    features = np.hstack(columns)
    if not features.shape[1] or not rest.any() or not own.any():
        return np.zeros(int(own.sum()))
    model = HistGradientBoostingRegressor(early_stopping=False, random_state=0, **TREES)
    return np.asarray(model.fit(features[rest], y[rest]).predict(features[own]))


def _level_means(y: Array, rest: Mask, level: Integers, fold: Integers) -> Array:
    """Target coding (n,) of a predictor: the mean of y among the records `rest` of the same level, outside the record's own fold.

    A record's own value is never part of its code, so that trees do not learn it. Source: Micci-Barreca (2001).
    """
    coded = np.empty(len(y))
    for number in range(FOLDS):
        own = fold == number
        others = rest & ~own
        count = np.bincount(level[others], minlength=int(level.max()) + 1)
        total = np.bincount(level[others], y[others], minlength=len(count))
        means = total / (count + SHRINKAGE)
        coded[own] = means[level[own]]
    return coded
