"""Linkage by Mahalanobis distance, by weighted means and on the first attributes: loops, and cases by hand."""

from itertools import permutations

import numpy as np
import pytest
from support import brute_measures

from pyfcrm.linkage.nearest import nearest_share, weighted_share, whitened
from pyfcrm.measures.dbrl import dbrl, dbrl_mahalanobis


def two(n, p, seed, noise=0.7):
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, p)) + rng.normal(size=(n, 1))
    return X, X + noise * rng.normal(size=(n, p)) @ rng.normal(size=(p, p))


def test_mahalanobis_distances_are_what_they_should_be():
    """Oracle: (a - b)' S^-1 (a - b). Close: one inverse."""
    X, Z = two(20, 3, seed=1)
    S = np.cov((X - Z).T)
    A, B = whitened(X, Z)
    for i, k in ((0, 0), (3, 7), (19, 2)):
        d = X[i] - Z[k]
        assert np.sum((A[i] - B[k]) ** 2) == pytest.approx(d @ np.linalg.inv(S) @ d, rel=1e-9)


def test_weighted_equals_the_loops_and_equal_weights_are_dbrl():
    """Close; and identical for equal weights, whatever their size."""
    X, Z = two(50, 3, seed=6)
    w = np.array([0.2, 0.0, 0.8])
    assert 100 * weighted_share(X, Z, w).mean() == pytest.approx(brute_measures.weighted(X, Z, w))
    for size in (1.0, 1 / 3, 1e-9):
        assert 100 * weighted_share(X, Z, np.full(3, size)).mean() == dbrl(X, Z).total


def test_learned_distances_have_the_baseline_of_a_held_one():
    """The mean over all 5! pairings with S held is 100/n. Oracle: every pairing. Close."""
    X, Z = two(5, 2, seed=8)
    A, B = whitened(X, Z)
    mean = np.mean([nearest_share(A, B[list(order)]).mean() for order in permutations(range(5))])
    assert 100 * mean == pytest.approx(dbrl_mahalanobis(X, Z).baseline)
