"""Categories drawn given the predictors alone: the reference release of a model without the record's own values."""

from collections.abc import Callable

import numpy as np

from ...numerics.fitted_tree import fitted_tree
from ...rstream import RStream
from ...types import Array, Codes

FOLDS = 5
MIN_LEAF = 5  # records
MOST_LEVELS = 100  # above this number the frequencies of all records take the place of trees


def category_model(X: Array, C: Array, units: Codes) -> Callable[[RStream], Array]:
    """Draws of codes C (n, q), NaN for missing, given predictors X (n, s) without gaps.

    A draw takes a uniform for each cell, by columns. Units (n,) are in folds by turns.
    """
    n = len(X)
    if X.shape[1] == 0:
        X = np.zeros((n, 1))  # a constant: the trees have no split
    models = [_probabilities(X, c, units % FOLDS) for c in C.T]

    def draw(stream: RStream) -> Array:
        """A release (n, q) of codes."""
        columns: list[Array] = [np.empty((n, 0))]
        for levels, cumulative in models:
            # Inverse of the distribution function: the number of levels whose cumulative probability is below the uniform.
            place = (stream.runif(n)[:, None] > cumulative).sum(axis=1)
            if len(levels) == 0:  # every cell is missing
                columns.append(np.full(n, np.nan))
            else:
                columns.append(levels[np.minimum(place, len(levels) - 1)])  # rounding may leave the sum below 1
        return np.column_stack(columns)

    return draw


def _probabilities(X: Array, c: Array, fold: Codes) -> tuple[Array, Array]:
    """The levels (k,) of codes c (n,), and their cumulative probabilities (n, k), or (1, k) for all records.

    Probabilities are those of trees on the predictors X (n, s), grown without the record's fold (n,).
    """
    from sklearn.tree import DecisionTreeClassifier

    observed = ~np.isnan(c)
    levels, counts = np.unique(c[observed], return_counts=True)
    if len(levels) > MOST_LEVELS:
        return levels, counts.cumsum()[None] / observed.sum()
    P = np.full((len(X), len(levels)), 1 / max(len(levels), 1))  # equal where no other fold has a value
    for k in range(FOLDS):
        in_fold = fold == k
        training = observed & ~in_fold
        if training.any() and in_fold.any():
            tree = DecisionTreeClassifier(min_samples_leaf=MIN_LEAF, random_state=0)
            fitted_tree(tree, X[training], c[training])
            P[in_fold] = 0.0  # levels that only this fold has
            P[np.ix_(in_fold, np.searchsorted(levels, tree.classes_))] = tree.predict_proba(X[in_fold])
    return levels, P.cumsum(axis=1)
