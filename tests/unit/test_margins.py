"""Smooth margins: the weights against whole sums, the moments, the tails and the point masses."""

from collections import Counter

import numpy as np
import pytest
from scipy.special import ndtr

from pyfcrm.methods.margins import EXACT, NARROW, SHORT, WIDE, point_masses, quantiles, smooth_margin

SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy": lambda rng, n: rng.lognormal(0, 1.5, size=n),
    "positive": lambda rng, n: rng.gamma(2, size=n),
    "negative": lambda rng, n: -rng.gamma(2, size=n),
    "clusters": lambda rng, n: rng.normal(size=n) + 1000 * rng.integers(0, 3, size=n),
    "far off": lambda rng, n: 1e9 + rng.normal(size=n),
    "incomes": lambda rng, n: np.rint(rng.lognormal(10, 1, size=n)),
    "balances": lambda rng, n: np.rint(1e5 * rng.standard_t(4, size=n)),
    "zeros": lambda rng, n: np.where(rng.random(n) < 0.6, 0, rng.gamma(2, size=n)),
    "rounded": lambda rng, n: np.where(
        rng.random(n) < 0.5, 1000 * rng.integers(1, 9, n), np.rint(rng.gamma(2, 2e4, n))
    ),
}


def weighed(y):
    """Oracle: each quantile from all sorted values, weights by the normal distribution of the arcsine of a share's root."""
    m = len(y)
    edges = np.arcsin(np.sqrt(np.arange(m + 1) / m))
    F = ndtr(
        (edges - np.arcsin(np.sqrt((np.arange(m) + 0.5) / m))[:, None])
        * 2
        * np.sqrt(m)
        / (WIDE if m < SHORT else NARROW)
    )
    W = np.diff(F, axis=1)
    return W @ np.sort(y) / W.sum(axis=1)


@pytest.mark.parametrize("name", SHAPES)
def test_quantiles_against_the_whole_sum(name):
    """Close: 1e-8 sd, weights beyond six standard deviations being left out."""
    y = np.sort(SHAPES[name](np.random.default_rng(1), 400))
    np.testing.assert_allclose(quantiles(y), weighed(y), rtol=0, atol=1e-8 * y.std() + 1e-15 * np.abs(y).max())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["normal", "heavy", "clusters"])
def test_long_columns_are_read_between_quantiles(name):
    """Oracle: the whole sum. Close: bins and reading between points move a quantile by 2 per cent of what smoothing does, in sum."""
    y = np.sort(SHAPES[name](np.random.default_rng(2), EXACT + 500))
    result, whole = quantiles(y), weighed(y)
    assert np.sqrt(np.mean((result - whole) ** 2)) < 0.05 * np.sqrt(np.mean((whole - y) ** 2))


@pytest.mark.parametrize("n", [400, 3000])
@pytest.mark.parametrize("name", SHAPES)
def test_mean_and_sd_are_the_originals(name, n):
    """Close: rounding of doubles; of whole numbers the sum is the original's and the sd that to 1e-3."""
    y = SHAPES[name](np.random.default_rng(3), n)
    q = smooth_margin(y)
    whole = (np.rint(y) == y).all()
    assert q.mean() == pytest.approx(y.mean(), rel=1e-12, abs=1e-9 * y.std())
    assert q.std() == pytest.approx(y.std(), rel=1e-3 if whole else 1e-6)
    assert (np.diff(q) >= 0).all()
    assert not whole or (np.rint(q) == q).all()
    assert (q >= 0).all() or (y < 0).any()
    assert (q <= 0).all() or (y > 0).any()


@pytest.mark.parametrize("name", ["zeros", "rounded"])
def test_point_masses_keep_their_counts(name):
    """Identical: by hand, at least 10 records and 2 per cent, and more than both neighbours together."""
    y = SHAPES[name](np.random.default_rng(4), 1500)
    q, counts = smooth_margin(y), Counter(y.tolist())
    expected = {v: c for v, c in counts.items() if c >= 30 and (name == "zeros" or c > counts[v - 1] + counts[v + 1])}
    assert dict(zip(*(found.tolist() for found in point_masses(y)), strict=True)) == expected
    assert len(expected) == (1 if name == "zeros" else 8)
    assert all((q == value).sum() >= count for value, count in expected.items())


def test_neighbours_on_a_grid_are_smoothed_and_a_spike_among_them_is_not():
    """By hand: 21 values of 40 records each have no point mass; a value of 90 records among them is one."""
    y = np.repeat(np.arange(21.0), 40)
    assert len(point_masses(y)[0]) == 0
    assert point_masses(np.r_[y, np.full(50, 7.0)])[0].tolist() == [7.0]


def test_a_lone_value_does_not_move_the_rest():
    """No rule looks at rare values: one of 300 whole numbers moved by 1 moves no released value by more than 1."""
    y = np.sort(np.rint(1e4 * np.random.default_rng(5).normal(size=300)))
    other = y.copy()
    other[150] += 1
    assert np.abs(smooth_margin(y) - smooth_margin(other)).max() <= 1


@pytest.mark.parametrize("n", [200, 2500])
@pytest.mark.parametrize("side", [1, -1])
def test_tails_have_the_mean_and_the_mean_square_of_what_lies_beyond(n, side):
    """Close: 2 per cent, what the moments of the middle then move. Oracle: sums over the outer 5 per cent."""
    y = np.sort(side * np.random.default_rng(6).lognormal(0, 1, n))
    k, q = int(0.05 * n), smooth_margin(y)
    outer = slice(-k, None) if side > 0 else slice(0, k)
    assert q[outer].mean() == pytest.approx(y[outer].mean(), rel=0.02)
    assert np.mean(q[outer] ** 2) == pytest.approx(np.mean(y[outer] ** 2), rel=0.02)
