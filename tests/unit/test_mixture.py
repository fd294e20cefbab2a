"""Fuzzy clusters with a gate, a regression and a residual covariance: against formulas by hand and scipy's densities."""

import numpy as np
from scipy.stats import multivariate_normal

from pyfcrm import RStream
from pyfcrm.engine import Local
from pyfcrm.fuzzy.fcrm import Settings
from pyfcrm.fuzzy.mixture import Mixture, Shape, fitted, memberships_of

HOW = Settings(2, 1.5, 1e-8, 30, True)


def one():
    rng = np.random.default_rng(1)
    covariance = np.array([[1.0, 0.3], [0.3, 0.5]])
    return Mixture(
        Shape(2, 1, 2),
        share=np.array([0.3, 0.7]),
        center=rng.normal(size=(2, 2)),
        spread=np.stack([covariance, 2 * covariance]),
        on=np.array([[0.2], [0.6]]),
        slopes=rng.normal(size=(2, 4, 2)),
        residual=np.stack([covariance, covariance / 3]),
    )


def test_densities_are_scipys():
    """Close: 1e-12, sums in another order."""
    m, rng = one(), np.random.default_rng(2)
    A = np.hstack([np.ones((50, 1)), rng.normal(size=(50, 2)), rng.integers(0, 2, (50, 1)), rng.normal(size=(50, 2))])
    gate, joint = m.gate(A), m.joint(A)
    for i in range(2):
        d = np.where(A[:, 3] == 1, m.on[i, 0], 1 - m.on[i, 0])
        x = np.log(m.share[i] * d) + multivariate_normal(m.center[i], m.spread[i]).logpdf(A[:, 1:3])
        y = multivariate_normal(np.zeros(2), m.residual[i]).logpdf(A[:, 4:] - A[:, :4] @ m.slopes[i])
        np.testing.assert_allclose(gate[:, i], x, atol=1e-12)
        np.testing.assert_allclose(joint[:, i], x + y, atol=1e-12)
    U, logs = memberships_of(joint)
    np.testing.assert_allclose(U, np.exp(joint - logs[:, None]), atol=1e-12)
    np.testing.assert_allclose(np.exp(logs), np.exp(joint).sum(axis=1), rtol=1e-12)


def test_two_lines_are_found_and_their_likelihood_rests():
    """Close: slopes within 0.2, as the prior of 5 records moves 320 by a sixtieth of how the lines differ, and noise."""
    rng = np.random.default_rng(4)
    label = rng.random(800) < 0.4
    x = rng.normal(size=(800, 1)) + 2 * label[:, None]
    y = np.where(label, 3 - 2 * x[:, 0], x[:, 0])[:, None] + 0.2 * rng.normal(size=(800, 1))
    A, shape = np.hstack([np.ones((800, 1)), x, y]), Shape(1, 0, 1)
    fit = fitted(A, shape, HOW, RStream(1), Local())
    assert fit.converged
    single = fitted(A, shape, Settings(1, 1.5, 1e-8, 30, True), RStream(1), Local())
    assert fit.likelihood > single.likelihood
    assert fit.bic(A) > single.bic(A)
    order = np.argsort(fit.center[:, 0])
    np.testing.assert_allclose(fit.slopes[order, :, 0], [[0, 1], [3, -2]], atol=0.2)
    np.testing.assert_allclose(fit.share[order], [0.6, 0.4], atol=0.06)
