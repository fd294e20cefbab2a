"""Files of a known kind: what a draw, a calibration and a radial basis must find there. Statistical, at fixed seeds."""

import numpy as np
from support.data import switching

from pyfcrm import FCRM, IPSO, Calibrated, RStream


def test_a_draw_keeps_the_mixture_and_forgets_the_record():
    """Two lines, y = x and y = 50 - x, a coin for each record: a draw has both lines in the same shares at any x,
    and its residuals the true noise. The share of records that keep their own line is a coin's: 0.5, 4 sd = 0.05."""
    data = switching(1600, [[0, 1], [50, -1]], 0.5, 1)
    Z = FCRM(2, release="draw").protect(data.X, data.y[:, None], RStream(1))[:, 0]
    away = np.abs(Z[:, None] - np.column_stack([np.ones(1600), data.X]) @ data.lines.T)
    line = away.argmin(axis=1)
    assert abs((line == data.labels).mean() - 0.5) < 0.05
    assert abs(line.mean() - data.labels.mean()) < 0.07
    # rms of normal noise of sd 0.5; 1600 records give it to 2 per cent, the fitted lines take less than that.
    assert abs(np.sqrt((away.min(axis=1) ** 2).mean()) - 0.5) < 0.04


def test_published_fcrm_links_and_a_draw_only_infers():
    """The same kind of file, x released as it is: how many originals find their own record nearest in (x, y).

    Oracle: fresh values of y from the true lines, coin and noise anew, which is all that x tells. A draw is within 4
    standard errors of that; as published FCRM links far more.
    """
    data = switching(400, [[0, 1], [50, -1]], 0.1, 2)
    x, rng = data.X[:, 0], np.random.default_rng(5)

    def linked(y):
        d = (x[:, None] - x) ** 2 + (data.y[:, None] - y) ** 2
        return (d.argmin(axis=1) == np.arange(400)).mean()

    def fresh():
        line = data.lines[rng.integers(2, size=400)]
        return line[:, 0] + line[:, 1] * x + 0.1 * rng.normal(size=400)

    inferred = np.mean([linked(fresh()) for _ in range(20)])
    error = 4 * np.sqrt(inferred * (1 - inferred) / 400)
    draws = FCRM(2, release="draw").protect(data.X, data.y[:, None], RStream(1))[:, 0]
    assert abs(linked(draws) - inferred) < error
    assert linked(FCRM(2).protect(data.X, data.y[:, None], RStream(1))[:, 0]) > inferred + error


def test_calibration_restores_what_a_linear_model_lost():
    """A skewed file released by IPSO-C, whose residuals are normal: calibrated, the third moment is the original's."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2000, 2))
    Y = X @ [[1.0, 0.5], [0.3, 1.0]] + rng.exponential(2, size=(2000, 2))

    def skewness(A):
        z = (A - A.mean(axis=0)) / A.std(axis=0)
        return (z**3).mean(axis=0)

    plain = IPSO("C").protect(X, Y, RStream(1))
    assert (np.abs(skewness(plain) / skewness(Y) - 1) > 0.5).all()
    for margins in ("smooth", "original"):
        release = Calibrated(IPSO("C"), margins=margins).protect(X, Y, RStream(1))
        assert (np.abs(skewness(release) / skewness(Y) - 1) < 0.1).all()


def test_a_radial_basis_follows_a_curve():
    """y = sin x and noise of sd 0.1: one regression on 10 functions leaves the noise, one on x leaves the curve."""
    rng = np.random.default_rng(4)
    x = rng.uniform(0, 2 * np.pi, size=(800, 1))
    y = np.sin(x) + 0.1 * rng.normal(size=(800, 1))

    def left(**value):
        return np.std(FCRM(1, **value).protect(x, y, RStream(1)) - np.sin(x))

    assert left() > 0.3
    assert left(basis="rbf") < 0.03  # 11 coefficients of sd 0.1/sqrt(800/11): 0.012, twice
