"""Group means compiled; the plain twin is methods.grouping.means.plain_means: same sums in the same order, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.compile import compiled
from ...types import Array


@compiled
def fill_means(y: Any, labels: NDArray[np.int64], anchors: Array, sums: Array, sizes: Array, out: Any) -> None:
    """out (n,): y (n,) with every value replaced by its group's mean. anchors, sums, sizes (groups,) are written over."""
    sizes[:], sums[:] = 0.0, 0.0
    for i in range(labels.size):
        g = labels[i]
        if sizes[g] == 0:
            anchors[g] = y[i]
        sums[g] += y[i] - anchors[g]
        sizes[g] += 1
    for g in range(sizes.size):
        sums[g] = anchors[g] + sums[g] / sizes[g]
    for i in range(labels.size):
        out[i] = sums[labels[i]]


@compiled
def fill_run_means(order: NDArray[np.int64], ranked: Array, k: int, out: Array) -> None:
    """out (n,): every value replaced by the mean of its run of k successive ranks; the last run has k + (n mod k).

    order, ranked (n,): where the values stand in the file, and the values; each run is sorted by place, since sums are
    taken in file order. That costs about k / 4 moves a value.
    """
    n, groups = order.size, order.size // k
    for g in range(groups):
        first, end = g * k, n if g == groups - 1 else (g + 1) * k
        for r in range(first + 1, end):
            place, value, s = order[r], ranked[r], r
            while s > first and order[s - 1] > place:
                order[s], ranked[s] = order[s - 1], ranked[s - 1]
                s -= 1
            order[s], ranked[s] = place, value
        anchor, total = ranked[first], 0.0
        for r in range(first, end):
            total += ranked[r] - anchor
        mean = anchor + total / (end - first)
        for r in range(first, end):
            out[order[r]] = mean
