"""Effects of units, such as villages, on a variable, drawn given the units' records by a model of variance components."""

import numpy as np
from scipy.special import ndtri

from ..rstream import RStream
from ..types import Array, Codes, Mask


def unit_effects(y: Array, units: Codes, used: Mask, stream: RStream) -> Array | None:
    """The effect (n,) of each record's unit on y (n,), residuals with mean near 0; None where units do not differ beyond chance.

    NaN in y is missing. used : mask (u,) of the units that have an effect of their own; the others have 0. Variances between and within
    units, b and w, are those of the analysis of variance. With k the records of a unit, m its mean and r = b / (b + w / k), the effect is
    drawn from its distribution given the records, N(r m, b (1 - r)). The effects then have variance b, and y has a slope of 1 on them:
    means of y that are drawn given the effects vary as the original's. On the best linear prediction r m the slope would be 1 / r.
    Draws: u normal numbers. Source: Searle, Casella and McCulloch (1992), Variance Components, 3.4 and 7.4.
    """
    known = np.isfinite(y)
    u = len(used)
    k = np.bincount(units[known], minlength=u).astype(float)
    y = np.where(known, y, 0.0)
    means = np.bincount(units, weights=y, minlength=u) / np.maximum(k, 1)
    n = k.sum()
    present = k > 0
    groups = int(present.sum())
    if groups < 2 or n <= groups:
        return None
    within = float((((y - means[units]) ** 2)[known]).sum() / (n - groups))
    grand_mean = float(y.sum() / n)
    between_squares = float((k * (means - grand_mean) ** 2).sum() / (groups - 1))
    mean_size = float((n - (k * k).sum() / n) / (groups - 1))
    between = (between_squares - within) / mean_size
    if between <= 0:
        return None
    reliability = np.where(present, between / (between + within / np.maximum(k, 1)), 0.0)
    draws = stream.rnorm(u) * np.sqrt(between * (1 - reliability))
    effects = reliability * (means - grand_mean) + draws
    return np.where(used, effects, 0.0)[units]


def residual_scores(y: Array, X: Array) -> Array:
    """Normal scores of y (n,) less their regression on (1, X), X (n, s); NaN where y or a predictor is missing.

    Scores of ranks, so that no single value decides the effect of a unit.
    """
    from scipy.stats import rankdata

    known = np.isfinite(y) & np.isfinite(X).all(axis=1)
    scores = np.full(len(y), np.nan)
    count = int(known.sum())
    if count < 2:
        return scores
    t = ndtri((rankdata(y[known]) - 0.5) / count)
    A = np.column_stack([np.ones(count), X[known]])
    size = np.linalg.norm(A, axis=0)
    A = A / np.where(size > 0, size, 1.0)
    scores[known] = t - A @ np.linalg.lstsq(A, t)[0]
    return scores
