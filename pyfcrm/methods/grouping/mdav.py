"""MDAV: groups of k around the records farthest from the mean (Domingo-Ferrer and Torra 2005)."""

from __future__ import annotations

import numpy as np

from ...engine import worth
from ...errors import Note
from ...progress import OnStep, discard_steps
from ...types import Array, Integers
from .distance import Space, centroid, nearest, space, squared_distances, usable_group_size
from .univariate import first_component

KERNELS = "methods/grouping/mdav_kernels"
A_GROUP, A_VALUE = 4e-5, 3.5e-9  # seconds that numpy takes over a group, and over each value of the file for it, about
MOST_AT_ONCE = 200_000  # records; beyond, a file is cut into parts first
PART = 100_000  # records in a part, about


def mdav_groups(A: Array, k: int, scale: str | None = "variance", on_step: OnStep = discard_steps) -> Integers:
    """Groups of k records; the last has k to 2k - 1.

    A : (n, p) finite; k : from 1 to n; scale : "variance" divides squared differences by each attribute's population
    variance, None takes them in raw units; told : called now and then with (records grouped, n).
    Returns (n,) labels from 0, in the order the groups were formed. O(n^2 p / k): above 200 000 records the file is
    cut into parts of about 100 000 along its first principal component, and each is grouped by itself.
    Ties: the farthest record is the first of those equally far; of equally near ones the later join first. With that
    rule and float64 the groups on whole numbers are sdcMicro's. Errors: InvalidParameter for k or scale.
    Source: Domingo-Ferrer and Torra (2005).
    """
    k = usable_group_size("mdav_groups", k, len(A))
    made = space("mdav_groups", A, scale)
    if len(A) <= MOST_AT_ONCE:
        return _labels(made, k, on_step)
    labels, groups, done = np.empty(len(A), dtype=np.int64), 0, 0
    for part in np.array_split(np.argsort(first_component(A, scale), kind="stable"), _parts(len(A), k)):
        part.sort()
        here = Space(np.ascontiguousarray(made.columns[:, part]), made.weights)
        labels[part] = groups + _labels(here, k, _further(on_step, done, len(A)))
        groups, done = int(labels[part].max()) + 1, done + len(part)
    return labels


def parts_note(n: int, k: int) -> Note | None:
    """What is to be said where mdav_groups, for groups of k, cuts n records into parts; None where it does not."""
    if _parts(n, k) == 1:
        return None
    said = (
        "{total} records are too many for MDAV at once: they were cut into {parts} parts along the first principal "
        "component, and each part was grouped by itself"
    )
    return Note.of("approximated", said, total=n, parts=_parts(n, k))


def _parts(n: int, k: int) -> int:
    return 1 if n <= MOST_AT_ONCE else max(1, min(-(-n // PART), n // k))


def _further(on_step: OnStep, done: int, n: int) -> OnStep:
    """The same for a part of n records, of which `done` came before."""
    return lambda here, _: on_step(done + here, n)


def _labels(made: Space, k: int, on_step: OnStep) -> Integers:
    p, n = made.columns.shape
    if not worth.compiled(KERNELS, n / k * (A_GROUP + A_VALUE * n * p)):
        return mdav_labels(made.columns, made.weights, k, on_step)
    from .mdav_kernels import mdav_compiled

    labels = np.empty(n, dtype=np.int64)
    mdav_compiled(made.columns, made.weights, k, labels, on_step=on_step)
    return labels


def mdav_labels(columns: Array, weights: Array, k: int, on_step: OnStep = discard_steps) -> Integers:
    """MDAV on attributes in rows: columns (p, n), weights (p,) of their squared differences, k from 1 to n; told : called
    with (records grouped, n).

    For short files, and the plain twin of mdav_kernel.
    """
    n = columns.shape[1]
    labels = np.zeros(n, dtype=np.int64)
    left, group = np.arange(n), 0
    while len(left) >= 2 * k:
        on_step(k * group, n)
        farthest = _farthest(columns, weights, centroid(columns))
        # The opposite record is found before the first group leaves.
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


def _farthest(columns: Array, weights: Array, point: Array) -> int:
    return int(np.argmax(squared_distances(columns, weights, point)))
