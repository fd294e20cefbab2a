"""Interval disclosure: how often the original lies in a narrow interval around the protected value."""

from collections.abc import Iterator, Sequence
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
        x, z = pair.X.column(j)[:, 0], pair.Z.column(j)[:, 0]
        known = ~np.isnan(x)
        weights = None if pair.weights is None else pair.weights[known]
        x, z = x[known], z[known]

        def count(inside: NDArray[Any], weights: Array | None = weights) -> float:
            return float(inside.sum() if weights is None else len(weights) * np.average(inside, weights=weights))

        reach = widths * location(x[:, None]).sd[0]
        own = sum(count(np.abs(z - x) <= width) for width in reach)
        x, z = np.sort(x) if weights is None else x, np.sort(z)  # sorted values are faster to look up
        near = (np.searchsorted(z, x + width, "right") - np.searchsorted(z, x - width, "left") for width in reach)
        counts.append((len(x), own, sum(map(count, near))))
        report_progress(progress, j + 1, pair.p, "")
    return _parts("id", counts)


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
    """As interval_disclosure, the interval reaching p per cent of n ranks to either side of the protected value.

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
    Domingo-Ferrer and Torra (2001); MEASURES.
    """
    counts = []
    for x, z in zip(X.T, Z.T, strict=True):
        x, z = x[~np.isnan(x)], z[~np.isnan(z)]
        ordered, own, pairs = np.sort(x), 0.0, 0.0
        for low, high in _rank_intervals(z):
            own += float(((low <= x) & (x <= high)).sum())
            near = np.searchsorted(ordered, high, side="right") - np.searchsorted(ordered, low, side="left")
            pairs += float(near.sum())
        counts.append((len(x), own, pairs))
    return _parts("id_rank", counts)


def _parts(name: str, counts: Sequence[tuple[int, float, float]]) -> Parts:
    """From the records of each attribute, and its own records and all pairs inside, summed over the widths."""
    widths = len(PER_CENTS)
    parts = tuple(
        Part(name, 100 * own / (widths * n), 100 * pairs / (widths * n * n), attribute=j)
        for j, (n, own, pairs) in enumerate(counts)
    )
    value, chance = (float(np.mean([getattr(part, field) for part in parts])) for field in ("value", "baseline"))
    return Parts(value, parts, chance)


def _rank_intervals(z: Array) -> Iterator[tuple[Array, Array]]:
    n, ordered = len(z), np.sort(z)
    lowest = np.searchsorted(ordered, z, side="left")
    highest = np.searchsorted(ordered, z, side="right") - 1
    for p in PER_CENTS:
        w = int(p) * n // 100
        yield ordered[np.maximum(lowest - w, 0)], ordered[np.minimum(highest + w, n - 1)]
