"""Smoothed margins: against a brute-force kernel distribution, and what becomes of the extremes."""

import numpy as np
import pytest
from scipy.special import ndtr

from pyfcrm.methods.margins import SMOOTHING, kernel_quantiles, pareto_tail, smooth_margin
from pyfcrm.methods.permutation import bandwidth

SHAPES = {
    "normal": lambda rng: rng.normal(size=400),
    "heavy": lambda rng: rng.lognormal(0, 2, size=400),
    "zeros": lambda rng: np.maximum(0, rng.normal(size=400)),
    "clusters": lambda rng: rng.normal(size=400) + 1000 * rng.integers(0, 3, size=400),
    "far off": lambda rng: 1e9 + rng.normal(size=400),
    "two values": lambda rng: rng.integers(0, 2, size=400).astype(float),
}


@pytest.mark.parametrize("name", SHAPES)
def test_kernel_quantiles_against_the_whole_sum(name):
    """Oracle: F(q) = mean Phi((q - y)/h) over every record. Close: a grid of h/4 moves F by less than 0.005 of a
    value's share at its steepest, h^2/64 of variance; 0.003 overall."""
    y = np.sort(SHAPES[name](np.random.default_rng(1)))
    h = SMOOTHING * bandwidth(y)
    q = kernel_quantiles(y, h)
    F = ndtr((q[:, None] - y) / h).mean(axis=1)
    np.testing.assert_allclose(F, (np.arange(400) + 0.5) / 400, rtol=0, atol=3e-3)
    assert (np.diff(q) >= 0).all()


@pytest.mark.parametrize("name", SHAPES)
def test_no_observed_value_comes_back(name):
    """Identical: none of them, the extremes least of all."""
    y = SHAPES[name](np.random.default_rng(2))
    q = smooth_margin(y)
    assert q.shape == y.shape
    assert not np.isin(q, y).any()
    assert q[0] != y.min()
    assert q[-1] != y.max()
    # Close: the tails keep their mean and spread, the kernel adds at most h^2.
    assert abs(q.mean() - y.mean()) < 0.02 * y.std()
    assert abs(q.std() / y.std() - 1) < 0.1


def test_a_record_that_stands_alone_is_not_told():
    """A fortune of 1000 sd among 400 records: the kernel alone puts a quantile at it, the tail's fit does not."""
    y = np.append(np.random.default_rng(3).normal(size=399), 1000.0)
    assert abs(kernel_quantiles(np.sort(y), SMOOTHING * bandwidth(y))[-1] - 1000) < 0.1
    assert np.abs(smooth_margin(y) - 1000).min() > 300


def test_a_tail_has_the_mean_and_spread_of_its_values():
    """Oracle: the values' own. Close: bisection to the last digits. An exponential tail comes back as one."""
    values = 5 + np.sort(np.append(0, np.random.default_rng(4).gamma(0.8, size=40)))
    q = pareto_tail(values)
    assert q.mean() == pytest.approx(values[1:].mean(), rel=1e-12)
    assert q.std() == pytest.approx(values[1:].std(), rel=1e-9)
    exponential = 2 - 3 * np.log1p(-np.append(0, (np.arange(1, 41) - 0.5) / 40))
    np.testing.assert_allclose(pareto_tail(exponential), exponential[1:], rtol=1e-7)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_few_records_and_a_constant(n):
    y = np.arange(n, dtype=float) ** 2
    assert np.isfinite(smooth_margin(y)).all()
    np.testing.assert_array_equal(smooth_margin(np.full(n, 7.0)), np.full(n, 7.0))


@pytest.mark.parametrize("n", range(2, 12))
@pytest.mark.parametrize("name", ["normal", "heavy", "squares", "whole"])
def test_few_records_hand_out_no_extreme(n, name):
    """Two lone values at an end are not told by the two parameters of its tail, nor kept by the kernel. Identical."""
    rng = np.random.default_rng(n)
    made = {"squares": np.arange(n) ** 2.0, "whole": np.arange(n) * 1.0, "normal": rng.normal(size=n)}
    y = made.get(name, rng.lognormal(0, 3, size=n))
    q = smooth_margin(y)
    assert (np.diff(q) > 0).all()
    for extreme in (y.min(), y.max()):
        assert np.abs(q - extreme).min() > 1e-9 * y.std()
