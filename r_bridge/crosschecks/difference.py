"""How far apart two results are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

# An entry this much smaller than the largest of its column is measured against that: it is a difference of larger ones.
SMALL = 1e-3


def largest_relative_difference(a: ArrayLike, b: ArrayLike, nothing: float = 0.0) -> float:
    """The largest |a - b| over all entries, relative to the larger of the two entries.

    a, b : of one shape; along the last axis are columns, each in its own unit, and an entry below 1/1000 of its column's
    largest is measured against that 1/1000. nothing : two values no larger than this are equal. NaN equals NaN.
    Infinite where the shapes or the missing values differ.
    """
    A, B = as_table(a), as_table(b)
    if np.shape(a) != np.shape(b) or (np.isnan(A) != np.isnan(B)).any():
        return float("inf")
    size = np.maximum(np.abs(A), np.abs(B))
    unequal = (A != B) & ~np.isnan(A) & (size > nothing)
    if not unequal.any():
        return 0.0
    unit = np.maximum(size, SMALL * np.nanmax(size, axis=0, initial=0.0))
    with np.errstate(invalid="ignore"):
        gaps = np.where(unequal, np.abs(A - B), 0.0) / np.where(unequal, unit, 1.0)
    return float(np.max(np.where(np.isnan(gaps), np.inf, gaps)))


def same_bits(a: ArrayLike, b: ArrayLike) -> bool:
    """Whether two results are equal to the last bit: 0 is not -0, and R's NA is not NaN."""
    A, B = as_table(a), as_table(b)
    return np.shape(a) == np.shape(b) and A.tobytes() == B.tobytes()


def as_table(a: ArrayLike) -> NDArray[np.float64]:
    """Any result as (entries, columns) of doubles; a vector is one column."""
    A = np.asarray(a, dtype=np.float64)
    return np.ascontiguousarray(A.reshape(-1, A.shape[-1]) if A.ndim > 1 else A.reshape(-1, 1))
