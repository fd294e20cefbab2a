"""Compiled passes over pairs for the linkage of numbers: the weight of a pair is a sum over attributes, by classes of difference."""

import numpy as np

from ..engine.compile import compiled
from ..types import Array, Index


@compiled
def pair_weights(i: int, x: Index, z: Index, class_of: Index, weights: Array, sums: Array) -> None:
    """Fills sums (n,) with the weights of original i and each protected record.

    x, z : (p, n), twice the ranks in each file; class_of : (8n + 1,), the class of a difference of these; weights : (p, classes).
    """
    sums[:] = 0.0
    for j in range(x.shape[0]):
        for k in range(z.shape[1]):
            sums[k] += weights[j, class_of[abs(x[j, i] - z[j, k])]]


@compiled
def expected_classes(rows: Index, x: Index, z: Index, class_of: Index, weights: Array) -> Array:
    """Expected numbers (p, classes) of matches in each class of difference, one match for each original of `rows`."""
    counts = np.zeros(weights.shape)
    sums = np.empty(z.shape[1])
    for i in rows:
        pair_weights(i, x, z, class_of, weights, sums)
        likelihoods = np.exp(sums - sums.max())
        total = likelihoods.sum()
        for j in range(x.shape[0]):
            for k in range(z.shape[1]):
                counts[j, class_of[abs(x[j, i] - z[j, k])]] += likelihoods[k] / total
    return counts


@compiled
def shares_of_links(x: Index, z: Index, class_of: Index, weights: Array, tie: float, start: int, shares: Array) -> None:
    """Fills shares (b,) of the originals from `start` on: 1/t where the own record is one of t of largest weight, else 0.

    tie : two weights closer than this are equal.
    """
    sums = np.empty(z.shape[1])
    for place in range(shares.size):
        i = start + place
        pair_weights(i, x, z, class_of, weights, sums)
        least = sums.max() - tie
        shares[place] = 0.0
        if sums[i] >= least:
            shares[place] = 1.0 / (sums >= least).sum()
