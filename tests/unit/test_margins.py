"""Smooth margins: the weights against whole sums, the moments, and what is not handed out again."""

import numpy as np
import pytest
from scipy.special import ndtr

from pyfcrm.methods.margins import APART, EXACT, WIDTH, HandedOut, handed_out, observed_margin, quantiles, smooth_margin

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
    F = ndtr((edges - np.arcsin(np.sqrt((np.arange(m) + 0.5) / m))[:, None]) * 2 * np.sqrt(m) / WIDTH)
    W = np.diff(F, axis=1)
    return W @ np.sort(y) / W.sum(axis=1)


@pytest.mark.parametrize("name", SHAPES)
def test_quantiles_against_the_whole_sum(name):
    """Close: 1e-8 sd, weights beyond six standard deviations being left out."""
    y = np.sort(SHAPES[name](np.random.default_rng(1), 400))
    np.testing.assert_allclose(quantiles(y), weighed(y), rtol=0, atol=1e-8 * y.std() + 1e-15 * np.abs(y).max())


@pytest.mark.parametrize("name", ["normal", "heavy", "clusters"])
def test_long_columns_are_read_between_quantiles(name):
    """Oracle: the whole sum. Close: bins and reading between points move a quantile by 2 per cent of what smoothing does, in sum."""
    y = np.sort(SHAPES[name](np.random.default_rng(2), EXACT + 500))
    made, whole = quantiles(y), weighed(y)
    assert np.sqrt(np.mean((made - whole) ** 2)) < 0.05 * np.sqrt(np.mean((whole - y) ** 2))


@pytest.mark.parametrize("n", [400, 3000])
@pytest.mark.parametrize("name", SHAPES)
def test_mean_and_sd_are_the_originals(name, n):
    """Close: rounding of doubles; of whole numbers the sum is the original's and the sd that to 1e-3."""
    y = SHAPES[name](np.random.default_rng(3), n)
    q = smooth_margin(y, 3)
    whole = (np.rint(y) == y).all()
    assert q.mean() == pytest.approx(y.mean(), rel=1e-12, abs=1e-9 * y.std())
    assert q.std() == pytest.approx(y.std(), rel=1e-3 if whole else 1e-6)
    assert (np.diff(q) >= 0).all()
    assert not whole or (np.rint(q) == q).all()
    assert (q >= 0).all() or (y < 0).any()
    assert (q <= 0).all() or (y > 0).any()


@pytest.mark.parametrize("heap", [3, 10])
@pytest.mark.parametrize("name", SHAPES)
def test_no_value_of_a_few_records_comes_back(name, heap):
    """Identical: none of them, the extremes least of all; heaps with their counts."""
    y = SHAPES[name](np.random.default_rng(4), 500)
    q = smooth_margin(y, heap)
    assert handed_out(np.sort(y), q, heap).rare == 0
    values, counts = np.unique(y, return_counts=True)
    for value in values[counts >= heap]:
        assert (q == value).sum() >= (y == value).sum()
    for end, own in ((y.min(), q[0]), (y.max(), q[-1])):
        if (y == end).sum() < heap:
            assert abs(own - end) > 0.9 * APART * y.std()


def test_heaps_alone_stay_and_a_constant_too():
    y = np.repeat([1.0, 2.0, 5.0], [3, 4, 9])
    np.testing.assert_array_equal(smooth_margin(y, 3), y)
    np.testing.assert_array_equal(smooth_margin(np.full(4, 7.0), 9), np.full(4, 7.0))
    np.testing.assert_array_equal(observed_margin(y[::-1], 3), y)


def test_a_few_rare_values_are_smoothed_with_the_nearest_heap():
    """By hand: a lone 9.5 beside heaps of 0.5 and 8.5. Its two moments alone would be the value."""
    y = np.repeat([0.5, 8.5, 9.5], [40, 20, 1])
    q = smooth_margin(y, 3)
    assert (q == 0.5).sum() == 40
    assert not np.isin(q, [9.5]).any()
    assert q.mean() == pytest.approx(y.mean(), rel=1e-12)


def test_whole_numbers_without_room_are_counted():
    """By hand: 0 to 29, each once: no other whole number is near, so they come back and are counted, two of them ends."""
    y = np.arange(30.0)
    assert handed_out(y, smooth_margin(y, 3), 3) == HandedOut(observed=30, rare=30, ends=2, outside=0)


@pytest.mark.parametrize("n", range(2, 12))
@pytest.mark.parametrize("name", ["normal", "heavy", "squares"])
def test_few_records_hand_out_no_extreme(n, name):
    """Identical: an end of few lone values is not told by two moments."""
    rng = np.random.default_rng(n)
    y = {"squares": np.arange(n) ** 2.0 + 0.5, "normal": rng.normal(size=n)}.get(name, rng.lognormal(0, 3, size=n))
    q = smooth_margin(y, 3)
    assert (np.diff(q) >= 0).all()
    for extreme in (y.min(), y.max()):
        assert np.abs(q - extreme).min() > 1e-9 * y.std()
