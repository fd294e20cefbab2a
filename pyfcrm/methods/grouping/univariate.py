"""Groups along one line: sort, then cut every k."""

from __future__ import annotations

import numpy as np

from ...ordering import stable_order
from .distance import Array, Integers, usable_group_size


def ranked_groups(x: Array, k: int) -> Integers:
    """Groups of k successive values; the last has k + (n mod k).

    x : (n,) an attribute or a score, finite; k : from 1 to n. Ties stay in file order.
    Returns (n,) labels from 0, the smallest values first. Errors: InvalidParameter.
    Source: Defays and Nanopoulos (1993).
    """
    n = len(x)
    k = usable_group_size("ranked_groups", k, n)
    labels = np.empty(n, dtype=np.int64)
    labels[stable_order(x)] = np.minimum(np.arange(n) // k, n // k - 1)
    return labels
