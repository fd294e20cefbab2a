"""Places target margins by rank, swaps records into their bounds, and runs the search for the target cross sums."""

from typing import Any

import numpy as np

from ...constraints.bounds import Bounds
from ...engine.engines import side_by_side
from ...errors import Note
from ...numerics.kept_sums import plain_sums
from ...numerics.location import location, scores, standardise
from ...numerics.sorting import stable_order
from ...rstream import RStream
from ...types import Array, Integers, Mask
from ..work import Run
from .derived_margins import DerivedSwapSearch, Margins
from .kernels import Held, repair
from .search import SwapSearch

REPAIR_ROUNDS = 100  # at most
ATTEMPTS_A_RECORD = 10  # in a round, for each record that violates a bound
MIN_ATTEMPTS = 1_000  # in a round
HOPELESS = 0.05  # share of records that violate a bound after the repair: the constraints then move values instead
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
    levels: Integers,
    moments: bool = True,
    covariances: Mask | None = None,
    codes: Mask | None = None,
) -> Array:
    """Target values assigned to records, so that cross sums are the original's and records keep the bounds.

    Parameters
    ----------
    X : ndarray, shape (n, s)
        Unmodified columns, s may be 0. Records are in random order.
    Y : ndarray, shape (n, t)
        The originals, whose cross sums with X and with each other are wanted.
    targets : ndarray, shape (n, t)
        The target margins, with the means and standard deviations of Y. Each column is sorted.
    Z : ndarray, shape (n, t)
        A release whose ranks are the start. Equal values are ranked in the order of the records.
    run : Run
        Stream, notes, bounds, sums and totals of these records.
    levels : ndarray of int, shape (n, t)
        Records of one level swap the values of a column among themselves. The targets of higher levels come later in the column.
    moments : bool
        Whether values are swapped for cross sums. If not, they are swapped for bounds alone.
    covariances : ndarray of bool, shape (t, t), optional
        Symmetric: the pairs of columns whose cross sums are wanted; None is all.
    codes : ndarray of bool, shape (t,), optional
        The columns of codes, which mostly stay where the release has drawn them; None is no column.

    Returns
    -------
    ndarray, shape (n, t)
        Each column is a permutation of its target margin.

    Notes
    -----
    Draws: with bounds those of `repaired`, then runif(3 m) for each pass of m attempts. The number of attempts depends on the data.
    """
    n, t = Y.shape
    where = location(Y, ddof=0)
    placed = np.empty(Y.shape)

    def place(j: int) -> None:
        """Places the targets of column j by rank, within its levels."""
        order = stable_order(Z[:, j])
        by_level = order[np.argsort(levels[order, j], kind="stable")]
        placed[by_level, j] = targets[:, j]

    side_by_side(place, t, n, run.engine)
    held = None
    if run.bounds is not None:
        held = repaired(placed, X, run.bounds, run.stream, levels=levels)
        placed = held.values.copy()
    if not moments:
        return placed
    kept = run.sums
    if kept is None:
        kept = plain_sums(X)
    records = (kept.columns, scores(Y, where), scores(placed, where), run.stream, run.engine)
    options: dict[str, Any] = {
        "bounds": held,
        "metrics": kept.metrics,
        "levels": levels,
        "covariances": covariances,
        "codes": codes,
        "on_step": run.tracker.step,
    }
    if run.totals is None:
        search = SwapSearch(*records, **options)
    else:
        search = DerivedSwapSearch(*records, margins=Margins.of(run.totals, where), **options)
    columns = np.arange(t)[:, None]
    for rows, order in zip(search.rows, search.orders(), strict=True):
        placed[rows][order, columns] = np.sort(placed[rows], axis=0).T
    largest_gap = _largest_gap(X, scores(Y, where), scores(placed, where))
    run.note(Note.of("calibrated", GAP, count=search.attempts, total=search.most, gap=largest_gap))
    return placed


def _largest_gap(X: Array, y: Array, z: Array) -> float:
    """The largest difference of a correlation of z (n, t) with X (n, s) or among themselves from that of y (n, t).

    y and z are in the same units, of mean 0 and about sd 1. A column's sum with itself is no correlation.
    """
    x = standardise(X, ddof=0)
    with_x = z.T @ x - y.T @ x
    among_themselves = z.T @ z - y.T @ y
    np.fill_diagonal(among_themselves, 0.0)
    return float(max(np.abs(with_x).max(initial=0.0), np.abs(among_themselves).max(initial=0.0))) / len(y)


def repaired(start: Array, X: Array, bounds: Bounds, stream: RStream, *, levels: Integers) -> Held:
    """Values `start` (n, t) after swaps within the levels of columns, until records keep the bounds, with X (n, s) unmodified.

    Later swaps must not increase a remaining violation. A bound that more than a twentieth of the records violate is left out
    of the result. Draws: runif(2 m) for m attempts, 10 for each record that violates a bound and at least 1,000. This is
    repeated while it helps, at most 100 times.
    """
    held = Held(values=start.copy(), held=bounds.released, left=bounds.slack(X))
    order = np.array([stable_order(column) for column in start.T])
    target = np.ascontiguousarray(np.take_along_axis(start.T, order, axis=1))
    rank = np.argsort(order, axis=1)
    # The unit of a bound: the standard deviation of its left side if the columns were uncorrelated. A constant column counts 1.
    sd = start.std(axis=0)
    variance = np.where(sd > 0, sd, 1.0) ** 2
    unit = np.sqrt((bounds.released**2) @ variance)
    if not levels.any():
        levels = levels[:, :0]
    within = np.ascontiguousarray(levels, dtype=np.int8)
    for _ in range(REPAIR_ROUNDS):
        violating = np.flatnonzero(bounds.broken(X, held.values).any(axis=1))
        if not len(violating):
            break
        attempts = max(ATTEMPTS_A_RECORD * len(violating), MIN_ATTEMPTS)
        u = stream.runif(2 * attempts).reshape(-1, 2)
        if repair(target, order, rank, held, unit, violating, within, u) == 0:
            break
    satisfied = bounds.broken(X, held.values).mean(axis=0) <= HOPELESS
    return Held(
        values=held.values,
        held=bounds.released[satisfied],
        left=np.ascontiguousarray(held.left[:, satisfied]),
    )
