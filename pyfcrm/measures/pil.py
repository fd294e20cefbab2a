"""Probabilistic information loss: the probability that five kinds of statistics have changed by more than sampling explains."""

import math
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from ..data.blocks import Records, SideBySide, pieces, total
from ..data.pairs import Pair
from ..engine import Engine
from ..engine.engines import Watched
from ..numerics.design_by_blocks import column_sums, location
from ..numerics.location import Location, scores
from ..numerics.moments import bandwidth, effective, quantiles, unit_density, weighted_location
from ..progress import Progress, ProgressTracker, report_progress
from ..types import Array
from .measure import Part, Parts, pair_measure

# A variance this small, relative to the terms of which it is the difference, is 0; statistics this close are equal.
ROUNDING = 1e-12
# A statistic that moved by so many of the original's sd is lost, and its square still fits in a float.
VERY_FAR = 1e150
PASSES = 10  # over the records, for progress
GRID = np.arange(1, 20) / 20


@pair_measure(
    key="pil",
    title="Probabilistic information loss",
    reading="How far means, variances, covariances, correlations and quantiles have moved, compared with sampling: 0 is "
    "no change, 100 is more than sampling could explain. Relations to predictors are not part of it: a shuffled column has 0.",
    kind="loss",
    identity=0.0,
    source="Mateo-Sanz, Domingo-Ferrer and Sebe (2005); thesis 2.4.1",
    gaps="cells",
)
def pil(pair: Pair, engine: Engine, progress: Progress | None = None) -> Parts:
    """Probabilistic information loss, per cent.

    Parameters
    ----------
    pair : Pair
        Original and protected records, which need no pairing: only statistics of them are used.
    engine : Engine
        Runs the sums.
    progress : callable, optional
        Called with (done, total, label).

    Returns
    -------
    Parts
        The mean of the parts mean, variance, covariance, correlation and quantiles; the middle two exist only with two
        attributes or more. A correlation with a constant column counts as 0. NaN is a missing cell: a statistic of one or
        two attributes is of the records that have them.

    References
    ----------
    Mateo-Sanz, Domingo-Ferrer and Sebe (2005); thesis 2.4.1.
    """
    if pair.gaps:
        losses = _moment_losses_with_gaps(pair, engine, progress)
    else:
        losses = moment_losses(pair, engine, progress)
    report_progress(progress, PASSES, PASSES, "")
    losses["quantiles"] = np.vstack([_quantile_losses_of_column(pair, j) for j in range(pair.p)])
    parts = tuple(Part(name, 100 * float(loss.mean())) for name, loss in losses.items() if loss.size)
    return Parts(sum(part.value for part in parts) / len(parts), parts)


def _quantile_losses_of_column(pair: Pair, j: int) -> Array:
    """The losses (19,) of the quantiles of column j, of the records that have it."""
    if not pair.gaps:
        return quantile_losses(pair.X.column(j)[:, 0], pair.Z.column(j)[:, 0], pair.weights)
    observed = pair.observed([j])
    return quantile_losses(observed.X.column(0)[:, 0], observed.Z.column(0)[:, 0], observed.weights)


def _moment_losses_with_gaps(pair: Pair, engine: Engine, progress: Progress | None) -> dict[str, Array]:
    """The losses of moments, each of the records that have its columns in both files."""
    columns_of_moments = [*combinations(range(pair.p), 1), *combinations(range(pair.p), 2)]
    losses: dict[str, list[Array]] = {name: [np.empty(0)] for name in ("mean", "variance", "covariance", "correlation")}
    for done, columns in enumerate(columns_of_moments):
        report_progress(progress, done, len(columns_of_moments), "")
        observed = pair.observed(columns)
        if not observed.X.n or not observed.Z.n:
            continue
        of_columns = moment_losses(observed, engine)
        moments = ("mean", "variance") if len(columns) == 1 else ("covariance", "correlation")
        for name in moments:
            losses[name].append(of_columns[name])
    return {name: np.concatenate(arrays) for name, arrays in losses.items()}


@dataclass(frozen=True)
class Statistics:
    """Statistics of a file from which PIL follows, but for quantiles.

    Below s are the standardised columns, and w the weights of sum 1, 1/n without weights. Arrays are (p, p) unless stated.
    """

    location: Location
    """Means and standard deviations, with divisor n."""
    largest: Array
    """Largest magnitudes (p,), in the file's units."""
    r: Array
    """The sums of w s s', the correlations."""
    v: Array
    """The sums of w^2 s s'."""
    m22: Array
    """The sums of w^2 s^2 s'^2."""
    m31: Array
    """The sums of w^2 s^3 s'; the cubes are those of the row's column."""


def _sums_of_products(of_columns: Location, block: Array) -> Array:
    """The sums r, v, m22 and m31 of `Statistics`, (4, p, p), for weights of mean 1.

    The weights are the last column of a block, or all 1 where there is none.
    """
    p = len(of_columns.sd)
    S = scores(block[:, :p], of_columns)
    w = block[:, p:] if block.shape[1] > p else 1.0
    V = w * w * S
    S2 = S * S
    return np.stack([(w * S).T @ S, V.T @ S, (V * S).T @ S2, (V * S2).T @ S])


def statistics(rows: Records, weights: Array | None, engine: Engine) -> Statistics:
    """The statistics of n records of p numbers, by five passes."""
    n = rows.n
    p = rows.p
    blocks = pieces(rows, engine)
    if weights is None:
        of_columns = location(engine, blocks, n, 0, p, ddof=0)
    else:
        of_columns = weighted_location(rows.read(), weights)
        blocks = pieces(SideBySide(rows, Records((weights / weights.mean())[:, None])), engine)
    # With weights of sum 1 in place of mean 1: r is divided by n, the sums with squared weights by n^2.
    r, v, m22, m31 = total(engine, partial(_sums_of_products, of_columns), blocks) / n
    largest = column_sums(engine, blocks, p)[1]
    return Statistics(location=of_columns, largest=largest, r=np.clip(r, -1.0, 1.0), v=v / n, m22=m22 / n, m31=m31 / n)


