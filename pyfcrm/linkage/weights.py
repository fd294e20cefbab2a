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
from numpy.typing import NDArray

from ..numerics.location import row_blocks, standardise
from ..types import Array, Rows

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
    """Rivals kept so far, by original.

    owner : (M,) ascending; rival : (M,) places in U; D : (M, p) d(i, j) - d(i, i): rival j loses where w'D > 0.
    """

    owner: Rows
    rival: Rows
    D: Array

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def starts(self) -> Rows:
        """Where each owner's rivals start."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))


def no_rivals(files: Files) -> Rivals:
    """To start from."""
    return Rivals(np.empty(0, np.intp), np.empty(0, np.intp), np.empty((0, files.X.shape[1])))


def with_nearest(files: Files, rivals: Rivals, w: Array, count: int) -> Rivals:
    """Rivals and, for every original, the `count` protected records nearest to it under weights w (p,)."""
    near = _nearest(files, w, count)
    N, n = len(files.U), len(files.X)
    owner = np.repeat(np.arange(n), near.shape[1])
    key = owner * N + near.ravel()
    key = key[near.ravel() != files.own[owner]]
    return _of(files, np.union1d(rivals.owner * N + rivals.rival, key))


def _of(files: Files, key: Rows) -> Rivals:
    owner, rival = np.divmod(key, len(files.U))
    D = (files.X[owner] - files.U[rival]) ** 2 - files.own_differences[owner]
    return Rivals(owner, rival, D)


def _nearest(files: Files, w: Array, count: int) -> Rows:
    from scipy.spatial import cKDTree

    root = np.sqrt(w / w.max())
    tree: Any = cKDTree(files.U * root)
    count = min(count, len(files.U))
    return np.asarray(tree.query(files.X * root, k=[*range(1, count + 1)])[1], dtype=np.intp)


def hopeless(files: Files) -> NDArray[np.bool_]:
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


def beaten(rivals: Rivals, w: Array, n: int) -> NDArray[np.bool_]:
    """(n,): whether some rival kept is at least as near as the own record under weights w (p,)."""
    lost = np.zeros(n, dtype=bool)
    lost[rivals.owner[rivals.D @ w <= 0]] = True
    return lost


def search_weights(files: Files, also: Array | None = None) -> tuple[Array, Rivals]:
    """Weights (p,), summing to 1, that link many originals, and the rivals met on the way.

    A heuristic: nothing says that it is best. Starts from equal weights, from the inverse of the mean squared difference
    and from `also` (p,), and never gives up links that a start had alone. No randomness.
    """
    rivals = no_rivals(files)
    starts = [*_starts(files), *([] if also is None else [also])]
    for w in starts:
        rivals = with_nearest(files, rivals, w, NEAREST)
    if not len(rivals):  # one protected record, or all of them equal
        return starts[0], rivals
    best, most = starts[0], -np.inf
    for start in starts:
        w, rivals = _climbed(files, rivals, start)
        linked = _linked(files, rivals, w)
        if linked > most + GAIN:
            best, most = w, linked
    return best, rivals


def _starts(files: Files) -> list[Array]:
    p = files.X.shape[1]
    noise = files.own_differences.mean(axis=0)
    inverse = 1 / np.maximum(noise / (float(noise.max()) or 1.0), LEAST_NOISE)
    return [np.full(p, 1 / p), inverse / inverse.sum(), np.sqrt(inverse) / np.sqrt(inverse).sum()]


def _climbed(files: Files, rivals: Rivals, w: Array) -> tuple[Array, Rivals]:
    """The best weights met that hold against every rival, all of them looked up."""
    best, most = w, -np.inf
    for _ in range(ROUNDS):
        before = len(rivals)
        rivals = with_nearest(files, rivals, w, NEAREST)
        linked = _linked(files, rivals, w)
        if linked > most + GAIN:
            best, most = w, linked
        elif len(rivals) == before:
            break
        w = _improved(files, rivals, best)
    return best, rivals


def _improved(files: Files, rivals: Rivals, w: Array) -> Array:
    """Weights of a local maximum against the rivals kept, over all coordinates and exchanges of two."""
    linked = _linked(files, rivals, w)
    for _ in range(PASSES):
        before = linked
        for v in _directions(len(w)):
            t, promised = _best_step(files, rivals, w, v)
            moved = np.maximum(w + t * v, 0.0)
            if promised <= linked + GAIN or moved.sum() <= 0:
                continue
            moved /= moved.sum()
            now = _linked(files, rivals, moved)
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


def _best_step(files: Files, rivals: Rivals, w: Array, v: Array) -> tuple[float, float]:
    """The t for which w + t v, kept at least 0, links most against the rivals kept, and what it links.

    The middle of the interval of such t; (0, 0) where no t links anything.
    """
    falls, rises = v < 0, v > 0
    high_end = float(np.min(w[falls] / -v[falls], initial=np.inf))
    low_end = -float(np.min(w[rises] / v[rises], initial=np.inf))
    low, high = _intervals(rivals, w, v)
    low, high = np.maximum(low, low_end), np.minimum(high, high_end)
    owners = rivals.owner[rivals.starts]
    open_ = low < high
    alone = float(files.worth.sum() - files.worth[owners].sum())  # those who have no rival at all
    if not open_.any():
        return 0.0, 0.0
    worth = files.worth[owners[open_]]
    ends, change = np.concatenate([low[open_], high[open_]]), np.concatenate([worth, -worth])
    order = np.lexsort((change, ends))  # at one t, those that end there go first
    linked = np.cumsum(change[order])
    k = int(np.argmax(linked))
    left, right = float(ends[order][k]), float(ends[order][min(k + 1, len(order) - 1)])
    t = (left + right) / 2 if np.isfinite(right) else (2 * left if left > 0 else left + 1.0)
    return t, float(linked[k]) + alone


def _intervals(rivals: Rivals, w: Array, v: Array) -> tuple[Array, Array]:
    """Ends of the interval of t on which each original with rivals beats them all under w + t v; empty if low >= high."""
    base, slope = rivals.D @ w, rivals.D @ v
    flat = slope == 0
    with np.errstate(over="ignore"):  # a turn that far off is never reached
        turn = -base / np.where(flat, 1.0, slope)
    low = np.where(slope > 0, turn, np.where(flat & (base <= 0), np.inf, -np.inf))
    high = np.where(slope < 0, turn, np.inf)
    return np.maximum.reduceat(low, rivals.starts), np.minimum.reduceat(high, rivals.starts)


def _linked(files: Files, rivals: Rivals, w: Array) -> float:
    return float(files.worth[~beaten(rivals, w, len(files.X))].sum())
