"""MDAV: groups of k around the records farthest from the mean (Domingo-Ferrer and Torra 2005).

Distances are summed in one order, so that ties stay ties.
"""

from typing import NamedTuple

import numpy as np

from ...engine import dispatch
from ...errors import Note
from ...progress import OnStep, Reporter, discard
from ...types import Array, Integers, Mask
from .univariate import first_component

KERNELS = "methods/grouping/mdav_kernels"
A_GROUP, A_VALUE = 4e-5, 3.5e-9  # seconds that numpy takes over a group, and over each value of the file for it, about
MAX_RECORDS = 200_000  # beyond, a file is split into parts first
PART_RECORDS = 100_000  # about
GAMMA = 0.2  # the authors' on scattered data
PARTS = (
    "{total} records are too many for MDAV at once: they were cut into {parts} parts along the first principal "
    "component, each with its own groups"
)


class Space(NamedTuple):
    """Attributes in rows, (p, n), and the weight of each one's squared differences, (p,)."""

    columns: Array
    weights: Array

    def distances(self, records: Integers, record: int) -> Array:
        """Squared distances (m,) of some records to one record."""
        return squared_distances(self.columns[:, records], self.weights, self.columns[:, record])


def space(A: Array, scale: str | None) -> Space:
    """A (n, p) prepared for distances.

    scale : "variance" weights each squared difference by 1 / the attribute's population variance; None by 1.
    Constant attributes are left out. The others are multiplied by a power of two, which changes no tie and no digit,
    and prevents overflow of squares. For None it is the same power for all.
    """
    A = A[:, np.ptp(A, axis=0) > 0]
    exponents = np.frexp(np.ptp(A, axis=0))[1]
    if scale is None and A.shape[1]:
        exponents[:] = exponents.max()
    columns = np.ascontiguousarray(np.ldexp(A, -exponents).T)
    weights = 1 / columns.var(axis=1) if scale == "variance" else np.ones(len(columns))
    return Space(columns, weights)


def squared_distances(columns: Array, weights: Array, point: Array) -> Array:
    """Weighted squared distances (m,) of the records in `columns` (p, m) to one point (p,).

    The attributes are added first to last: equal records get equal distances, to the bit.
    """
    total = np.zeros(columns.shape[1])
    for column, weight, value in zip(columns, weights, point, strict=True):
        difference = column - value
        total += weight * (difference * difference)
    return total


def centroid(columns: Array) -> Array:
    """Means (p,) of `columns` (p, m), m at least 1, added first record to last."""
    # Not columns.mean: numpy adds in pairs, and a last digit decides which of two records is the farthest.
    return np.cumsum(columns, axis=1)[:, -1] / columns.shape[1]


def nearest(distances: Array, k: int) -> Mask:
    """Mask (m,) of the k smallest of `distances` (m,), m at least k; of equal ones the later come first."""
    threshold = np.partition(distances, k - 1)[k - 1]
    chosen = distances < threshold
    tied = np.flatnonzero(distances == threshold)
    chosen[tied[len(tied) - (k - int(chosen.sum())) :]] = True
    return chosen


