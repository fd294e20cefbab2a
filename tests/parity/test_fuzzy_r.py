"""Fuzzy c-means, c-regression and the release against plain R (r_scripts/reference). Oracle: R, run now.

Grade: close. One formula a line there, by rows and with singular values; here by blocks and with an orthogonal
basis. Rounding grows over the iterations, 1/(m-1) times each.
"""

import numpy as np
import pytest
from support.data import REPOSITORY, cloud, frame, membership
from support.r import requires_r, run_r

import pyfcrm as pf
from pyfcrm import FCRM, RStream, fcm, fcrm

pytestmark = [pytest.mark.r, requires_r]

TWINS = "".join(f'source("{REPOSITORY}/r_scripts/reference/{name}.R")\n' for name in ("predictors", "fcm", "fcrm"))
READ = """
X <- matrix(inputs$X, inputs$n); Y <- matrix(inputs$Y, inputs$n); U <- matrix(inputs$U, inputs$n)
"""
FITS = [(1, 1.5), (2, 1.05), (3, 1.5), (4, 2.0), (6, 3.0)]


def problem(c):
    X, Y = cloud(60, 2, 2, seed=c)
    U = membership(60, c, seed=c)
    return X, Y, U, {"n": 60, "X": X, "Y": Y, "U": U}


@pytest.mark.parametrize(("c", "m"), FITS)
def test_fcm(c, m):
    tol = 1e-5 * (c % 2)
    X, _, U, inputs = problem(c)
    u, centers, objective, delta, iterations, converged = run_r(
        TWINS
        + READ
        + """
        fit <- fcm(X, ncol(U), inputs$m, inputs$tol, 15, U)
        for (part in c("membership", "centers", "objective", "delta", "iterations", "converged")) emit(fit[[part]])
        """,
        inputs=inputs | {"m": m, "tol": tol},
    )
    fit = fcm(X, c, m=m, tol=tol, max_iter=15, initial=U)
    assert (fit.iterations, fit.converged) == (iterations[0], bool(converged[0]))
    np.testing.assert_allclose(fit.membership.T.ravel(), u, rtol=0, atol=1e-8)
    np.testing.assert_allclose(fit.centers.T.ravel(), centers, rtol=1e-8)
    np.testing.assert_allclose(fit.objective, objective, rtol=1e-9)
    np.testing.assert_allclose(fit.delta, delta, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("c", "m"), FITS)
@pytest.mark.parametrize(("intercept", "t"), [(True, 2), (False, 1)])
def test_fcrm(c, m, intercept, t):
    X, Y, U, inputs = problem(c)
    u, coef, fitted, objective, delta, iterations, converged = run_r(
        TWINS
        + READ
        + """
        fit <- fcrm(X, Y[, seq_len(inputs$t), drop = FALSE], ncol(U), inputs$m, 1e-5, 8, U, inputs$intercept == 1)
        emit(fit$membership); emit(fit$coef)
        own <- apply(fit$membership, 1, which.max)
        emit(sapply(seq_len(inputs$t), function(j) fit$fitted[cbind(seq_len(inputs$n), own, j)]))
        for (part in c("objective", "delta", "iterations", "converged")) emit(fit[[part]])
        """,
        inputs=inputs | {"m": m, "intercept": intercept, "t": t},
    )
    fit = fcrm(X, Y[:, :t], c, m=m, tol=1e-5, max_iter=8, initial=U, intercept=intercept)
    assert (fit.iterations, fit.converged) == (iterations[0], bool(converged[0]))
    np.testing.assert_allclose(fit.membership.T.ravel(), u, rtol=0, atol=1e-6)
    np.testing.assert_allclose(fit.coef.ravel(order="F"), coef, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(fit.fitted.T.ravel(), fitted, rtol=1e-7)
    np.testing.assert_allclose(fit.objective, objective, rtol=1e-7)
    np.testing.assert_allclose(fit.delta, delta, rtol=0, atol=1e-6)


def test_fcrm_on_collinear_columns():
    """An exact sum of two columns and a constant: the two generalised inverses give the same predictions."""
    X, Y, U, inputs = problem(3)
    more = np.column_stack([X, X.sum(axis=1), np.full(60, 4.0)])
    (u,) = run_r(TWINS + READ + "emit(fcrm(X, Y[, 1], ncol(U), 1.5, 0, 8, U)$membership)", inputs=inputs | {"X": more})
    fit = fcrm(more, Y[:, 0], 3, m=1.5, tol=0, max_iter=8, initial=U)
    np.testing.assert_allclose(fit.membership.T.ravel(), u, rtol=0, atol=1e-7)


@pytest.mark.parametrize(("seed", "c"), [(-7, 2), (1, 5)])
def test_the_release_from_one_seed(seed, c):
    """RStream(seed) here, set.seed(seed) there: the same numbers, and the streams stand at the same place (identical)."""
    X, Y, _, inputs = problem(c)
    released, state = run_r(
        TWINS + READ + f"set.seed({seed}); emit(fcrm_protect(X, Y, {c})); emit(.Random.seed)", inputs=inputs
    )
    stream = RStream(seed)
    Z = FCRM(c).protect(X, Y, stream)
    np.testing.assert_allclose(Z.T.ravel(), released, rtol=1e-7)
    np.testing.assert_array_equal(stream.to_r_state(), np.where(np.isnan(state), -(2.0**31), state))


def test_the_release_of_a_frame_from_one_seed():
    """Through protect(), floats and an integer column. Identical there once rounded; close elsewhere."""
    data = frame(45, seed=2)
    (released,) = run_r(
        TWINS
        + "X <- matrix(inputs$X, 45); Y <- matrix(inputs$Y, 45); set.seed(3)\n"
        + "emit(fcrm_protect(X, Y, 2, m = 2, tol = 1e-4, max_iter = 12))",
        inputs={"X": data[["a", "b"]], "Y": data[["y", "whole"]]},
    )
    roles = pf.Roles(independent=["a", "b"], dependent=["y", "whole"])
    release = pf.protect(data, FCRM(2, m=2, tol=1e-4, max_iter=12), roles, seed=3).frame
    np.testing.assert_allclose(release["y"], released[:45], rtol=1e-8)
    np.testing.assert_array_equal(release["whole"], np.round(released[45:]))
