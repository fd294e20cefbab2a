"""Categories drawn given the predictors alone: the reference release of a model without the record's own values."""

from collections.abc import Callable

import numpy as np

from ...rstream import RStream
from ...types import Array, Codes

FOLDS = 5
MIN_LEAF = 5  # records
MOST_LEVELS = 100  # beyond which the frequencies of all records stand for trees


def category_model(X: Array, C: Array, units: Codes) -> Callable[[RStream], Array]:
    """Draws of codes C (n, q), NaN for missing, given predictors X (n, s) without gaps: each takes a uniform for each cell, by
    columns. Units (n,) are in folds by turns."""
    X = X if X.shape[1] else np.zeros((len(X), 1))
    models = [_probabilities(X, c, units % FOLDS) for c in C.T]

    def draw(stream: RStream) -> Array:
        columns: list[Array] = [np.empty((len(X), 0))]
        for values, ends in models:
            below = (stream.runif(len(X))[:, None] > ends).sum(axis=1)
            columns.append(values[np.minimum(below, len(values) - 1)] if len(values) else np.full(len(X), np.nan))
        return np.column_stack(columns)

    return draw


def _probabilities(X: Array, c: Array, fold: Codes) -> tuple[Array, Array]:
    """The levels (k,) of codes (n,), and their cumulative probabilities (n, k), or (1, k) for all records, by trees on the
    predictors that are grown without the record's fold."""
    from sklearn.tree import DecisionTreeClassifier

    known = ~np.isnan(c)
    values, counts = np.unique(c[known], return_counts=True)
    if len(values) > MOST_LEVELS:
        return values, counts.cumsum()[None] / known.sum()
    P = np.full((len(X), len(values)), 1 / max(len(values), 1))
    for k in range(FOLDS):
        others, own = known & (fold != k), fold == k
        if others.any() and own.any():
            tree = DecisionTreeClassifier(min_samples_leaf=MIN_LEAF, random_state=0).fit(X[others], c[others])
            P[own] = 0.0
            P[np.ix_(own, np.searchsorted(values, tree.classes_))] = tree.predict_proba(X[own])
    return values, P.cumsum(axis=1)
