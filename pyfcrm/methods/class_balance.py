"""Shares of levels in leaves, moved so that each class has as many records of each level as the original lets expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Array, Integers, Terms

MOST_LEVELS = 20  # of a column that are balanced, or that are classes; of a number with more values its fifths are
FIFTHS = (0.2, 0.4, 0.6, 0.8)
SWEEPS = 15  # of iterative proportional fitting
CLOSE = 1e-3  # largest change of a share, at which it ends
# Records that the shares of the leaves count as in each class: a record of a class of 30 makes its own level more likely by 2.5 points.
PRIOR = 10.0
RECORDS = 100  # originals for each partition
TINY = 1e-12  # expected records, below which no factor is computed


@dataclass(frozen=True)
class Classes:
    """The classes of one column, from 0; -1 for records of none."""

    original: Integers
    """Of each original record (n,)."""
    released: Integers
    """Of each released record (m,)."""

    @property
    def count(self) -> int:
        """Number of classes."""
        return int(self.original.max()) + 1

    def sums(self, P: Array) -> Array:
        """Sums (k, g) of columns P (m, g) over the released records of each class."""
        rows = self.released >= 0
        g = P.shape[1]
        cells = self.released[rows, None] * g + np.arange(g)
        sums = np.bincount(cells.ravel(), P[rows].ravel(), minlength=self.count * g)
        return sums.astype(np.float64).reshape(-1, g)

    def table(self, level: Integers, g: int) -> Array:
        """Originals (k, g) of each class with each level (n,)."""
        rows = self.original >= 0
        cells = self.original[rows] * g + level[rows]
        return np.bincount(cells, minlength=self.count * g).reshape(-1, g).astype(np.float64)


def classes_of_column(original: Array, released: Array, fewest: int) -> Classes | None:
    """The values of a column (n,) and of its release (m,) as classes; of a number with many values its fifths.

    Values of fewer than `fewest` originals are one class, if together so many have one; else none. None where there is one class only.
    """
    values = np.unique(original)
    if len(values) > MOST_LEVELS:
        cuts = np.unique(np.quantile(original, FIFTHS, method="inverted_cdf"))
        own = np.searchsorted(cuts, original)
        new = np.searchsorted(cuts, released)
    else:
        own = np.searchsorted(values, original)
        nearest = np.searchsorted(values, released).clip(max=len(values) - 1)
        new = np.where(values[nearest] == released, nearest, -1)
    counts = np.bincount(own)
    is_small = counts < fewest
    place = np.where(is_small, -1, np.cumsum(~is_small) - 1)
    if counts[is_small].sum() >= fewest:
        place[is_small] = place.max() + 1
    if place.max() < 1:
        return None
    place = np.append(place, -1)  # the place of -1, a value that no original has
    return Classes(place[own], place[new])


def classes_of_predictors(X: Array, terms: Terms, fewest: int) -> list[Classes]:
    """The classes of each predictor in X (n, s). terms : the positions of each category's columns, whose first level has none."""
    in_terms = {j for term in terms for j in term}
    columns = [X[:, j] for j in range(X.shape[1]) if j not in in_terms]
    for term in terms:
        is_level = X[:, list(term)] != 0
        columns.append(np.where(is_level.any(axis=1), 1.0 + is_level.argmax(axis=1), 0.0))
    found = [classes_of_column(x, x, fewest) for x in columns]
    return [classes for classes in found if classes is not None]


def leaf_shares(level: Integers, original: Integers, released: Integers) -> Array:
    """Shares (m, g) of the levels (n,), from 0, in the leaf of each released record (m,)."""
    g = int(level.max()) + 1
    leaves, place = np.unique(original, return_inverse=True)
    counts = np.bincount(place * g + level, minlength=len(leaves) * g).reshape(-1, g)
    return (counts / counts.sum(axis=1, keepdims=True))[np.searchsorted(leaves, released)]


