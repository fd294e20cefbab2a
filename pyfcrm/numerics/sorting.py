"""Stable sorting (by numpy, or for long columns by a compiled kernel), average ranks, normal scores, values placed by rank."""

import sys

import numpy as np
from scipy.special import ndtri

from ..types import Array, Integers

COMPILED_ABOVE = 2_000_000  # values; below it loading the compiled code costs more than it saves
COMPILED_WHEN_LOADED = 10_000  # the same, once the compiler is loaded
MOST_PLACES = 1 << 32  # positions that the compiled code can store: half a word of 64 bits


def stable_order(x: Array) -> Integers:
    """Positions (n,) of the values of x (n,) in ascending order. x is finite; equal values (-0.0 equals 0.0) stay in file order."""
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
        # With b values below and k equal ones, a's own among them, twice_below is 2 b + k; the mean rank b + (k + 1) / 2.
        R[:, j] = (twice_below(a, a) + 1) / 2
    return R


def twice_below(a: Array, b: Array) -> Integers:
    """Twice the number of values of b (N,) below each value of a (n,), an equal value counting a half: whole numbers (n,).

    Values below count on both sides of the search, equal ones on the right side only.
    """
    ordered = np.sort(b)
    return np.searchsorted(ordered, a, "left") + np.searchsorted(ordered, a, "right")


def normal_scores(A: Array) -> Array:
    """The normal quantiles (n, p) of (rank - 1/2) / n by column of A (n, p), n the number of observed values.

    A constant column has scores 0. NaN has score NaN, and does not count.
    """
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
