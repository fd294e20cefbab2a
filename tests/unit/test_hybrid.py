"""Hybrid: its ends, its exact promises, and each kind against its formula."""

import math

import numpy as np
import pytest
from support.data import cloud
from support.moments import assert_moments_kept, cross, residuals, standardised

from pyfcrm import EGADP, IPSO, Hybrid, RStream
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.methods.grouping import mdav_groups
from pyfcrm.methods.method import Run

X, Y = cloud(90, 2, 2, seed=2)
alphas = pytest.mark.parametrize("alpha", [0, 0.25, 0.8, 1])


def released(X, Y, kind, alpha=0.5, k=3, note=None):
    heard = [] if note is None else note
    return Hybrid(kind, alpha, k).protect(X, Y, RStream(1), Run(heard.append))


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
def test_linear_keeps_means_and_covariances_with_x_and_shrinks_the_residuals_as_it_says(alpha):
    """Close: 1e-12 in units of the original's sd, a few projections deep."""
    Z = released(X, Y, "linear", alpha)
    x, y, z = standardised(X, X), standardised(Y, Y), standardised(Z, Y)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(cross(x, z), cross(x, y), atol=1e-12)
    R = residuals(X, Y)
    r = z - (y - R)
    np.testing.assert_allclose(r.T @ r, (alpha**2 + (1 - alpha) ** 2) * (R.T @ R), atol=1e-10)


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
    given = cross(Y, Y) - S_SX.T @ np.linalg.solve(S_SS, S_SX)
    np.testing.assert_allclose(e.mean(axis=0) / Y.std(axis=0), 0, atol=1e-11)
    np.testing.assert_allclose(cross(e, e), (1 - alpha**2) * given, rtol=1e-9)
    np.testing.assert_allclose(cross(e, np.column_stack([X, Y])) / Y.std(axis=0)[:, None], 0, atol=1e-8)


def test_microaggregation_is_ipso_c_in_mdav_groups():
    """Oracle: the groups of the module's own MDAV (tested elsewhere), IPSO-C in each with one stream. Identical."""
    labels = mdav_groups(np.column_stack([X, Y]), 9)
    stream, expected = RStream(1), np.empty_like(Y)
    for group in range(labels.max() + 1):
        rows = labels == group
        expected[rows] = IPSO("C").protect(X[rows], Y[rows], stream)
    np.testing.assert_array_equal(released(X, Y, "microaggregation", k=9), expected)


def test_microaggregation_keeps_the_moments_of_every_group():
    Z, labels = released(X, Y, "microaggregation", k=7), mdav_groups(np.column_stack([X, Y]), 7)
    for group in range(labels.max() + 1):
        assert_moments_kept(X[labels == group], Y[labels == group], Z[labels == group])
    assert_moments_kept(X, Y, Z)
    assert (Z != Y).all()


def test_microaggregation_raises_groups_to_what_ipso_c_needs_by_rank():
    """By hand: two independent and two dependent attributes need 5; a third of each that repeats one changes nothing."""
    notes = []
    released(X, Y, "microaggregation", k=2, note=notes)
    assert notes == ["groups have at least 5 records, which these attributes need, not k = 2"]
    notes.clear()
    released(np.column_stack([X, X[:, 0]]), np.column_stack([Y, 2 * Y[:, 1] + 1]), "microaggregation", k=2, note=notes)
    assert notes[0] == "groups have at least 5 records, which these attributes need, not k = 2"
    assert notes[1].startswith("in 18 of 18 groups attributes are collinear, or constant")


def test_too_few_records():
    with pytest.raises(InvalidInput, match=r"^Hybrid: needs at least 7 records for these attributes; got 6"):
        released(X[:6], Y[:6], "regression")
    with pytest.raises(InvalidParameter, match=r"^Hybrid: `k` must be at most the number of records, 2; got 3"):
        released(X[:2], Y[:2], "microaggregation")


def test_draws_do_not_depend_on_alpha():
    """So that candidates of a sweep share their noise."""
    streams = [RStream(3) for _ in range(3)]
    for stream, alpha in zip(streams, (0, 0.5, 1), strict=True):
        Hybrid("regression", alpha).protect(X, Y, stream)
    assert len({float(stream.runif(1)[0]) for stream in streams}) == 1


def test_parameters_are_checked():
    with pytest.raises(
        InvalidParameter, match=r"^Hybrid: `kind` must be one of 'linear', 'regression', 'microaggregation'"
    ):
        Hybrid("mixed")
    for alpha in (-0.1, 1.1, math.nan, "1"):
        with pytest.raises(InvalidParameter, match=r"^Hybrid: `alpha` must be a finite number from 0 to 1"):
            Hybrid(alpha=alpha)
    with pytest.raises(InvalidParameter, match=r"^Hybrid: `k` must be a whole number, at least 1; got 0"):
        Hybrid("microaggregation", k=0)
