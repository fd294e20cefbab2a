"""IPSO: what each kind promises, and the literal formulas of Burridge (2003) and the thesis's A.1.

Tolerances: 1e-10 on columns standardised by the original's mean and sd, as every promise is a few projections deep.
"""

import numpy as np
import pytest
from support.data import (
    S1_DEPENDENT,
    S1_WITH_V5,
    S2_DEPENDENT,
    S2_INDEPENDENT,
    census_columns,
    cloud,
    requires_census,
)

from pyfcrm import IPSO, RStream

CLOSE = 1e-10
X3, Y3 = cloud(120, 3, 3, seed=1)
variants = pytest.mark.parametrize("variant", ["burridge", "thesis"])
kinds = pytest.mark.parametrize("kind", ["A", "B", "C"])

CASES = {
    "full rank": (X3, Y3),
    "one and one": (X3[:, :1], Y3[:, :1]),
    "no independent": (X3[:, :0], Y3),
    "collinear X": (np.column_stack([X3, X3[:, 0] - X3[:, 1], np.full(120, 9.0)]), Y3),
    "collinear Y": (X3, np.column_stack([Y3, Y3[:, 0] + 2 * Y3[:, 1]])),
    "a repeated Y first": (X3, np.column_stack([3 * Y3[:, 0], Y3])),
    "Y collinear given X": (X3, np.column_stack([Y3, Y3[:, 0] + X3[:, 0]])),
    "a Y that X explains": (X3, np.column_stack([X3 @ [1, 2, 3], Y3])),
    "a large mean": (X3 + 1e6, Y3 + 1e6),
}
cases = pytest.mark.parametrize(("X", "Y"), CASES.values(), ids=CASES.keys())


def with_one(X):
    """(1, X) with the columns standardised, which changes no regression."""
    sd = X.std(axis=0)
    return np.column_stack([np.ones(len(X)), (X - X.mean(axis=0)) / np.where(sd > 0, sd, 1)])


def lstsq_fitted(X, Y):
    return with_one(X) @ np.linalg.lstsq(with_one(X), Y, rcond=1e-10)[0]


def standardised(A, Y):
    return (A - Y.mean(axis=0)) / Y.std(axis=0)


def promises(kind, X, Y, Z):
    """The promise of each kind, on the scale of the original's sd; a large mean leaves fewer digits to keep it with."""
    y, z = standardised(Y, Y), standardised(Z, Y)
    fitted = lstsq_fitted(X, y)
    close = CLOSE + 4 * np.finfo(float).eps * (np.abs(Y).max(axis=0) / Y.std(axis=0)).max()
    if kind == "A":
        np.testing.assert_allclose(z, fitted, rtol=0, atol=close)
        return
    # Coefficients on (1, X): the same fitted values, whatever the rank of X.
    np.testing.assert_allclose(lstsq_fitted(X, z), fitted, rtol=0, atol=close)
    np.testing.assert_allclose(z.mean(axis=0), np.zeros(Y.shape[1]), atol=close)
    x = with_one(X)[:, 1:]
    before, after = (np.cov(np.column_stack([x, a]).T, bias=True) for a in (y, z))
    if kind == "C":
        np.testing.assert_allclose(after, before, rtol=0, atol=close)
    else:
        s = x.shape[1]
        np.testing.assert_allclose(after[:s, s:], before[:s, s:], rtol=0, atol=close)


@cases
@variants
@kinds
def test_promises(kind, variant, X, Y):
    """Oracle: the promise. Close."""
    promises(kind, X, Y, IPSO(kind, variant).protect(X, Y, RStream(1)))


@requires_census
@pytest.mark.census
@variants
@kinds
@pytest.mark.parametrize(
    ("independent", "dependent"), [(S1_WITH_V5, S1_DEPENDENT), (S2_INDEPENDENT, S2_DEPENDENT)], ids=["S1", "S2"]
)
def test_promises_on_the_census_file(kind, variant, independent, dependent):
    X, Y = census_columns(*independent), census_columns(*dependent)
    promises(kind, X, Y, IPSO(kind, variant).protect(X, Y, RStream(1)))


def lower_cholesky(A):
    return np.linalg.cholesky(A)


def residuals(A, E):
    return E - A @ np.linalg.lstsq(A, E, rcond=None)[0]


def test_burridge_b_and_c_are_the_literal_formulas():
    """r residuals of noise on (1, X), S = R'R/n, L0 L0' = r'r, L L' = nS.  C: xB + r L0^-T L^T.

    B: noise of covariance S, its residuals. Oracle: those formulas with explicit inverses. Close.
    """
    n, t = Y3.shape
    A = with_one(X3)
    R = residuals(A, Y3)
    noise = RStream(5).rnorm(n * t).reshape(t, n).T
    r = residuals(A, noise)
    L0, L = lower_cholesky(r.T @ r), lower_cholesky(R.T @ R)
    C = (Y3 - R) + r @ np.linalg.inv(L0).T @ L.T
    np.testing.assert_allclose(IPSO("C").protect(X3, Y3, RStream(5)), C, rtol=1e-10)
    B = (Y3 - R) + residuals(A, noise @ lower_cholesky(R.T @ R / n).T)
    np.testing.assert_allclose(IPSO("B").protect(X3, Y3, RStream(5)), B, rtol=1e-10)


def test_the_thesis_s_b_and_c_are_the_literal_formulas():
    """A.1: noise by columns, B's before C's, standardised, its residuals on x and y; C's factors with n - 1.

    Oracle: the listing's algebra with explicit inverses. Close.
    """
    n, t = Y3.shape
    stream = RStream(5)
    first, second = (stream.rnorm(n * t).reshape(t, n).T for _ in range(2))
    R = residuals(with_one(X3), Y3)
    both = with_one(np.column_stack([X3, Y3]))
    studentised = [(e - e.mean(axis=0)) / e.std(axis=0, ddof=1) for e in (first, second)]
    B = (Y3 - R) + residuals(both, studentised[0])
    np.testing.assert_allclose(IPSO("B", "thesis").protect(X3, Y3, RStream(5)), B, rtol=1e-10)
    r = residuals(both, studentised[1])
    U = lower_cholesky(np.linalg.inv(np.cov(r.T)))  # t(chol(solve(cov(r)))) in R
    conditional = np.cov(Y3.T) - np.cov((Y3 - R).T)
    C = (Y3 - R) + r @ U @ lower_cholesky(conditional).T
    np.testing.assert_allclose(IPSO("C", "thesis").protect(X3, Y3, RStream(5)), C, rtol=1e-9)
