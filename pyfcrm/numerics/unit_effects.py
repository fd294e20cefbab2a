"""Effects of units, such as villages, on a variable, drawn given the units' records by a model of variance components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from ..rstream import RStream
from ..types import Array, Codes, Mask

FEWEST = 10  # records of a unit that has an effect of its own
MOST_LEVELS = 5  # of a category, the most frequent, whose shares units have effects on


@dataclass(frozen=True)
class Components:
    """Means of units, and the variances between and within units by the analysis of variance."""

    counts: Array
    """Known records (u,) of each unit."""
    means: Array
    """Means (u,) of units; 0 where nothing is known."""
    grand_mean: float
    """The mean of all records."""
    between: float
    """The variance between units, more than 0."""
    within: float
    """The variance within units."""

    @classmethod
    def of(cls, y: Array, units: Codes) -> Components | None:
        """Those of y (n,), NaN for missing; None where units do not differ beyond chance.

        Source: Searle, Casella and McCulloch (1992), Variance Components, 3.4.
        """
        known = np.isfinite(y)
        u = int(units.max(initial=-1)) + 1
        k = np.bincount(units[known], minlength=u).astype(float)
        y = np.where(known, y, 0.0)
        means = np.bincount(units, weights=y, minlength=u) / np.maximum(k, 1)
        n = k.sum()
        groups = int((k > 0).sum())
        if groups < 2 or n <= groups:
            return None
        within = float((((y - means[units]) ** 2)[known]).sum() / (n - groups))
        grand_mean = float(y.sum() / n)
        between_squares = float((k * (means - grand_mean) ** 2).sum() / (groups - 1))
        mean_size = float((n - (k * k).sum() / n) / (groups - 1))
        between = (between_squares - within) / mean_size
        if between <= 0:
            return None
        return cls(counts=k, means=means, grand_mean=grand_mean, between=between, within=within)

    def reliability(self, k: Array) -> Array:
        """b / (b + w / k) of means of k records, b and w the variances between and within units; 0 of none."""
        return np.where(k > 0, self.between / (self.between + self.within / np.maximum(k, 1)), 0.0)


def unit_effects(y: Array, units: Codes, used: Mask, stream: RStream) -> Array | None:
    """The effect (n,) of each record's unit on y (n,), residuals with mean near 0; None where units do not differ beyond chance.

    NaN in y is missing. used : mask (u,) of the units that have an effect of their own; the others have 0. With b the variance between
    units, m the mean of a unit and r its reliability, see Components, the effect is drawn from its distribution given the records,
    N(r m, b (1 - r)). The effects then have variance b, and y has a slope of 1 on them:
    means of y that are drawn given the effects vary as the original's. On the best linear prediction r m the slope would be 1 / r.
    Draws: u normal numbers. Source: Searle, Casella and McCulloch (1992), Variance Components, 7.4.
    """
    found = Components.of(y, units)
    if found is None:
        return None
    reliability = found.reliability(found.counts)
    draws = stream.rnorm(len(used)) * np.sqrt(found.between * (1 - reliability))
    effects = reliability * (found.means - found.grand_mean) + draws
    return np.where(used, effects, 0.0)[units]


def unit_means(Y: Array, X: Array, units: Codes, apart: Codes | None = None) -> Array:
    """Predicted effects (n, m) of each record's unit on columns of Y (n, t), given X (n, s): of those on which units differ.

    Best linear predictions from the residual scores of the unit's records; 0 in units of fewer than FEWEST.
    apart (n,) : codes from 0 of persons or households. A record's prediction leaves out the records of its own, so that its values do
    not decide it. None leaves out nothing: then records of a unit have one prediction.
    """
    columns = [np.empty((len(Y), 0))]
    for y in Y.T:
        scores = residual_scores(y, X)
        found = Components.of(scores, units)
        if found is None:
            continue
        counts = found.counts[units]
        has_effect = counts >= FEWEST
        sums = counts * (found.means[units] - found.grand_mean)
        if apart is not None:
            own = np.unique(np.column_stack([units, apart]), axis=0, return_inverse=True)[1].reshape(-1)
            known = np.isfinite(scores)
            counts = counts - np.bincount(own, known)[own]
            sums = sums - np.bincount(own, np.where(known, scores - found.grand_mean, 0.0))[own]
        means = sums / np.maximum(counts, 1)
        columns.append(np.where(has_effect, found.reliability(counts) * means, 0.0)[:, None])
    return np.hstack(columns)


def level_indicators(codes: Array) -> Iterator[tuple[float, Array]]:
    """The most frequent levels of a category, one of two, each with its indicator (n,), NaN where `codes` (n,) are missing."""
    known = np.isfinite(codes)
    levels, counts = np.unique(codes[known], return_counts=True)
    frequent = levels[np.argsort(-counts, kind="stable")][: 1 if len(levels) == 2 else MOST_LEVELS]
    for level in frequent.tolist():
        yield level, np.where(known, codes == level, np.nan)


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
    scores[known] = t - A @ np.linalg.lstsq(A, t, rcond=None)[0]
    return scores
