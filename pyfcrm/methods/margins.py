"""A margin as n sorted values, smoothed by rank. No rule looks at values that few records share."""

from functools import lru_cache
from math import sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from ..numerics.decimals import decimals, in_units, of_units
from ..types import Array, Index
from .log_linear import discrete_margin

FEWEST, SHARE = 10, 0.02  # records of a point mass, and the share of all records, that it has at least
SPIKE = 2.0  # times as many records as the two next values of the column's grid have on average
SMALLEST = 6  # values that are smoothed together: two moments of fewer would be the values
SHORT, WIDE, NARROW = (
    600,
    1.0,
    0.7,
)  # values; widths of the weights, in sampling errors of the rank, below and from there on
TAIL = (
    0.05  # share of the values beyond either end of the smoothed ones that a generalised Pareto distribution replaces
)
SHAPES, STEPS = (-4.0, 4.0), 40  # in which the shape of a tail is looked for, and halvings
WINDOW = 6.0  # standard deviations of a rank beyond which its weights are nothing
BINS = 64  # in a window of a long column; of others each rank has its own weight
EXACT = 2_000  # values up to which every quantile is computed, and not read between others
PER_SD = 4  # quantiles computed to a standard deviation of a rank, beyond
ENDS = 64  # and all of these, next to each end


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
    smoothed = ~np.isin(values, point_masses(y)[0] if masses is None else masses)
    while 0 < counts[smoothed].sum() < SMALLEST and not smoothed.all():
        away = np.where(smoothed, np.inf, np.abs(values - values[smoothed].mean()))
        smoothed[away.argmin()] = True
    if not smoothed.any() or len(values) == 1:
        return np.sort(y)
    stay, rest = (np.repeat(values[which], counts[which]) for which in (~smoothed, smoothed))
    digits = decimals(values)
    if digits is None:
        fitted = _smoothed(rest)
    else:
        whole = discrete_margin(np.rint(in_units(rest, digits)))
        fitted = of_units(_whole(in_units(_smoothed(rest), digits)) if whole is None else whole, digits)
    return np.sort(np.concatenate([stay, fitted]))


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
    which, digits = counts >= (max(FEWEST, SHARE * len(y)) if point_mass is None else point_mass), decimals(values)
    if digits is not None:
        follows = np.diff(np.rint(in_units(values, digits))) == 1
        neighbours = np.append(0, counts[:-1] * follows) + np.append(counts[1:] * follows, 0)
        which &= counts > SPIKE / 2 * neighbours
    return values[which], counts[which]


def _smoothed(values: Array) -> Array:
    """As many sorted values (m,), with the mean and the standard deviation of these."""
    m = len(values)
    if m < SMALLEST:
        return _stretched(np.asarray(ndtri((np.arange(m) + 0.5) / m)), values)
    fitted, k = quantiles(values), int(TAIL * m)
    if k > 1:
        fitted[-k:] = _tail(values[-k:], fitted[-k - 1], fitted[-k:])
        fitted[:k] = -_tail(-values[:k][::-1], -fitted[k], -fitted[:k][::-1])[::-1]
    # Of one sign where the values are. The stretching grows with the size, or with two signs with the distance from the median,
    # so that the middle stays where it is.
    signed = values[0] < 0 < values[-1]
    bent = _tailed(fitted, values) if signed else _bent(fitted, values)
    in_order = (np.diff(bent) >= 0).all() and (signed or bent[0] * bent[-1] >= 0)
    return bent if in_order else _stretched(fitted, values)


def _tail(values: Array, start: float, fitted: Array) -> Array:
    """(k,) generalised Pareto quantiles beyond `start`, ascending, with the mean and mean square of `values`; `fitted` where there
    are none or they would leave the sign of these."""
    beyond = np.maximum(values - start, 0.0)
    left = 1 - (np.arange(len(values)) + 0.5) / len(values)
    low, high = SHAPES
    for _ in range(STEPS):
        shape = (low + high) / 2
        scores = -np.log(left) if shape == 0 else (left**-shape - 1) / shape
        less = (scores**2).mean() * beyond.mean() ** 2 < (beyond**2).mean() * scores.mean() ** 2
        low, high = (shape, high) if less else (low, shape)
    tail = start + scores * (beyond.mean() / scores.mean())
    return fitted if values[-1] <= 0 < tail[-1] else np.asarray(tail)


