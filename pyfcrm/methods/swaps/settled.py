"""A release whose columns are permutations of their margins, with cross sums as wanted: placed by rank, then exchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...constraints.bounds import Bounds
from ...constraints.totals import Totals
from ...engine import Engine
from ...engine.threads import side_by_side
from ...numerics.design import design
from ...numerics.kept_sums import KeptSums
from ...numerics.location import location, scores
from ...numerics.sorting import stable_order
from ...progress import OnStep, discard_steps
from ...rstream import RStream
from ...types import Array
from .derived_margins import AimedExchanges, Margins
from .feasible import repaired
from .search import Exchanges


@dataclass(frozen=True)
class Settled:
    """released : (n, t), the targets, each column in the order that was found; gap : (t, s + t), what is left between the
    release's correlations and the original's, with the s independent columns and with each other; attempts, most : exchanges
    tried, and how many would have been."""

    released: Array
    gap: Array
    attempts: int
    most: int


def settled(
    X: Array,
    Y: Array,
    targets: Array,
    Z: Array,
    stream: RStream,
    *,
    bounds: Bounds | None = None,
    sums: KeptSums | None = None,
    totals: Totals | None = None,
    on_step: OnStep = discard_steps,
    engine: Engine | None = None,
) -> Settled:
    """Who has which of the targets, so that their cross sums are the original's, and records keep the bounds.

    X : (n, s), s may be 0; Y : (n, t), whose cross sums with X and among themselves are wanted; targets : (n, t), sorted by
    column, of Y's means and standard deviations; Z : (n, t), whose ranks are the start, equal ones by record; records in an
    order that says nothing; sums : of these records, that are wanted beside those with X; totals : columns of these records that
    follow, and their margins; on_step : called with the attempts;
    engine : for threads, of which the result does not depend.
    Draws: with bounds those of `repaired`; runif(3 m) for each pass of m attempts, m and how many there are depending on the data.
    """
    where, n = location(Y, ddof=0), len(Y)
    start, y = np.empty(Y.shape), scores(Y, where)

    def place(j: int) -> None:
        start[stable_order(Z[:, j]), j] = targets[:, j]

    side_by_side(place, Y.shape[1], n, engine)
    held = None if bounds is None else repaired(start, X, bounds, stream)
    start = start if held is None else held.values.copy()
    kept = KeptSums(_features(X), np.empty((n, 0))) if sums is None else sums
    how: dict[str, Any] = {"metrics": kept.metrics}
    if totals is not None:
        how["margins"] = Margins.of(totals, where)
    made = Exchanges if totals is None else AimedExchanges
    work = made(kept.columns, y, scores(start, where), stream, engine, held, **how)
    work.settle(on_step)
    x, z = scores(X, location(X, ddof=0)), work.release()
    gap = np.hstack([z.T @ x - y.T @ x, z.T @ z - y.T @ y])
    gap[:, -Y.shape[1] :][np.diag_indices(Y.shape[1])] = 0.0
    for j in range(Y.shape[1]):
        for shard in work.shards:
            column = start[shard.rows, j]
            column[shard.placed.order[j]] = np.sort(column)
            start[shard.rows, j] = column
    return Settled(start, gap / n, work.attempts, work.most)


def _features(X: Array) -> Array:
    """An orthonormal basis of the centred columns of X (n, s), times the root of n: gaps in it are correlations."""
    if not X.shape[1]:
        return np.empty((len(X), 0))
    return np.asarray(design(scores(X, location(X, ddof=0)), intercept=False).columns * np.sqrt(len(X)))
