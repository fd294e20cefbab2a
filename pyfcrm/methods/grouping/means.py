"""Values replaced by their group's mean."""

from __future__ import annotations

import numpy as np

from ...types import Array, Integers


def group_means(Y: Array, labels: Integers) -> Array:
    """Y (n, t) with every value replaced by its group's mean; labels (n,) from 0, none skipped.

    A group of one value keeps it to the last digit, since differences from the group's first record are averaged.
    """
    sizes, out = np.bincount(labels), np.empty_like(Y)
    for j, y in enumerate(Y.T):
        first = np.empty(len(sizes))
        first[labels[::-1]] = y[::-1]
        out[:, j] = (first + np.bincount(labels, weights=y - first[labels]) / sizes)[labels]
    return out
