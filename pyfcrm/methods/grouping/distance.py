"""Squared distances between records, summed one way only, so that ties stay ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arguments import at_most_records, whole_number
from ...errors import InvalidParameter
from ...types import Array, Mask


@dataclass(frozen=True)
class Space:
    """Attributes in rows, (p, n), and the weight of each one's squared differences, (p,)."""

    columns: Array
    weights: Array


def space(owner: str, A: Array, scale: str | None) -> Space:
    """A (n, p) made ready for distances.

    scale : "variance" weighs each squared difference by 1 / the attribute's population variance; None by 1.
    Constant attributes are left out. The others are multiplied by a power of two, which changes no tie and no
    digit, and keeps squares from overflowing; for None it is the same power for all.
    """
    check_scale(owner, scale)
    A = A[:, np.ptp(A, axis=0) > 0]
    exponents = np.frexp(np.ptp(A, axis=0))[1]
    if scale is None and A.shape[1]:
        exponents[:] = exponents.max()
    columns = np.ascontiguousarray(np.ldexp(A, -exponents).T)
    weights = 1 / columns.var(axis=1) if scale == "variance" else np.ones(len(columns))
    return Space(columns, weights)


def check_scale(owner: str, scale: str | None) -> None:
    """Raises InvalidParameter where it is neither "variance" nor None."""
    if scale not in ("variance", None):
        raise InvalidParameter(owner, "scale", "must be 'variance' or None", scale)


def usable_group_size(owner: str, k: object, n: int) -> int:
    """`k` as a whole number from 1 to n, or an InvalidParameter."""
    size = whole_number(owner, "k", k, low=1)
    at_most_records(owner, "k", size, n)
    return size


def squared_distances(columns: Array, weights: Array, point: Array) -> Array:
    """(m,) weighted squared distances of the records in `columns` (p, m) to one point (p,).

    The attributes are added first to last: equal records get equal distances, to the bit.
    """
    total = np.zeros(columns.shape[1])
    for column, weight, value in zip(columns, weights, point, strict=True):
        difference = column - value
        total += weight * (difference * difference)
    return total


def centroid(columns: Array) -> Array:
    """(p,) means of `columns` (p, m), m at least 1, added first record to last."""
    # Not columns.mean: numpy adds in pairs, and a last digit decides which of two records is the farthest.
    return np.cumsum(columns, axis=1)[:, -1] / columns.shape[1]


def nearest(distances: Array, k: int) -> Mask:
    """(m,) True for the k smallest of `distances` (m,), m at least k; of equal ones the later come first."""
    threshold = np.partition(distances, k - 1)[k - 1]
    chosen = distances < threshold
    tied = np.flatnonzero(distances == threshold)
    chosen[tied[len(tied) - (k - int(chosen.sum())) :]] = True
    return chosen
