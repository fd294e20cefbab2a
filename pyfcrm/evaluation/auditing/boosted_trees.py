"""Out-of-fold predictions by gradient-boosted trees: levels, jumps and powers that the regression on a basis does not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...numerics.one_thread import one_thread
from ...rstream import RStream
from ...types import Array, Integers, Mask
from .predictor_regression import Conditional, few_values, many_values

FOLDS = 5
FEWEST = 30  # known values of a column to which trees are fitted
SHRINKAGE = 1.0  # records at the overall mean that are added to each level, where it is coded by its mean
NEAREST = 6  # records near in a predictor, by whose mean it is coded
TREES: dict[str, Any] = {"max_iter": 80, "learning_rate": 0.15, "max_leaf_nodes": 8, "min_samples_leaf": 5}


@dataclass(frozen=True)
class Predictors:
    """The predictors of trees. Those of few and of many values are also coded by means of the column to predict."""

    X: Array
    """(n, s) the predictors."""
    levels: list[Integers]
    """The level (n,) of each record in each predictor of few values, from 0."""
    numbers: list[Array]
    """The predictors (n,) of many values."""

    @classmethod
    def of(cls, known: Conditional) -> Predictors:
        """The predictors of a regression."""
        columns = [*few_values(known.X), *known.codes.T]
        levels = [np.unique(column, return_inverse=True)[1] for column in columns]
        return cls(X=known.X, levels=levels, numbers=many_values(known.X))

    def coded(self, y: Array, rest: Mask, fold: Integers) -> Array:
        """(n, p) the predictors and their codes by means of y among the records `rest`.

        A record's own value is never part of its code, so that trees do not learn it. Source: Micci-Barreca (2001).
        """
        columns = [_level_means(y, rest, level, fold) for level in self.levels]
        columns += [_near_means(y, rest, number, fold) for number in self.numbers]
        return np.column_stack([self.X, *columns])


def tree_predictions(A: Array, of: Conditional, stream: RStream) -> Array:
    """Predictions (n, k) of columns A, NaN for missing, from the predictors; each record's by trees fitted to the other folds.

    Trees are fitted to what a regression on few regressors leaves. Predictors of few values are also coded by the mean of
    the column in each, others by its mean among near records: trees alone do not follow steep waves. Draws: a permutation of
    the units, for the folds.
    """
    units = int(of.unit.max()) + 1
    fold = (stream.sample_int(units) % FOLDS)[of.unit]
    predictors = Predictors.of(of)
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
                predicted = _predicted(left, known, predictors, fold, number)
                own = fold == number
                result[own, j] = smooth[own] + predicted
    return result


def _predicted(y: Array, known: Mask, predictors: Predictors, fold: Integers, number: int) -> Array:
    """Predictions of y (n,) in the fold `number`, from trees fitted to the known values in the others."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    own = fold == number
    rest = known & ~own
    if not rest.any() or not own.any():
        return np.zeros(int(own.sum()))
    features = predictors.coded(y, rest, fold)
    if not features.shape[1]:
        return np.zeros(int(own.sum()))
    model = HistGradientBoostingRegressor(early_stopping=False, random_state=0, **TREES)
    return np.asarray(model.fit(features[rest], y[rest]).predict(features[own]))


def _level_means(y: Array, rest: Mask, level: Integers, fold: Integers) -> Array:
    """Target coding (n,) of a predictor of few values: the mean of y among the records `rest` of its level, outside the own fold."""
    coded = np.empty(len(y))
    for number in range(FOLDS):
        own = fold == number
        others = rest & ~own
        count = np.bincount(level[others], minlength=int(level.max()) + 1)
        total = np.bincount(level[others], y[others], minlength=len(count))
        means = total / (count + SHRINKAGE)
        coded[own] = means[level[own]]
    return coded


def _near_means(y: Array, rest: Mask, x: Array, fold: Integers) -> Array:
    """Target coding (n,) of a predictor x of many values: the mean of y among the NEAREST of the records `rest`, outside the own fold."""
    from sklearn.neighbors import KNeighborsRegressor

    coded = np.zeros(len(y))
    for number in range(FOLDS):
        own = fold == number
        others = rest & ~own
        if own.any() and others.sum() >= NEAREST:
            model = KNeighborsRegressor(NEAREST).fit(x[others, None], y[others])
            coded[own] = model.predict(x[own, None])
    return coded
