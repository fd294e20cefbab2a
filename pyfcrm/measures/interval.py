"""Interval disclosure: the share of originals that lie in a narrow interval around the protected value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.pairs import Pair
from ..engine import Engine
from ..numerics.location import location
from ..progress import Progress, report_progress
from ..types import Array
from .measure import Part, Parts, arrays_measure, pair_measure

PER_CENTS = np.arange(1, 11)


@pair_measure(
    key="id",
    title="Interval disclosure, within 1 to 10 % of a standard deviation",
    reading="Share of released values within 1 to 10 per cent of a standard deviation of their original, averaged "
    "over the ten widths.",
    identity=100.0,
    paired=True,
    source="Mateo-Sanz, Sebe and Domingo-Ferrer (2004); thesis 2.4.2",
    gaps="cells",
)
def interval_disclosure(pair: Pair, engine: Engine, progress: Progress | None = None) -> Parts:
    """Share of originals within p per cent of a sd of their protected value, per cent.

    Parameters
    ----------
    pair : Pair
        Original and protected records, paired by position, in memory or on disk.
    engine : Engine
        Not used: columns are sorted on this machine.
    progress : callable, optional
        Called with (done, total, label).

    Returns
    -------
    Parts
        Inside: |x - z| <= p/100 sd(x), sd with n - 1, averaged over p = 1 .. 10 and attributes; with sd 0 only equal
        values are inside. The baseline is the mean over all n^2 pairs, found by sorting. NaN is a missing cell: an attribute
        is judged by the records that have it.

    References
    ----------
    thesis 2.4.2; the sd for a unit from Mateo-Sanz, Sebe and Domingo-Ferrer (2004).
    """
    return disclosure_within(pair, PER_CENTS / 100, progress)


def disclosure_within(pair: Pair, widths: Array, progress: Progress | None = None) -> Parts:
    """Interval disclosure of a pair of files, the intervals reaching `widths` (k,) sd to either side of the protected value."""
    counts = []
    for j in range(pair.p):
        x = pair.X.column(j)[:, 0]
        z = pair.Z.column(j)[:, 0]
        observed = ~np.isnan(x)
        weights = None if pair.weights is None else pair.weights[observed]
        counts.append(_count_inside(x[observed], z[observed], weights, widths))
        report_progress(progress, j + 1, pair.p, "")
    return _parts("id", counts)


@dataclass(frozen=True)
class Inside:
    """Values of one attribute that lie in the intervals, summed over the widths."""

    records: int
    """Number of records."""
    own: float
    """Records whose own protected value is inside."""
    pairs: float
    """Pairs of an original and any protected record that are inside."""


def _count_inside(x: Array, z: Array, weights: Array | None, widths: Array) -> Inside:
    """The counts of originals x (n,) and protected values z (n,), without missing cells; `widths` (k,) in sd of x."""
    reach = widths * location(x[:, None]).sd[0]
    own = sum(_weighted_count(np.abs(z - x) <= width, weights) for width in reach)
    z = np.sort(z)
    if weights is None:  # the order of x does not matter, and sorted values are faster to look up
        x = np.sort(x)
    pairs = 0.0
    for width in reach:
        near = np.searchsorted(z, x + width, "right") - np.searchsorted(z, x - width, "left")
        pairs += _weighted_count(near, weights)
    return Inside(records=len(x), own=own, pairs=pairs)


def _weighted_count(inside: NDArray[Any], weights: Array | None) -> float:
    """The sum of (n,); with weights n times the weighted mean."""
    if weights is None:
        return float(inside.sum())
    return float(len(weights) * np.average(inside, weights=weights))


@arrays_measure(
    key="id_rank",
    title="Interval disclosure, within 1 to 10 % of the ranks",
    reading="Share of values whose original has a rank within 1 to 10 per cent of their own.",
    identity=100.0,
    paired=True,
    source="Domingo-Ferrer and Torra (2001)",
    gaps="cells",
)
def interval_disclosure_rank(X: Array, Z: Array) -> Parts:
    """Share of originals within p per cent of n ranks of their protected value, per cent; else as interval_disclosure.

    Parameters
    ----------
    X, Z : ndarray, shape (n, p)
        Paired by position.

    Returns
    -------
    Parts
        The share, per cent. The ends are protected values: floor(p n/100) places below the lowest and above the
        highest rank of z (equal values have several), clipped at the ends of the file, and belong to it.

    References
    ----------
    Domingo-Ferrer and Torra (2001); the treatment of ties is ours.
    """
    counts = []
    for column, released in zip(X.T, Z.T, strict=True):
        x = column[~np.isnan(column)]
        z = released[~np.isnan(released)]
        ordered = np.sort(x)
        own = 0.0
        pairs = 0.0
        for low, high in _rank_intervals(z):
            own += float(((low <= x) & (x <= high)).sum())
            near = np.searchsorted(ordered, high, side="right") - np.searchsorted(ordered, low, side="left")
            pairs += float(near.sum())
        counts.append(Inside(records=len(x), own=own, pairs=pairs))
    return _parts("id_rank", counts)


def _parts(name: str, counts: Sequence[Inside]) -> Parts:
    """The shares of each attribute and their mean, from its counts over the ten widths."""
    parts = []
    for j, inside in enumerate(counts):
        n = inside.records
        value = 100 * inside.own / (len(PER_CENTS) * n)
        baseline = 100 * inside.pairs / (len(PER_CENTS) * n * n)
        parts.append(Part(name, value, baseline, attribute=j))
    mean_value = float(np.mean([part.value for part in parts]))
    mean_baseline = float(np.mean([part.baseline for part in parts]))
    return Parts(mean_value, tuple(parts), mean_baseline)


def _rank_intervals(z: Array) -> Iterator[tuple[Array, Array]]:
    """Lower and upper ends (n,) of the intervals around z (n,), for each width in PER_CENTS."""
    n = len(z)
    ordered = np.sort(z)
    lowest = np.searchsorted(ordered, z, side="left")
    highest = np.searchsorted(ordered, z, side="right") - 1
    for p in PER_CENTS:
        places = int(p) * n // 100
        yield ordered[np.maximum(lowest - places, 0)], ordered[np.minimum(highest + places, n - 1)]
