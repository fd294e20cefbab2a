"""Supervised record linkage: constraints generated when they are violated, and a heuristic line search for the weights that
link most originals to their own records.

Weights w link record i if w'd(i, j) > w'd(i, i) for every protected record j that differs from its own. Few of these
n (n - 1) constraints bind, so only rivals that are near some record under some w are stored.

Along a line w + t v, each constraint holds on a half-line of t, so each original is linked on an interval of t. Sorting the
ends of the intervals gives the t that lies in most of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..numerics.location import standardise_pair
from ..types import Array, Mask, Rows

NEAREST = 12  # rivals of each original under one set of weights
ROUNDS = 12  # of adding the rivals under new weights
PASSES = 6  # over all directions in each round
LEAST_NOISE = 1e-6  # relative: limits the initial weight of an attribute released unchanged
GAIN = 1e-9  # a smaller improvement is rounding


@dataclass(frozen=True)
class Files:
    """Two standardised files.

    X : (n, p) originals; U : (N, p) the distinct protected records; own : (n,) row in U of each original's own record;
    worth : (n,) credit for linking each original, shared with the protected records that equal its own, a tie under any weights.
    """

    X: Array
    U: Array
    own: Rows
    worth: Array

    @classmethod
    def of(cls, X: Array, Z: Array) -> Files:
        """From X and Z (n, p), paired by position, in the data's units."""
        x, z = standardise_pair(X, Z)
        U, own, counts = np.unique(z, axis=0, return_inverse=True, return_counts=True)
        return cls(x, U, own, 1 / counts[own])

    @cached_property
    def own_differences(self) -> Array:
        """(n, p) d(i, i), squared differences between each original and its own record."""
        return (self.X - self.U[self.own]) ** 2


