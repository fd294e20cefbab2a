"""Probabilistic information loss: how surely five kinds of statistics of the original have moved."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from ..data.blocks import pieces, total
from ..data.pairs import Pair
from ..data.records import Records
from ..engine import Engine
from ..engine.threads import Watched
from ..numerics.design_by_blocks import column_sums, location
from ..numerics.location import Location, scores
from ..numerics.moments import (
    bandwidth,
    effective,
    quantiles,
    unit_density,
    weighted_bandwidth,
    weighted_density,
    weighted_location,
    weighted_quantiles,
)
from ..progress import Progress, ProgressTracker, report_progress
from ..types import Array
from .measure import Part, Parts, measure

# Relative to the terms it is the difference of, a variance this small is 0; statistics this close are equal.
ROUNDING = 1e-12
# A statistic moved by so many of the original's sd is lost, and its square still fits in a float.
VERY_FAR = 1e150
PASSES = 10  # over the records, for progress
GRID = np.arange(1, 20) / 20


@measure(
    key="pil",
    title="Probabilistic information loss",
    reading="How far means, variances, covariances, correlations and quantiles have moved, compared with sampling: 0 is "
    "no change, 100 is more than sampling could explain.",
    kind="loss",
    identity=0.0,
    source="Mateo-Sanz, Domingo-Ferrer and Sebe (2005); thesis 2.4.1",
    needs="records",
    weighted=True,
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
        part.close()
    return {name: np.concatenate(losses) for name, losses in found.items()}


@dataclass(frozen=True)
class Statistics:
    """What PIL needs of each file besides quantiles, of standardised columns where not said otherwise.

    where : mean and 1/n sd; largest : (p,) magnitudes, in the file's units; r : (p, p) correlations; m22, m31 : (p, p) mixed
    1/n moments, m22[i, j] = mean x_i^2 x_j^2 and m31[i, j] = mean x_i^3 x_j; m4 is the diagonal of either.
    """

    where: Location
    largest: Array
    r: Array
    m22: Array
    m31: Array


def _cross(where: Location, block: Array) -> Array:
    """(3, p, p): sums of s s', s^2 s^2' and s^3 s', s the standardised columns of a block."""
    S = scores(block, where)
    S2 = S * S
    return np.stack([S.T @ S, S2.T @ S2, (S2 * S).T @ S])


def statistics(rows: Records, engine: Engine) -> Statistics:
    """Those of n records of p numbers, by five passes."""
    n, p, blocks = rows.n, rows.p, pieces(rows, engine)
    where = location(engine, blocks, n, 0, p, ddof=0)
    largest = column_sums(engine, blocks, p)[1]
    r, m22, m31 = total(engine, partial(_cross, where), blocks) / n
    return Statistics(where, largest, np.clip(r, -1.0, 1.0), m22, m31)


def moment_losses(pair: Pair, engine: Engine, progress: Progress | None = None) -> dict[str, Array]:
    """The losses of means, variances, covariances and correlations, from 0 to 1, each an array."""
    if pair.weights is not None:
        return weighted_moment_losses(pair)
    runs = engine if progress is None else Watched(engine, ProgressTracker("", 0, PASSES, progress=progress), PASSES)
    before, after = statistics(pair.X, runs), statistics(pair.Z, runs)
    # Everything in units of the original's sd, by which PIL does not change; then m20 = m02 = 1.
    n, x, z = pair.X.n, before.where, after.where
    unit, size = _units(np.maximum(before.largest, after.largest), x)
    tie = ROUNDING * size
    s, s_ = np.sign(x.sd), np.minimum(z.sd / unit, VERY_FAR)
    moved = ((z.origin - x.origin) + (z.offset - x.offset)) / unit
    r, r_ = before.r, after.r
    m4, m22, m31, m13 = np.diag(before.m22), before.m22, before.m31, before.m31.T
    square = r * r * (m4[:, None] + m4 + 2 * m22) / 4
    mixed = r * (m31 + m13)
    ij = np.triu_indices(len(r), 1)
    # Var = 0 compares standard deviations: the square of a rounding error would hide a real change.
    loss_variance = _loss(s_**2 - s, (m4 - s) / n, (m4 + s) / n, np.abs(s_ - s) <= tie)
    shift = np.multiply.outer(s_, s_) * r_ - r
    near = np.abs(shift) <= (tie[:, None] * np.maximum(s_, 1) + tie * np.maximum(s_, 1)[:, None])
    return {
        "mean": _loss(moved, s / n, s / n, np.abs(moved) <= tie),
        "variance": loss_variance,
        "covariance": _loss(shift, (m22 - r * r) / n, (m22 + r * r) / n, near)[ij],
        "correlation": _loss(
            r_ - r, (m22 + square - mixed) / n, (m22 + square + np.abs(mixed)) / n, np.abs(r_ - r) <= ROUNDING
        )[ij],
    }


