"""Probabilistic information loss: how surely five kinds of statistics of the original have moved."""

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

# Relative to the terms it is the difference of, a variance this small is 0; statistics this close are equal.
ROUNDING = 1e-12
# A statistic moved by so many of the original's sd is lost, and its square still fits in a float.
VERY_FAR = 1e150
PASSES = 10  # over the records, for progress
GRID = np.arange(1, 20) / 20


@pair_measure(
    key="pil",
    title="Probabilistic information loss",
    reading="How far means, variances, covariances, correlations and quantiles have moved, compared with sampling: 0 is "
    "no change, 100 is more than sampling could explain.",
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
    losses = (_moment_losses_with_gaps if pair.gaps else moment_losses)(pair, engine, progress)
    of_quantiles = []
    for j in range(pair.p):
        report_progress(progress, PASSES, PASSES, "")
        part, k = (pair.observed([j]), 0) if pair.gaps else (pair, j)
        of_quantiles.append(quantile_losses(part.X.column(k)[:, 0], part.Z.column(k)[:, 0], part.weights))
    losses["quantiles"] = np.vstack(of_quantiles)
    parts = tuple(Part(name, 100 * float(loss.mean())) for name, loss in losses.items() if loss.size)
    return Parts(sum(part.value for part in parts) / len(parts), parts)


def _moment_losses_with_gaps(pair: Pair, engine: Engine, progress: Progress | None) -> dict[str, Array]:
    """The losses of moments, each of the records that have its columns in both files."""
    chosen = [*combinations(range(pair.p), 1), *combinations(range(pair.p), 2)]
    found: dict[str, list[Array]] = {name: [np.empty(0)] for name in ("mean", "variance", "covariance", "correlation")}
    for done, columns in enumerate(chosen):
        report_progress(progress, done, len(chosen), "")
        part = pair.observed(columns)
        if part.X.n and part.Z.n:
            losses = moment_losses(part, engine)
            for name in ("mean", "variance") if len(columns) == 1 else ("covariance", "correlation"):
                found[name].append(losses[name])
    return {name: np.concatenate(losses) for name, losses in found.items()}


@dataclass(frozen=True)
class Statistics:
    """What PIL needs of each file besides quantiles.

    where : mean and 1/n sd; largest : (p,) magnitudes, in the file's units; of standardised columns s and weights w of sum 1,
    (p, p) each: r = sum w s s', and with squared weights v = sum w^2 s s', m22 = sum w^2 s^2 s'^2 and m31 = sum w^2 s^3 s'.
    """

    where: Location
    largest: Array
    r: Array
    v: Array
    m22: Array
    m31: Array


def _cross(where: Location, block: Array) -> Array:
    """(4, p, p): the sums of `Statistics`. The weights are the last column of a block, or all 1 where there is none."""
    p = len(where.sd)
    w, S = block[:, p:] if block.shape[1] > p else 1.0, scores(block[:, :p], where)
    V, S2 = w * w * S, S * S
    return np.stack([(w * S).T @ S, V.T @ S, (V * S).T @ S2, (V * S2).T @ S])


def statistics(rows: Records, weights: Array | None, engine: Engine) -> Statistics:
    """Those of n records of p numbers, by five passes."""
    n, p, blocks = rows.n, rows.p, pieces(rows, engine)
    if weights is None:
        where = location(engine, blocks, n, 0, p, ddof=0)
    else:
        where = weighted_location(rows.read(), weights)
        blocks = pieces(SideBySide(rows, Records((weights / weights.mean())[:, None])), engine)
    r, *squares = total(engine, partial(_cross, where), blocks) / n
    largest = column_sums(engine, blocks, p)[1]
    return Statistics(where, largest, np.clip(r, -1.0, 1.0), *(sums / n for sums in squares))


def moment_losses(pair: Pair, engine: Engine, progress: Progress | None = None) -> dict[str, Array]:
    """The losses of means, variances, covariances and correlations, from 0 to 1, each an array."""
    runs = engine if progress is None else Watched(engine, ProgressTracker("", PASSES, progress), PASSES)
    before, after = (statistics(rows, pair.weights, runs) for rows in (pair.X, pair.Z))
    # Everything in units of the original's sd, by which PIL does not change; then m20 = m02 = 1.
    x, z, one = before.where, after.where, 1 / (pair.X.n if pair.weights is None else effective(pair.weights))
    unit, size = _units(np.maximum(before.largest, after.largest), x)
    tie = ROUNDING * size
    s, s_ = np.sign(x.sd), np.minimum(z.sd / unit, VERY_FAR)
    moved = ((z.origin - x.origin) + (z.offset - x.offset)) / unit
    r, r_, v, m22 = before.r, after.r, before.v, before.m22
    m2, m4, mixed = np.diag(v), np.diag(m22), r * (before.m31 + before.m31.T)
    square, halves = r * r * one, r * r * (m4[:, None] + m4 + 2 * m22) / 4
    ij = np.triu_indices(len(r), 1)
    shift = np.multiply.outer(s_, s_) * r_ - r
    near = np.abs(shift) <= (tie[:, None] * np.maximum(s_, 1) + tie * np.maximum(s_, 1)[:, None])
    alike = np.abs(r_ - r) <= ROUNDING
    return {
        "mean": _loss(moved, m2, m2, np.abs(moved) <= tie),
        # Var = 0 compares standard deviations: the square of a rounding error would hide a real change.
        "variance": _loss(s_**2 - s, m4 - 2 * m2 + s * one, m4 + s * one, np.abs(s_ - s) <= tie),
        "covariance": _loss(shift, m22 - 2 * r * v + square, m22 + square, near)[ij],
        "correlation": _loss(r_ - r, m22 + halves - mixed, m22 + halves + np.abs(mixed), alike)[ij],
    }


def quantile_losses(x: Array, z: Array, w: Array | None) -> Array:
    """The losses (19,) of the quantiles 0.05, ..., 0.95 of one attribute, whose records may have weights."""
    (x, of_x), (z, of_z) = [_ascending(column, w) for column in (x, z)]
    Q, Q_, h = quantiles(x, GRID, of_x), quantiles(z, GRID, of_z), bandwidth(x, of_x)
    # |Q' - Q| / sqrt(q(1-q) / (n f^2)), f taken to the numerator: far from all records f is 0 and so is the loss.
    size = unit_density(Q, x, of_x, h) * np.sqrt(effective(of_x) / (GRID * (1 - GRID)))
    return _two_sided(np.abs(Q_ - Q) / h * size)


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
    """2 Phi(|moved| / sqrt(variance)) - 1; where the variance is 0 up to rounding, 0 if `equal`, else 1."""
    none = variance <= ROUNDING * terms
    t = np.minimum(np.abs(moved), VERY_FAR) / np.sqrt(np.where(none, 1.0, variance))
    return np.where(none, ~equal, _two_sided(t))


def _two_sided(t: Array) -> Array:
    return erf(t / math.sqrt(2))
