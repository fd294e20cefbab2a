"""Fuzzy c-regression: worked by hand, and against plain loops of the thesis's 4.1 (support/loops.py)."""

import numpy as np
import pytest
from support import loops
from support.data import (
    cloud,
    membership,
)
from support.plain_fuzzy import memberships

from pyfcrm import FCRM, IPSO, RStream, fcm, fcrm
from pyfcrm.errors import InvalidInput


def problem(n, s, t, c, seed):
    X, Y = cloud(n, s, t, seed)
    return X, Y, membership(n, c, seed + 100)


def test_one_iteration_by_hand():
    """Weights 1 1 0 0 and 0 0 1 1 put the lines y = x and y = 6 - x through their records. Identical memberships.

    Record (1, 2): errors 1 and 9 give shares 9/10 and 1/10 at m = 2. Close: last digits.
    """
    x, y = [0, 2, 0, 2, 1], [0, 2, 6, 4, 2]
    U = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1e-12, 1e-12]])
    U[4] = [0.5, 0.5]
    near = fcrm(x[:4], y[:4], 2, m=2, tol=0, max_iter=1, initial=U[:4])
    assert near.coef[:, :, 0] == pytest.approx(np.array([[0, 1], [6, -1]]), abs=1e-14)
    assert near.membership == pytest.approx(U[:4], abs=1e-25)
    assert near.fitted.ravel() == pytest.approx(y[:4], abs=1e-14)
    np.testing.assert_array_equal(near.labels, [0, 0, 1, 1])
    # The fifth record pulls each line to weighted least squares; worked out with numpy's lstsq.
    fit = fcrm(x, y, 2, m=2, tol=0, max_iter=1, initial=U)
    A = np.column_stack([np.ones(5), x])
    lines = [np.linalg.lstsq(A * U[:, [i]], np.array(y) * U[:, i], rcond=None)[0] for i in (0, 1)]
    E = np.column_stack([(np.array(y) - A @ line) ** 2 for line in lines])
    assert fit.membership == pytest.approx((1 / E) / (1 / E).sum(axis=1, keepdims=True), rel=1e-10)


