"""The constraints of supervised record linkage, generated as they are violated: an original's rivals of its own record.

Record i is linked by weights w where w'd(i, j) > w'd(i, i) for every protected record j that is not equal to its
own. Of these n (n - 1) conditions few ever bind, so only rivals met near some record under some w are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .distance import row_blocks, standardise

Array = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Files:
    """Two files as linkage sees them.

    X : (n, p) originals, standardised; U : (N, p) the different protected records, standardised; own : (n,) place
    in U of each original's own; copies : (n,) how many protected records equal it: a tie that no weights break.
    """

    X: Array
    U: Array
    own: Index
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

    owner: Index
    rival: Index
    D: Array

    def __len__(self) -> int:
        return len(self.owner)

    @cached_property
    def starts(self) -> Index:
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


def _of(files: Files, key: Index) -> Rivals:
    owner, rival = np.divmod(key, len(files.U))
    D = (files.X[owner] - files.U[rival]) ** 2 - files.own_differences[owner]
    return Rivals(owner, rival, D)


def _nearest(files: Files, w: Array, count: int) -> Index:
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
