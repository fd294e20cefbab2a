"""V-MDAV: groups of k to 2k - 1 that grow while their neighbours are nearer to them than to other records."""

from __future__ import annotations

import numpy as np

from ...progress import OnStep, discard_steps
from ...types import Array, Integers
from .mdav import Space, centroid, nearest, space, squared_distances

GAMMA = 0.2  # the authors' on scattered data


def vmdav_groups(A: Array, k: int, scale: str | None = "variance", on_step: OnStep = discard_steps) -> Integers:
    """Groups of k to 2k - 1 records.

    A : (n, p) finite; k : from 1 to n; the outside record nearest to a group joins it while its
    distance to the group is below GAMMA times its distance to the other records outside; scale, on_step : as in mdav_groups.
    Returns (n,) labels from 0. The groups start at the record farthest from the mean of all records. Records left over
    at the end, fewer than k, join the nearest group (by mean) that may still grow. Two choices of ours keep every group
    below 2k. This limit is one. The other: a group does not grow when exactly k records are left, enough for a last
    group. Ties as in mdav_groups. Source: Solanas and Martinez-Balleste (2006).
    """
    S = space(A, scale)
    away = squared_distances(S.columns, S.weights, centroid(S.columns))
    groups: list[Integers] = []
    left = np.arange(len(A))
    while len(left) >= k:
        on_step(len(A) - len(left), len(A))
        start = left[np.argmax(away[left])]
        near = nearest(squared_distances(S.columns[:, left], S.weights, S.columns[:, start]), k)
        group, left = _grown(S, left[near], left[~near], k)
        groups.append(group)
    return _labels(S, groups, left, k)


def _grown(S: Space, group: Integers, left: Integers, k: int) -> tuple[Integers, Integers]:
    """The group with the outside records that belong to it, and those left."""
    reach = np.full(len(left), np.inf)  # squared distance of each outside record to the group
    for member in group:
        reach = np.minimum(reach, squared_distances(S.columns[:, left], S.weights, S.columns[:, member]))
    while len(group) < 2 * k - 1 and len(left) not in (0, k):
        candidate = int(np.argmin(reach))
        distances = squared_distances(S.columns[:, left], S.weights, S.columns[:, left[candidate]])
        others = np.arange(len(left)) != candidate
        to_others = np.sqrt(distances[others].min()) if len(left) > 1 else np.inf
        if not np.sqrt(reach[candidate]) < GAMMA * to_others:
            break
        group = np.append(group, left[candidate])
        reach = np.minimum(reach, distances)[others]
        left = left[others]
    return group, left


def _labels(S: Space, groups: list[Integers], left: Integers, k: int) -> Integers:
    labels = np.empty(S.columns.shape[1], dtype=np.int64)
    for g, group in enumerate(groups):
        labels[group] = g
    sizes = np.array([len(group) for group in groups])
    means = np.column_stack([centroid(S.columns[:, group]) for group in groups])
    for record in left:
        distances = squared_distances(means, S.weights, S.columns[:, record])
        distances[sizes >= 2 * k - 1] = np.inf
        chosen = int(np.argmin(distances))
        labels[record] = chosen
        sizes[chosen] += 1
    return labels
