"""Features that trees do not form: ratios, differences and last digits."""

from itertools import combinations

import numpy as np

from ..numerics.decimals import decimals, in_units
from ..numerics.sorting import average_ranks
from ..types import Array

MOST_PAIRS = 36  # of columns
VERY_FAR = 1e150  # at which features are clipped
ENDINGS = (10, 100, 1000)  # units of a column's last digit


def with_features(X: Array, Z: Array, first: int = 0) -> tuple[Array, Array]:
    """X (n, p) and Z (N, p), original and protected, with the features of their columns appended.

    Difference and ratio (0 for a divisor of 0) of pairs of columns, at least one from number `first` on: of all pairs, or
    of the 36 with the largest rank correlation of the originals. Columns from `first` on that have at most four decimals
    give their last one, two and three digits too.
    """
    pairs = [(i, j) for i, j in combinations(range(X.shape[1]), 2) if j >= first]
    if len(pairs) > MOST_PAIRS:
        ranks = average_ranks(X)
        ranks -= ranks.mean(axis=0)
        size = np.linalg.norm(ranks, axis=0)
        closeness = np.abs(ranks.T @ ranks) / np.maximum(np.outer(size, size), 1)
        pairs = sorted(pairs, key=lambda pair: -closeness[pair])[:MOST_PAIRS]
    decimals_of_columns = [(j, decimals(X[:, j])) for j in range(first, X.shape[1])]

    def appended(A: Array) -> Array:
        """The columns of a file and their features."""
        columns = [A]
        with np.errstate(over="ignore", under="ignore"):
            for i, j in pairs:
                difference = A[:, i] - A[:, j]
                ratio = np.divide(A[:, i], A[:, j], out=np.zeros(len(A)), where=A[:, j] != 0)
                columns.append(np.clip(difference, -VERY_FAR, VERY_FAR))
                columns.append(np.clip(ratio, -VERY_FAR, VERY_FAR))
        for j, digits in decimals_of_columns:
            if digits is not None:
                columns += [np.abs(in_units(A[:, j], digits)) % ending for ending in ENDINGS]
        return np.column_stack(columns)

    return appended(X), appended(Z)
