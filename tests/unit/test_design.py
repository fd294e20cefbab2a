"""Weighted least squares of every cluster: against exact fractions, and against numpy's lstsq."""

from fractions import Fraction

import numpy as np
import pytest
from support.clusters import coefficients
from support.data import cloud, membership

from pyfcrm.numerics.design import design


def fractions(A):
    return [[Fraction(float(v)) for v in row] for row in A]


def exact_coefficients(A, y, w):
    """The solution of A'WA beta = A'Wy in exact arithmetic, by elimination; A (n, r) of full rank."""
    a, b, v = fractions(A), fractions(y[:, None]), [Fraction(float(k)) for k in w]
    r, n = len(a[0]), len(a)
    M = [[sum(v[k] * a[k][i] * a[k][j] for k in range(n)) for j in range(r)] for i in range(r)]
    for i in range(r):
        M[i].append(sum(v[k] * a[k][i] * b[k][0] for k in range(n)))
    for i in range(r):
        pivot = next(k for k in range(i, r) if M[k][i] != 0)
        M[i], M[pivot] = M[pivot], M[i]
        M[i] = [value / M[i][i] for value in M[i]]
        for k in range(r):
            if k != i:
                M[k] = [p - M[k][i] * q for p, q in zip(M[k], M[i], strict=True)]
    return [M[i][r] for i in range(r)]


def with_one(X):
    return np.column_stack([np.ones(len(X)), X])


@pytest.mark.parametrize("gap", [1.0, 1e-3, 1e-6])
def test_equals_exact_fractions_however_near_to_collinear(gap):
    """x2 = x1 + gap noise. Oracle: rational arithmetic. Close: fitted values to 1e-9 of the spread of y.

    The textbook inverse of X'DX loses all digits at a gap of 1e-8; 1e-9 here is eps over the smallest gap, times ten.
    """
    rng = np.random.default_rng(1)
    x = rng.normal(size=12)
    X = np.column_stack([1000 + x, 1000 + x + gap * rng.normal(size=12)])
    y, w = x + rng.normal(size=12), membership(12, 3, 2)[:, 0] ** 1.5
    beta = exact_coefficients(with_one(X), y, w)
    fitted = [float(sum(a * b for a, b in zip(row, beta, strict=True))) for row in fractions(with_one(X))]
    D = design(X)
    assert D.rank == 3
    gamma = coefficients(D, y[:, None], w[:, None])[0]
    np.testing.assert_allclose((D.columns @ gamma).ravel(), fitted, rtol=0, atol=1e-9 * y.std())
    back = (D.back @ gamma).ravel()
    np.testing.assert_allclose(back, [float(b) for b in beta], rtol=1e-12 / min(gap, 1e-3) * 10)


@pytest.mark.parametrize("intercept", [True, False])
def test_equals_lstsq_for_every_cluster_and_column(intercept):
    X, Y = cloud(50, 3, 2, seed=1)
    W = membership(50, 4, 3) ** 1.5
    D = design(X, intercept)
    A = with_one(X) if intercept else X
    gamma = coefficients(D, Y, W)
    for i in range(4):
        root = np.sqrt(W[:, [i]])
        beta = np.linalg.lstsq(A * root, Y * root, rcond=None)[0]
        np.testing.assert_allclose(D.back @ gamma[i], beta, rtol=1e-8)
        np.testing.assert_allclose(D.columns @ gamma[i], A @ beta, rtol=1e-9)


@pytest.mark.parametrize(
    ("extra", "rank"),
    [
        (lambda X: X[:, [0]] + X[:, [1]], 4),
        (lambda X: np.full((len(X), 1), 3.3), 4),
        (lambda X: np.zeros((len(X), 1)), 4),
        (lambda X: -5 * X[:, [2]] + 2, 4),
        (lambda X: X[:, [0]] ** 2, 5),
    ],
)
def test_rank_is_that_of_one_and_x(extra, rank):
    X = cloud(50, 3, 1, seed=3)[0]
    D = design(np.column_stack([X, extra(X)]))
    assert D.rank == D.columns.shape[1] == rank
    np.testing.assert_allclose(D.columns.T @ D.columns, np.eye(rank), atol=1e-14)
    np.testing.assert_allclose(with_one(np.column_stack([X, extra(X)])) @ D.back, D.columns, atol=1e-11)


def test_a_constant_whose_mean_is_rounded_is_constant():
    """Centring 0.1 repeated leaves 1e-17, which must not count as a column. Rank is that of the intercept."""
    rounded = 0
    for n in range(2, 60):
        for value in (0.1, 1 / 3, 1e6 + 0.1, -7.7e-30, 1e90 / 3):
            x = np.full((n, 1), value)
            rounded += bool((x - x.mean()).any())
            assert design(x).rank == 1
    assert rounded > 20
