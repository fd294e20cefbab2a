"""Supervised record linkage: a heuristic line search for the weights that link most originals to their own records.

d(i, j) are the squared differences (p,) between original i and protected record j by attribute, d(i, i) those to its own.
Weights w link record i if w'd(i, j) > w'd(i, i) for every protected record j that differs from its own. Few of these
n (n - 1) constraints bind, so only rivals that are near some record under some w are stored; others are added when violated.

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
    """Two standardised files."""

    X: Array
    """Originals (n, p)."""
    U: Array
    """The distinct protected records (N, p)."""
    own: Rows
    """The row in U of each original's own record, (n,)."""
    worth: Array
    """The credit (n,) for linking each original: 1/t if t protected records equal its own, a tie under any weights."""

    @classmethod
    def of(cls, X: Array, Z: Array) -> Files:
        """The files X and Z (n, p), paired by position, in the data's units."""
        x, z = standardise_pair(X, Z)
        U, own, counts = np.unique(z, axis=0, return_inverse=True, return_counts=True)
        return cls(X=x, U=U, own=own, worth=1 / counts[own])

    @cached_property
    def own_differences(self) -> Array:
        """Squared differences (n, p) between each original and its own record, d(i, i)."""
        return (self.X - self.U[self.own]) ** 2


@dataclass(frozen=True)
class Rivals:
    """Protected records that compete with the originals' own records."""

    files: Files
    """The files."""
    key: Rows
    """A number for each rival, (M,), ascending: the original's position times len(U), plus the row in U."""

    def __len__(self) -> int:
        """Number of rivals, M."""
        return len(self.key)

    @cached_property
    def owner(self) -> Rows:
        """Positions (M,) of the rivals' originals."""
        return self.key // len(self.files.U)

    @cached_property
    def D(self) -> Array:
        """Differences d(i, j) - d(i, i), (M, p): i's own record is nearer than rival j where w'D > 0."""
        files = self.files
        rival = self.key % len(files.U)
        return (files.X[self.owner] - files.U[rival]) ** 2 - files.own_differences[self.owner]

    @cached_property
    def starts(self) -> Rows:
        """Positions of the first rival of each original that has any."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    def with_nearest(self, w: Array, count: int) -> Rivals:
        """These rivals and the `count` protected records nearest to each original under weights w (p,)."""
        from scipy.spatial import cKDTree

        files = self.files
        root = np.sqrt(w / w.max())
        tree: Any = cKDTree(files.U * root)
        ranks = list(range(1, min(count, len(files.U)) + 1))  # a list, for which query() returns a table at any length
        _, near = tree.query(files.X * root, k=ranks)
        rival = np.asarray(near, dtype=np.intp).ravel()
        owner = np.repeat(np.arange(len(files.X)), len(ranks))
        not_own = rival != files.own[owner]
        return Rivals(files, np.union1d(self.key, (owner * len(files.U) + rival)[not_own]))

    def missed(self, w: Array) -> Mask:
        """Mask (n,) of the originals with a rival at least as near as their own record under weights w (p,)."""
        lost = np.zeros(len(self.files.X), dtype=bool)
        lost[self.owner[self.D @ w <= 0]] = True
        return lost

    def linked(self, w: Array) -> float:
        """The credit of the originals that weights w (p,) link."""
        return float(self.files.worth[~self.missed(w)].sum())


def dominated_originals(files: Files) -> Mask:
    """Mask (n,) of the originals to which another protected record is at least as near in every attribute: no weights link them.

    It compares all pairs, for few records.
    """
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
    largest = float(noise.max()) or 1.0  # 1 for a release without any change
    inverse = 1 / np.maximum(noise / largest, LEAST_NOISE)
    root = np.sqrt(inverse)
    starts = [np.full(p, 1 / p), inverse / inverse.sum(), root / root.sum(), start]
    rivals = Rivals(files, np.empty(0, np.intp))
    for w in starts:
        rivals = rivals.with_nearest(w, NEAREST)
    if not len(rivals):  # one protected record, or all of them equal
        return starts[0], rivals
    best = starts[0]
    most = -np.inf
    for initial in starts:
        w, rivals = _climbed(rivals, initial)
        linked = rivals.linked(w)
        if linked > most + GAIN:
            best = w
            most = linked
    return best, rivals


def _climbed(rivals: Rivals, w: Array) -> tuple[Array, Rivals]:
    """The best weights of some rounds, each judged against its own nearest rivals, which are added."""
    best = w
    most = -np.inf
    for _ in range(ROUNDS):
        before = len(rivals)
        rivals = rivals.with_nearest(w, NEAREST)
        linked = rivals.linked(w)
        if linked > most + GAIN:
            best = w
            most = linked
        elif len(rivals) == before:
            break
        w = _improved(rivals, best)
    return best, rivals


def _improved(rivals: Rivals, w: Array) -> Array:
    """Weights of a local maximum against these rivals, along each coordinate and each difference of two."""
    p = len(w)
    linked = rivals.linked(w)
    E = np.eye(p)
    differences = [E[a] - E[b] for a in range(p) for b in range(a)]
    directions = [*E, *differences]
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
                w = moved
                linked = now
        if linked <= before + GAIN:
            break
    return w


def _best_step(rivals: Rivals, w: Array, v: Array) -> tuple[float, float]:
    """Step t, with w + t v at least 0, in the interval that links most originals against these rivals, and their credit.

    (0, 0) if no step links an original that has rivals.
    """
    # Each original is linked for t in an interval (low, high), within which w + t v stays at least 0.
    low, high = _intervals(rivals, w, v)
    low = np.maximum(low, -float(np.min(w[v > 0] / v[v > 0], initial=np.inf)))
    high = np.minimum(high, float(np.min(w[v < 0] / -v[v < 0], initial=np.inf)))
    not_empty = low < high
    if not not_empty.any():
        return 0.0, 0.0

    # Sorted by t, each start of an interval adds the original's credit, each end takes it off.
    worth = rivals.files.worth
    owners = rivals.owner[rivals.starts]
    credit = worth[owners[not_empty]]
    ends = np.concatenate([low[not_empty], high[not_empty]])
    change = np.concatenate([credit, -credit])
    order = np.lexsort((change, ends))  # at equal t, ends of intervals come before starts
    linked = np.cumsum(change[order])
    k = int(np.argmax(linked))
    without_rivals = float(worth.sum() - worth[owners].sum())
    credit_there = float(linked[k]) + without_rivals

    # The middle of the best stretch of t, or a point beyond its start if it has no end.
    left = float(ends[order][k])
    right = float(ends[order][min(k + 1, len(order) - 1)])
    if np.isfinite(right):
        return (left + right) / 2, credit_there
    return (2 * left if left > 0 else left + 1.0), credit_there


def _intervals(rivals: Rivals, w: Array, v: Array) -> tuple[Array, Array]:
    """Interval of t, empty if low >= high, on which w + t v links each original that has rivals.

    The constraint of a rival is base + t slope > 0: a half-line of t, all t, or no t where slope is 0.
    """
    base = rivals.D @ w
    slope = rivals.D @ v
    flat = slope == 0
    with np.errstate(over="ignore"):  # a breakpoint that far away is never reached
        breakpoint = -base / np.where(flat, 1.0, slope)
    low = np.where(slope > 0, breakpoint, -np.inf)
    low[flat & (base <= 0)] = np.inf
    high = np.where(slope < 0, breakpoint, np.inf)
    return np.maximum.reduceat(low, rivals.starts), np.minimum.reduceat(high, rivals.starts)
