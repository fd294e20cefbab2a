"""Simulate switching regressions, then recover the lines and who was on which. Grade: statistical."""

import numpy as np
import pytest
from support.data import switching

from pyfcrm import FCRM, RStream, fcrm
from pyfcrm.fuzzy.fcm import random_membership

CROSSING = [[0.0, 2.0], [30.0, -3.0]]  # two lines that cross inside the data
THREE = [[0.0, 1.0], [20.0, 0.0], [50.0, -2.0]]
PLANES = [[0.0, 1.0, 2.0], [40.0, -2.0, 1.0]]
SEEDS = range(1, 6)


def best(data, c, m=1.5):
    """The fit of least E_m among a few random memberships; about one in four ends at another optimum."""
    starts = [random_membership(len(data.y), c, RStream(s)) for s in SEEDS]
    fits = [fcrm(data.X, data.y, c, m=m, max_iter=300, initial=start) for start in starts]
    return min(fits, key=lambda fit: fit.objective[-1])


def matched(fit, lines):
    """For each true line, the number of the nearest fitted one; every fitted one once."""
    found = [int(np.abs(fit.coef[:, :, 0] - line).sum(axis=1).argmin()) for line in lines]
    assert sorted(found) == list(range(len(lines)))
    return found


@pytest.mark.parametrize("lines", [CROSSING, THREE, PLANES], ids=["crossing", "three", "planes"])
def test_the_lines_are_recovered(lines):
    """n = 600 with noise sd 0.3: least squares on the true labels has standard errors of about 0.03 and 0.006.

    Records near a crossing share, which biases a little: six times those, 0.2 and 0.04.
    """
    data = switching(600, lines, noise=0.3, seed=1)
    fit = best(data, len(lines))
    assert fit.converged
    found = fit.coef[matched(fit, data.lines), :, 0]
    np.testing.assert_allclose(found[:, 0], data.lines[:, 0], rtol=0, atol=0.2)
    np.testing.assert_allclose(found[:, 1:], data.lines[:, 1:], rtol=0, atol=0.04)


@pytest.mark.parametrize("lines", [THREE, PLANES], ids=["three", "planes"])
def test_the_usual_start_finds_them_too(lines):
    """From fuzzy c-means, as thesis 4.1, from any seed: the fit of least E_m. Close: both have converged to 1e-5."""
    data = switching(600, lines, noise=0.3, seed=1)
    least = best(data, len(lines)).objective[-1]
    for seed in SEEDS:
        assert fcrm(data.X, data.y, len(lines), seed=seed).objective[-1] == pytest.approx(least, rel=1e-6)


def test_without_noise_the_lines_are_exact():
    """Close, 1e-6: it stops when shares move by less than 1e-5."""
    data = switching(200, CROSSING, noise=0.0, seed=3)
    fit = best(data, 2)
    np.testing.assert_allclose(fit.coef[matched(fit, data.lines), :, 0], data.lines, rtol=0, atol=1e-6)
    np.testing.assert_allclose(fit.fitted.ravel(), data.y, rtol=0, atol=1e-5)


def test_the_release_of_two_planes_is_far_better_than_of_one():
    """What is left of y: nearly all of it about one plane, the noise's 0.09 about two; a tenth is asked."""
    data = switching(600, PLANES, noise=0.3, seed=4)

    def left(c):
        Z = FCRM(c, max_iter=100).protect(data.X, data.y[:, None], RStream(1))
        return np.mean((Z.ravel() - data.y) ** 2)

    assert left(1) > 20
    assert left(2) < left(1) / 10
