"""Fuzzy passes, in numpy and compiled, against reference implementations (support/plain_fuzzy.py) and each other.

Close, 1e-10: the same equations; powers of ratios in place of logarithms, and sums in another order. Labels identical.
"""

import numpy as np
import pytest
from support import plain_fuzzy as plain
from support.data import cloud, membership
from support.plain_fuzzy import memberships

from pyfcrm import fcrm
from pyfcrm.fuzzy import passes
from pyfcrm.fuzzy.panels import ERROR_FLOOR, PANEL, from_panels, to_panels
from pyfcrm.fuzzy.passes import Pass

pytestmark = pytest.mark.compiles

FUZZIFIERS = [1.05, 1.5, 2.0, 3.0, 2.7]
CLOSE = 1e-10
fuzzifiers = pytest.mark.parametrize("m", FUZZIFIERS)


@pytest.fixture(autouse=True, params=["numpy", "compiled"])
def way(request, monkeypatch):
    """Every pass of a test in numpy, or compiled."""
    monkeypatch.setattr(passes, "SMALL_WORK", 10**12 if request.param == "numpy" else -1)


def close(measured, expected):
    """To 1e-10 of the largest value of its column."""
    np.testing.assert_allclose(measured, expected, rtol=CLOSE, atol=CLOSE * np.abs(expected).max(initial=0.0))


def same_membership(panels, u):
    U = from_panels(panels, len(u))
    np.testing.assert_allclose(U, u, rtol=0, atol=CLOSE)
    np.testing.assert_array_equal(U.argmax(axis=1), u.argmax(axis=1))
    assert not panels[-1, :, (len(u) - 1) % PANEL + 1 :].any()  # nothing beyond the last record


def fcm_pass(X, P, m, u):
    """One pass, checked against the twin in everything it gives. Returns the new membership."""
    panels = to_panels(u)
    sums = Pass(m, P)((X, panels))
    d2 = plain.squared_distances(X, P)
    new = memberships(d2, m)
    same_membership(panels, new)
    close(sums.objective, plain.cost(new, d2, m))
    assert sums.delta == pytest.approx(np.abs(new - u).max(), abs=CLOSE)
    close(sums.products, np.column_stack([(new**m).sum(axis=0), (new**m).T @ X]))
    return new


@fuzzifiers
@pytest.mark.parametrize(("n", "c", "p"), [(1, 1, 1), (5, 2, 3), (255, 3, 4), (256, 7, 5), (257, 10, 13), (700, 15, 8)])
def test_fcm_equals_its_twin(m, n, c, p):
    X = cloud(n, p, 1, seed=n)[0] / 10.0 ** np.arange(p)
    u = membership(n, c, seed=p)
    start = Pass(m)((X, to_panels(u)))
    close(start.products, np.column_stack([(u**m).sum(axis=0), (u**m).T @ X]))
    P = start.centers(np.full((c, p), np.inf))
    close(P, plain.update_centers(X, u**m, P))
    u = fcm_pass(X, P, m, u)
    fcm_pass(X, P + 0.1, m, u)


@fuzzifiers
def test_fcm_where_records_sit_on_centres_and_clusters_are_unused(m):
    """Records on one centre, on two equal ones, far out; one cluster infinitely far away. NaN nowhere."""
    X = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [1e50, -1e50], [3.0, 4.0]])
    P = np.array([[0.0, 0.0], [np.inf, np.inf], [1.0, 2.0], [1.0, 2.0]])
    new = fcm_pass(X, P, m, membership(5, 4, seed=1))
    np.testing.assert_array_equal(new[:3], [[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0.5, 0.5]])
    sums = Pass(m, P)((X, to_panels(new)))
    assert sums.delta == pytest.approx(0, abs=CLOSE)
    np.testing.assert_array_equal(sums.centers(P)[1], [np.inf, np.inf])


