"""Where weighted columns lie: means and spreads, quantiles, bandwidth and density. With equal weights what moments.py has.

Throughout w (n,) are weights above 0, in any unit.
"""

from __future__ import annotations

import math

import numpy as np

from ..types import Array
from .location import Location, location, scores
from .moments import FAR, nrd0


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
