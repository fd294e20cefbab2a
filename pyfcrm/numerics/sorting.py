"""Stable sorting, by numpy or for long columns by a compiled kernel; average ranks, normal scores, and values placed by rank."""

import sys

import numpy as np
from scipy.special import ndtri

from ..types import Array, Integers

COMPILED_ABOVE = 2_000_000  # values; below it loading the compiled code costs more than it saves
COMPILED_WHEN_LOADED = 10_000
MOST_PLACES = 1 << 32  # of the compiled code: half a word


def stable_order(x: Array) -> Integers:
    """Positions (n,) of the values of x (n,), finite, in ascending order; equal ones, -0.0 and 0.0 too, in file order."""
    return ordered(x)[0]


def ordered(x: Array) -> tuple[Integers, Array]:
    """The stable order of x (n,), finite, and the values in that order: two new arrays (n,).

    Both sorts give the same result. The compiled one lets other threads run meanwhile.
    """
    least = COMPILED_WHEN_LOADED if "numba" in sys.modules else COMPILED_ABOVE
    if not least < len(x) < MOST_PLACES:
        order = np.argsort(x, kind="stable")
        return order, x[order]
    from .sorting_kernels import sort_stably

    order = np.empty(len(x), np.int64)
    ranked = np.empty(len(x))
    sort_stably(np.ascontiguousarray(x, dtype=np.float64), order, ranked)
    return order, ranked


def average_ranks(A: Array) -> Array:
    """Ranks 1 .. n within each column of A (n, p), equal values sharing the mean of theirs: (n, p)."""
    R = np.empty(A.shape)
    for j, a in enumerate(A.T):
        R[:, j] = (twice_below(a, a) + 1) / 2
    return R


def twice_below(a: Array, b: Array) -> Integers:
    """Twice the number of values of b (N,) below each of a (n,), an equal value counting a half: (n,), whole numbers."""
    ordered = np.sort(b)
    return np.searchsorted(ordered, a, "left") + np.searchsorted(ordered, a, "right")


def normal_scores(A: Array) -> Array:
    """The normal quantiles of (rank - 1/2)/n by column of A (n, p); 0 in a constant column, NaN for NaN, which does not count."""
    observed = np.maximum((~np.isnan(A)).sum(axis=0), 1)
    return ndtri((average_ranks(A) - 0.5) / observed)  # NaN ranks above n, where the quantile is NaN


def placed_by_rank(values: Array, by: Array) -> Array:
    """The values of each column placed in the order of `by`, both (n, t): the smallest where `by` is smallest, and so on.

    Records with equal `by` take their values in file order.
    """
    placed = np.empty_like(values)
    for j, column in enumerate(by.T):
        placed[np.argsort(column, kind="stable"), j] = np.sort(values[:, j])
    return placed
