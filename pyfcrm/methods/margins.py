"""A margin as n sorted values, smoothed by rank. No rule looks at values that few records share."""

from functools import lru_cache
from math import sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from ..numerics.decimals import decimals, in_units, of_units
from ..types import Array, Index
from .log_linear import discrete_margin

FEWEST = 10  # records of a point mass, at least
SHARE = 0.02  # of all records that a point mass has, at least
SPIKE = 2.0  # times as many records as the two next values of the column's grid have on average
SMALLEST = 6  # values that are smoothed together: two moments of fewer would be the values
SHORT = 600  # values, below which the weights are wider
WIDE = 1.0  # width of the weights below that, in standard errors of the rank
NARROW = 0.7  # and from there on
TAIL = 0.05  # share of the smoothed values at either end that a generalised Pareto distribution replaces
SHAPES = (-4.0, 4.0)  # between which the shape of a tail is searched for
STEPS = 40  # halvings in this search
WINDOW = 6.0  # standard errors of a rank, beyond which its weights are 0
BINS = 64  # in a window of a long column; of others each rank has its own weight
EXACT = 2_000  # values up to which every quantile is computed; of more, some are interpolated
PER_SD = 4  # quantiles computed to a standard error of a rank, of long columns
ENDS = 64  # quantiles at each end that are all computed


def smooth_margin(y: Array, masses: Array | None = None) -> Array:
    """n sorted values with the mean and standard deviation of y (n,), smoothed by rank.

    Point masses stay, with their counts. The other m values are replaced by quantiles at (i - 1/2)/m (Harrell and
    Davis), weighted means of the values around each rank. The outer 5 per cent at either end are quantiles of a
    generalised Pareto distribution with their mean. All are moved and stretched to the mean and standard deviation of
    the m values, and rounded to the column's decimals with their sum. Nothing is drawn.

    Parameters
    ----------
    y : array (n,)
        One column of the original.
    masses : array, optional
        The point masses, where y is part of a column or they have another number of records; None finds them.

    Returns
    -------
    array (n,)
        In the units of y.

    Notes
    -----
    The weights are normal on the scale of the arcsine of the root, where a share has the same sampling error
    everywhere. Their width is 1.0 times that error below 600 values, 0.7 times from there on. Fewer than 6 values are
    smoothed with the nearest point mass. A tail that would leave the sign of the column stays smoothed.

    References
    ----------
    Harrell and Davis (1982), whose weights are a beta distribution's; Hosking and Wallis (1987) for the tails.
    """
    values, counts = np.unique(y, return_counts=True)
    if masses is None:
        masses = point_masses(y)[0]
    smoothed = ~np.isin(values, masses)
    # Too few values for two moments are smoothed with the nearest point masses.
    while 0 < counts[smoothed].sum() < SMALLEST and not smoothed.all():
        away = np.where(smoothed, np.inf, np.abs(values - values[smoothed].mean()))
        smoothed[away.argmin()] = True
    if not smoothed.any() or len(values) == 1:
        return np.sort(y)
    unchanged = np.repeat(values[~smoothed], counts[~smoothed])
    rest = np.repeat(values[smoothed], counts[smoothed])
    digits = decimals(values)
    if digits is None:
        fitted = _smoothed(rest)
    else:
        # In units of the last digit values are whole numbers.
        whole = discrete_margin(np.rint(in_units(rest, digits)))
        if whole is None:
            whole = _whole(in_units(_smoothed(rest), digits))
        fitted = of_units(whole, digits)
    return np.sort(np.concatenate([unchanged, fitted]))


