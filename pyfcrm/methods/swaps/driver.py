"""Places target margins by rank, swaps records into their bounds, and runs the search for the target cross sums."""

from typing import Any

import numpy as np

from ...constraints.bounds import Bounds
from ...engine.engines import side_by_side
from ...errors import Note
from ...numerics.design import design
from ...numerics.kept_sums import KeptSums
from ...numerics.location import location, scores, standardise
from ...numerics.sorting import stable_order
from ...rstream import RStream
from ...types import Array, Mask
from ..work import Run
from .derived_margins import DerivedSwapSearch, Margins
from .kernels import Held, repair
from .search import SwapSearch

# Of looking who is out of bounds; attempts for each of them in one; in all, at least.
ROUNDS, TRIES, FEWEST = 100, 10, 1_000
HOPELESS = 0.05  # of records that violate a bound after that: the constraints then move values instead
GAP = (
    "the release has the target margins; correlations differ from the original's by at most {gap:.1g}, after {count} of at most "
    "{total} attempted swaps"
)


def calibrate_by_swaps(
    X: Array,
    Y: Array,
    targets: Array,
    Z: Array,
    run: Run,
    *,
    levels: Mask,
    moments: bool = True,
) -> Array:
    """(n, t) the targets, assigned to records so that cross sums are the original's and records keep the bounds.

    X : (n, s), s may be 0; Y : (n, t), whose cross sums with X and among themselves are wanted; targets : (n, t), sorted by
    column, of Y's means and standard deviations; Z : (n, t), whose ranks are the start, equal ones by record; records in
    random order; run : with the bounds, sums and totals of these records; levels : (n, t), of records that swap a column's values
    among themselves, whose targets come last; moments : whether values are swapped for cross sums, not for bounds alone.
    Draws: with bounds those of `repaired`; runif(3 m) for each pass of m attempts, m and how many there are depending on the data.
    """
    n = len(Y)
    where = location(Y, ddof=0)
    y = scores(Y, where)
    placed = np.empty(Y.shape)

    def place(j: int) -> None:
        order = stable_order(Z[:, j])
        placed[order[stable_order(levels[order, j])], j] = targets[:, j]

    side_by_side(place, Y.shape[1], n, run.engine)
    held = None if run.bounds is None else repaired(placed, X, run.bounds, run.stream)
    placed = placed if held is None else held.values.copy()
    if not moments:
        return placed
    kept = KeptSums(_features(X), np.empty((n, 0))) if run.sums is None else run.sums
    records = kept.columns, y, scores(placed, where), run.stream, run.engine
    how: dict[str, Any] = {"bounds": held, "metrics": kept.metrics, "levels": levels, "on_step": run.tracker.step}
    if run.totals is None:
        search = SwapSearch(*records, **how)
    else:
        search = DerivedSwapSearch(*records, margins=Margins.of(run.totals, where), **how)
    columns = np.arange(Y.shape[1])[:, None]
    for rows, order in zip(search.rows, search.orders(), strict=True):
        placed[rows][order, columns] = np.sort(placed[rows], axis=0).T
    x, z = standardise(X, ddof=0), scores(placed, where)
    gap = np.hstack([z.T @ x - y.T @ x, z.T @ z - y.T @ y])
    gap[:, -Y.shape[1] :][np.diag_indices(Y.shape[1])] = 0.0
    largest = float(np.abs(gap).max(initial=0.0)) / n
    run.note(Note.of("calibrated", GAP, count=search.attempts, total=search.most, gap=largest))
    return placed


def _features(X: Array) -> Array:
    """An orthonormal basis of the centred columns of X (n, s), times the root of n: gaps in it are correlations."""
    return design(standardise(X, ddof=0), intercept=False).columns * np.sqrt(len(X))


def repaired(start: Array, X: Array, bounds: Bounds, stream: RStream) -> Held:
    """`start` (n, t), with unmodified columns X (n, s), with values of a column swapped until records keep the bounds.

    Later swaps must not increase a remaining violation; a bound that more than a twentieth of the records violate is left out
    of the result. Draws: runif(2 m) for m attempts, 10 for each record out of bounds and at least 1,000. This is
    repeated while it helps, at most 100 times.
    """
    held = Held(start.copy(), bounds.released, bounds.slack(X))
    order = np.array([stable_order(column) for column in start.T])
    target = np.ascontiguousarray(np.take_along_axis(start.T, order, axis=1))
    rank = np.argsort(order, axis=1)
    sd = start.std(axis=0)
    size = np.sqrt((bounds.released**2) @ np.where(sd > 0, sd, 1.0) ** 2)
    for _ in range(ROUNDS):
        todo = np.flatnonzero(bounds.broken(X, held.values).any(axis=1))
        u = stream.runif(2 * max(TRIES * len(todo), FEWEST) if len(todo) else 0).reshape(-1, 2)
        if not len(todo) or not repair(target, order, rank, held, size, todo, u):
            break
    within = bounds.broken(X, held.values).mean(axis=0) <= HOPELESS
    return Held(held.values, bounds.released[within], np.ascontiguousarray(held.left[:, within]))