def balanced_shares(share: Array, level: Integers, partitions: Sequence[Classes]) -> Array:
    """Shares (m, g) of levels of each released record, whose sums in each class are those that the original lets expect.

    share : (m, g) those of the leaves, which count as 10 records more in each class; level : (n,) of each original, from 0.
    At most one partition for 100 originals: those on which the levels depend most, as many fitted to few records leave no chance.
    Source: iterative proportional fitting, Deming and Stephan (1940).
    """
    g = share.shape[1]
    tables = [classes.table(level, g) for classes in partitions]
    by_dependence = np.argsort([-_dependence(table) for table in tables], kind="stable")
    chosen = np.sort(by_dependence[: max(1, len(level) // RECORDS)])
    partitions = [partitions[k] for k in chosen]
    targets = list[Array]()
    for classes, k in zip(partitions, chosen, strict=True):
        own = tables[k]
        expected = classes.sums(share)
        size = expected.sum(axis=1, keepdims=True)
        own = own + PRIOR * expected / np.maximum(size, TINY)
        targets.append(own / own.sum(axis=1, keepdims=True) * size)
    P = share
    for _ in range(SWEEPS):
        before = P
        for classes, target in zip(partitions, targets, strict=True):
            factor = target / np.maximum(classes.sums(P), TINY)
            factor = np.vstack([factor, np.ones(g)])  # the last for records of no class
            moved = P * factor[classes.released]
            total = moved.sum(axis=1, keepdims=True)
            P = np.where(total > 0, moved / np.where(total > 0, total, 1.0), P)
        if np.abs(P - before).max(initial=0.0) < CLOSE:
            break
    return P


def _dependence(table: Array) -> float:
    """Chi-square of a table (k, g) of independence, over its degrees of freedom; 0 where it has none."""
    table = table[:, table.sum(axis=0) > 0]
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    if freedom <= 0:
        return 0.0
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    return float(((table - expected) ** 2 / expected).sum()) / freedom


def drawn_levels(P: Array, u: Array) -> tuple[Integers, Array]:
    """The level (m,) of each record by a uniform u (m,) and its shares P (m, g), and the place (m,) of u within the level's, below 1."""
    upper = np.cumsum(P, axis=1)
    upper[:, -1] = 1.0
    level = (u[:, None] >= upper).sum(axis=1)
    rows = np.arange(len(u))
    high = upper[rows, level]
    low = np.where(level > 0, upper[rows, level - 1], 0.0)
    place = (u - low) / np.maximum(high - low, TINY)
    return level, place.clip(0.0, np.nextafter(1.0, 0.0))


def moved_uniforms(u: Array, share: Array, P: Array) -> Array:
    """Uniforms (m,) within the part of each level in a leaf, of these shares (m, g), so that levels are drawn with shares P (m, g)."""
    level, place = drawn_levels(P, u)
    rows = np.arange(len(u))
    own = share[rows, level]
    low = np.cumsum(share, axis=1)[rows, level] - own
    return np.clip(low + place * own, 0.0, np.nextafter(1.0, 0.0))


def with_moments_of(y: Array, first: Array, second: Array) -> Array:
    """A draw `first` (m,) of codes, with the values of another draw for records that bring mean and variance nearer to those of y (n,)."""
    sd = y.std()
    if sd == 0:
        return first
    a = (first - y.mean()) / sd
    b = (second - y.mean()) / sd
    step = b - a
    step_of_squares = b**2 - a**2
    gap = float(a.sum())
    gap_of_squares = float((a**2).sum()) - len(a)
    chosen = first.copy()
    for i in np.flatnonzero(first != second).tolist():
        new = gap + step[i]
        new_of_squares = gap_of_squares + step_of_squares[i]
        if new**2 + new_of_squares**2 < gap**2 + gap_of_squares**2:
            gap = new
            gap_of_squares = new_of_squares
            chosen[i] = second[i]
    return chosen
