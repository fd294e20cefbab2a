"""Bounds of the changes that rounding of the data can make in results, where the condition number gives no bound.

These are results that count records, by ties: linkage by distance and by agreement; and the variances of correlations near 1. The
answers depend on the data and on Python's releases, not on R.
"""

import numpy as np

from pyfcrm.data.pairs import Pair
from pyfcrm.engine import Local
from pyfcrm.linkage.agreement import Agreement
from pyfcrm.linkage.linker import Linker
from pyfcrm.linkage.probabilistic import PLAIN
from pyfcrm.methods import Method
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

ROUNDING = 1e-12  # times the condition number: see verdicts
LEAST_CONDITION = 10.0  # sums of squares in another order differ by several units of rounding on any data
EVERYTHING = 100.0  # per cent


def open_links(X: Array, Z: Array, condition: float) -> float:
    """Per cent of the originals X (n, t) whose link by distance to Z (n, t) depends on rounding.

    For such a record its own protected record is among the nearest, or is not, by a difference of distances that is
    not 0 and that rounding explains.
    """
    margin = ROUNDING * max(condition, LEAST_CONDITION)
    A = _scores(X)
    B = _scores(Z)
    count = 0
    for i in range(len(A)):
        distance = np.sqrt(((B - A[i]) ** 2).sum(axis=1))
        own = distance[i]
        near = np.abs(distance - own) <= margin * (1 + own)
        may_be_nearest = distance.min() >= own - margin * (1 + own)
        if may_be_nearest and (near & (distance != own)).any():
            count += 1
    return 100 * count / len(A)


def flat_likelihood(X: Array, Z: Array, agreement: Agreement) -> float:
    """100 if EM needs more than 1,000 iterations on X and Z (n, t), else 0.

    Then the likelihood is flat: EM, stopped at a change of 1e-10, ends at estimates that rounding determines.
    """
    fit = Linker(Pair.of(X, Z), Local()).probabilistic(agreement)
    return EVERYTHING if fit.iterations > PLAIN or not fit.converged else 0.0


def open_groups(X: Array, condition: float) -> float:
    """Infinite if rounding can decide which records of X (n, t) are nearest to one of them, else 0.

    Groups of nearest records follow each other, so that one tie may change all later groups.
    """
    margin = ROUNDING * max(condition, LEAST_CONDITION)
    A = _scores(X)
    for i in range(len(A)):
        distance = np.sort(np.sqrt(((A - A[i]) ** 2).sum(axis=1)))
        gap = np.diff(distance)
        if ((gap > 0) & (gap <= margin * (1 + distance[1:]))).any():
            return float("inf")
    return 0.0


def open_ranks(Z: Array, condition: float) -> float:
    """Infinite if rounding can decide the order of two unequal values in a column of Z (n, t), else 0."""
    margin = ROUNDING * max(condition, LEAST_CONDITION)
    ordered = np.sort(Z, axis=0)
    gap = np.diff(ordered, axis=0)
    if ((gap > 0) & (gap <= margin * np.abs(ordered).max(axis=0))).any():
        return float("inf")
    return 0.0


def open_cuts(method: Method, X: Array, Y: Array, seed: int) -> float:
    """Infinite if a release of Y (n, t) by trees depends on the order of the predictors X (n, s), else 0.

    Then two cuts are equally good but for rounding, and each implementation takes one of them.
    """
    first = method.protect(X, Y, RStream(seed))
    second = method.protect(np.ascontiguousarray(X[:, ::-1]), Y, RStream(seed))
    return 0.0 if np.array_equal(first, second) else float("inf")


def correlation_rounding(X: Array) -> float:
    """The largest change, per cent, that rounding can make in the information loss of the correlations of X (n, t).

    The variance of a correlation r is about (1 - r^2)^2 / n, a difference of sums near 1. Its relative error changes the
    loss 2 Phi(u) - 1, u = |r' - r| / sd(r), by at most a quarter as much, since u phi(u) < 1/4.
    """
    t = X.shape[1]
    if t == 1:
        return 0.0
    r = np.atleast_2d(np.corrcoef(X, rowvar=False))[np.triu_indices(t, 1)]
    share = np.maximum(1 - np.nan_to_num(r) ** 2, np.finfo(np.float64).eps)
    return float(100 * np.minimum(ROUNDING / share**2 / 4, 1.0).mean())


def _scores(A: Array) -> Array:
    """Columns about their means, in units of their standard deviations; a constant column is 0."""
    deviation = A - A.mean(axis=0)
    sd = A.std(axis=0, ddof=1)
    return deviation / np.where(sd > 0, sd, 1.0)
