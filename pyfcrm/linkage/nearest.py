"""Who is linked by distance, for files too long for all pairs: most originals are lost at a glance, a tree has the rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..rstream import RStream

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# Blocks of 16 records looked at in the first round, twice as many in each that follows.
FIRST_BLOCKS = 4
# A round may cost as much as so many blocks for each original; then a tree is cheaper.
MOST_BLOCKS = 4
# So few are settled by looking at every record, without a tree.
FEW = 64
# Where more than this share outlives a round, the files are alike, and further rounds would only cost.
HOPELESS = 0.9
SEED = 20020527  # of the order of the scan, on which no result depends


@dataclass(frozen=True)
class Tree:
    """A balanced tree: see nearest_kernels.settle for its arrays; place (N,): where in the leaves each row stands."""

    blocks: Array
    copies: Array
    low: Array
    high: Array
    place: Index


def decided_share(X: Array, Z: Array, own: NDArray[np.intp]) -> Array:
    """distance.nearest_share without looking at all pairs, and equal to it.

    X : (n, p), Z : (N, p), own : (n,) position in Z of each original's own record.  Returns (n,).
    Work about n log N p on unlike files; on like ones that of a tree with the own distance for a radius.
    """
    from .nearest_kernels import LANES, blocked, own_squares, scan, settle, settle_flat

    X, Z = np.ascontiguousarray(X), np.ascontiguousarray(Z)
    n, N, p = len(X), len(Z), X.shape[1]
    share, distance = np.zeros(n), np.empty(n)
    own = np.ascontiguousarray(own, dtype=np.int64)
    own_squares(X, Z, own, distance)
    # Files are often sorted; shuffled, the first few blocks are a sample of the whole file.
    order = RStream(SEED).sample_int(N) - 1
    rows, first, width, count = np.arange(n), 0, FIRST_BLOCKS, -(-N // LANES)
    while first < count and len(rows) * width <= n * MOST_BLOCKS and len(rows) > FEW:
        last = min(first + width, count)
        sample = np.empty((last - first, p, LANES))
        blocked(Z, order[first * LANES : last * LANES], sample)
        rows = rows[: scan(X, distance, sample, rows)]
        first, width = last, 2 * width
        if len(rows) > HOPELESS * n:
            break
    if len(rows) <= FEW:
        whole = np.empty((count, p, LANES))
        blocked(Z, np.arange(N), whole)
        settle_flat(X, distance, whole, N, rows, share)
        return share
    tree = planted(Z)
    rows = rows[np.argsort(tree.place[own[rows]], kind="stable")]  # neighbours one after the other
    settle(X, distance, tree.blocks, tree.copies, tree.low, tree.high, rows, share)
    return share


def planted(Z: Array) -> Tree:
    """A tree over the different rows of Z (N, p): file orders and repetitions cost nothing."""
    from .nearest_kernels import LANES, blocked, grow

    first, copies, group = _different(Z)
    U = Z if len(first) == len(Z) else np.ascontiguousarray(Z[first])
    count = -(-len(U) // LANES)
    low, high = np.empty((2, 2 * count - 1, U.shape[1]))
    order = np.arange(len(U))
    grow(U, order, low, high)
    blocks, standing = np.empty((count, U.shape[1], LANES)), np.zeros(count * LANES)
    blocked(U, order, blocks)
    standing[: len(U)] = copies[order]
    place = np.empty(len(U), np.int64)
    place[order] = np.arange(len(U))
    return Tree(blocks, standing.reshape(count, LANES), low, high, place[group])


def _different(Z: Array) -> tuple[Index, Index, Index]:
    """Of the different rows of Z: one of each, how often it occurs, and, for every row, which of them it is."""
    from .nearest_kernels import gather, hashes

    h = np.empty(len(Z), np.uint64)
    hashes(Z, h)
    first, copies, group = np.empty((3, len(Z)), np.int64)
    made = gather(Z, np.argsort(h, kind="stable"), h, first, copies, group)
    if made == len(Z):  # keep the file's order, which is the cheapest to copy
        return np.arange(made), copies, np.arange(made)
    return first[:made], copies[:made], group