def point_masses(y: Array, point_mass: int | None = None) -> tuple[Array, Index]:
    """The values that are states of their own, such as zero.

    Parameters
    ----------
    y : array (n,)
        One column.
    point_mass : int, optional
        Records that share such a value at least; None is the larger of 10 and 2 per cent of n.

    Returns
    -------
    values, counts : array (k,)
        Ascending. In a column of rounded numbers a point mass has more than twice the records of the two next numbers
        on average. A constant column is one.
    """
    values, counts = np.unique(y, return_counts=True)
    if len(values) == 1:
        return values, counts
    if point_mass is None:
        fewest = max(FEWEST, SHARE * len(y))
    else:
        fewest = point_mass
    frequent = counts >= fewest
    digits = decimals(values)
    if digits is not None:
        # Records of the next lower and the next higher number, where values have these.
        adjacent = np.diff(np.rint(in_units(values, digits))) == 1
        below = np.append(0, counts[:-1] * adjacent)
        above = np.append(counts[1:] * adjacent, 0)
        frequent &= counts > SPIKE * (below + above) / 2
    return values[frequent], counts[frequent]


def _smoothed(values: Array) -> Array:
    """Smoothed sorted values (m,), with the mean and the standard deviation of `values` (m,)."""
    m = len(values)
    if m < SMALLEST:
        return _stretched(np.asarray(ndtri((np.arange(m) + 0.5) / m)), values)
    fitted = quantiles(values)
    k = int(TAIL * m)
    if k > 1:
        fitted[-k:] = _tail(values[-k:], fitted[-k - 1], fitted[-k:])
        # The lower tail is the upper one of the negative values, in reverse order.
        fitted[:k] = -_tail(-values[:k][::-1], -fitted[k], -fitted[:k][::-1])[::-1]
    both_signs = values[0] < 0 < values[-1]
    if both_signs:
        # Stretched in proportion to the distance from the median: the middle stays where it is.
        bent = _tailed(fitted, values)
        valid = (np.diff(bent) >= 0).all()
    else:
        # Stretched in proportion to the size: values keep their sign.
        bent = _bent(fitted, values)
        valid = (np.diff(bent) >= 0).all() and bent[0] * bent[-1] >= 0
    return bent if valid else _stretched(fitted, values)


def _tail(values: Array, start: float, fitted: Array) -> Array:
    """Generalised Pareto quantiles (k,) beyond `start`, ascending, with the mean and mean square of `values` (k,).

    `fitted` (k,) is returned where no shape has these, or the quantiles would change the sign of the column. The quantile at
    share p is start + scale (q^-shape - 1) / shape with q = 1 - p. The shape is found by halving: the mean square over the
    squared mean grows with it.
    """
    k = len(values)
    beyond = np.maximum(values - start, 0.0)
    upper_share = 1 - (np.arange(k) + 0.5) / k
    low, high = SHAPES
    for _ in range(STEPS):
        shape = (low + high) / 2
        scores = -np.log(upper_share) if shape == 0 else (upper_share**-shape - 1) / shape
        # mean(scores^2) / mean(scores)^2 < mean(beyond^2) / mean(beyond)^2, without a division by 0
        if (scores**2).mean() * beyond.mean() ** 2 < (beyond**2).mean() * scores.mean() ** 2:
            low = shape
        else:
            high = shape
    scale = beyond.mean() / scores.mean()
    tail = np.asarray(start + scores * scale)
    if values[-1] <= 0 < tail[-1]:
        return fitted
    return tail


def _stretched(fitted: Array, values: Array) -> Array:
    """Values `fitted` (m,), shifted and scaled to the mean and standard deviation of `values` (m,)."""
    sd = fitted.std()
    factor = values.std() / sd if sd > 0 else 1.0
    return values.mean() + (fitted - fitted.mean()) * factor


def _bent(fitted: Array, values: Array) -> Array:
    """Values fitted (a + b fitted), with the mean and variance of `values` (m,); NaN where there are no such a and b."""
    with np.errstate(all="ignore"):
        unit = fitted / fitted.mean()
        slope = unit * unit - unit * np.mean(unit * unit)  # of mean 0: any b keeps the mean
        return values.mean() * _of_variance(unit, slope, values.var() / values.mean() ** 2)


