"""The normal scores of ranks, and placing values by rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..linkage.agreement import average_ranks

Array = NDArray[np.float64]


def normal_scores(A: Array) -> Array:
    """The normal quantiles of (rank - 1/2)/n by column of A (n, p); 0 in a constant column."""
    return ndtri((average_ranks(A) - 0.5) / max(len(A), 1))


def placed_by_rank(values: Array, by: Array) -> Array:
    """The values of each column in the order of `by`, both (n, t): the smallest where `by` is smallest, and so on.

    Equal values of `by` take theirs in the order of the records.
    """
    placed = np.empty_like(values)
    for j, column in enumerate(by.T):
        placed[np.argsort(column, kind="stable"), j] = np.sort(values[:, j])
    return placed