def fcrm_pass(A, Y, gamma, m, u):
    """As fcm_pass, for regression."""
    panels = to_panels(u)
    sums = Pass(m, gamma)((A, Y, panels))
    E = plain.errors(A, Y, gamma)
    new = memberships(E, m)
    same_membership(panels, new)
    close(sums.objective, plain.cost(new, E, m))
    assert sums.delta == pytest.approx(np.abs(new - u).max(), abs=CLOSE)
    same_products(sums, A, Y, new**m)
    return sums


def same_products(sums, A, Y, W):
    total, G, h = sums.normal_equations(A.shape[1], Y.shape[1])
    close(total, W.sum(axis=0))
    for i, w in enumerate(W.T):
        close(G[i], (A * w[:, None]).T @ A)
        close(h[i], (A * w[:, None]).T @ Y)


@pytest.mark.parametrize(("m", "t"), [*((m, 2) for m in FUZZIFIERS), (2.0, 1), (2.7, 9)])
@pytest.mark.parametrize(("n", "c", "r"), [(3, 1, 0), (9, 2, 1), (256, 3, 2), (257, 5, 3), (300, 10, 5), (513, 4, 10)])
def test_fcrm_equals_its_twin(m, t, n, c, r):
    rng = np.random.default_rng(n)
    A = np.linalg.qr(rng.normal(size=(n, r)))[0]
    Y = rng.gamma(2.0, size=(n, t)) + 10
    u = membership(n, c, seed=r)
    same_products(Pass(m)((A, Y, to_panels(u))), A, Y, u**m)
    gamma = rng.normal(size=(c, r, t)) + A.T @ Y
    fcrm_pass(A, Y, gamma, m, u)


@fuzzifiers
def test_fcrm_at_the_floor_and_with_clusters_without_coefficients(m):
    """A perfect fit counts 1e-100, a cluster of NaN is infinitely far. Shares by hand, but for 1e-50 of others at m = 3."""
    A, Y = np.ones((4, 1)) / 2, np.array([[1.0], [1.0], [1.0], [2.0]])
    gamma = np.array([[[2.0]], [[np.nan]], [[2.0]], [[4.0]]])
    fcrm_pass(A, Y, gamma, m, membership(4, 4, seed=1))
    panels = to_panels(membership(4, 4, seed=1))
    sums = Pass(m, gamma)((A, Y, panels))
    expected = [[0.5, 0, 0.5, 0]] * 3 + [[0, 0, 0, 1]]
    np.testing.assert_allclose(from_panels(panels, 4), expected, rtol=0, atol=0 if m < 1.5 else 1e-28)
    assert sums.objective == pytest.approx(ERROR_FLOOR * (3 * 2 * 0.5**m + 1), rel=1e-14)
    assert sums.products[1, 0] == 0


def test_a_cluster_whose_weights_nearly_vanish_has_the_coefficients_of_its_weights():
    """u = 1e-150 and so u^2 = 1e-300, products with which lose digits. Oracle: the same shares without the factor.

    Close, 1e-9: two ways to solve one least squares.
    """
    X, Y = cloud(60, 2, 1, seed=51)
    share = membership(60, 2, seed=52)[:, 0]
    tiny, plainly = (
        fcrm(X, Y, 2, m=2.0, tol=0, max_iter=1, initial=np.column_stack([np.ones(60), size * share])).coef[1]
        for size in (1e-150, 1e-3)
    )
    ones = np.column_stack([np.ones(60), X]) * (share / (1 + 1e-3 * share))[:, None]
    expected = np.linalg.lstsq(ones, Y * (share / (1 + 1e-3 * share))[:, None], rcond=None)[0]
    np.testing.assert_allclose(plainly, expected, rtol=1e-9)
    weighted = np.column_stack([np.ones(60), X]) * share[:, None]
    np.testing.assert_allclose(tiny, np.linalg.lstsq(weighted, Y * share[:, None], rcond=None)[0], rtol=1e-9)
