"""Compiled passes over pairs for the linkage of numbers: the weight of a pair is a sum over attributes, by classes of difference.

x, z : (n, p), twice the ranks in each file; class_of : (8n + 1,), the class of a difference of these; weights : (p, classes).
"""

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import compiled
from ..types import Array, Index

Ranks = NDArray[np.int32]  # narrow types: the table of classes stays in the processor's cache
Classes = NDArray[np.uint8]


@compiled
def pair_weights(i: int, x: Ranks, z: Ranks, class_of: Classes, weights: Array, classes: Classes, sums: Array) -> None:
    """Fills classes (n, p) and sums (n,) with the classes and the weights of original i and each protected record."""
    for k in range(z.shape[0]):
        weight = 0.0
        for j in range(z.shape[1]):
            classes[k, j] = class_of[abs(x[i, j] - z[k, j])]
            weight += weights[j, classes[k, j]]
        sums[k] = weight


@compiled
def expected_classes(rows: Index, x: Ranks, z: Ranks, class_of: Classes, weights: Array) -> Array:
    """Expected numbers (p, classes) of matches in each class of difference, one match for each original of `rows`."""
    counts = np.zeros(weights.shape)
    classes = np.empty(z.shape, np.uint8)
    sums = np.empty(z.shape[0])
    for i in rows:
        pair_weights(i, x, z, class_of, weights, classes, sums)
        likelihoods = np.exp(sums - sums.max())
        total = likelihoods.sum()
        # By record, then attribute: sums of different attributes do not wait for each other.
        for k in range(z.shape[0]):
            chance = likelihoods[k] / total
            for j in range(z.shape[1]):
                counts[j, classes[k, j]] += chance
    return counts


@compiled
def shares_of_links(
    x: Ranks, z: Ranks, class_of: Classes, weights: Array, tie: float, start: int, shares: Array
) -> None:
    """Fills shares (b,) of the originals from `start` on: 1/t where the own record is one of t of largest weight, else 0.

    tie : two weights closer than this are equal.
    """
    classes = np.empty(z.shape, np.uint8)
    sums = np.empty(z.shape[0])
    for place in range(shares.size):
        i = start + place
        pair_weights(i, x, z, class_of, weights, classes, sums)
        least = sums.max() - tie
        shares[place] = 0.0
        if sums[i] >= least:
            shares[place] = 1.0 / (sums >= least).sum()
