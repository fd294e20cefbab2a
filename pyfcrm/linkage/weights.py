"""Weights that link most originals to their own records: the constraints of supervised record linkage, generated as
they are violated, and a heuristic search along lines from several starts. The search need not find the optimum.

Record i is linked by weights w where w'd(i, j) > w'd(i, i) for every protected record j that is not equal to its
own. Of these n (n - 1) conditions few ever bind, so only rivals met near some record under some w are kept.

Along a line w + t v each rival is beaten on a half-line of t, so each original is linked on an interval of t; the t
that lies in most intervals is found by sorting their ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..numerics.location import row_blocks, standardise
from ..types import Array, Mask, Rows

NEAREST = 12  # rivals looked up for each original under one set of weights
ROUNDS = 12  # of looking up rivals that new weights bring near
PASSES = 6  # over all directions between two such rounds
LEAST_NOISE = 1e-6  # relative: an attribute released unchanged must not take all the weight at the start
GAIN = 1e-9  # less is rounding


@dataclass(frozen=True)
class Files:
    """Two files as linkage sees them.

    X : (n, p) originals, standardised; U : (N, p) the different protected records, standardised; own : (n,) place
    in U of each original's own; copies : (n,) how many protected records equal it: a tie that no weights break.
    """

    X: Array
    U: Array
    own: Rows
    copies: Array

    @classmethod
    def of(cls, X: Array, Z: Array) -> Files:
        """From X and Z (n, p), paired by position, in the data's units."""
        U, own, counts = np.unique(standardise(Z), axis=0, return_inverse=True, return_counts=True)
        own = own.reshape(-1)
        return cls(standardise(X), U, own, counts[own].astype(np.float64))

    @property
    def worth(self) -> Array:
        """(n,): what linking each original earns, its tie shared."""
        return 1 / self.copies

    @cached_property
    def own_differences(self) -> Array:
        """(n, p): d(i, i), squared differences between each original and its own record."""
        return np.asarray((self.X - self.U[self.own]) ** 2)


