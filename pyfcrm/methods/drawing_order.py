"""The order in which columns are drawn one after another, where nobody gives one."""

from collections.abc import Collection

import numpy as np

from ..numerics.fitted_tree import fitted_tree
from ..numerics.location import evenly
from ..types import Array

FEW_VALUES = 20  # a column of at most as many is drawn before those of more
MAX_RECORDS = 2_000  # evenly spaced, to which the trees are fitted
MIN_LEAF = 20
MAX_DEPTH = 6  # the first splits show which columns matter


def order_by_dependence(Y: Array, categories: Collection[int]) -> list[int]:
    """The columns of Y (n, t) in an order to draw them: those of few values first, of each kind the most important ones first.

    The importance of a column is the sum, over the other columns, of the variance (of categories the Gini impurity) that splits by
    it explain in a tree on all columns but the target. Of columns as important the first in the file is the first.
    categories : the columns of positions of levels.
    """
    t = Y.shape[1]
    importance = importances(Y[evenly(len(Y), MAX_RECORDS)], categories)
    has_many = [len(np.unique(y)) > FEW_VALUES for y in Y.T]
    return sorted(range(t), key=lambda j: (has_many[j], -round(float(importance[j]), 6), j))


def importances(Y: Array, categories: Collection[int]) -> Array:
    """The importance (t,) of each column of Y (n, t) for the others; see order_by_dependence."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    t = Y.shape[1]
    total = np.zeros(t)
    # Trees work in single precision, in which large numbers that differ may be equal: their places are not.
    places = np.column_stack([np.unique(y, return_inverse=True)[1] for y in Y.T]).astype(np.float64)
    for j in range(t):
        if t == 1 or (Y[:, j] == Y[0, j]).all():
            continue
        kind = DecisionTreeClassifier if j in categories else DecisionTreeRegressor
        others = np.delete(places, j, axis=1)
        tree = fitted_tree(kind(min_samples_leaf=MIN_LEAF, max_depth=MAX_DEPTH, random_state=0), others, places[:, j])
        fitted = tree.tree_
        explained = fitted.compute_feature_importances(normalize=False) / fitted.impurity[0]
        total[np.delete(np.arange(t), j)] += explained
    return total
