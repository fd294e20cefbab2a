"""PIL against loops from the formulas, against R 4.2.2, and by hand where a variance or a covariance is 0."""

import numpy as np
import pytest
from support import brute

from pyfcrm.measures.pil import pil
from pyfcrm.numerics.moments import bandwidth, quantiles, unit_density

# Close: sums in another order, of moments up to the fourth.
RTOL = 1e-9
X8 = np.array([2.5, 2.5, 3, 7.1, 7.1, 7.2, 11, 40])
GRID = np.arange(1, 20) / 20


def parts_of(X, Z):
    return {part.name: part.value for part in pil(np.asarray(X, float), np.asarray(Z, float)).parts}


def test_the_records_need_no_pairing_nor_the_same_number():
    """Oracle: the loops, which take moments of each file by itself. Close."""
    rng = np.random.default_rng(3)
    X, Z = rng.gamma(2.0, size=(60, 2)), rng.gamma(2.1, size=(23, 2))
    assert parts_of(X, Z) == pytest.approx(brute.pil(X, Z), rel=RTOL)


def test_quantiles_bandwidth_and_density_are_r_s():
    """Oracle: R 4.2.2, quantile(x, 1:19/20), bw.nrd0(x), mean(dnorm((Q - x)/h))/h. Close, last digits."""
    w = np.ones(len(X8))
    Q = quantiles(X8, GRID, w)
    expected = [2.5, 2.5, 2.525, 2.7, 2.875, 3.41, 4.845, 6.28, 7.1, 7.1, 7.1, 7.12, 7.155, 7.19]
    assert pytest.approx([*expected, 8.15, 9.48, 10.81, 19.7, 29.85], rel=1e-14) == Q
    h = bandwidth(X8, w)
    assert h == pytest.approx(2.3374491814904164, rel=1e-14)
    f = unit_density(Q, X8, w, h) / h
    assert f[[0, 6, 17, 18]] == pytest.approx(
        [7.2528302048092796e-02, 8.1720977981965912e-02, 2.0968717242155103e-05, 1.7161959637646925e-06], rel=1e-12
    )


def test_a_quantile_far_from_every_record_loses_nothing():
    """f underflows to 0 between 4 and 1e200, so Var is infinite and the loss 0; no warning. Identical."""
    x = np.array([1.0, 2, 3, 4, 1e200])
    assert unit_density(np.array([9e199]), x, np.ones(len(x)), bandwidth(x, np.ones(len(x)))) == 0
    assert np.isfinite(pil(x[:, None], x[:, None] * 1.5).total)
