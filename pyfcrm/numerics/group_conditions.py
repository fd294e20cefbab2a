"""Conditions on groups of records with equal keys: k-anonymity, distinct l-diversity, t-closeness.

Letters: g groups of w records in all; p are the shares of the values of a target in a group, q those in the file.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Array, Codes, Mask

TARGETS_RULE = "must name columns where `l` or `t` is given, and only there"
ROUNDING = 1e-12  # a distance of exactly t is allowed


@dataclass(frozen=True)
class Target:
    """A confidential column that groups must not disclose."""

    codes: Codes
    """(rows,) the values from 0; of an ordered target in ascending order."""
    ordered: bool
    """Whether the distance of two values is that of their ranks, else all are equally far."""


@dataclass(frozen=True)
class Conditions:
    """What every group of equal keys must satisfy."""

    k: int
    """The least number of records."""
    l: int | None = None  # noqa: E741 - the name of the literature
    """The least number of distinct values of each target."""
    t: float | None = None
    """The largest earth mover's distance between a target's distribution in the group and in the file."""

    def failing(self, groups: Codes, weights: Array, targets: tuple[Target, ...]) -> Mask:
        """Mask (g,) of the groups that fail.

        groups : (rows,) from 0; weights : (rows,), records that each row stands for.
        """
        sizes = np.bincount(groups, weights).astype(np.float64)
        fails = sizes < self.k
        for target in targets:
            cells = Cells.of(groups, weights, target.codes)
            if self.l is not None:
                fails |= np.bincount(cells.group, minlength=len(sizes)) < self.l
            if self.t is not None:
                shares = np.bincount(target.codes, weights) / weights.sum()
                distance = ordered_distance if target.ordered else equal_distance
                fails |= distance(cells, sizes, shares) > self.t + ROUNDING
        return fails


@dataclass(frozen=True)
class Cells:
    """The values of a target that occur in each group, by group and then by value."""

    group: Codes
    """(cells,)"""
    value: Codes
    """(cells,)"""
    count: Array
    """(cells,) records."""

    @classmethod
    def of(cls, groups: Codes, weights: Array, codes: Codes) -> Cells:
        """The cells of rows (rows,) with groups, weights and values."""
        values = int(codes.max()) + 1
        numbers, cell_of_row = np.unique(groups * values + codes, return_inverse=True)
        count = np.bincount(cell_of_row, weights).astype(np.float64)
        return cls(group=numbers // values, value=numbers % values, count=count)


def equal_distance(cells: Cells, sizes: Array, q: Array) -> Array:
    """The earth mover's distance (g,) where all values are equally far: half the sum of |p - q|.

    Li, Li and Venkatasubramanian (2007), 4.2.
    """
    p = cells.count / sizes[cells.group]
    # Values that the group lacks add q: 1 less the q of those that it has.
    in_group = np.abs(p - q[cells.value]) - q[cells.value]
    return (1 + np.bincount(cells.group, in_group, minlength=len(sizes))) / 2


def ordered_distance(cells: Cells, sizes: Array, q: Array) -> Array:
    """The earth mover's distance (g,) of ranks: the mean over the m - 1 steps of |sum of p - sum of q up to there|.

    Li, Li and Venkatasubramanian (2007), 4.1. Between two values of a group its sum of p is constant, while that of q
    ascends: the sum of |P - Q| of these steps comes from cumulative sums of Q, split where Q reaches P.
    """
    m = len(q)
    if m == 1:
        return np.zeros(len(sizes))
    Q = np.cumsum(q)
    sums = np.concatenate([[0.0], np.cumsum(Q)])
    p = cells.count / sizes[cells.group]
    first = np.flatnonzero(np.diff(cells.group, prepend=-1))
    before = np.cumsum(p) - p
    P = np.cumsum(p) - np.repeat(before[first], np.diff(np.append(first, len(p))))
    # Steps a to b - 1 have this P: from a cell's value to the next one of its group, or to the last value.
    last = np.append(first[1:], len(p)) - 1
    a = cells.value
    b = np.append(cells.value[1:], m)
    b[last] = m
    crossing = np.clip(np.searchsorted(Q, P), a, b)
    below = P * (crossing - a) - (sums[crossing] - sums[a])
    above = sums[b] - sums[crossing] - P * (b - crossing)
    total = np.bincount(cells.group, below + above, minlength=len(sizes))
    # Before its first value, the group's P is 0.
    total += sums[cells.value[first]]
    return total / (m - 1)
