"""Data shuffling: the original's values, in the order that Muralidhar and Sarathy's steps give."""

from statistics import NormalDist

import numpy as np
from support import brute
from support.data import cloud

from pyfcrm import RStream, Shuffling

X, Y = cloud(70, 2, 3, seed=5)
Y = np.rint(Y)  # ties


def scores(A):
    out = np.empty(A.shape)
    for j, a in enumerate(brute.columns(A)):
        out[:, j] = [NormalDist().inv_cdf((brute.average_rank(a, v) - 0.5) / len(a)) for v in a]
    return out


def test_shuffling_step_by_step():
    """Oracle: the steps with numpy's Spearman (Pearson of counted ranks), solve, and eigenvectors. Identical.

    An eigenvector's sign is free; the method's own choice, last component positive, is taken here too.
    """
    both = np.column_stack([Y, X])
    ranks = np.column_stack([[brute.average_rank(a, v) for v in a] for a in brute.columns(both)])
    P = 2 * np.sin(np.pi * np.corrcoef(ranks, rowvar=False) / 6)
    B = np.linalg.solve(P[3:, 3:], P[3:, :3])
    values, vectors = np.linalg.eigh(P[:3, :3] - P[:3, 3:] @ B)
    values, vectors = values[::-1], vectors[:, ::-1] * np.sign(vectors[-1, ::-1])
    e = RStream(1).rnorm_matrix(70, 3) @ (vectors * np.sqrt(values)).T
    new = scores(X) @ B + e
    expected = np.empty_like(Y)
    for j in range(3):
        expected[np.argsort(new[:, j]), j] = np.sort(Y[:, j])
    np.testing.assert_array_equal(Shuffling().protect(X, Y, RStream(1)), expected)


def test_collinear_and_constant_independent_attributes_change_nothing():
    """Close in the scores, so identical in the values: a generalised inverse gives the same prediction."""
    more = np.column_stack([X, 3 * X[:, 0] + 1, np.full(70, 0.1)])
    np.testing.assert_array_equal(Shuffling().protect(more, Y, RStream(1)), Shuffling().protect(X, Y, RStream(1)))


def test_rank_correlations_that_no_normal_has_are_noted():
    """2 sin(pi r/6) of a Spearman matrix need not be a covariance: three attributes, found by search."""
    notes = []
    rng = np.random.default_rng(0)
    for _ in range(2000):
        A = rng.permuted(np.tile(np.arange(4.0)[:, None], 3), axis=0)
        notes.clear()
        Z = Shuffling().protect(A[:, :0], A, RStream(1), notes.append)
        assert np.isfinite(Z).all()
        if notes:
            break
    assert notes == ["the rank correlations are not those of a normal distribution: negative eigenvalues count as 0"]
