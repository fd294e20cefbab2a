"""A margin as n sorted values: the observed ones, or the quantiles of a smoothed estimate that hands out none of them."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from ..types import Array
from .permutation import bandwidth

SMOOTHING = 0.3  # of bw.nrd0: more costs utility, less smooths nothing
STEPS = 4  # grid points to a bandwidth; binning inflates the variance by less than 1/64 of the squared bandwidth
FEWEST = 6  # records: two parameters of a tail are two values, and the kernel keeps a lone one
REACH = 6  # bandwidths at which the kernel has ended
SHAPES = (-0.5, 50.0)  # of a tail: from the heaviest with a finite variance to nearly one point


def observed_margin(y: Array) -> Array:
    """The values of y (n,), sorted."""
    return np.sort(y)


def smooth_margin(y: Array) -> Array:
    """n quantiles, at (i - 1/2)/n, of a smoothed estimate of the distribution of y (n,); sorted. Nothing is drawn.

    A Gaussian kernel of bandwidth 0.3 bw.nrd0, but for the outermost ceil(sqrt(n)) values of each end: the kernel's
    quantile at a value that stands alone is that value, so there a generalised Pareto tail is fitted to them, and one
    record shows only in its two parameters. Where the end is a heap of equal or nearly equal values (their sd within
    the bandwidth) the kernel stays. Of fewer than 6 values the quantiles are the normal distribution's of their mean and
    sd. Source: own; the tail is Hosking and Wallis's (1987).
    """
    n, values = len(y), np.sort(y)
    h = SMOOTHING * bandwidth(y)
    if h == 0:
        return values
    if n < FEWEST:
        return np.asarray(values.mean() + values.std() * ndtri((np.arange(n) + 0.5) / n))
    smooth, m = kernel_quantiles(values, h), min(ceil(sqrt(n)), n // 2)
    if m > 1:
        upper, lower = values[n - m - 1 :], -values[m::-1]
        if upper[1:].std() > h:
            smooth[n - m :] = pareto_tail(upper)
        if lower[1:].std() > h:
            smooth[:m] = -pareto_tail(lower)[::-1]
    return np.sort(smooth)


def kernel_quantiles(values: Array, h: float) -> Array:
    """The quantiles at (i - 1/2)/n of a Gaussian kernel estimate of bandwidth h > 0 from sorted values (n,).

    Linear binning on a grid of spacing h/4 that only exists within 6h of a value, so a heavy tail costs no memory.
    """
    n, low = len(values), values[0]
    h = max(h, 1e-12 * float(values[-1] - low))
    step, reach = h / STEPS, REACH * STEPS
    at = (values - low) / step
    left = np.floor(at).astype(np.int64)
    first = np.diff(left, prepend=left[0] - 1) > 0  # of the values in its cell: they are sorted
    own, run = left[first], np.cumsum(first) - 1
    cells = np.union1d(own, own + 1)
    place = np.concatenate([np.searchsorted(cells, own)[run], np.searchsorted(cells, own + 1)[run]])
    weight = np.bincount(place, np.concatenate([1 - (at - left), at - left]))
    # Neighbours more than two reaches apart are moved to two reaches: what lies between is empty.
    gap = np.minimum(np.diff(cells), 2 * reach + 1)
    position = reach + np.concatenate([[0], np.cumsum(gap)])
    mass = np.zeros(position[-1] + reach + 1)
    mass[position] = weight
    edges = ndtr((np.arange(-reach, reach + 2) - 0.5) / STEPS)
    F = np.cumsum(np.convolve(mass, np.diff(edges), mode="same")) / n
    quantile = np.interp((np.arange(n) + 0.5) / n, F, np.arange(len(F)) + 0.5)  # in grid places, at their right edges
    # Each quantile is told from the cell nearest in place, whose distance from it the moving has not changed.
    right = np.clip(np.searchsorted(position, quantile), 1, len(position) - 1)
    near = right - (quantile - position[right - 1] < position[right] - quantile)
    return np.asarray(low + (cells[near] + (quantile - position[near])) * step, dtype=np.float64)


def pareto_tail(upper: Array) -> Array:
    """Quantiles at (i - 1/2)/m of a generalised Pareto distribution above upper[0], fitted to the m values after it.

    upper : (m + 1,), ascending, not all equal. Scale and shape give these quantiles the mean and the standard deviation
    of the values, as far as a tail of finite variance can: a record that stands far out is not reproduced.
    """
    m, excess = len(upper) - 1, upper[1:] - upper[0]
    log = np.log1p(-(np.arange(1, m + 1) - 0.5) / m)
    wanted = excess.std() / excess.mean()
    heavy, light = SHAPES  # the spread of the quantiles falls from the one to the other
    for _ in range(60):
        shape = (heavy + light) / 2
        q = _pareto_quantiles(log, shape)
        heavy, light = (shape, light) if q.std() > wanted * q.mean() else (heavy, shape)
    q = _pareto_quantiles(log, heavy)
    return np.asarray(upper[0] + q * (excess.mean() / q.mean()), dtype=np.float64)


def _pareto_quantiles(log: Array, shape: float) -> Array:
    """Of scale 1, where log is log(1 - p); shape as in Hosking and Wallis, below 0 for heavy tails."""
    return -log if abs(shape) < 1e-9 else -np.expm1(shape * log) / shape
