"""Gaussian radial basis functions: worked by hand, and FCRM on them against FCRM on the same columns."""

import numpy as np
import pytest
from support.data import cloud

from pyfcrm import fcm, fcrm
from pyfcrm.fuzzy.radial import RadialBasis


def test_by_hand():
    """x = 1, 2, 3 has mean 2 and sd 1; centres 2 and 3 are 0 and 1, width 1: exp(-d^2/2). Width 2 spreads. Close: last digits."""
    X = np.array([[1.0], [2.0], [3.0]])
    e = np.exp(-np.array([[1, 4], [0, 1], [1, 0]]) / 2)
    for width, power in ((1.0, 1.0), (2.0, 0.25)):
        basis = RadialBasis(np.array([2.0]), np.array([1.0]), np.array([[0.0], [1.0]]), width)
        np.testing.assert_allclose(basis.columns(X), e**power, rtol=1e-14)


def test_the_width_is_the_median_distance_from_a_centre():
    """Oracle: numpy. Close: last digits."""
    X, Y = cloud(31, 2, 1, 4)
    basis = fcrm(X, Y, 2, basis="rbf", seed=7).radial
    Z = (X - basis.mean) / basis.sd
    distances = np.linalg.norm(Z[:, None] - basis.centres, axis=2)
    assert basis.width == pytest.approx(np.median(distances), rel=1e-12)


def test_centres_are_those_of_fuzzy_c_means():
    """Identical: fcm of standardised X, with the stream's first draws; said in a note, as ours."""
    X, Y = cloud(80, 2, 1, 1)
    fit = fcrm(X, Y, 2, basis="rbf", seed=7)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    np.testing.assert_array_equal(fit.radial.centres, fcm(Z, 10, m=1.2, seed=7).centers)
    assert fit.notes[0].startswith("radial basis functions (ours): 10 centres by fuzzy c-means, width ")
    assert f"{fit.radial.width:.4g}" in fit.notes[0]
