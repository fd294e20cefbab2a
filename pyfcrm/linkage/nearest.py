"""Which original finds its own record among its nearest protected ones: by all pairs in short files; in long ones
most originals are settled by a few blocks of records, and a tree settles the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine, Local, worth
from ..numerics.location import row_blocks
from ..rstream import RStream
from ..types import TIE, Array, Index

A_DIFFERENCE = 4e-9  # seconds that numpy takes over a difference of two values, about
# Blocks of 64 records looked at at once: more would not stay in the cache.
CHUNK = 64
# Looking on is to cost at most so many blocks for each record every time the blocks double; beyond, a tree is cheaper.
MOST_BLOCKS = 1.5
# Where more than this share outlives the first block, the files are alike, and looking on would only cost.
HOPELESS = 0.9
# Originals times blocks from which threads are worth starting, some 2 ms, and the parts that the originals are cut into.
WORTH_THREADS, PARTS = 16_000, 16
LOOKED_AT = 16  # leaves of the tree, for each original
SEED = 20020527  # of the order of the scan, on which no result depends


def nearest_share(X: Array, Z: Array, own: NDArray[np.intp] | None = None, *, engine: Engine | None = None) -> Array:
    """What each original earns towards the share of correct links by distance.

    X : (n, p) originals and Z : (N, p) protected records, already in the units distances are taken in.
    own : (n,) position in Z of each original's own record; None pairs by position.
    engine : of this machine, whose threads long files take; None is Local().
    Returns (n,): 1/t where own is among the t protected records at the smallest Euclidean distance
    (distances equal to 1e-12 relative are ties), else 0. Long files take compiled code with the same result.
    Source: thesis 2.4.2, algorithm 1; ties shared, so that the order of a file earns nothing.
    """
    own = np.arange(len(X)) if own is None else own
    if not worth_compiling("linkage/nearest_kernels", X.size * len(Z)):
        return all_pairs_share(X, Z, own)
    return decided_share(X, Z, own, engine)


def all_pairs_share(X: Array, Z: Array, own: NDArray[np.intp]) -> Array:
    """nearest_share by all n N distances, in a few megabytes: for short files, and the compiled code's plain twin."""
    share = np.zeros(len(X))
    for rows in row_blocks(len(X), len(Z)):
        d = _distances(X[rows], Z)
        nearest = d <= d.min(axis=1, keepdims=True) * (1 + TIE)
        hit = nearest[np.arange(len(d)), own[rows]]
        share[rows] = hit / nearest.sum(axis=1)
    return share


def worth_compiling(kernels: str, differences: int) -> bool:
    """Whether so many differences of two values are for these kernels; the results are the same either way."""
    return worth.compiled(kernels, A_DIFFERENCE * differences)


def _distances(X: Array, Z: Array) -> Array:
    # Explicit differences: |x|^2 + |z|^2 - 2 x'z loses the small distances that decide.
    total = np.zeros((len(X), len(Z)))
    for x, z in zip(X.T, Z.T, strict=True):
        difference = x[:, None] - z
        difference *= difference
        total += difference
    return np.sqrt(total, out=total)


@dataclass(frozen=True)
class Tree:
    """A balanced tree: see linkage.nearest_kernels.settle for its arrays; place (N,): where in the leaves each row stands."""

    blocks: Array
    copies: Array
    low: Array
    high: Array
    place: Index


def decided_share(X: Array, Z: Array, own: NDArray[np.intp], engine: Engine | None = None) -> Array:
    """linkage.nearest.nearest_share without looking at all pairs, and equal to it.

    X : (n, p), Z : (N, p), own : (n,) position in Z of each original's own record; engine : as in
    nearest_share.  Returns (n,).
    Work about n log N p on unlike files; on like ones that of a tree with the own distance for a radius.
    """
    from .nearest_kernels import own_squares

    X, Z, own = np.ascontiguousarray(X), np.ascontiguousarray(Z), np.ascontiguousarray(own, dtype=np.int64)
    distance = np.empty(len(X))
    own_squares(X, Z, own, distance)
    least = np.full(len(X), np.inf)
    near = np.zeros(len(X), np.int64)
    rows, everything = _unbeaten(X, Z, distance, least, near, engine)
    if everything:
        return _shares(X, Z, rows, least, near)
    return _settled(X, Z, own, distance, rows, engine)