def mdav_groups(
    A: Array, k: int, scale: str | None = "variance", *, note: Reporter = discard, on_step: OnStep = discard
) -> Integers:
    """Groups of k records; the last has k to 2k - 1.

    A : (n, p) finite; k : from 1 to n; scale : "variance" divides squared differences by each attribute's population
    variance, None takes them in raw units; note : receives a note on parts; on_step : called with (records grouped, n).
    Returns (n,) labels from 0, in the order of the groups. O(n^2 p / k). Above 200 000 records the file is split into
    parts of about 100 000 along its first principal component, and each has its own groups. Ties: the farthest record
    is the first of those equally far; of equally near ones the later join first. With that rule and float64 the groups
    on whole numbers are sdcMicro's. Source: Domingo-Ferrer and Torra (2005).
    """
    scaled = space(A, scale)
    n = len(A)
    parts = 1 if n <= MAX_RECORDS else max(1, min(-(-n // PART_RECORDS), n // k))
    if parts == 1:
        return _labels(scaled, k, on_step)
    note(Note.of("approximated", PARTS, total=n, parts=parts))
    labels, groups, done = np.empty(n, dtype=np.int64), 0, 0
    for rows in np.array_split(np.argsort(first_component(A, scale), kind="stable"), parts):
        rows.sort()
        part = Space(np.ascontiguousarray(scaled.columns[:, rows]), scaled.weights)
        labels[rows] = groups + _labels(part, k, lambda records, _, before=done: on_step(before + records, n))  # type: ignore[misc]
        groups, done = int(labels[rows].max()) + 1, done + len(rows)
    return labels


def _labels(scaled: Space, k: int, on_step: OnStep) -> Integers:
    p, n = scaled.columns.shape
    if not dispatch.compiled(KERNELS, n / k * (A_GROUP + A_VALUE * n * p)):
        return mdav_labels(*scaled, k, on_step)
    from .mdav_kernels import mdav_compiled

    return mdav_compiled(*scaled, k, on_step)


def mdav_labels(columns: Array, weights: Array, k: int, on_step: OnStep = discard) -> Integers:
    """MDAV on attributes in rows: columns (p, n), weights (p,) of their squared differences, k from 1 to n.

    For short files; the reference implementation of mdav_kernels.
    """
    n = columns.shape[1]
    labels = np.zeros(n, dtype=np.int64)
    left, group = np.arange(n), 0
    while len(left) >= 2 * k:
        on_step(k * group, n)
        farthest = int(np.argmax(squared_distances(columns, weights, centroid(columns))))
        # The opposite record is chosen before the first group is removed.
        distances = squared_distances(columns, weights, columns[:, farthest])
        opposite = int(np.argmax(distances))
        taken = nearest(distances, k)
        labels[left[taken]] = group
        if len(left) >= 3 * k:
            distances = squared_distances(columns, weights, columns[:, opposite])
            distances[taken] = np.inf
            second = nearest(distances, k)
            group += 1
            labels[left[second]] = group
            taken |= second
        group += 1
        columns, left = np.compress(~taken, columns, axis=1), left[~taken]
    labels[left] = group
    return labels


def vmdav_groups(A: Array, k: int, scale: str | None = "variance", *, on_step: OnStep = discard) -> Integers:
    """Groups of k to 2k - 1 records.

    A : (n, p) finite; k : from 1 to n; the outside record nearest to a group joins it while its
    distance to the group is below GAMMA times its distance to the other records outside; scale, on_step : as in mdav_groups.
    Returns (n,) labels from 0. The groups start at the record farthest from the mean of all records. Records left over
    at the end, fewer than k, join the nearest group (by mean) that may still grow. Two choices of ours keep every group
    below 2k. This limit is one. The other: a group does not grow when exactly k records are left, enough for a last
    group. Ties as in mdav_groups. Source: Solanas and Martinez-Balleste (2006).
    """
    S, left, groups = space(A, scale), np.arange(len(A)), list[list[int]]()
    away = squared_distances(*S, centroid(S.columns))
    while len(left) >= k:
        on_step(len(A) - len(left), len(A))
        near = nearest(S.distances(left, left[np.argmax(away[left])]), k)
        group, left = left[near].tolist(), left[~near]
        reach = np.min([S.distances(left, member) for member in group], axis=0)  # of each record outside to the group
        while len(group) < 2 * k - 1 and len(left) not in (0, k):
            candidate = int(np.argmin(reach))
            distances, others = S.distances(left, left[candidate]), np.arange(len(left)) != candidate
            if not np.sqrt(reach[candidate]) < GAMMA * np.sqrt(distances[others].min(initial=np.inf)):
                break
            group.append(int(left[candidate]))
            reach, left = np.minimum(reach, distances)[others], left[others]
        groups.append(group)
    return _with_rest(S, groups, left, k)


def _with_rest(S: Space, groups: list[list[int]], left: Integers, k: int) -> Integers:
    """Labels (n,) of groups, of which each record that is left joins the nearest one of fewer than 2k - 1."""
    labels, sizes = np.empty(S.columns.shape[1], dtype=np.int64), np.array([len(group) for group in groups])
    for g, group in enumerate(groups):
        labels[group] = g
    means = np.column_stack([centroid(S.columns[:, group]) for group in groups])
    for record in left:
        distances = squared_distances(means, S.weights, S.columns[:, record])
        distances[sizes >= 2 * k - 1] = np.inf
        labels[record] = np.argmin(distances)
        sizes[labels[record]] += 1
    return labels