def _stretched(fitted: Array, values: Array) -> Array:
    """`fitted` (m,), shifted and scaled to the mean and standard deviation of `values` (m,)."""
    sd = fitted.std()
    return values.mean() + (fitted - fitted.mean()) * (values.std() / sd if sd > 0 else 1.0)


def _bent(fitted: Array, values: Array) -> Array:
    """fitted (a + b fitted), with the mean and variance of `values`; NaN where there is none."""
    with np.errstate(all="ignore"):
        unit = fitted / fitted.mean()
        slope = unit * unit - unit * np.mean(unit * unit)  # of mean 0: any b keeps the mean
        return values.mean() * _of_variance(unit, slope, values.var() / values.mean() ** 2)


def _tailed(fitted: Array, values: Array) -> Array:
    """fitted + p up^3 - q down^3, up and down the distances from its median, with the mean and variance of `values`; NaN where
    there is none."""
    with np.errstate(all="ignore"):
        centre, sd = np.median(fitted), fitted.std()
        out = (fitted - centre) / sd
        up, down = np.maximum(out, 0.0) ** 3, np.maximum(-out, 0.0) ** 3
        base = out - (out.mean() - (values.mean() - centre) / sd) / down.mean() * down  # of the mean, which any p keeps
        slope = up - up.mean() / down.mean() * down
        return centre + sd * _of_variance(base, slope, (values.std() / sd) ** 2)


def _of_variance(base: Array, slope: Array, variance: float) -> Array:
    """base + b slope, with this variance; NaN where there is no such b."""
    A, B = slope.var(), np.mean((base - base.mean()) * slope)
    return base + (np.sqrt(B * B - A * (base.var() - variance)) - B) / A * slope


def _whole(fitted: Array) -> Array:
    """Sorted numbers (m,) as whole ones with the same sum, rounded: those with the largest fractions go up."""
    out = np.floor(fitted)
    up = int(np.rint(np.sum(fitted - out)))
    out[np.argsort(out - fitted, kind="stable")[:up]] += 1
    return np.sort(out)


def quantiles(values: Array) -> Array:
    """The quantiles at (i - 1/2)/m of sorted values (m,), each a weighted mean of them; see `smooth_margin`.

    Of long columns some are computed, a quarter of a rank's uncertainty apart, by bins of ranks, and the others read
    between them. Returns (m,).
    """
    m = len(values)
    at, edges, weights = _weights(m)
    centre = values[m // 2]
    sums = np.concatenate([[0.0], np.cumsum(values - centre)])
    width = np.maximum(np.diff(edges, axis=1), 1)
    found = centre + (weights * np.diff(sums[edges], axis=1) / width).sum(axis=1)
    return np.maximum.accumulate(found if len(at) == m else np.interp(np.arange(m), at, found))


@lru_cache(maxsize=4)
def _weights(m: int) -> tuple[Index, Index, Array]:
    """The ranks computed (g,), the edges of the bins of ranks around each (g, b + 1), and the weights of these (g, b)."""
    at = np.arange(m)
    if m > EXACT:
        shares = np.sin(np.linspace(0, np.pi / 2, int(PER_SD * np.pi * sqrt(m)))) ** 2
        at = np.unique(np.concatenate([at[:ENDS], at[-ENDS:], (shares * (m - 1)).astype(np.int64)]))
    angle, sd = np.arcsin(np.sqrt((at + 0.5) / m)), (WIDE if m < SHORT else NARROW) * 0.5 / sqrt(m)
    low = np.floor(np.sin(np.maximum(angle - WINDOW * sd, 0)) ** 2 * m)
    high = np.ceil(np.sin(np.minimum(angle + WINDOW * sd, np.pi / 2)) ** 2 * m)
    bins = BINS if m > EXACT else int((high - low).max())
    edges = np.rint(low[:, None] + (high - low)[:, None] * np.linspace(0, 1, bins + 1)).astype(np.int64)
    F = ndtr((np.arcsin(np.sqrt(edges / m)) - angle[:, None]) / sd)
    weights = np.diff(F, axis=1)
    return at, edges, weights / weights.sum(axis=1, keepdims=True)
