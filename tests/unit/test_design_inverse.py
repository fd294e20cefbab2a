"""Generalised inverses. Oracle: their definition, A A^- A = A. Close: products of a few dozen terms."""

import numpy as np
import pytest
from support.data import S2_INDEPENDENT, census_columns, cloud, membership, requires_census

from pyfcrm.numerics.design import moore_penrose, thesis_inverse

both = pytest.mark.parametrize("inverse", [thesis_inverse, moore_penrose])


def is_generalised_inverse(A, G):
    assert G.shape == A.shape[::-1]
    # The error of A G A grows with the size of G beside that of A.
    scale = np.abs(A).max(initial=0.0) * max(1.0, np.linalg.norm(A) * np.linalg.norm(G))
    np.testing.assert_allclose(A @ G @ A, A, rtol=0, atol=1e-12 * scale)


@both
@pytest.mark.parametrize(
    ("m", "n", "rank"), [(4, 4, 4), (4, 4, 2), (7, 3, 2), (3, 7, 2), (6, 5, 1), (1, 5, 1), (9, 9, 6)]
)
def test_integer_matrices_of_low_rank(inverse, m, n, rank):
    rng = np.random.default_rng(m * n + rank)
    for _ in range(50):
        A = (rng.integers(-4, 5, (m, rank)) @ rng.integers(-4, 5, (rank, n))).astype(float)
        is_generalised_inverse(A, inverse(A))


@both
@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_real_matrices_of_low_rank(inverse, scale):
    rng = np.random.default_rng(1)
    for m, n, rank in [(5, 5, 3), (8, 4, 4), (4, 8, 3)] * 20:
        A = scale * rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
        is_generalised_inverse(A, inverse(A))


@both
def test_a_zero_matrix_has_a_zero_inverse_and_a_regular_one_its_own(inverse):
    np.testing.assert_array_equal(inverse(np.zeros((3, 2))), np.zeros((2, 3)))
    A = np.array([[2.0, 1, 0], [0, 1, 4], [1, 0, 1]])
    np.testing.assert_allclose(inverse(A), np.linalg.inv(A), rtol=1e-13, atol=1e-15)


def test_the_thesis_takes_the_first_independent_rows_and_columns():
    """By hand: rows 1 and 3, columns 2 and 3 of this matrix; the second row is twice the first. Identical."""
    A = np.array([[0.0, 2, 0], [0, 4, 0], [0, 6, 5]])
    np.testing.assert_allclose(thesis_inverse(A), [[0, 0, 0], [0.5, 0, 0], [-0.6, 0, 0.2]], rtol=1e-15)


@pytest.mark.parametrize(("m", "n", "rank"), [(5, 5, 3), (3, 6, 2), (6, 3, 3)])
def test_the_thesis_inverts_a_submatrix_of_full_rank(m, n, rank):
    """Oracle: thesis 2.6, step 7: the inverse of a submatrix of largest rank in its places, zeros elsewhere."""
    rng = np.random.default_rng(2)
    for _ in range(30):
        A = (rng.integers(-4, 5, (m, rank)) @ rng.integers(-4, 5, (rank, n))).astype(float)
        G = thesis_inverse(A)
        # The columns of G stand for rows of A. A row of an inverse is never all zeros, nor is a column.
        rows, columns = np.flatnonzero(G.any(axis=0)), np.flatnonzero(G.any(axis=1))
        assert len(rows) == len(columns) == np.linalg.matrix_rank(A)
        np.testing.assert_allclose(G[np.ix_(columns, rows)] @ A[np.ix_(rows, columns)], np.eye(len(rows)), atol=1e-10)


def test_moore_penrose_has_all_four_properties():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(6, 2)) @ rng.normal(size=(2, 5))
    G = moore_penrose(A)
    for left, right in ((A @ G @ A, A), (G @ A @ G, G), (A @ G, (A @ G).T), (G @ A, (G @ A).T)):
        np.testing.assert_allclose(left, right, atol=1e-13)


def cross_product(X, seed):
    """X'DX of columns at norm 1 with the weights of a fuzzy cluster, as the regression forms it."""
    A = np.column_stack([np.ones(len(X)), X - X.mean(axis=0)])
    A /= np.linalg.norm(A, axis=0)
    return A.T @ (membership(len(X), 3, seed)[:, [0]] ** 1.5 * A)


@both
def test_weighted_cross_products_of_collinear_columns(inverse):
    X = cloud(60, 3, 1, seed=4)[0]
    G = cross_product(np.column_stack([X, X[:, 0] + X[:, 1] / 10, X[:, 2] - X[:, 0]]), seed=1)
    assert np.linalg.matrix_rank(G, tol=1e-10) == 4
    is_generalised_inverse(G, inverse(G))


@requires_census
@pytest.mark.census
@both
def test_weighted_cross_products_of_s2(inverse):
    """Rank 9 of 10, as v5 = v8 + v10."""
    G = cross_product(census_columns(*S2_INDEPENDENT), seed=2)
    is_generalised_inverse(G, inverse(G))
    assert np.linalg.matrix_rank(inverse(G)) == 9
