"""Sums that a release preserves: those of regressions on (1, x), also with survey weights and within levels of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Array, Rows
from .design import design
from .location import standardise


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

    def count(self, t: int) -> int:
        """Number of preserved sums of t released columns.

        Each column has its own sum and one with each of the r columns: t (1 + r). Each of the t (t + 1) / 2 pairs of
        columns, a column with itself included, has a plain cross sum and one with each of the m metrics.
        """
        r = self.columns.shape[1]
        m = self.metrics.shape[1]
        pairs = t * (t + 1) // 2
        return t * (1 + r) + pairs * (1 + m)


def plain_sums(X: Array) -> KeptSums:
    """The sums that regressions on (1, X) are made of: X (n, s), s may be 0."""
    n = len(X)
    columns = design(standardise(X, ddof=0), intercept=False).columns * np.sqrt(n)
    return KeptSums(columns=columns, metrics=np.empty((n, 0)))


def kept_sums(X: Array, weights: Array | None, levels: Sequence[Array]) -> KeptSums:
    """The sums that regressions on (1, X) are made of, plain and weighted, of all records and within levels.

    X : (n, s), s may be 0; weights : (n,), None for none; levels : the indicators (n, k) of each column of levels, of which
    every record has one.
    """
    n = len(X)
    metrics = metrics_of(n, weights, levels)
    regressors = np.column_stack([np.ones(n), standardise(X, ddof=0)])
    products = np.column_stack([regressors * metric[:, None] for metric in metrics])
    without_constant = standardise(products[:, 1:], ddof=0)  # the first product is 1 times 1
    # Orthonormal columns have mean square 1/n.
    columns = design(without_constant, intercept=False).columns * np.sqrt(n)
    at_mean_square_1 = [metric / np.sqrt(np.mean(metric**2)) for metric in metrics[1:]]
    return KeptSums(columns, np.array(at_mean_square_1).reshape(-1, n).T.copy())


def metrics_of(n: int, weights: Array | None, levels: Sequence[Array]) -> list[Array]:
    """Columns (n,) by which terms of preserved sums are multiplied: 1, then the indicators of levels.

    With survey weights that differ, the same columns times the weights follow. The largest level of each column is left out:
    its sums follow from those of the other levels and of all records.
    """
    plain = [np.ones(n)]
    for indicators in levels:
        largest = int(indicators.sum(axis=0).argmax())
        plain.extend(np.delete(indicators, largest, axis=1).T)
    if weights is None or np.ptp(weights) == 0:
        return plain
    return [*plain, *(weights * metric for metric in plain)]
