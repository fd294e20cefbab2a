"""Probabilistic linkage of numbers: the agreement of a pair is how much more likely its differences are in true than in random pairs."""

from dataclasses import dataclass

import numpy as np

from ..progress import Progress, report_progress
from ..types import Array
from .numeric_kernels import Classes, Ranks, expected_classes, pair_weights, shares_of_links

ENDS = (0, 0.002, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1)
"""Upper ends of the classes of |difference| in ranks, as shares of n; the first class is equality."""
MOST_ITERATIONS = 200
CHANGE = 1e-6  # of the largest chance of a class, at which EM ends
ESTIMATED_FROM = 1000  # originals, spread over the file
TIE = 1e-9
# Weights are multiples of it, so that their sums are exact: of several assignments with the same sum every processor finds the same.
UNIT = 2.0**-30
BLOCK = 500  # originals between two reports of progress


@dataclass(frozen=True)
class NumericLinkage:
    """The comparison of two files by their ranks, and the weights of classes of differences."""

    x: Ranks
    """(n, p), twice the ranks of the original; equal values share their mean rank, a missing one is beyond all others."""
    z: Ranks
    """(n, p), twice the ranks of the protected file."""
    class_of: Classes
    """(8n + 1,), the class of a difference of twice the ranks; above 2n a value is missing, the last class."""
    weights: Array
    """(p, classes), log(m / u); 0 where a value is missing."""
    iterations: int
    """Iterations of EM."""
    converged: bool
    """Whether the last iteration changed no chance by more than CHANGE."""

    def shares(self, progress: Progress | None = None) -> Array:
        """Shares (n,): 1/t where an original's own record is one of the t records of largest weight, else 0."""
        n = len(self.x)
        shares = np.empty(n)
        for start in range(0, n, BLOCK):
            report_progress(progress, start, n, "pairs of records")
            block = shares[start : start + BLOCK]
            shares_of_links(self.x, self.z, self.class_of, self.weights, TIE, start, block)
        return shares

    def assigned(self) -> Array:
        """Whether (n,) each original's own record is assigned to it, one to one, with the largest sum of weights."""
        from scipy.optimize import linear_sum_assignment

        n = len(self.x)
        W = np.empty((n, n))
        classes = np.empty(self.z.shape, np.uint8)
        for i in range(n):
            pair_weights(i, self.x, self.z, self.class_of, self.weights, classes, W[i])
        return np.asarray(linear_sum_assignment(W, maximize=True)[1] == np.arange(n), dtype=np.float64)


def numeric_linkage(X: Array, Z: Array) -> NumericLinkage:
    """Weights for the linkage of X and Z, both (n, p), NaN for missing, without use of the true pairs.

    u is the share of each class among all pairs with both values. m is estimated by EM, as if each original had one match:
    a candidate's chance is its likelihood ratio, divided by the sum over candidates. EM starts from the ratio
    1 / (class + 1), and one random pair is added to the matches, so that no ratio is 0.
    """
    n, p = X.shape
    x = np.column_stack([_twice_ranks(X[:, j], missing=-3 * n) for j in range(p)])
    z = np.column_stack([_twice_ranks(Z[:, j], missing=5 * n) for j in range(p)])
    classes = len(ENDS)
    class_of = np.full(8 * n + 1, classes, dtype=np.uint8)
    class_of[: 2 * n + 1] = np.searchsorted(2 * n * np.array(ENDS), np.arange(2 * n + 1))
    u = np.array([_classes_of_all_pairs(x[:, j], z[:, j], class_of[: 2 * n + 1]) for j in range(p)])
    weights = np.zeros((p, classes + 1))
    weights[:, :classes] = -np.log(1 + np.arange(classes))
    rows = np.unique(np.linspace(0, n - 1, min(n, ESTIMATED_FROM)).astype(np.int64))
    m = np.zeros_like(u)
    converged = False
    iterations = 0
    while not converged and iterations < MOST_ITERATIONS:
        counts = expected_classes(rows, x, z, class_of, weights)[:, :classes] + u
        change = np.abs(counts / counts.sum(axis=1, keepdims=True) - m)
        m = counts / counts.sum(axis=1, keepdims=True)
        # A class that no pair is in has no weight.
        weights[:, :classes] = np.log(np.divide(m, u, out=np.ones_like(m), where=u > 0))
        iterations += 1
        converged = bool(change.max() < CHANGE)
    weights = np.rint(weights / UNIT) * UNIT
    return NumericLinkage(x, z, class_of, weights, iterations=iterations, converged=converged)


def _twice_ranks(values: Array, missing: int) -> Ranks:
    """Twice the ranks (n,) of the observed values from 1 to n, equal values with their mean; `missing` for NaN."""
    from scipy.stats import rankdata

    observed = ~np.isnan(values)
    ranks = np.full(len(values), missing, dtype=np.int32)
    if observed.any():
        ranks[observed] = np.rint(2 * rankdata(values[observed]) * len(values) / observed.sum())
    return ranks


def _classes_of_all_pairs(x: Ranks, z: Ranks, class_of: Classes) -> Array:
    """Shares (classes,) of the pairs of observed x and z, twice the ranks, in each class of difference; all equal without any."""
    ends = np.searchsorted(class_of, np.arange(len(ENDS)), side="right") - 1  # the largest difference of each class
    x = x[x > 0]
    z = np.sort(z[z < 4 * len(z)])
    if not x.size or not z.size:
        return np.full(len(ENDS), 1 / len(ENDS))
    within = [
        (np.searchsorted(z, x + end, side="right") - np.searchsorted(z, x - end, side="left")).sum() for end in ends
    ]
    return np.diff(within, prepend=0) / (x.size * z.size)