@dataclass(frozen=True)
class _Parts:
    """What is done to some originals whatever becomes of the others, for an engine."""

    work: Callable[[Index], Index]

    def part(self, rows: Index) -> Index:
        return self.work(rows)

    def add(self, a: Index, b: Index) -> Index:
        return np.concatenate([a, b])


def _in_parts(work: Callable[[Index], Index], rows: Index, blocks: float, engine: Engine | None) -> Index:
    """work(rows), by threads where that pays. blocks : that each original is held against, about."""
    if len(rows) * blocks < WORTH_THREADS:
        return work(rows)
    return (engine or Local()).total(_Parts(work), np.array_split(rows, PARTS))


def _unbeaten(
    X: Array, Z: Array, distance: Array, least: Array, near: Index, engine: Engine | None
) -> tuple[Index, bool]:
    """The originals that none of the first records beats, and whether those are all the records.

    distance : (n,) squares to the own records; least, near : (n,), see linkage.nearest_kernels.scan.
    """
    from .nearest_kernels import WIDE, scan, spread_out

    def survivors(blocks: Array, rows: Index) -> Index:
        return rows[: scan(X, distance, blocks, rows, least, near)]

    n, longer, count = len(X), max(len(X), len(Z)), -(-len(Z) // WIDE)
    # Files are often sorted: a block takes records from all of it, and which comes first is left to chance.
    order = RStream(SEED).sample_int(count) - 1
    buffer = np.empty((min(CHUNK, count), X.shape[1], WIDE))
    rows, first = np.arange(n), 0
    while first < count and len(rows) * first <= longer * MOST_BLOCKS and (first == 0 or len(rows) <= n * HOPELESS):
        if not len(rows):
            return rows, True
        last = min(first + min(max(first, 1), CHUNK), count)
        blocks = buffer[: last - first]
        spread_out(Z, order[first:last], count, blocks)
        rows = _in_parts(partial(survivors, blocks), rows, len(blocks), engine)
        first = last
    return rows, first == count


def _shares(X: Array, Z: Array, rows: Index, least: Array, near: Index) -> Array:
    """(n,): 1 / (records as near as `least`) for the originals in `rows`, 0 for the others."""
    from .nearest_kernels import WIDE, blocked, count_tied

    tied = np.ones(len(X), np.int64)
    several = rows[near[rows] > 1]
    tied[several] = 0
    for start in range(0, len(Z) if len(several) else 0, CHUNK * WIDE):
        part = Z[start : start + CHUNK * WIDE]
        blocks = np.empty((-(-len(part) // WIDE), Z.shape[1], WIDE))
        blocked(part, np.arange(len(part)), blocks)
        count_tied(X, blocks, len(part), several, least, tied)
    share = np.zeros(len(X))
    share[rows] = 1.0 / tied[rows]
    return share


def _settled(X: Array, Z: Array, own: Index, distance: Array, rows: Index, engine: Engine | None) -> Array:
    """(n,) shares of the originals in `rows`, by a tree; 0 for the others."""
    from .nearest_kernels import settle

    share, tree = np.zeros(len(X)), planted(Z)
    rows = rows[np.argsort(tree.place[own[rows]], kind="stable")]  # neighbours one after the other

    def settled(rows: Index) -> Index:
        settle(X, distance, tree.blocks, tree.copies, tree.low, tree.high, rows, share)
        return rows

    _in_parts(settled, rows, LOOKED_AT, engine)
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
