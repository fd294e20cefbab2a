"""Interval disclosure: how often the original lies in a narrow interval around the protected value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..data.blocks import pieces
from ..data.pairs import Pair
from ..engine import Engine, dispatch, on_this_machine
from ..numerics.design_by_blocks import location
from ..progress import Progress, report_progress
from ..types import Array, Rows
from .measure import Part, Parts, measure

PER_CENTS = np.arange(1, 11)
SECONDS_PER_SEARCH = 1e-6  # of numpy, for one record and width


@measure(
    key="id",
    title="Interval disclosure, within 1 to 10 % of a standard deviation",
    reading="Share of values that lie within 1 to 10 per cent of a standard deviation of their original, averaged "
    "over the ten widths: how nearly a value can be read off.",
    kind="risk",
    identity=100.0,
    paired=True,
    source="Mateo-Sanz, Sebe and Domingo-Ferrer (2004); thesis 2.4.2",
    needs="records",
    weighted=True,
    gaps="cells",
)
def interval_disclosure(pair: Pair, engine: Engine, progress: Progress | None = None) -> Parts:
    """Share of originals within p per cent of a sd of their protected value, per cent.

    Parameters
    ----------
    pair : Pair
        Original and protected records, paired by position, in memory or on disk.
    engine : Engine
        Runs the sums.
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
    return interval_shares(pair, engine, progress)


def interval_shares(
    pair: Pair, engine: Engine, progress: Progress | None = None, widths: Array = PER_CENTS / 100
) -> Parts:
    """As interval_disclosure, for these widths on either side of the protected value, in sd."""
    local, p = on_this_machine(engine), pair.p
    sd = None if pair.gaps else location(local, pieces(pair.X, local), pair.n, 0, p).sd

    def inside(j: int) -> tuple[float, float]:
        if sd is not None:
            return _inside(pair, j, widths * sd[j])
        part = pair.observed([j])
        scale = location(local, pieces(part.X, local), part.n, 0, 1).sd[0]
        return _of_all(_inside(part, 0, widths * scale), part.n, pair.n)

    counts = []
    for j in range(p):
        counts.append(inside(j))
        report_progress(progress, j + 1, p, "")
    return _parts("id", counts, pair.n)


def _of_all(counts: tuple[float, float], k: int, n: int) -> tuple[float, float]:
    """Own records and pairs inside among k records, as they would be in n: every attribute counts alike."""
    own, pairs = counts
    return counts if k == n else (own * (n / k), pairs * (n / k) ** 2)


def _inside(pair: Pair, j: int, widths: Array) -> tuple[float, float]:
    """Own records and pairs within the widths, of attribute j, summed over the widths."""
    x, z = pair.X.column(j)[:, 0], pair.Z.column(j)[:, 0]
    if pair.weights is not None:
        return _inside_weighted(x, z, widths, pair)
    own = sum(int((np.abs(z - x) <= width).sum()) for width in widths)
    plain = not dispatch.compiled("linkage/pair_kernels", SECONDS_PER_SEARCH * len(x) * len(widths))
    return own, (plain_pairs_within if plain else compiled_pairs_within)(x, z, widths)


def _inside_weighted(x: Array, z: Array, widths: Array, pair: Pair) -> tuple[float, float]:
    """As _inside, each original counting by its weight, in records of the mean weight."""
    n, ordered = len(x), np.sort(z)
    own = sum(n * pair.share(np.abs(z - x) <= width) for width in widths)
    near = [np.searchsorted(ordered, x + w, "right") - np.searchsorted(ordered, x - w, "left") for w in widths]
    return own, sum(n * pair.share(share) for share in near)


@measure(
    key="id_rank",
    title="Interval disclosure, within 1 to 10 % of the ranks",
    reading="Share of values whose original has a rank within 1 to 10 per cent of their own.",
    kind="risk",
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
        ordered = np.sort(x)
        own = pairs = 0
        for low, high in _rank_intervals(z):
            own += int(((low <= x) & (x <= high)).sum())
            inside = np.searchsorted(ordered, high, side="right") - np.searchsorted(ordered, low, side="left")
            pairs += int(inside.sum())
        counts.append(_of_all((own, pairs), len(x), len(X)))
    return _parts("id_rank", counts, len(X))


def _parts(name: str, counts: Sequence[tuple[float, float]], n: int) -> Parts:
    """From (own records inside, pairs inside) of each attribute, summed over the widths."""
    widths = len(PER_CENTS)
    parts = tuple(
        Part(name, 100 * own / (widths * n), 100 * pairs / (widths * n * n), attribute=j)
        for j, (own, pairs) in enumerate(counts)
    )
    own, pairs = (sum(column) for column in zip(*counts, strict=True))
    cells = widths * len(counts) * n
    return Parts(100 * own / cells, parts, 100 * pairs / (cells * n))


def _rank_intervals(z: Array) -> Iterator[tuple[Array, Array]]:
    n, ordered = len(z), np.sort(z)
    lowest = np.searchsorted(ordered, z, side="left")
    highest = np.searchsorted(ordered, z, side="right") - 1
    for p in PER_CENTS:
        w = int(p) * n // 100
        yield ordered[np.maximum(lowest - w, 0)], ordered[np.minimum(highest + w, n - 1)]


def plain_pairs_within(x: Array, z: Array, widths: Array) -> int:
    """Pairs with |z - x| <= width as floats subtract, summed over the widths, in O(n log n)."""
    z, pairs = np.sort(z), 0
    for width in widths:
        pairs += int((_first(z, x, width, above=True) - _first(z, x, width, above=False)).sum())
    return pairs


def _first(z: Array, x: Array, width: float, *, above: bool) -> Rows:
    """(n,) the first place in ascending z, len(z) for none, that is above x + width, or not below x - width."""
    end = x + width if above else x - width
    margin = 1e-15 * (np.abs(x) + width)  # more than the rounding of the end and of a difference
    low, high = np.searchsorted(z, end - margin, "left"), np.searchsorted(z, end + margin, "right")
    while (low < high).any():
        middle = (low + high) // 2
        at = z[np.minimum(middle, len(z) - 1)]
        found = (at - x > width if above else x - at <= width) | (low == high)
        low, high = np.where(found, low, middle + 1), np.where(found, np.minimum(high, middle), high)
    return low


def compiled_pairs_within(x: Array, z: Array, widths: Array) -> int:
    """As plain_pairs_within, compiled."""
    from ..linkage.pair_kernels import pairs_within

    x, z = np.sort(x), np.sort(z)
    return sum(int(pairs_within(x, z, float(width))) for width in widths)
