"""Assignment of the records of one file to those of another one, each to a near one."""

import numpy as np

from ..types import Array, Rows

MAX_PAIRED = 2_500  # records that one assignment has: its work grows with their third power


def near_pairs(A: Array, B: Array) -> Rows:
    """For each record of A (m, q) another record of B (k, q), near it in city-block distance: positions (m,), each at most once.

    k is at least m. The sum of the distances is the least possible one where m is at most MAX_PAIRED. More records are halved
    first, both files by their places along the axis on which they differ most, until the parts are small enough.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    partners = np.empty(len(A), dtype=np.intp)
    parts = [(np.arange(len(A)), np.arange(len(B)))]
    while parts:
        rows, others = parts.pop()
        if len(rows) <= MAX_PAIRED:
            first, second = linear_sum_assignment(cdist(A[rows], B[others], "cityblock"))
            partners[rows[first]] = others[second]
            continue
        axis = _first_axis(np.vstack([A[rows], B[others]]))
        rows = rows[np.argsort(A[rows] @ axis, kind="stable")]
        others = others[np.argsort(B[others] @ axis, kind="stable")]
        half, half_of_others = len(rows) // 2, len(others) // 2
        parts += [(rows[:half], others[:half_of_others]), (rows[half:], others[half_of_others:])]
    return partners


def _first_axis(C: Array) -> Array:
    """The first principal axis (q,) of records C (m, q)."""
    D = C - C.mean(axis=0)
    axis: Array = np.linalg.eigh(D.T @ D)[1][:, -1]
    return axis
