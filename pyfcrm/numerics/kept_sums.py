"""Which sums a release preserves: those of regressions on (1, x), also with survey weights and within levels of some columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Array, Rows
from .design import design
from .location import standardise


@dataclass(frozen=True)
class KeptSums:
    """The sums of a release of n records that are preserved.

    columns : (n, r) orthogonal, of mean 0 and mean square 1. They span the products of (1, x), (1, w) and the levels. If the sum
    of a released column with each of them is the original's, so are its totals and its regressions on (1, x): weighted and not,
    of all records and of each level. metrics : (n, m) weights, levels, and weights within levels, each of mean square 1 and none
    the sum of others. Sums of products of two released columns and a metric are weighted cross sums, or those of a domain.
    """

    columns: Array
    metrics: Array

    def taken(self, rows: Rows) -> KeptSums:
        """Of some of the records, or of all in another order."""
        return KeptSums(np.ascontiguousarray(self.columns[rows]), np.ascontiguousarray(self.metrics[rows]))

    def count(self, t: int) -> int:
        """How many sums of t released columns these are, means and plain cross sums included, those of squares too."""
        return t * (1 + self.columns.shape[1]) + t * (t + 1) // 2 * (1 + self.metrics.shape[1])


def kept_sums(X: Array, weights: Array | None, levels: Sequence[Array]) -> KeptSums:
    """The sums that regressions on (1, X) are made of, plain and weighted, of all records and within levels.

    X : (n, s), s may be 0; weights : (n,), None for none; levels : of each column its indicators (n, k), of which every
    record has one.
    """
    metrics = metrics_of(len(X), weights, levels)
    f = np.column_stack([np.ones(len(X)), standardise(X, ddof=0)])
    wide = np.column_stack([f * metric[:, None] for metric in metrics])[:, 1:]
    centred = standardise(wide, ddof=0)
    columns = design(centred, intercept=False).columns * np.sqrt(len(X))
    unit = [metric / np.sqrt(np.mean(metric**2)) for metric in metrics[1:]]
    return KeptSums(columns, np.array(unit).reshape(-1, len(X)).T.copy())


def metrics_of(n: int, weights: Array | None, levels: Sequence[Array]) -> list[Array]:
    """(n,) each: 1, then the levels but the largest of each column, whose sums follow from the others'; then the same times
    the weights."""
    free = [np.delete(D, int(D.sum(axis=0).argmax()), axis=1).T for D in levels]
    plain = [np.ones(n), *(d for D in free for d in D)]
    equal = weights is None or np.ptp(weights) == 0
    return plain if equal else [*plain, *(weights * metric for metric in plain)]
