"""Fuzzy c-means and c-regression on any data at all: ties, collinear columns, outliers, unlike scales."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyfcrm import RStream, fcm, fcrm
from pyfcrm.fuzzy.fcm import random_membership

VALUES = st.one_of(
    st.integers(-3, 3).map(float),  # ties
    st.integers(-99_999, 99_999).map(lambda v: v / 100),
    st.sampled_from([1e4, -1e5, 1e-2]),  # outliers, and what drowns beside them
)
FUZZIFIERS = st.sampled_from([1.02, 1.1, 1.5, 2.0, 3.0, 20.0])


def arrays(draw, n, p):
    return np.array(draw(st.lists(VALUES, min_size=n * p, max_size=n * p))).reshape(n, p)


@st.composite
def problems(draw):
    """X (n, s), Y (n, t), c <= n, m, and a starting membership; some columns of X are sums of others."""
    n, s, t = draw(st.integers(2, 14)), draw(st.integers(0, 3)), draw(st.integers(1, 2))
    X, Y = arrays(draw, n, s), arrays(draw, n, t)
    if s > 1 and draw(st.booleans()):
        X[:, -1] = X[:, :-1].sum(axis=1)
    c = draw(st.integers(1, min(n, 5)))
    return X, Y, c, draw(FUZZIFIERS), random_membership(n, c, RStream(draw(st.integers(0, 1000))))


def never_rises(objective, smallest):
    """Beyond rounding: of the sum itself, and of residuals that are rounding already (`smallest`)."""
    assert (np.diff(objective) <= 1e-9 * objective[:-1] + smallest).all()


def is_membership(u):
    assert np.isfinite(u).all()
    assert (u >= 0).all()
    assert np.abs(u.sum(axis=1) - 1).max() < 1e-14


@given(problems())
def test_fuzzy_c_means(problem):
    """Rows sum to 1 (close, 1e-14), centres stay within the data, the objective never rises."""
    _, Y, c, m, U = problem
    fit = fcm(Y, c, m=m, tol=0, max_iter=12, initial=U)
    is_membership(fit.membership)
    wide = 1e-12 * np.abs(Y).max(axis=0)
    assert (fit.centers >= Y.min(axis=0) - wide).all()
    assert (fit.centers <= Y.max(axis=0) + wide).all()
    never_rises(fit.objective, len(Y) * (1e-14 * np.abs(Y).max()) ** 2)


@given(problems())
def test_fuzzy_c_regression(problem):
    """Rows sum to 1, everything is finite, the objective never rises from iteration to iteration, nor above a mean's.

    A residual is rounded to eps times the largest prediction of its line at any record, which near-vertical lines
    make very large, and times up to 1e5 where the other records of x lie together beside an outlier; that, squared,
    is the rounding allowed, and the floor of 1e-100 a record.
    """
    X, Y, c, m, U = problem
    last = np.sum((Y - Y.mean(axis=0)) ** 2)  # one mean for all records
    for _ in range(8):
        fit = fcrm(X, Y, c, m=m, tol=0, max_iter=1, initial=U)
        U = fit.membership
        is_membership(U)
        assert np.isfinite(fit.fitted).all()
        lines = np.nan_to_num(fit.coef)  # an empty cluster has none
        steepest = np.abs(np.einsum("ks,cst->kct", np.column_stack([np.ones(len(X)), X]), lines)).max()
        rounding = len(Y) * ((1e-11 * max(steepest, np.abs(Y).max())) ** 2 + 2e-100)
        never_rises(np.array([last, fit.objective[0]]), rounding)
        last = max(fit.objective[0], rounding)