def _tailed(fitted: Array, values: Array) -> Array:
    """Values fitted + p up^3 - q down^3, with the mean and variance of `values` (m,); NaN where there are no such p and q.

    up and down are the distances from the median of `fitted` (m,), on either side.
    """
    with np.errstate(all="ignore"):
        centre = np.median(fitted)
        sd = fitted.std()
        out = (fitted - centre) / sd
        up = np.maximum(out, 0.0) ** 3
        down = np.maximum(-out, 0.0) ** 3
        # base has the mean wanted; slope has mean 0, so that any p keeps it.
        excess = out.mean() - (values.mean() - centre) / sd
        base = out - excess / down.mean() * down
        slope = up - up.mean() / down.mean() * down
        return centre + sd * _of_variance(base, slope, (values.std() / sd) ** 2)


def _of_variance(base: Array, slope: Array, variance: float) -> Array:
    """Values base + b slope (m,) with this variance, where slope has mean 0; NaN where there is no such b.

    b is the larger root of b^2 var(slope) + 2 b cov(base, slope) + var(base) = variance.
    """
    A = slope.var()
    B = np.mean((base - base.mean()) * slope)
    b = (np.sqrt(B * B - A * (base.var() - variance)) - B) / A
    return base + b * slope


def _whole(fitted: Array) -> Array:
    """Whole numbers for sorted numbers (m,), with the same rounded sum: those with the largest fractions are rounded up."""
    out = np.floor(fitted)
    up = int(np.rint(np.sum(fitted - out)))
    out[np.argsort(out - fitted, kind="stable")[:up]] += 1
    return np.sort(out)


def quantiles(values: Array) -> Array:
    """Quantiles (m,) at (i - 1/2)/m of sorted values (m,), each a weighted mean of them; see `smooth_margin`.

    Of long columns some are computed, a quarter of a rank's standard error apart, by bins of ranks. The others are
    interpolated.
    """
    m = len(values)
    ranks, edges, weights = _weights(m)
    # Sums of bins are differences of cumulative sums, about a value in the middle for accuracy.
    centre = values[m // 2]
    sums = np.concatenate([[0.0], np.cumsum(values - centre)])
    width = np.maximum(np.diff(edges, axis=1), 1)
    bin_sums = np.diff(sums[edges], axis=1)
    computed = centre + (weights * bin_sums / width).sum(axis=1)
    if len(ranks) < m:
        computed = np.interp(np.arange(m), ranks, computed)
    return np.maximum.accumulate(computed)


@lru_cache(maxsize=4)
def _weights(m: int) -> tuple[Index, Index, Array]:
    """The ranks computed (g,), the edges of bins of ranks around each (g, b + 1), and the weights of the bins (g, b).

    On the scale arcsin(sqrt(p)) a share p of m records has a standard error of 1 / (2 sqrt(m)), whatever p is.
    """
    ranks = np.arange(m)
    if m > EXACT:
        angles = np.linspace(0, np.pi / 2, int(PER_SD * np.pi * sqrt(m)))
        between = (np.sin(angles) ** 2 * (m - 1)).astype(np.int64)
        ranks = np.unique(np.concatenate([ranks[:ENDS], ranks[-ENDS:], between]))
    angle = np.arcsin(np.sqrt((ranks + 0.5) / m))
    sd = (WIDE if m < SHORT else NARROW) * 0.5 / sqrt(m)
    low = np.floor(np.sin(np.maximum(angle - WINDOW * sd, 0)) ** 2 * m)
    high = np.ceil(np.sin(np.minimum(angle + WINDOW * sd, np.pi / 2)) ** 2 * m)
    bins = BINS if m > EXACT else int((high - low).max())
    edges = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, bins + 1)
    edges = np.rint(edges).astype(np.int64)
    probabilities = ndtr((np.arcsin(np.sqrt(edges / m)) - angle[:, None]) / sd)
    weights = np.diff(probabilities, axis=1)
    return ranks, edges, weights / weights.sum(axis=1, keepdims=True)