# Rounding in a line is divided by the distance to it, and counts 1/(m-1) times: 20 at m = 1.05.
@pytest.mark.parametrize(("m", "tolerance"), [(1.05, 1e-7), (1.5, 1e-9), (2, 1e-9), (3, 1e-9)])
@pytest.mark.parametrize("c", [1, 2, 3, 5])
@pytest.mark.parametrize("t", [1, 2])
def test_equals_the_loops(c, m, t, tolerance):
    """Oracle: the loops, every one of 8 iterations. Close: another way to solve the same least squares."""
    X, Y, U = problem(40, 2, t, c, seed=c + 10 * t)
    fit = fcrm(X, Y, c, m=m, tol=0, max_iter=8, initial=U)
    done = loops.fcrm(X, Y, U, m, 8)
    np.testing.assert_allclose(fit.membership, done[-1].membership, rtol=0, atol=tolerance)
    np.testing.assert_allclose(fit.coef, done[-1].models, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(fit.fitted, loops.own_prediction(X, done[-1]), rtol=tolerance)
    np.testing.assert_allclose(fit.objective, [r.objective for r in done], rtol=tolerance)
    np.testing.assert_allclose(fit.delta, [r.delta for r in done], rtol=0, atol=tolerance)


@pytest.mark.parametrize("m", [1.1, 1.5, 3])
def test_without_regressors_it_is_fuzzy_c_means(m):
    """X empty, or constant, with an intercept. Close: a mean by least squares; the constant column has no say."""
    _, Y, U = problem(50, 1, 2, 4, seed=51)
    means = fcm(Y, 4, m=m, tol=0, max_iter=7, initial=U)
    empty = fcrm(np.empty((50, 0)), Y, 4, m=m, tol=0, max_iter=7, initial=U)
    constant = fcrm(np.full(50, 0.1), Y, 4, m=m, tol=0, max_iter=7, initial=U)
    for fit in (empty, constant):
        np.testing.assert_allclose(fit.membership, means.membership, rtol=0, atol=1e-9)
        np.testing.assert_allclose(fit.objective, means.objective, rtol=1e-9)
        np.testing.assert_allclose(fit.fitted, means.centers[fit.labels], rtol=1e-9)
    np.testing.assert_allclose(empty.coef[:, 0], means.centers, rtol=1e-9)
    assert constant.notes == ("the regressors have rank 1 of 2: a generalised inverse was used",)


@pytest.mark.parametrize("joint", [False, True])
def test_one_cluster_is_ipso_a_and_least_squares(joint):
    """Oracle: numpy's lstsq, and IPSO-A. Close: three ways to solve one least squares."""
    X, Y, _ = problem(60, 3, 2, 1, seed=61)
    A = np.column_stack([np.ones(60), X])
    fitted = A @ np.linalg.lstsq(A, Y, rcond=None)[0]
    released = FCRM(1, joint=joint).protect(X, Y, RStream(1))
    np.testing.assert_allclose(released, fitted, rtol=1e-11)
    np.testing.assert_allclose(released, IPSO("A").protect(X, Y, RStream(1)), rtol=1e-11)


def test_two_exact_lines_are_found_and_nothing_overflows():
    """Errors are 0 or rounding there; m near 1 takes them to the power 20. Close: exact data."""
    x = np.arange(1.0, 21)
    even = x % 2 == 0
    y = np.where(even, 3 * x, 101 - 2 * x)
    U = np.column_stack([np.where(even, 0.7, 0.3), np.where(even, 0.3, 0.7)])
    for m in (1.05, 1.5, 2):
        fit = fcrm(x, y, 2, m=m, tol=1e-12, initial=U)
        assert fit.converged
        assert fit.coef[:, :, 0] == pytest.approx(np.array([[0, 3], [101, -2]]), abs=1e-10)
        assert fit.fitted.ravel() == pytest.approx(y, abs=1e-10)
        np.testing.assert_array_equal(fit.labels, np.where(even, 0, 1))
        assert fit.notes == ()


@pytest.mark.parametrize("m", [1.001, 1.05, 2])
def test_tiny_and_huge_values(m):
    """Units of 1e-40 and 1e90: nothing overflows, and the clusters are those of the plain units. Close.

    (The floor of 1e-100 is in the data's own units, so much smaller values would meet it.)
    """
    X, Y, U = problem(30, 2, 1, 3, seed=71)
    plain = fcrm(X, Y, 3, m=m, tol=0, max_iter=3, initial=U)
    for unit in (1e-40, 1e90):
        fit = fcrm(X * unit, Y * unit, 3, m=m, tol=0, max_iter=3, initial=U)
        np.testing.assert_allclose(fit.membership, plain.membership, rtol=0, atol=1e-6)
        np.testing.assert_allclose(fit.fitted / unit, plain.fitted, rtol=1e-9)


@pytest.mark.parametrize("second", [0.0, 1e-300])
def test_a_cluster_without_weight_stays_empty(second):
    """Oracle: the same fit without that cluster. Close: other shapes add in another order."""
    X, Y, U = problem(30, 2, 1, 2, seed=81)
    fit = fcrm(X, Y, 3, tol=0, max_iter=6, initial=np.column_stack([U, np.full(30, second)]))
    without = fcrm(X, Y, 2, tol=0, max_iter=6, initial=U)
    np.testing.assert_allclose(fit.membership, np.column_stack([without.membership, np.zeros(30)]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(fit.fitted, without.fitted, rtol=1e-9)
    assert np.isnan(fit.coef[2]).all()
    assert "1 of 3 clusters holds no record" in fit.notes


def test_a_cluster_that_loses_its_records_keeps_its_line():
    """By hand, as for fuzzy c-means (test_fcm): levels -8, 0, 8, then -9 and 9 while 0 stays. Close: last digits."""
    U = [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    fit = fcrm(np.empty((4, 0)), [-10, -8, 8, 10], 3, m=1.001, tol=0, max_iter=2, initial=U)
    assert fit.coef.ravel() == pytest.approx([-9, 0, 9], abs=1e-13)
    assert fit.membership == pytest.approx(np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]]), abs=1e-13)
    assert fit.notes == ("1 of 3 clusters holds no record",)


def test_the_coefficients_gave_the_membership_and_the_fitted_values():
    """Oracle: the result's own definition, from the coefficients on (1, X). Close: through another basis."""
    X, Y, _ = problem(50, 2, 2, 3, seed=101)
    fit = fcrm(X, Y, 3, m=1.8, tol=0, max_iter=6, seed=3)
    predicted = np.einsum("ks,cst->kct", np.column_stack([np.ones(50), X]), fit.coef)
    E = ((Y[:, None, :] - predicted) ** 2).sum(axis=2)
    np.testing.assert_allclose(fit.membership, memberships(E, 1.8), rtol=0, atol=1e-9)
    assert fit.objective[-1] == pytest.approx(np.sum(fit.membership**1.8 * E), rel=1e-9)
    np.testing.assert_array_equal(fit.labels, np.argmax(fit.membership, axis=1))
    np.testing.assert_allclose(fit.fitted, predicted[np.arange(50), fit.labels], rtol=1e-10)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([1, 2, 3], [1, 2], "`X` and `y` must have as many records as each other; got 3 and 2"),
        ([1, np.nan, 3], [1, 2, 3], "`X` must be finite"),
        ([1, 2, 3], [1, 2, -np.inf], "`y` must be finite.*; got -inf in record 3"),
        ([], [], "`X` must have"),
        (np.empty((3, 0)), [1, 2, 3], "needs an intercept or at least one independent column"),
    ],
)
def test_data_refused(X, y, message):
    with pytest.raises(InvalidInput, match=f"^fcrm: {message}"):
        fcrm(X, y, 1, intercept=np.shape(X) != (3, 0), seed=1)
