"""A margin as n sorted values: the observed ones, or smoothed ranks that hand out no value of a few records' own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from ..numerics.decimals import decimals, in_units, of_units
from ..types import Array, Index, Mask

FEWEST = 6  # values that are smoothed together: two moments of fewer would be the values
WIDTH = 0.7  # of a rank's uncertainty: the weights have half the variance of a quantile's sampling error
WINDOW = 6.0  # standard deviations of a rank beyond which its weights are nothing
BINS = 64  # in a window of a long column; of others each rank has its own weight
EXACT = 2_000  # values up to which every quantile is computed, and not read between others
PER_SD = 4  # quantiles computed to a standard deviation of a rank, beyond
ENDS = 64  # and all of these, next to each end
APART = 0.002  # standard deviations that an end keeps from the original's
TURNS = 4  # of drawing ends in and of giving the moments back
NEAR = 0.1  # standard deviations within which a whole number that is nobody's is looked for
STEPS = 1_000  # at most
GRIDS = 8  # numbers of digits that are tried


def observed_margin(y: Array, heap: int) -> Array:
    """The values of y, sorted.

    Parameters
    ----------
    y : array (n,)
        One column of the original.
    heap : int
        Changes nothing: every value is handed out.

    Returns
    -------
    array (n,)
        In the units of y.
    """
    return np.sort(y)


def smooth_margin(y: Array, heap: int) -> Array:
    """n sorted values with the mean and sd of y (n,), of which none is one that fewer than `heap` records share.

    Values that at least `heap` records share stay, as often as they are. The others are replaced by quantiles at
    (i - 1/2)/m of their m values, after Harrell and Davis: each a mean of the values around its rank, weighed 0.7 times as
    widely as the rank of such a quantile is uncertain. They are moved and stretched to their mean and sd, and an end that comes within
    0.002 sd of the original's is moved that far inwards. Columns of whole numbers, of tens or hundreds, or of up to four decimals
    get such numbers, of the same sum, passing over those that few records share where another is within 0.1 sd; where that
    cannot be, numbers of one more digit, but never decimals for whole numbers. Nothing is drawn.

    Parameters
    ----------
    y : array (n,)
        One column of the original.
    heap : int
        From so many equal values on they are nobody's own.

    Returns
    -------
    array (n,)
        In the units of y.

    Notes
    -----
    Where fewer than 6 values are to be smoothed, the nearest heap is smoothed with them; of fewer than 6 values
    altogether the quantiles are the normal distribution's of their mean and sd.
    The weights are normal on the scale of the arcsine of the root, where a share has the same uncertainty everywhere.
    Source: own, after Harrell and Davis (1982), whose weights are a beta distribution's.
    """
    values, counts = np.unique(y, return_counts=True)
    if len(values) == 1:
        return np.sort(y)
    rare = values[counts < heap]
    if not len(rare):
        return np.sort(y)
    free = _smoothed_places(values, counts, heap)
    at = np.repeat(free, counts)
    kept, loose = np.repeat(values, counts)[~at], np.repeat(values, counts)[at]
    made = _on_grid(_smoothed(loose, float(y.std())), rare, float(y.std()), decimals(values))
    return np.sort(np.concatenate([kept, made]))


def _on_grid(made: Array, rare: Array, sd: float, digits: int | None) -> Array:
    """`made` in the digits that the column has, in more of them where too few values would be nobody's; whole numbers whole."""
    for here in () if digits is None else range(digits, digits + GRIDS):
        unit = float(in_units(np.array(1.0), here))
        tried = of_units(_whole(made * unit, np.rint(in_units(rare, here)), sd * unit), here)
        if here == 0 or not _among(tried, rare).any():
            return tried
    return _off(made, rare)


def _smoothed_places(values: Array, counts: Index, heap: int) -> Mask:
    """(k,) True for the distinct values that are smoothed: the rare ones, and the nearest heaps where those are too few."""
    free: Mask = counts < heap
    while counts[free].sum() < FEWEST and not free.all():
        centre = values[free].mean()
        free[np.flatnonzero(~free)[np.abs(values[~free] - centre).argmin()]] = True
    return free


def _smoothed(values: Array, sd: float) -> Array:
    """As many sorted values (m,) with the mean and the sd of these, neither end within 0.002 of `sd` of theirs."""
    m = len(values)
    if m == 1:
        return values + sd / 2
    if m < FEWEST:
        made = _stretched(np.asarray(ndtri((np.arange(m) + 0.5) / m)), values)
        return made if m > 2 else made + (made.mean() - made) / 3  # their mean and sd would be the two
    made = _with_moments(quantiles(values), values)
    for _ in range(TURNS):
        made = -_off_the_end(-_off_the_end(made, values[0], APART * sd)[::-1], -values[-1], APART * sd)[::-1]
        made = _with_moments(made, values)
    return made


def _off_the_end(made: Array, end: float, apart: float) -> Array:
    """`made`, ascending, where its least is less than `apart` from `end`: those within 4 `apart` drawn in, in their order."""
    if abs(made[0] - end) >= apart or made[-1] <= end + 4 * apart:
        return made
    low, high = made[0], end + 4 * apart
    drawn = end + 1.5 * apart + (made - low) * (2.5 * apart / (high - low))
    return np.where(made < high, drawn, made)


def _with_moments(made: Array, values: Array) -> Array:
    """`made` with the mean and sd of `values`; of one sign where these are. The stretching grows with the size, or with two signs
    with the distance from the median, so that the middle stays where it is."""
    bent = _bent(made, values) if values[0] >= 0 or values[-1] <= 0 else _tailed(made, values)
    return _stretched(made, values) if bent is None else bent