@dataclass(frozen=True)
class Rivals:
    """Protected records that compete with the originals' own. key : (M,) original times len(U) plus row in U, ascending."""

    files: Files
    key: Rows

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def owner(self) -> Rows:
        """(M,) the original of each rival."""
        return self.key // len(self.files.U)

    @cached_property
    def D(self) -> Array:
        """(M, p) d(i, j) - d(i, i); the constraint of rival j is w'D > 0."""
        files, rival = self.files, self.key % len(self.files.U)
        return (files.X[self.owner] - files.U[rival]) ** 2 - files.own_differences[self.owner]

    @cached_property
    def starts(self) -> Rows:
        """The first rival of each original that has any."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    def with_nearest(self, w: Array, count: int) -> Rivals:
        """Also the `count` protected records nearest to each original under weights w (p,)."""
        from scipy.spatial import cKDTree

        files, root = self.files, np.sqrt(w / w.max())
        tree: Any = cKDTree(files.U * root)
        near = np.asarray(tree.query(files.X * root, k=[*range(1, min(count, len(files.U)) + 1)])[1], dtype=np.intp)
        owner = np.repeat(np.arange(len(files.X)), near.shape[1])
        others = near.ravel() != files.own[owner]
        return Rivals(files, np.union1d(self.key, (owner * len(files.U) + near.ravel())[others]))

    def missed(self, w: Array) -> Mask:
        """(n,) whether some rival is at least as near as the own record under weights w (p,)."""
        lost = np.zeros(len(self.files.X), dtype=bool)
        lost[self.owner[self.D @ w <= 0]] = True
        return lost

    def linked(self, w: Array) -> float:
        """The credit of the originals that weights w (p,) link."""
        return float(self.files.worth[~self.missed(w)].sum())


def dominated_originals(files: Files) -> Mask:
    """(n,) whether another protected record is at least as near in every attribute, so that no weights link; for few records."""
    nearer: Mask = np.all((files.X[:, None] - files.U) ** 2 <= files.own_differences[:, None], axis=2)
    nearer[np.arange(len(files.X)), files.own] = False
    return np.asarray(nearer.any(axis=1))


def search_weights(files: Files, start: Array) -> tuple[Array, Rivals]:
    """Weights (p,), summing to 1, that link many originals, and the rivals found on the way.

    A heuristic without proof of optimality and without random numbers. It starts from equal weights, the inverse of the
    mean squared difference, its root, and `start` (p,). It links at least as many as each start, ties aside.
    """
    p = files.X.shape[1]
    noise = files.own_differences.mean(axis=0)
    inverse = 1 / np.maximum(noise / (float(noise.max()) or 1.0), LEAST_NOISE)
    starts = [np.full(p, 1 / p), inverse / inverse.sum(), np.sqrt(inverse) / np.sqrt(inverse).sum(), start]
    rivals = Rivals(files, np.empty(0, np.intp))
    for w in starts:
        rivals = rivals.with_nearest(w, NEAREST)
    if not len(rivals):  # one protected record, or all of them equal
        return starts[0], rivals
    best, most = starts[0], -np.inf
    for w in starts:
        w, rivals = _climbed(rivals, w)
        linked = rivals.linked(w)
        if linked > most + GAIN:
            best, most = w, linked
    return best, rivals


def _climbed(rivals: Rivals, w: Array) -> tuple[Array, Rivals]:
    """The best weights of some rounds, each judged against its own nearest rivals, which are added."""
    best, most = w, -np.inf
    for _ in range(ROUNDS):
        before = len(rivals)
        rivals = rivals.with_nearest(w, NEAREST)
        linked = rivals.linked(w)
        if linked > most + GAIN:
            best, most = w, linked
        elif len(rivals) == before:
            break
        w = _improved(rivals, best)
    return best, rivals


def _improved(rivals: Rivals, w: Array) -> Array:
    """Weights of a local maximum against these rivals, along each coordinate and each difference of two."""
    linked, E = rivals.linked(w), np.eye(len(w))
    directions = [*E, *(E[a] - E[b] for a in range(len(w)) for b in range(a))]
    for _ in range(PASSES):
        before = linked
        for v in directions:
            t, predicted = _best_step(rivals, w, v)
            moved = np.maximum(w + t * v, 0.0)
            if predicted <= linked + GAIN or moved.sum() <= 0:
                continue
            moved /= moved.sum()
            now = rivals.linked(moved)
            if now > linked + GAIN:
                w, linked = moved, now
        if linked <= before + GAIN:
            break
    return w


def _best_step(rivals: Rivals, w: Array, v: Array) -> tuple[float, float]:
    """Step t, with w + t v at least 0, in the interval that links most originals against these rivals, and their credit.

    (0, 0) if no step links an original that has rivals.
    """
    low, high = _intervals(rivals, w, v)
    low = np.maximum(low, -float(np.min(w[v > 0] / v[v > 0], initial=np.inf)))
    high = np.minimum(high, float(np.min(w[v < 0] / -v[v < 0], initial=np.inf)))
    worth, owners, open_ = rivals.files.worth, rivals.owner[rivals.starts], low < high
    if not open_.any():
        return 0.0, 0.0
    credit = worth[owners[open_]]
    ends, change = np.concatenate([low[open_], high[open_]]), np.concatenate([credit, -credit])
    order = np.lexsort((change, ends))  # at equal t, ends of intervals come before starts
    linked = np.cumsum(change[order])
    k = int(np.argmax(linked))
    left, right = float(ends[order][k]), float(ends[order][min(k + 1, len(order) - 1)])
    t = (left + right) / 2 if np.isfinite(right) else (2 * left if left > 0 else left + 1.0)
    return t, float(linked[k]) + float(worth.sum() - worth[owners].sum())


def _intervals(rivals: Rivals, w: Array, v: Array) -> tuple[Array, Array]:
    """Interval of t, empty if low >= high, on which w + t v links each original that has rivals."""
    base, slope = rivals.D @ w, rivals.D @ v
    flat = slope == 0
    with np.errstate(over="ignore"):  # a breakpoint that far away is never reached
        breakpoint = -base / np.where(flat, 1.0, slope)
    low = np.where(slope > 0, breakpoint, np.where(flat & (base <= 0), np.inf, -np.inf))
    high = np.where(slope < 0, breakpoint, np.inf)
    return np.maximum.reduceat(low, rivals.starts), np.minimum.reduceat(high, rivals.starts)
