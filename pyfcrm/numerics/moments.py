"""Correlations; and weighted means, quantiles (R's type 7), R's bandwidth nrd0 and kernel densities.

Weights (n,) are positive, in any unit: only their proportions count.
"""

import math

import numpy as np

from ..types import Array
from .location import Location, location, scores, standardise

# exp(-40^2 / 2) is 0 in float64; beyond, a square could overflow.
FAR = 40.0
# Of the largest eigenvalue: directions of less variance are left out.
RANK = 1e-10


def correlation(A: Array) -> Array:
    """Pearson correlations (p, p) of the columns of A (n, p); 0 with a constant column, also on the diagonal."""
    S = standardise(A, ddof=0)
    return np.clip(S.T @ S / len(A), -1.0, 1.0)


def whitener(C: Array) -> Array:
    """W (..., t, t) with W W' the inverse of C (..., t, t) over its directions of positive variance; 0 in the others.

    With C = V diag(d) V', W is V diag(d^-1/2).
    """
    values, vectors = np.linalg.eigh(C)
    largest = np.maximum(values.max(axis=-1, keepdims=True, initial=0.0), np.finfo(np.float64).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(values > RANK * largest, 1 / np.sqrt(values), 0.0)
    return vectors * scale[..., None, :]


def effective(w: Array) -> float:
    """Effective number of records: that of equal weight with the same variance of a mean, (sum w)^2 / sum w^2.

    Source: Kish (1965), 8.2.
    """
    share = w / w.sum()
    return 1 / float(share @ share)


def weighted_location(A: Array, w: Array) -> Location:
    """Weighted mean of each column of A (n, p), and the root of the weighted mean square about it.

    Both are computed on the scores, which are safe for huge and tiny values, and taken back to the columns' units.
    """
    plain = location(A, ddof=0)
    S = scores(A, plain)
    share = w / w.sum()
    mean = share @ S
    sd = np.sqrt(share @ (S - mean) ** 2)
    return Location(plain.origin, plain.offset + mean * plain.sd, plain.sd * sd)


def quantiles(ordered: Array, q: Array, w: Array) -> Array:
    """Quantiles (k,) of ascending values (n,) at q (k,): R's type 7 with equal weights.

    Between records they lie on a straight line, along which the weight grows by the mean of the two records' weights.
    Source: Hyndman and Fan (1996), definition 7; R's quantile().
    """
    between_records = (w[1:] + w[:-1]) / 2
    weight_below = np.concatenate([[0.0], np.cumsum(between_records)])
    return np.interp(q * weight_below[-1], weight_below, ordered)


def bandwidth(ordered: Array, w: Array) -> float:
    """R's bw.nrd0: 0.9 min(sd, IQR/1.34) n^(-1/5), with R's fallbacks where that is 0: sd, then |x|, then 1.

    ordered : (n,) ascending, n >= 1 (R refuses n = 1; the fallbacks serve here). With weights n is the effective number.
    Source: Silverman (1986), 3.31; R's bw.nrd0.
    """
    low, high = quantiles(ordered, np.array([0.25, 0.75]), w)
    n = effective(w)
    sd = float(weighted_location(ordered[:, None], w).sd[0]) * math.sqrt(n / max(n - 1, 1))
    spread = min(sd, float(high - low) / 1.34)
    if spread == 0:
        spread = sd or abs(ordered[0]) or 1.0
    return float(0.9 * spread * n**-0.2)


def unit_density(points: Array, x: Array, w: Array, h: float) -> Array:
    """h times the Gaussian kernel density of x (n,) at the points (k,): the exact sum, not R's binned density().

    h : bandwidth > 0, the units of x. The density has no unit and is never above 0.4.
    """
    share = w / w.sum()
    density = np.empty(len(points))
    for i, point in enumerate(points):
        u = np.minimum(np.abs((x - point) / h), FAR)
        density[i] = np.exp(-0.5 * u * u) @ share
    return density / math.sqrt(2 * math.pi)