def _stretched(made: Array, values: Array) -> Array:
    sd = made.std()
    return np.asarray(values.mean() + (made - made.mean()) * (values.std() / sd if sd > 0 else 1.0))


def _bent(made: Array, values: Array) -> Array | None:
    """made (a + b made), of one sign, with the mean and variance of `values`; None where that would not be in order."""
    middle = made.mean()
    if middle == 0:
        return None
    unit = made / middle
    base, slope = unit, unit * unit - unit * np.mean(unit * unit)  # means 1 and 0: any b keeps the mean
    A, B = np.mean(slope * slope), np.mean(slope * (base - 1))
    C = base.var() - values.var() / values.mean() ** 2
    root = B * B - A * C
    if A == 0 or root < 0:
        return None
    b = -C / (B + sqrt(root)) if B >= 0 else (sqrt(root) - B) / A
    bent = base + b * slope
    bent = np.asarray(bent * values.mean())
    return bent if (np.diff(bent) >= 0).all() and bent[0] * bent[-1] >= 0 else None


def _tailed(made: Array, values: Array) -> Array | None:
    """made + p up^3 - q down^3, up and down the distances from its median, with the mean and variance of `values`; None where
    that would not be in order."""
    sd = made.std()
    if sd == 0:
        return None
    centre, out = np.median(made), (made - np.median(made)) / sd
    up, down = np.maximum(out, 0.0) ** 3, np.maximum(-out, 0.0) ** 3
    if up.mean() == 0 or down.mean() == 0:
        return None
    base = (
        out - (out.mean() - (values.mean() - centre) / sd) / down.mean() * down
    )  # of the mean wanted, which any p keeps
    slope = up - up.mean() / down.mean() * down
    A, B = slope.var(), np.mean((base - base.mean()) * slope)
    root = B * B - A * (base.var() - (values.std() / sd) ** 2)
    if A == 0 or root < 0:
        return None
    tails = base + (sqrt(root) - B) / A * slope
    return np.asarray(centre + sd * tails) if (np.diff(tails) >= 0).all() else None


def _whole(made: Array, taken: Array, sd: float) -> Array:
    """Whole numbers near `made` (m,), with its sum rounded, passing over those in `taken` where others are near."""
    out = np.rint(made)
    left = np.flatnonzero(_among(out, taken))
    for step in range(1, int(min(NEAR * sd, STEPS)) + 1):
        if not len(left):
            break
        for side in (1.0, -1.0):
            tried = out[left] + side * step * np.where(made[left] >= out[left], 1.0, -1.0)
            fine = ~_among(tried, taken)
            out[left[fine]] = tried[fine]
            left = left[~fine]
    return _of_sum(out, made, taken)


def _of_sum(out: Array, made: Array, taken: Array) -> Array:
    """`out` with values moved by 1, those farthest from `made` first, until its sum is that of `made`, rounded."""
    for _ in range(STEPS):
        lacking = float(np.rint(np.sum(made - out)))
        if lacking == 0:
            break
        move = np.sign(lacking)
        free = np.flatnonzero(~_among(out + move, taken) & (np.sign(out + move) * np.sign(out) >= 0))
        if not len(free):
            break
        chosen = free[np.argsort(move * (out - made)[free], kind="stable")[: int(abs(lacking))]]
        out[chosen] += move
    return out


def _off(made: Array, taken: Array) -> Array:
    """`made` with values that happen to be in `taken` moved by one in their last digit."""
    hit = _among(made, taken)
    while hit.any():
        made = np.where(hit, np.nextafter(made, np.inf), made)
        hit = _among(made, taken)
    return made


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
    angle, sd = np.arcsin(np.sqrt((at + 0.5) / m)), WIDTH * 0.5 / sqrt(m)
    low = np.floor(np.sin(np.maximum(angle - WINDOW * sd, 0)) ** 2 * m)
    high = np.ceil(np.sin(np.minimum(angle + WINDOW * sd, np.pi / 2)) ** 2 * m)
    bins = BINS if m > EXACT else int((high - low).max())
    edges = np.rint(low[:, None] + (high - low)[:, None] * np.linspace(0, 1, bins + 1)).astype(np.int64)
    F = ndtr((np.arcsin(np.sqrt(edges / m)) - angle[:, None]) / sd)
    weights = np.diff(F, axis=1)
    return at, edges, weights / weights.sum(axis=1, keepdims=True)


def _among(values: Array, taken: Array) -> Mask:
    """Which values are in `taken`, sorted and not empty."""
    place = np.minimum(np.searchsorted(taken, values), len(taken) - 1)
    return np.asarray(taken[place] == values)


@dataclass(frozen=True)
class HandedOut:
    """Of one column's released values: how many are observed ones, how many of these are shared by fewer than `heap`
    records, how many of those are the smallest or largest; how many lie outside the original's range."""

    observed: int
    rare: int
    ends: int
    outside: int


def handed_out(y: Array, z: Array, heap: int) -> HandedOut:
    """What a release z (m,) of y (n,) hands out of it; both sorted."""
    first, after = np.searchsorted(y, z, side="left"), np.searchsorted(y, z, side="right")
    shared = after - first
    rare = (shared > 0) & (shared < heap)
    ends = rare & ((z == y[0]) | (z == y[-1]))
    outside = (z < y[0]) | (z > y[-1])
    return HandedOut(*(int(one.sum()) for one in (shared > 0, rare, ends, outside)))
