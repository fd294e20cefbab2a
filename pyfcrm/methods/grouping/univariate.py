"""Groups along one line: sort, then cut every k, or at the best places (Hansen and Mukherjee 2003). Several attributes
are first projected, by the sum of z-scores or the first principal component (Defays and Nanopoulos 1993)."""

from collections.abc import Callable
from functools import cache

import numpy as np

from ...engine import dispatch
from ...numerics.sorting import ordered, stable_order
from ...types import Array, Integers

SECONDS_A_VALUE = 1e-6  # of plain code, for each value and size of a group


def ranked_groups(x: Array, k: int) -> Integers:
    """Groups of k successive values; the last has k + (n mod k).

    x : (n,) an attribute or a score, finite; k : from 1 to n. Ties stay in file order.
    Returns (n,) labels from 0, the smallest values first.
    Source: Defays and Nanopoulos (1993).
    """
    n = len(x)
    labels = np.empty(n, dtype=np.int64)
    labels[stable_order(x)] = np.minimum(np.arange(n) // k, n // k - 1)
    return labels


def optimal_groups(x: Array, k: int) -> Integers:
    """The groups of at least k records with the least within-group sum of squares.

    x : (n,) finite; k : from 1 to n. Groups are runs of sorted values, of k to 2k - 1 (a longer one can be cut at no
    loss); of equally good partitions the one whose last groups are the smallest. Ties stay in file order.
    Returns (n,) labels from 0, the smallest values first. O(n k).
    Source: Hansen and Mukherjee (2003), with arcs from i to j for i + k <= j < i + 2k.
    """
    order, ranked = ordered(x)
    long = dispatch.compiled("engine/compile", SECONDS_A_VALUE * len(x) * 2 * k)
    sizes, cuts = (_compiled_best_sizes() if long else best_sizes)(ranked, k), [len(x)]
    while cuts[-1] > 0:
        cuts.append(cuts[-1] - int(sizes[cuts[-1]]))
    labels = np.empty(len(x), dtype=np.int64)
    labels[order] = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts[::-1]))
    return labels


def best_sizes(v: Array, k: int) -> Integers:
    """Sizes (n + 1,) of the last group of the best partition of each number of first values of v (n,), sorted.

    The shortest path through the arcs. Values of a group are added one by one (Welford), since differences of running
    sums of squares lose their digits.
    """
    least, sizes = np.full(len(v) + 1, np.inf), np.zeros(len(v) + 1, dtype=np.int64)
    least[0] = 0.0
    for end in range(k, len(v) + 1):
        mean, squares = 0.0, 0.0
        for size in range(1, min(2 * k, end + 1)):
            value = v[end - size]
            step = value - mean
            mean += step / size
            squares += step * (value - mean)
            if size >= k and least[end - size] + squares < least[end]:
                least[end], sizes[end] = least[end - size] + squares, size
    return sizes


@cache
def _compiled_best_sizes() -> Callable[[Array, int], Integers]:
    from ...engine.compile import compiled

    return compiled(best_sizes)


def sum_of_zscores(A: Array) -> Array:
    """Sums (n,) of the z-scores of A (n, p)."""
    Z = _standardised(A, "variance")
    return _added(Z, np.ones(Z.shape[1]))


def first_component(A: Array, scale: str | None = "variance") -> Array:
    """Scores (n,) of A (n, p) on its first principal component. Its first loading that is not 0 is positive, as in R's
    princomp: the sign decides which end of the line has the larger group."""
    Z = _standardised(A, scale)
    if not Z.shape[1]:
        return np.zeros(len(A))
    loadings = np.linalg.eigh(Z.T @ Z)[1][:, -1]
    size = np.abs(loadings)
    return _added(Z, loadings * np.sign(loadings[np.argmax(size > 1e-9 * size.max())]))


def _standardised(A: Array, scale: str | None) -> Array:
    """Centred columns of A that vary, each divided by its standard deviation or all by the largest one."""
    A = A[:, np.ptp(A, axis=0) > 0]
    if not A.shape[1]:
        return A
    A = A - A.mean(axis=0)
    A = A / (np.abs(A).max(axis=0) if scale == "variance" else np.abs(A).max())
    return A / A.std(axis=0) if scale == "variance" else A


def _added(Z: Array, loadings: Array) -> Array:
    """Sums (n,) of the columns of Z times their loadings, first to last: equal records get equal scores, to the bit."""
    score = np.zeros(len(Z))
    for j, loading in enumerate(loadings):
        score += loading * Z[:, j]
    return score
