"""Fuzzy c-means: worked by hand, and against plain loops of the thesis's 2.7 (support/loops.py)."""

import numpy as np
import pytest
from support import loops
from support.data import cloud, membership

from pyfcrm import RStream, fcm

LINE = np.array([[0.0], [2.0], [4.0]])
HALVES = np.array([[1, 0], [0.5, 0.5], [0, 1]])


def test_one_iteration_by_hand():
    """Weights 1, 1/4, 0 give centres 0.4 and 3.6; record 0 has squared distances 0.16 and 12.96. Close: last digits."""
    fit = fcm(LINE, 2, m=2, tol=0, max_iter=1, initial=HALVES)
    u = 12.96 / (12.96 + 0.16)
    assert fit.centers == pytest.approx(np.array([[0.4], [3.6]]))
    assert fit.membership == pytest.approx(np.array([[u, 1 - u], [0.5, 0.5], [1 - u, u]]))
    assert fit.objective == pytest.approx([2 * (u**2 * 0.16 + (1 - u) ** 2 * 12.96) + 2 * 0.25 * 2.56])
    assert fit.delta == pytest.approx([1 - u])
    assert (fit.iterations, fit.converged) == (1, False)


# The share of a record is a product of powers 1/(m-1) of distances: rounding in a centre counts 20 times at m = 1.05.
@pytest.mark.parametrize(("m", "rtol"), [(1.05, 1e-9), (1.5, 1e-11), (2, 1e-11), (3, 1e-11)])
@pytest.mark.parametrize("c", [1, 2, 3, 7])
def test_equals_the_loops(c, m, rtol):
    """Oracle: the loops, every one of 8 iterations. Close: the same sums in another order."""
    X = cloud(25, 3, 1, seed=c)[0]
    U = membership(25, c, seed=c + 1)
    fit = fcm(X, c, m=m, tol=0, max_iter=8, initial=U)
    done = loops.fcm(X, U, m, 8)
    np.testing.assert_allclose(fit.membership, done[-1].membership, rtol=0, atol=rtol)
    np.testing.assert_allclose(fit.centers, done[-1].models, rtol=rtol)
    np.testing.assert_allclose(fit.objective, [r.objective for r in done], rtol=rtol)
    np.testing.assert_allclose(fit.delta, [r.delta for r in done], rtol=0, atol=rtol)


@pytest.mark.parametrize("second", [0.0, 1e-200])  # a weight of 1e-400 is 0
def test_a_cluster_without_weight_stays_empty(second):
    """Oracle: the same fit without that cluster. Identical; the objective close, a sum over another shape."""
    X = cloud(20, 2, 1, seed=5)[0]
    U = membership(20, 2, seed=6)
    fit = fcm(X, 3, tol=0, max_iter=6, initial=np.column_stack([U, np.full(20, second)]))
    without = fcm(X, 2, tol=0, max_iter=6, initial=U)
    np.testing.assert_array_equal(fit.membership, np.column_stack([without.membership, np.zeros(20)]))
    np.testing.assert_array_equal(fit.centers[:2], without.centers)
    np.testing.assert_allclose(fit.objective, without.objective, rtol=1e-14)
    assert np.isinf(fit.centers[2]).all()
    assert "fuzzy c-means had an empty cluster" in fit.notes


def test_a_cluster_that_loses_its_records_stays_where_it_was():
    """By hand, m = 1.001. Centres -8, 0, 8 first; -10 is so much nearer to -8 than to 0 that nothing is left for 0.

    Then centres -9 and 9, and 0 stays. Identical: the shares are 0 and 1.
    """
    X, U = [-10, -8, 8, 10], [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    fit = fcm(X, 3, m=1.001, tol=0, max_iter=2, initial=U)
    np.testing.assert_array_equal(fit.centers.ravel(), [-9, 0, 9])
    np.testing.assert_array_equal(fit.membership, [[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]])
    np.testing.assert_array_equal(fit.objective, [8, 4])
    assert fit.notes == ("fuzzy c-means had an empty cluster",)


def test_converged_only_if_it_did():
    X = cloud(40, 2, 1, seed=7)[0]
    fit = fcm(X, 3, seed=1)
    assert fit.converged
    assert fit.delta[-1] < 1e-5 <= fit.delta[:-1].min()
    assert len(fit.delta) == len(fit.objective) == fit.iterations < 100
    short = fcm(X, 3, max_iter=fit.iterations - 1, seed=1)
    assert not short.converged
    assert short.notes == (f"fuzzy c-means did not converge in {fit.iterations - 1} iterations",)
    np.testing.assert_array_equal(short.delta, fit.delta[:-1])


def test_a_random_start_is_uniforms_by_columns_divided_by_row_sums():
    """Oracle: the start made by hand from the same stream, and given. Identical but for the division by sums of 1."""
    X = cloud(12, 2, 1, seed=8)[0]
    u = RStream(5).runif(12 * 3).reshape(3, 12).T
    value = fcm(X, 3, tol=0, max_iter=4, initial=u)
    np.testing.assert_array_equal(fcm(X, 3, tol=0, max_iter=4, seed=5).membership, value.membership)
    normalised = fcm(X, 3, tol=0, max_iter=4, initial=u / u.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(normalised.membership, value.membership, rtol=1e-12)
