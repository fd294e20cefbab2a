"""MDAV compiled: records in blocks of near ones, made anew whenever half of the records are gone.

The plain twin is mdav.mdav_labels: the same groups, ties and all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiling import compiled_for_threads
from ..method import Told, untold
from .mdav_blocks import Array, Blocks, Integers, blocked
from .mdav_mean import farthest_from_mean, sums_left, uncertainty
from .mdav_scan import scan

BLOCK = 128  # records
AT_ONCE = 1000  # groups; then whoever watches is told, and can stop


def mdav_compiled(
    columns: Array, weights: Array, k: int, labels: Integers, size: int = BLOCK, told: Told = untold
) -> None:
    """Fills `labels` (n,) with MDAV's groups of columns (p, n), weights (p,) of the squared differences.

    size : records in a block, which changes no group; told : called with (records grouped, n) now and then.
    """
    rows, left, group = np.ascontiguousarray(columns.T), np.arange(len(labels)), 0
    while len(left) >= 2 * k:
        made, given = blocked(rows, weights, size), np.full(len(left), -1)
        unsure, state, here = uncertainty(rows, weights), _begun(made, k, given), len(left)
        while here >= 2 * k and 2 * here >= len(left):
            told(k * group, len(labels))
            before, group = group, _some(made, state, k, group, group + AT_ONCE, given, unsure)
            here -= k * (group - before)
        labels[left] = given
        rows, left = rows[given < 0], left[given < 0]
    labels[left] = group


class State(NamedTuple):
    """What is kept from group to group. reach, seen : see farthest_from_mean; sums (p,) : of the records left."""

    reach: Array
    seen: Array
    sums: Array
    found: Integers  # (k,) the records of a group
    distance: Array  # (k,) and how far they are


def _begun(made: Blocks, k: int, labels: Integers) -> State:
    p = made.rows.shape[1]
    reach, seen = np.full(len(made.x), np.inf), np.zeros((p, len(made.x)))
    state = State(reach, seen, np.empty(p), np.empty(k, np.int64), np.empty(k))
    sums_left(made, labels, state.sums)
    return state


@compiled_for_threads
def _some(made: Blocks, state: State, k: int, group: int, last: int, labels: Integers, unsure: float) -> int:
    """Groups from label `group` on, until fewer than half of the records, or than 2k, are left, or label `last` is
    reached or just passed; returns the next label.

    labels : (n,) -1 for the records left. unsure : see uncertainty.
    """
    n, left = len(made.rows), 0
    for label in labels:
        left += label < 0
    while left >= 2 * k and 2 * left >= n and group < last:
        point = state.sums / left
        record = farthest_from_mean(made, point, unsure, state.reach, state.seen)
        if record < 0:
            sums_left(made, labels, state.sums)
            point = state.sums / left
        # From the mean again, if need be; from the farthest record; from the opposite one, found before any have left.
        for turn in range(0 if record < 0 else 1, 3):
            if turn > 0:
                point = made.rows[record]
            record = scan(made, point, state.found, state.distance, turn < 2)
            if turn > 0:
                _take(made, state.found, labels, group, state.sums)
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