def weighted_moment_losses(pair: Pair) -> dict[str, Array]:
    """As moment_losses, of statistics weighted by the pair's weights.

    The variance of such a statistic is that of its linearised form, the sum of w_i^2 u_i^2 for weights of sum 1 and records
    drawn independently. Source: Särndal, Swensson and Wretman (1992), 5.5.
    """
    assert pair.weights is not None
    (X, Z), w = pair.arrays(), pair.weights / pair.weights.sum()
    x, z = weighted_location(X, w), weighted_location(Z, w)
    unit, size = _units(np.maximum(np.abs(X).max(axis=0), np.abs(Z).max(axis=0)), x)
    U, V = scores(X, replace(x, sd=unit)) * (x.sd > 0), scores(Z, replace(z, sd=unit)) * (z.sd > 0)
    C, D = (A.T @ (w[:, None] * A) for A in (U, V))
    sd, sd_, r, r_ = np.sqrt(np.diag(C)), np.sqrt(np.diag(D)), _correlations(C), _correlations(D)
    moved, square, tie = (z.origin - x.origin + (z.offset - x.offset)) / unit, w * w, ROUNDING * size
    i, j = np.triu_indices(len(C), 1)
    products, halves = U[:, i] * U[:, j], (U[:, i] ** 2 + U[:, j] ** 2) / 2
    shift, turned, near = (
        (D - C)[i, j],
        (r_ - r)[i, j],
        (tie[i] + tie[j]) * np.maximum(sd_[i], 1) * np.maximum(sd_[j], 1),
    )
    size_of_turns = square @ (products**2 + halves**2)
    return {
        "mean": _loss(moved, square @ U**2, square @ U**2, np.abs(moved) <= tie),
        "variance": _loss(sd_**2 - sd**2, square @ (U**2 - sd**2) ** 2, square @ U**4, np.abs(sd_ - sd) <= tie),
        "covariance": _loss(shift, square @ (products - C[i, j]) ** 2, square @ products**2, np.abs(shift) <= near),
        "correlation": _loss(
            turned, square @ (products - r[i, j] * halves) ** 2, size_of_turns, np.abs(turned) <= ROUNDING
        ),
    }


def _correlations(C: Array) -> Array:
    """Of covariances (p, p), 0 with a constant column."""
    outer = np.sqrt(np.outer(np.diag(C), np.diag(C)))
    return np.clip(C / np.where(outer > 0, outer, 1.0), -1.0, 1.0)


def quantile_losses(x: Array, z: Array, w: Array | None) -> Array:
    """The losses (19,) of the quantiles 0.05, ..., 0.95 of one attribute, whose records may have weights."""
    # |Q' - Q| / sqrt(q(1-q) / (n f^2)), f taken to the numerator: far from all records f is 0 and so is the loss.
    if w is None:
        x, z = np.sort(x), np.sort(z)
        n, Q, Q_, h = float(len(x)), quantiles(x, GRID), quantiles(z, GRID), bandwidth(x)
        density = unit_density(Q, x, h)
    else:
        Q, Q_, h = weighted_quantiles(x, w, GRID), weighted_quantiles(z, w, GRID), weighted_bandwidth(x, w)
        n, density = effective(w), weighted_density(Q, x, w, h)
    return _two_sided(np.abs(Q_ - Q) / h * density * np.sqrt(n / (GRID * (1 - GRID))))


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
