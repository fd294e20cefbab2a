"""Groups along one line: sort, then cut every k, or at the best places (Hansen and Mukherjee 2003). Several attributes
are first projected, by the sum of z-scores or the first principal component (Defays and Nanopoulos 1993)."""

import numpy as np

from ...numerics.sorting import ordered, stable_order
from ...types import Array, Integers

CHUNK = 4096  # ends worked at once; bounds the memory to CHUNK x k numbers


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
    n = len(x)
    order, ranked = ordered(x)
    cuts = _cuts(_comparable(ranked), k)
    labels = np.empty(n, dtype=np.int64)
    labels[order] = np.repeat(np.arange(len(cuts) - 1), np.diff(cuts))
    return labels


def _comparable(v: Array) -> Array:
    """Sorted values times a power of two, which changes no digit and keeps their squares in range."""
    return np.ldexp(v, -int(np.frexp(v[-1] - v[0])[1]))


def _cuts(v: Array, k: int) -> list[int]:
    """Where the groups of sorted v (n,) begin and, last, n: the shortest path through the arcs."""
    n = len(v)
    least = np.full(n + 1, np.inf)  # least[j]: the least sum of squares of the first j values
    least[0] = 0.0
    size = np.zeros(n + 1, dtype=np.int64)  # of the group that ends at j
    sizes = np.arange(k, 2 * k)
    for first in range(1, n + 1, CHUNK):
        ends = np.arange(first, min(first + CHUNK, n + 1))
        within = _sums_of_squares(v, ends, k)
        for row, j in zip(within, ends, strict=True):
            possible = sizes[sizes <= j]
            if len(possible):
                path = least[j - possible] + row[: len(possible)]
                best = int(np.argmin(path))
                least[j], size[j] = path[best], possible[best]
    cuts = [n]
    while cuts[-1] > 0:
        cuts.append(cuts[-1] - int(size[cuts[-1]]))
    return cuts[::-1]


def _sums_of_squares(v: Array, ends: Integers, k: int) -> Array:
    """(len(ends), k) within-group sums of squares of the k to 2k - 1 values before each end.

    Values are added one by one (Welford), since differences of running sums of squares lose their digits.
    """
    out = np.full((len(ends), k), np.inf)
    mean, squares = np.zeros(len(ends)), np.zeros(len(ends))
    for m in range(1, min(2 * k, int(ends[-1]) + 1)):
        inside = ends >= m  # ends ascend: those before have no m values before them
        added = v[ends[inside] - m]
        step = added - mean[inside]
        mean[inside] += step / m
        squares[inside] += step * (added - mean[inside])
        if m >= k:
            out[inside, m - k] = squares[inside]
    return out


def sum_of_zscores(A: Array) -> Array:
    """(n,) sums of the z-scores of A (n, p)."""
    Z = _standardised(A, "variance")
    return _added(Z, np.ones(Z.shape[1]))


def first_component(A: Array, scale: str | None = "variance") -> Array:
    """(n,) scores of A (n, p) on its first principal component. Its first loading that is not 0 is positive, as in R's
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
    """(n,) sum of the columns of Z times their loadings, first to last: equal records get equal scores, to the bit."""
    score = np.zeros(len(Z))
    for j, loading in enumerate(loadings):
        score += loading * Z[:, j]
    return score