def moment_losses(pair: Pair, engine: Engine, progress: Progress | None = None) -> dict[str, Array]:
    """The losses of means, variances, covariances and correlations, from 0 to 1, each an array.

    A loss is 2 Phi(|theta' - theta| / sqrt(Var theta)) - 1. All is in units of the original's sd, on which PIL does not
    depend; then its variances are 1, or 0 for a constant column. An underscore marks the release.
    Source: Mateo-Sanz, Domingo-Ferrer and Sebe (2005), 3; the weighted variances are ours.
    """
    watched = engine if progress is None else Watched(engine, ProgressTracker("", PASSES, progress), PASSES)
    before = statistics(pair.X, pair.weights, watched)
    after = statistics(pair.Z, pair.weights, watched)
    x = before.location
    z = after.location
    one_record = 1 / (pair.X.n if pair.weights is None else effective(pair.weights))
    unit, size = _units(np.maximum(before.largest, after.largest), x)
    tie = ROUNDING * size

    # The variance of a statistic is the sum of w^2 (its influence)^2. In the following, m2 = sum w^2 s^2, m4 = sum w^2 s^4, and
    # one_record = sum w^2, which is 1/n without weights.

    # Means: the influence is s, Var = m2.
    moved = ((z.origin - x.origin) + (z.offset - x.offset)) / unit
    m2 = np.diag(before.v)
    mean = _loss(moved, m2, m2, np.abs(moved) <= tie)

    # Variances: the influence is s^2 - 1, Var = m4 - 2 m2 + one_record. Equality is that of standard deviations: the square of
    # a rounding error would hide a real change.
    sd = np.sign(x.sd)
    sd_ = np.minimum(z.sd / unit, VERY_FAR)
    m4 = np.diag(before.m22)
    variance = _loss(sd_**2 - sd, m4 - 2 * m2 + sd * one_record, m4 + sd * one_record, np.abs(sd_ - sd) <= tie)

    # Covariances: the influence is s s' - r, Var = m22 - 2 r v + r^2 one_record.
    r = before.r
    r_ = after.r
    m22 = before.m22
    shift = np.multiply.outer(sd_, sd_) * r_ - r
    rounding = tie[:, None] * np.maximum(sd_, 1) + tie * np.maximum(sd_, 1)[:, None]
    square = r * r * one_record
    covariance = _loss(shift, m22 - 2 * r * before.v + square, m22 + square, np.abs(shift) <= rounding)

    # Correlations: the influence is s s' - r (s^2 + s'^2) / 2, Var = m22 + r^2 (m4_i + m4_j + 2 m22) / 4 - r (m31 + m13).
    mixed = r * (before.m31 + before.m31.T)
    quarter = r * r * (m4[:, None] + m4 + 2 * m22) / 4
    correlation = _loss(r_ - r, m22 + quarter - mixed, m22 + quarter + np.abs(mixed), np.abs(r_ - r) <= ROUNDING)
    pairs = np.triu_indices(len(r), 1)
    return {"mean": mean, "variance": variance, "covariance": covariance[pairs], "correlation": correlation[pairs]}


def quantile_losses(x: Array, z: Array, w: Array | None) -> Array:
    """The losses (19,) of the quantiles 0.05, ..., 0.95 of one attribute, whose records may have weights."""
    x, weights_of_x = _ascending(x, w)
    z, weights_of_z = _ascending(z, w)
    Q = quantiles(x, GRID, weights_of_x)
    Q_ = quantiles(z, GRID, weights_of_z)
    h = bandwidth(x, weights_of_x)
    # |Q' - Q| / sqrt(q(1-q) / (n f^2)), f taken to the numerator: far from all records f is 0 and so is the loss.
    n = effective(weights_of_x)
    precision = unit_density(Q, x, weights_of_x, h) * np.sqrt(n / (GRID * (1 - GRID)))
    return _two_sided(np.abs(Q_ - Q) / h * precision)


def _ascending(x: Array, w: Array | None) -> tuple[Array, Array]:
    """The values in ascending order, and their weights."""
    if w is None:
        return np.sort(x), np.ones(len(x))
    order = np.argsort(x, kind="stable")
    return x[order], w[order]


def _units(largest: Array, x: Location) -> tuple[Array, Array]:
    """The unit of each attribute (the original's sd, or its values where constant), and its values in that unit."""
    unit = np.where(x.sd > 0, x.sd, np.where(largest > 0, largest, 1.0))
    return unit, np.clip(largest / unit, 1.0, VERY_FAR)


def _loss(moved: Array, variance: Array, terms: Array, equal: NDArray[np.bool_]) -> Array:
    """2 Phi(|moved| / sqrt(variance)) - 1; where the variance is 0 up to rounding, 0 if `equal`, else 1.

    terms : the sum of the magnitudes of which `variance` is a sum or difference.
    """
    zero = variance <= ROUNDING * terms
    t = np.minimum(np.abs(moved), VERY_FAR) / np.sqrt(np.where(zero, 1.0, variance))
    return np.where(zero, ~equal, _two_sided(t))


def _two_sided(t: Array) -> Array:
    """2 Phi(t) - 1, the probability that a standard normal lies within +-t."""
    return erf(t / math.sqrt(2))
