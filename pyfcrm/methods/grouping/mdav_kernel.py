"""MDAV compiled: records in blocks of near ones, made anew whenever half of the records are gone.

The plain twin is mdav.mdav_labels: the same groups, ties and all.
"""

from __future__ import annotations

import numpy as np

from ...compiling import compiled_for_threads
from .mdav_blocks import Array, Blocks, Integers, blocked
from .mdav_mean import farthest_from_mean, sums_left, uncertainty
from .mdav_scan import scan

BLOCK = 128  # records


def mdav_compiled(columns: Array, weights: Array, k: int, labels: Integers, size: int = BLOCK) -> None:
    """Fills `labels` (n,) with MDAV's groups of columns (p, n), weights (p,) of the squared differences.

    size : records in a block; it changes no group.
    """
    rows, left, group = np.ascontiguousarray(columns.T), np.arange(len(labels)), 0
    while len(left) >= 2 * k:
        made, given = blocked(rows, weights, size), np.full(len(left), -1)
        group = _half(made, k, group, given, uncertainty(rows, weights))
        labels[left] = given
        rows, left = rows[given < 0], left[given < 0]
    labels[left] = group


@compiled_for_threads
def _half(made: Blocks, k: int, group: int, labels: Integers, unsure: float) -> int:
    """Groups from label `group` on, until fewer than half of the records, or than 2k, are left; returns the next label.

    labels : (n,) all -1, and still for the records left. unsure : see uncertainty.
    """
    (n, p), left = made.rows.shape, len(made.rows)
    found, distance = np.empty(k, np.int64), np.empty(k)
    reach, seen = np.full(len(made.x), np.inf), np.zeros((p, len(made.x)))
    sums = np.empty(p)
    sums_left(made, labels, sums)
    while left >= 2 * k and 2 * left >= n:
        point = sums / left
        record = farthest_from_mean(made, point, unsure, reach, seen)
        if record < 0:
            sums_left(made, labels, sums)
            point = sums / left
        # From the mean again, if need be; from the farthest record; from the opposite one, found before any have left.
        for turn in range(0 if record < 0 else 1, 3):
            if turn > 0:
                point = made.rows[record]
            record = scan(made, point, found, distance, turn < 2)
            if turn > 0:
                _take(made, found, labels, group, sums)
                left, group = left - k, group + 1
            if left < 2 * k:
                break
    return group


@compiled_for_threads
def _take(made: Blocks, found: Integers, labels: Integers, group: int, sums: Array) -> None:
    size = made.x.shape[2]
    for record in found:
        made.squares[made.place[record] // size, made.place[record] % size] = np.nan
        labels[record] = group
        for j in range(sums.size):
            sums[j] -= made.rows[record, j]
