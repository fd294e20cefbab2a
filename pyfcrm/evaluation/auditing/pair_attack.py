"""The attack by pairs of columns: whether a released record lies near a record in some pair of its columns.

A release may be far from every original in all columns together, and close to one in two of them, as trees with small leaves
are. Distances are in ranks, relative to those to the nearest other original, so that dense places do not look like members.
"""

from typing import Any

import numpy as np

from ...types import Array, Integers
from .attacks import Originals, attribute_pairs, ranked

NEAR_PAIRS = "nearest in pairs of columns"
NEAR = 1e-3  # shares of ranks: added to distances before their logarithm, so that ties do not decide


def reference_distances(originals: Originals) -> Array:
    """(r, n) the distance of each original to the nearest other one in each pair of columns, in ranks."""
    return np.array([_distances(originals.ranks, originals.ranks, pair, other=2) for pair in _pairs(originals)])


def released_distances(originals: Originals, Z: Array) -> Array:
    """(r, n) the distance of each original to the nearest record of the release Z (N, t) in each pair of columns, in ranks."""
    released = ranked(Z, originals.Y)
    near = [_distances(originals.ranks, released, pair, other=1) for pair in _pairs(originals)]
    return np.array(near).reshape(-1, len(originals.Y))


def pair_scores(reference: Array, near: Array) -> Array:
    """(n,) how much nearer a release is to each original than other originals are, on average over pairs of columns.

    reference : (r, n), see `reference_distances`; near : (r, n), see `released_distances`.
    """
    if not len(reference):
        return np.zeros(near.shape[1])
    return np.asarray(np.mean(np.log(reference + NEAR) - np.log(near + NEAR), axis=0))


def _pairs(originals: Originals) -> Integers:
    """(r, 2) the pairs of columns."""
    return attribute_pairs(originals.Y.shape[1]).T


def _distances(A: Array, B: Array, pair: Integers, *, other: int) -> Array:
    """(n,) distances from rows of A to the nearest row of B in two columns. other : 2 if the nearest is the row itself."""
    from scipy.spatial import cKDTree

    tree: Any = cKDTree(B[:, pair])
    return np.asarray(tree.query(A[:, pair], k=[other])[0][:, 0])
