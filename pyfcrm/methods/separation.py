"""Columns that a level of an unmodified column nearly determines, such as hours worked by whether a person works.

The group means of such a column are at the limit of what any order of its values allows. A margin smoothed across the
level, or a swap between its records and others, makes them impossible.
"""

import numpy as np

from ..numerics.sorting import average_ranks
from ..types import Array, Mask, Rows, Terms

MOST = 20_000  # records of the sample in which levels are looked for
FEWEST = 30  # of these with the level, and without it
NEARLY = 0.98  # probability that of two records the one with the level has the larger value, or the smaller one
CONSTANT = 1e-9  # of the variance, below which a part of a column is constant


def separating_levels(X: Array, Y: Array, sample: Rows, terms: Terms = ()) -> Mask:
    """Mask (n, t): whether a record has the level that separates each column of Y (n, t), in a sample of records. There the
    column is constant, or above or below nearly all other values. False throughout in a column without one.

    X : (n, s), of which columns of two values are levels; terms : those of each category, whose first level has none.
    """
    high = X.max(axis=0) == X
    two = (high | (X.min(axis=0) == X)).all(axis=0)
    first = [~high[:, list(term)].any(axis=1) for term in terms if len(term) > 1 and two[list(term)].all()]
    levels, found = np.column_stack([high[:, two], *first]), np.zeros(Y.shape, dtype=bool)
    within = levels[sample].astype(float)
    counts = np.array([within.sum(axis=0), (1 - within).sum(axis=0)])
    many = (counts >= FEWEST).all(axis=0)
    levels, within, counts = levels[:, many], within[:, many], counts[:, many]
    for j, y in enumerate(Y[sample].T if many.any() else ()):
        if np.ptp(y) == 0:
            continue
        ranks, z = average_ranks(y[:, None])[:, 0], (y - y.mean()) / y.std()
        larger = (ranks @ within / counts[0] - (counts[0] + 1) / 2) / counts[1]
        sums, squares = z @ within, (z * z) @ within
        means = np.array([sums, -sums]) / counts
        variances = np.array([squares, (z * z).sum() - squares]) / counts - means**2
        sure = np.where(variances.min(axis=0) < CONSTANT, 1.0, np.maximum(larger, 1 - larger))
        if sure.max() >= NEARLY:
            found[:, j] = levels[:, sure.argmax()]
    return found
