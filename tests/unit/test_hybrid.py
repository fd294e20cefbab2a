"""Hybrid: its ends, its exact promises, and each kind against its formula."""

import numpy as np
import pytest
from support.data import cloud
from support.moments import assert_moments_kept, cross, residuals, standardised

from pyfcrm import EGADP, IPSO, Hybrid, RStream
from pyfcrm.methods.grouping.mdav import mdav_groups

X, Y = cloud(90, 2, 2, seed=2)
alphas = pytest.mark.parametrize("alpha", [0, 0.25, 0.8, 1])


def released(X, Y, kind, alpha=0.5, k=3, note=None):
    notes = [] if note is None else note
    return Hybrid(kind, alpha, k).protect(X, Y, RStream(1), notes.append)


@pytest.mark.parametrize("kind", ["linear", "regression"])
def test_the_ends_are_egadp_and_the_original(kind):
    """alpha = 1 identical; alpha = 0 identical up to a product with 0 and 1."""
    np.testing.assert_array_equal(released(X, Y, kind, 1), Y)
    np.testing.assert_allclose(released(X, Y, kind, 0), EGADP().protect(X, Y, RStream(1)), rtol=1e-14)


@alphas
def test_linear_is_the_weighted_mean_of_the_original_and_an_egadp_file(alpha):
    expected = alpha * Y + (1 - alpha) * EGADP().protect(X, Y, RStream(1))
    np.testing.assert_allclose(released(X, Y, "linear", alpha), expected, rtol=1e-14)


@alphas
def test_regression_keeps_moments_and_the_stated_share_of_the_original(alpha):
    """Muralidhar and Sarathy: the covariance of released and original residuals is alpha S."""
    Z = released(X, Y, "regression", alpha)
    assert_moments_kept(X, Y, Z)
    R = residuals(X, Y)
    r = standardised(Z, Y) - (standardised(Y, Y) - R)
    np.testing.assert_allclose(r.T @ R, alpha * (R.T @ R), atol=1e-10)


def test_regression_is_muralidhar_and_sarathy_s_equation():
    """X' = gamma + X a' + S b' + e with b' = S_SS^-1 S_SX (I - a'), gamma = (I - a) xbar - b sbar (their letters).

    Given the e that was used, the release is the equation's; e has mean 0 and covariance S_X|S - a S_X|S a'.
    """
    alpha = 0.6
    S_SS, S_SX = cross(X, X), cross(X, Y)
    b_t = np.linalg.solve(S_SS, S_SX) * (1 - alpha)
    gamma = (1 - alpha) * Y.mean(axis=0) - X.mean(axis=0) @ b_t
    e = released(X, Y, "regression", alpha) - (gamma + alpha * Y + X @ b_t)
    value = cross(Y, Y) - S_SX.T @ np.linalg.solve(S_SS, S_SX)
    np.testing.assert_allclose(e.mean(axis=0) / Y.std(axis=0), 0, atol=1e-11)
    np.testing.assert_allclose(cross(e, e), (1 - alpha**2) * value, rtol=1e-9)
    np.testing.assert_allclose(cross(e, np.column_stack([X, Y])) / Y.std(axis=0)[:, None], 0, atol=1e-8)


def test_microaggregation_is_ipso_c_in_mdav_groups():
    """Oracle: the groups of the module's own MDAV (tested elsewhere), IPSO-C in each with one stream. Identical."""
    labels = mdav_groups(np.column_stack([X, Y]), 9)
    stream, expected = RStream(1), np.empty_like(Y)
    for group in range(labels.max() + 1):
        rows = labels == group
        expected[rows] = IPSO("C").protect(X[rows], Y[rows], stream)
    np.testing.assert_array_equal(released(X, Y, "microaggregation", k=9), expected)


def test_microaggregation_raises_groups_to_what_ipso_c_needs_by_rank():
    """By hand: two independent and two dependent attributes need 5; a third of each that repeats one changes nothing."""
    notes = []
    released(X, Y, "microaggregation", k=2, note=notes)
    assert notes == ["groups have at least 5 records, which these attributes need, not k = 2"]
    notes.clear()
    released(np.column_stack([X, X[:, 0]]), np.column_stack([Y, 2 * Y[:, 1] + 1]), "microaggregation", k=2, note=notes)
    assert notes[0] == "groups have at least 5 records, which these attributes need, not k = 2"
    assert notes[1].startswith("in 18 of 18 groups attributes are collinear, or constant")
