"""Means, spreads and correlations of a file, R's quantiles (type 7), R's bandwidth nrd0 and a Gaussian kernel density.
All also with positive weights (n,) in any unit; equal ones change nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ..types import Array
from .location import Location, location, scores

ROWS_AT_ONCE = 1 << 15
# exp(-40^2 / 2) is 0 in float64; beyond, a square could overflow.
FAR = 40.0


def spread(A: Array) -> Location:
    """Mean and 1/n standard deviation of each column of A (n, p), in the data's units."""
    return location(A, ddof=0)


def correlation(A: Array, where: Location) -> Array:
    """Pearson's r of each two columns, (p, p); 0 with a constant column."""
    r = sum((S.T @ S for S in _blocks(A, where)), np.zeros((A.shape[1],) * 2)) / len(A)
    return np.clip(r, -1.0, 1.0)


def _blocks(A: Array, where: Location) -> Iterator[Array]:
    return (scores(A[start : start + ROWS_AT_ONCE], where) for start in range(0, len(A), ROWS_AT_ONCE))


def quantiles(ordered: Array, q: Array) -> Array:
    """Quantiles of a sorted column, R's type 7.

    ordered : (n,) ascending, n >= 1.  q : (k,) in [0, 1].  Returns (k,), the data's units.
    Source: Hyndman and Fan (1996), definition 7; R's quantile().
    """
    place = (len(ordered) - 1) * q
    below = np.floor(place).astype(np.intp)
    a, b = ordered[below], ordered[np.ceil(place).astype(np.intp)]
    h = place - below
    return np.where(a == b, a, (1 - h) * a + h * b)


def bandwidth(ordered: Array) -> float:
    """R's bw.nrd0: 0.9 min(sd, IQR/1.34) n^(-1/5), with R's fallbacks where that is 0: sd, then |x|, then 1.

    ordered : (n,) ascending, n >= 1 (R refuses n = 1; the fallbacks serve here). Returns the data's units.
    Source: Silverman (1986), 3.31; R's bw.nrd0.
    """
    sd = float(location(ordered[:, None]).sd[0])
    low, high = quantiles(ordered, np.array([0.25, 0.75]))
    return nrd0(sd, float(high - low), float(ordered[0]), len(ordered))


def nrd0(sd: float, between_quartiles: float, lowest: float, n: float) -> float:
    """The rule of `bandwidth`, from statistics of a column."""
    lo = min(sd, between_quartiles / 1.34) or sd or abs(lowest) or 1.0
    return float(0.9 * lo * n**-0.2)


def unit_density(points: Array, x: Array, h: float) -> Array:
    """h times the Gaussian kernel density of x at the points: the exact sum, not R's binned density().

    points : (k,).  x : (n,).  h : bandwidth > 0, the units of x.  Returns (k,), without unit, never above 0.4.
    """
    total = np.empty(len(points))
    for i, point in enumerate(points):
        u = np.minimum(np.abs((x - point) / h), FAR)
        total[i] = np.exp(-0.5 * u * u).sum()
    return total / (len(x) * math.sqrt(2 * math.pi))


def effective(w: Array) -> float:
    """How many records of equal weight know a weighted mean as well: (sum w)^2 / sum w^2. Source: Kish (1965), 8.2."""
    share = w / w.sum()
    return 1 / float(share @ share)


def weighted_location(A: Array, w: Array) -> Location:
    """Weighted mean of each column of A (n, p), and the root of the weighted mean square about it."""
    plain, share = location(A, ddof=0), w / w.sum()
    S = scores(A, plain)
    mean = share @ S
    sd = np.sqrt(share @ (S - mean) ** 2)
    return Location(plain.origin, plain.offset + mean * plain.sd, plain.sd * sd)


def weighted_quantiles(x: Array, w: Array, q: Array) -> Array:
    """Quantiles (k,) of a column at q (k,): between records a straight line, over which weight grows by the mean of two."""
    order = np.argsort(x, kind="stable")
    x, w = x[order], w[order]
    place = np.concatenate([[0.0], np.cumsum((w[1:] + w[:-1]) / 2)])
    return np.interp(q * place[-1], place, x)


def weighted_bandwidth(x: Array, w: Array) -> float:
    """R's bw.nrd0 of as many records as the weighted ones are worth, with their sd and quartiles."""
    low, high = weighted_quantiles(x, w, np.array([0.25, 0.75]))
    n = effective(w)
    sd = float(weighted_location(x[:, None], w).sd[0]) * math.sqrt(n / max(n - 1, 1))
    return nrd0(sd, float(high - low), float(x.min()), n)


def weighted_density(points: Array, x: Array, w: Array, h: float) -> Array:
    """h times the Gaussian kernel density of a weighted column at the points (k,)."""
    U = np.minimum(np.abs((x - points[:, None]) / h), FAR)
    return np.exp(-0.5 * U * U) @ (w / w.sum()) / math.sqrt(2 * math.pi)
