"""Sums that a release preserves: those of regressions on (1, x), also with survey weights and within levels of columns.

Of a level with less than ten times as many records as such sums only the sums of the released columns are preserved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Array, Mask, Rows
from .design import design
from .location import standardise

SHARE = 0.1  # of the records of a group: the most sums that are preserved by default
SHARE_WITH_LEVELS = 1 / 16  # of the records: the most sums where those with levels, values and splines are among them
VALUES_A_SUM = 3  # at least, where sums by weights and within levels are asked for
RECORDS_A_COLUMN = 3  # of a level's own design, below which levels are joined


@dataclass(frozen=True)
class KeptSums:
    """The sums of a release of n records that are preserved."""

    columns: Array
    """Columns (n, r), orthogonal, of mean 0 and mean square 1. They span the products of (1, x), (1, w) and the levels. A
    released column whose sums with these are the original's has the original's totals and regressions on (1, x): weighted
    and not, of all records and of each level."""
    metrics: Array
    """Columns (n, m), each of mean square 1, none a linear combination of others: weights, indicators of levels, and their
    products. The sum of two released columns times a metric is a weighted cross sum, or that of a level."""

    def taken(self, rows: Rows) -> KeptSums:
        """The sums over some of the records, or over all in another order."""
        return KeptSums(np.ascontiguousarray(self.columns[rows]), np.ascontiguousarray(self.metrics[rows]))

    def with_columns(self, added: Array) -> KeptSums:
        """The sums with these columns (n, q) too."""
        n = len(added)
        both = np.hstack([self.columns, standardise(added, ddof=0)])
        columns = design(both, intercept=False).columns * np.sqrt(n)
        return KeptSums(columns, self.metrics)

    def count(self, t: int, *, cross: bool = True) -> int:
        """Number of preserved sums of t released columns. cross : whether cross sums of pairs of them are preserved.

        Each column has its own sum and one with each of the r columns: t (1 + r). Each of the t (t + 1) / 2 pairs of
        columns, a column with itself included, has a plain cross sum and one with each of the m metrics.
        """
        r = self.columns.shape[1]
        m = self.metrics.shape[1]
        pairs = t * (t + 1) // 2 if cross else 0
        return t * (1 + r) + pairs * (1 + m)


@dataclass(frozen=True)
class KeptLevels:
    """The levels of a column within which sums are preserved."""

    indicators: Array
    """(n, k) indicators of the levels, of which every record has one."""
    means_only: Mask
    """(k,) whether only the sums of the released columns are preserved in a level, not those with x, nor cross sums."""

    @property
    def whole(self) -> Array:
        """Indicators of levels with all sums; without the largest where these are all levels: its sums follow from the others'."""
        return _but_largest(self.indicators) if not self.means_only.any() else self.indicators[:, ~self.means_only]

    @property
    def of_means(self) -> Array:
        """Indicators of levels with means only, without the largest of them."""
        return _but_largest(self.indicators[:, self.means_only])


def _but_largest(indicators: Array) -> Array:
    """Indicators (n, k) without the column of the largest level."""
    if not indicators.shape[1]:
        return indicators
    return np.delete(indicators, int(indicators.sum(axis=0).argmax()), axis=1)


def kept_levels(
    X: Array, weights: Array | None, indicators: Array, t: int, *, cross: bool, times: float = 1.0
) -> KeptLevels:
    """The levels of a column, with means only where there are less than ten times as many records as sums of t columns.

    X (n, s), weights (n,) or None, indicators (n, k); cross : see KeptSums.count; times : records that each row stands for.

    Sums of the levels with means only, taken together, follow from those of the file. They too are a group of at least ten
    times as many records; otherwise the smallest other level has means only as well.
    """

    def has_few(rows: Mask) -> bool:
        sums = kept_sums(X[rows], None if weights is None else weights[rows], [])
        return sums.count(t, cross=cross) <= SHARE * times * rows.sum()

    is_in = indicators > 0
    means_only = np.array([not has_few(rows) for rows in is_in.T], dtype=bool)
    smallest_first = np.argsort(indicators.sum(axis=0), kind="stable")
    for level in smallest_first:
        together = np.asarray(is_in[:, means_only].any(axis=1))
        if not together.any() or has_few(together):
            break
        means_only[level] = True
    return KeptLevels(indicators=indicators, means_only=means_only)


def plain_sums(X: Array) -> KeptSums:
    """The sums that regressions on (1, X) are made of: X (n, s), s may be 0."""
    n = len(X)
    columns = design(standardise(X, ddof=0), intercept=False).columns * np.sqrt(n)
    return KeptSums(columns=columns, metrics=np.empty((n, 0)))


def kept_sums(X: Array, weights: Array | None, levels: Sequence[KeptLevels]) -> KeptSums:
    """The sums that regressions on (1, X) are made of, plain and weighted, of all records and within levels.

    X : (n, s), s may be 0; weights : (n,), None for none; levels : of each column.
    """
    n = len(X)
    metrics = _metrics(n, weights, levels)
    regressors = np.column_stack([np.ones(n), standardise(X, ddof=0)])
    products = np.column_stack([regressors * metric[:, None] for metric in metrics])
    of_means = [level for each in levels for level in each.of_means.T]
    added = np.array(_and_weighted(of_means, weights)).reshape(-1, n).T
    without_constant = standardise(np.hstack([products[:, 1:], added]), ddof=0)  # the first product is 1 times 1
    # Orthonormal columns have mean square 1/n.
    columns = design(without_constant, intercept=False).columns * np.sqrt(n)
    at_mean_square_1 = [metric / np.sqrt(np.mean(metric**2)) for metric in metrics[1:]]
    return KeptSums(columns, np.array(at_mean_square_1).reshape(-1, n).T.copy())


def _metrics(n: int, weights: Array | None, levels: Sequence[KeptLevels]) -> list[Array]:
    """Columns (n,) by which terms of preserved sums are multiplied: 1, then indicators of levels; also times the weights."""
    plain = [np.ones(n)]
    for each in levels:
        plain.extend(each.whole.T)
    return _and_weighted(plain, weights)


def _and_weighted(columns: list[Array], weights: Array | None) -> list[Array]:
    """Columns (n,), followed by the same times the weights, where these differ."""
    if weights is None or np.ptp(weights) == 0:
        return columns
    return [*columns, *(weights * column for column in columns)]
