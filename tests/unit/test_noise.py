"""Noise: each kind against its formula, written out here with numpy's or Python's own moments.

Close: 1e-12 relative, as the same few operations come in another order.
"""

import math
from statistics import NormalDist, stdev

import numpy as np
from support.data import cloud

from pyfcrm import Noise, RStream

RTOL = 1e-12
Y = cloud(60, 1, 3, seed=4)[1]


def released(Y, kind, amount=10.0, seed=1, note=None):
    notes = [] if note is None else note
    return Noise(kind, amount).protect(np.empty((len(Y), 0)), Y, RStream(seed), notes.append)


def normals(seed=1):
    return RStream(seed).rnorm_matrix(*Y.shape)


def test_correlated_is_normals_times_the_cholesky_factor():
    T = np.linalg.cholesky(np.cov(Y, rowvar=False)).T
    np.testing.assert_allclose(released(Y, "correlated", 25), Y + 0.25 * normals() @ T, rtol=1e-10)


def test_linear_is_the_symmetric_map_of_the_correlated_release():
    """Oracle: Z = mean + (Y + e - mean) M in the whitened basis, M the inverse symmetric root of its cross-products.

    Close, 1e-9: the root is taken of squares.
    """
    T = np.linalg.cholesky(np.cov(Y, rowvar=False)).T
    noisy = released(Y, "correlated", 30)
    white = (noisy - noisy.mean(axis=0)) @ np.linalg.inv(T) / math.sqrt(len(Y) - 1)
    values, vectors = np.linalg.eigh(white.T @ white)
    M = vectors @ np.diag(values**-0.5) @ vectors.T
    expected = Y.mean(axis=0) + white @ M @ T * math.sqrt(len(Y) - 1)
    np.testing.assert_allclose(released(Y, "linear", 30), expected, rtol=1e-9)


def test_linear_is_near_kim_s_number_in_a_large_file():
    """Kim: mean + (y + e - mean)/sqrt(1 + a^2). Statistical: n = 20000, 4 in 100 of an sd."""
    A = np.random.default_rng(0).normal(size=(20_000, 2)) @ [[1, 0.5], [0, 1]]
    noisy = released(A, "correlated", 50)
    kim = A.mean(axis=0) + (noisy - A.mean(axis=0)) / math.sqrt(1.25)
    assert np.abs(released(A, "linear", 50) - kim).max() < 0.04 * A.std()


def test_nonlinear_places_the_values_by_noisy_normal_scores():
    """By hand, one attribute: scores of (rank - 1/2)/n, noise of amount per cent of their sd, values by rank."""
    y = np.array([5.0, 1.0, 9.0, 1.0, 7.0, 30.0])
    ranks = [3, 1.5, 5, 1.5, 4, 6]
    scores = [NormalDist().inv_cdf((r - 0.5) / 6) for r in ranks]
    noisy = [s + 1.5 * stdev(scores) * e for s, e in zip(scores, RStream(1).rnorm(6), strict=True)]
    expected = [sorted(y)[sorted(noisy).index(v)] for v in noisy]
    assert released(y[:, None], "nonlinear", 150)[:, 0].tolist() == expected


def test_laplace_is_the_quantile_function_of_uniforms():
    U = RStream(1).runif_matrix(*Y.shape)
    expected = np.empty_like(Y)
    for j, c in enumerate(Y.T):
        b = 0.3 * stdev(c) / math.sqrt(2)
        for k, u in enumerate(U[:, j]):
            expected[k, j] = c[k] + (b * math.log(2 * u) if u < 0.5 else -b * math.log(2 * (1 - u)))
    np.testing.assert_allclose(released(Y, "laplace", 30), expected, rtol=RTOL)


def test_multiplicative_is_lognormal():
    s = math.sqrt(math.log(1 + 0.3**2))
    np.testing.assert_allclose(released(Y, "multiplicative", 30), Y * np.exp(s * normals() - s * s / 2), rtol=RTOL)