@dataclass(frozen=True)
class Rivals:
    """Protected records kept as competitors of the originals' own. key : (M,) original times len(U) plus place in U, ascending."""

    files: Files
    key: Rows

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def owner(self) -> Rows:
        """(M,) the original of each."""
        return self.key // len(self.files.U)

    @cached_property
    def D(self) -> Array:
        """(M, p): d(i, j) - d(i, i): rival j loses where w'D > 0."""
        files, rival = self.files, self.key % len(self.files.U)
        return np.asarray((files.X[self.owner] - files.U[rival]) ** 2 - files.own_differences[self.owner])

    @cached_property
    def starts(self) -> Rows:
        """Where each owner's rivals start."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    def with_nearest(self, w: Array, count: int) -> Rivals:
        """These and, for every original, the `count` protected records nearest to it under weights w (p,)."""
        from scipy.spatial import cKDTree

        files, root = self.files, np.sqrt(w / w.max())
        tree: Any = cKDTree(files.U * root)
        near = np.asarray(tree.query(files.X * root, k=[*range(1, min(count, len(files.U)) + 1)])[1], dtype=np.intp)
        owner = np.repeat(np.arange(len(files.X)), near.shape[1])
        others = near.ravel() != files.own[owner]
        return Rivals(files, np.union1d(self.key, (owner * len(files.U) + near.ravel())[others]))

    def missed(self, w: Array) -> Mask:
        """(n,): whether some rival is at least as near as the own record under weights w (p,)."""
        lost = np.zeros(len(self.files.X), dtype=bool)
        lost[self.owner[self.D @ w <= 0]] = True
        return lost

    def linked(self, w: Array) -> float:
        """The credit of the originals that weights w (p,) link."""
        return float(self.files.worth[~self.missed(w)].sum())


def dominated_originals(files: Files) -> Mask:
    """(n,): whether some other protected record is at least as near in every attribute, so that no weights link."""
    lost = np.zeros(len(files.X), dtype=bool)
    for rows in row_blocks(len(files.X), len(files.U)):
        X, own = files.X[rows], files.own_differences[rows]
        nearer = np.ones((len(X), len(files.U)), dtype=bool)
        for a in range(X.shape[1]):
            nearer &= (X[:, a, None] - files.U[:, a]) ** 2 <= own[:, a, None]
        nearer[np.arange(len(X)), files.own[rows]] = False
        lost[rows] = nearer.any(axis=1)
    return lost


def search_weights(files: Files, also: Array | None = None) -> tuple[Array, Rivals]:
    """Weights (p,), summing to 1, that link many originals, and the rivals met on the way.

    A heuristic: nothing says that it is best. Starts from equal weights, from the inverse of the mean squared difference
    and from `also` (p,), and never gives up links that a start had alone. No randomness.
    """
    rivals = Rivals(files, np.empty(0, np.intp))
    starts = [*_starts(files), *([] if also is None else [also])]
    for w in starts:
        rivals = rivals.with_nearest(w, NEAREST)
    if not len(rivals):  # one protected record, or all of them equal
        return starts[0], rivals
    best, most = starts[0], -np.inf
    for start in starts:
        w, rivals = _climbed(rivals, start)
        linked = rivals.linked(w)
        if linked > most + GAIN:
            best, most = w, linked
    return best, rivals


def _starts(files: Files) -> list[Array]:
    p = files.X.shape[1]
    noise = files.own_differences.mean(axis=0)
    inverse = 1 / np.maximum(noise / (float(noise.max()) or 1.0), LEAST_NOISE)
    return [np.full(p, 1 / p), inverse / inverse.sum(), np.sqrt(inverse) / np.sqrt(inverse).sum()]


def _climbed(rivals: Rivals, w: Array) -> tuple[Array, Rivals]:
    """The best weights met that hold against every rival, all of them looked up."""
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
    """Weights of a local maximum against the rivals kept, over all coordinates and exchanges of two."""
    linked = rivals.linked(w)
    for _ in range(PASSES):
        before = linked
        for v in _directions(len(w)):
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


def _directions(p: int) -> Iterator[Array]:
    E = np.eye(p)
    yield from E
    for a in range(p):
        for b in range(a):
            yield E[a] - E[b]


def _best_step(rivals: Rivals, w: Array, v: Array) -> tuple[float, float]:
    """The t for which w + t v, kept at least 0, links most against the rivals kept, and what it links.

    Step t in the interval that links most originals, and their credit; (0, 0) if there is none.
    """
    falls, rises = v < 0, v > 0
    high_end = float(np.min(w[falls] / -v[falls], initial=np.inf))
    low_end = -float(np.min(w[rises] / v[rises], initial=np.inf))
    low, high = _intervals(rivals, w, v)
    low, high = np.maximum(low, low_end), np.minimum(high, high_end)
    worth_of, owners = rivals.files.worth, rivals.owner[rivals.starts]
    open_ = low < high
    without_rivals = float(worth_of.sum() - worth_of[owners].sum())
    if not open_.any():
        return 0.0, 0.0
    worth = worth_of[owners[open_]]
    ends, change = np.concatenate([low[open_], high[open_]]), np.concatenate([worth, -worth])
    order = np.lexsort((change, ends))  # at one t, those that end there go first
    linked = np.cumsum(change[order])
    k = int(np.argmax(linked))
    left, right = float(ends[order][k]), float(ends[order][min(k + 1, len(order) - 1)])
    t = (left + right) / 2 if np.isfinite(right) else (2 * left if left > 0 else left + 1.0)
    return t, float(linked[k]) + without_rivals


def _intervals(rivals: Rivals, w: Array, v: Array) -> tuple[Array, Array]:
    """Ends of the interval of t on which each original with rivals beats them all under w + t v; empty if low >= high."""
    base, slope = rivals.D @ w, rivals.D @ v
    flat = slope == 0
    with np.errstate(over="ignore"):  # a breakpoint that far off is never reached
        breakpoint = -base / np.where(flat, 1.0, slope)
    low = np.where(slope > 0, breakpoint, np.where(flat & (base <= 0), np.inf, -np.inf))
    high = np.where(slope < 0, breakpoint, np.inf)
    return np.maximum.reduceat(low, rivals.starts), np.minimum.reduceat(high, rivals.starts)
