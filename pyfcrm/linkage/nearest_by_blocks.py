"""DBRL of files beyond memory: standardised records on disk in spatial order, blocks of them linked two at a time,
and only where one can reach the other.

A tree of cuts at medians of a sample says where each record goes. Whatever it says, no result depends on it: only how
many blocks of records have to be looked at together.

An original is lost as soon as one protected record anywhere is strictly nearer than its own; what is left of it is how
many records tie, which add up over blocks. Both come from linkage.nearest.nearest_share, as in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..data.blocks import pieces
from ..data.records import DiskRecords, Records
from ..engine import Engine, Local, row_blocks
from ..numerics.design_by_blocks import location
from ..numerics.location import Location, scores
from ..types import Array, Index
from .nearest import nearest_share

SAMPLE = 1 << 16  # records that the cuts are made from
CELLS = 4  # at least, for each block of records
Told = Callable[[int, int], None]
VALUES = 1 << 21  # of one file in a block; linking two blocks holds about twenty times as many, the trees included
SLACK = 1e-9  # relative: a box so little beyond reach is looked into all the same, whatever the rounding


@dataclass(frozen=True)
class SpatialOrder:
    """A complete binary tree in a heap from 1: records whose attribute[node] is above cut[node] go to the right."""

    attribute: Index
    cut: Array

    def cells(self, Z: Array) -> Index:
        """(b,) which leaf each record of Z (b, p) is in, from 0, from left to right."""
        node, rows = np.ones(len(Z), np.int64), np.arange(len(Z))
        while len(node) and node[0] < len(self.cut):
            node = 2 * node + (Z[rows, self.attribute[node]] > self.cut[node])
        return node - len(self.cut)


def spatial_order(Z: Array, leaves: int) -> SpatialOrder:
    """Of a sample Z (b, p), b >= 1; leaves : a power of two. Each cut halves the attribute that spreads furthest."""
    attribute, cut = np.zeros(leaves, np.int64), np.zeros(leaves)
    here = {1: Z}
    for node in range(1, leaves):
        part = here.pop(node)
        if len(part):
            attribute[node] = j = int(np.argmax(part.max(axis=0) - part.min(axis=0)))
            cut[node] = np.median(part[:, j])
        above = part[:, attribute[node]] > cut[node]
        here[2 * node], here[2 * node + 1] = part[~above], part[above]
    return SpatialOrder(attribute, cut)


def in_spatial_order(rows: Records, x: Location, z: Location, blocks: int, told: Callable[[int], None]) -> DiskRecords:
    """Records of 2 p + 1 numbers: the original's and the protected one's attributes, standardised, and its number.

    rows : the original's p columns, then the protected ones; x, z : where these lie; blocks : about how many there will
    be; told : called with the records dealt with so far, twice each.
    """
    p = rows.p // 2
    parts, step = row_blocks(rows.n), max(1, rows.n // SAMPLE)
    sample = [scores(rows.read(where)[-where.start % step :: step, p:], z) for where in parts]
    tree = spatial_order(np.vstack(sample), 1 << max(0, int(np.ceil(np.log2(CELLS * blocks)))))
    counts = np.zeros(len(tree.cut), np.int64)
    for where in parts:
        counts += np.bincount(tree.cells(scores(rows.read(where)[:, p:], z)), minlength=len(counts))
        told(where.stop)
    at, made = np.cumsum(counts) - counts, DiskRecords(2 * p + 1)
    for where in parts:
        A = rows.read(where)
        X, Z = scores(A[:, :p], x), scores(A[:, p:], z)
        cell = tree.cells(Z)
        order = np.argsort(cell, kind="stable")
        together = np.column_stack([X, Z, np.arange(where.start, where.stop, dtype=np.float64)])[order]
        ends = np.cumsum(np.bincount(cell, minlength=len(counts)))
        for k in np.unique(cell):
            part = together[ends[k - 1] if k else 0 : ends[k]]
            made.write(int(at[k]), part)
            at[k] += len(part)
        told(rows.n + where.stop)
    return made


@dataclass(frozen=True)
class Block:
    """Some records of the arranged file, and what they can meet.

    where : their places; low, high : (p,) corners of the box of the protected values; near, far : of the box that the
    originals still linked reach into, each as far as its own protected record.
    """

    where: slice
    low: Array
    high: Array
    near: Array
    far: Array

    def reaches(self, other: Block) -> bool:
        """Whether an original of this block may be as near to a protected record of the other as to its own."""
        return bool((self.near <= other.high).all() and (self.far >= other.low).all())


class Links:
    """What is known of each record of an arranged file: how many protected records tie with its own, 0 once it is lost.

    within : ties inside its own block, itself included; engine : for threads.
    """

    def __init__(self, rows: Records, engine: Engine) -> None:
        self.rows, self.p, self.engine = rows, rows.p // 2, engine
        self.ties, self.within = np.zeros(rows.n, np.int64), np.zeros(rows.n, np.int32)

    def read(self, where: slice) -> tuple[Array, Array]:
        """The originals (b, p) and their protected records (b, p) of a block."""
        A = self.rows.read(where)
        return np.ascontiguousarray(A[:, : self.p]), np.ascontiguousarray(A[:, self.p : 2 * self.p])

    def begin(self, where: slice) -> Block:
        """Link the records of one block among themselves."""
        X, Z = self.read(where)
        ties = counted(nearest_share(X, Z, engine=self.engine))
        self.ties[where] = self.within[where] = ties
        left, reach = X[ties > 0], _own_distance(X, Z)[ties > 0, None]
        near, far = (left - reach).min(axis=0, initial=np.inf), (left + reach).max(axis=0, initial=-np.inf)
        return Block(where, Z.min(axis=0), Z.max(axis=0), near, far)

    def meet(self, one: Block, other: Block) -> None:
        """Link the originals of either block that can reach into the other among the protected records of both."""
        if not (one.reaches(other) or other.reaches(one)):
            return
        X, Z = (np.concatenate(pair) for pair in zip(self.read(one.where), self.read(other.where), strict=True))
        at = np.concatenate([np.arange(b.where.start, b.where.stop) for b in (one, other)])
        first = one.where.stop - one.where.start
        rows = np.flatnonzero(self.ties[at] > 0)
        reach = _own_distance(X[rows], Z[rows])
        low = np.where(rows[:, None] < first, other.low, one.low)
        high = np.where(rows[:, None] < first, other.high, one.high)
        away = np.maximum(np.maximum(low - X[rows], X[rows] - high), 0.0)
        rows = rows[np.sqrt((away * away).sum(axis=1)) <= reach]
        if len(rows):
            ties, known = counted(nearest_share(X[rows], Z, rows, engine=self.engine)), at[rows]
            self.ties[known] = np.where(ties > 0, self.ties[known] + ties - self.within[known], 0)

    def share(self) -> Array:
        """(n,) as nearest_share, in the order of the original file."""
        made = np.zeros(self.rows.n)
        for where in row_blocks(self.rows.n):
            ties, number = self.ties[where], self.rows.read(where)[:, -1].astype(np.int64)
            made[number] = np.where(ties > 0, 1.0 / np.maximum(ties, 1), 0.0)
        return made


def nearest_share_by_blocks(rows: Records, told: Told, engine: Engine | None = None) -> tuple[Array, int]:
    """linkage.nearest.nearest_share of the standardised halves of `records`, (n,); and the number of blocks.

    rows : the original's p columns, then the protected ones; told : called with (done, of how many); engine : of this
    machine, whose threads are taken, None is Local(). Memory holds two
    blocks and 20 bytes a record; the disk, once more both files. Time grows with the pairs of blocks that can meet:
    at the most with n^2.
    """
    n, p = rows.n, rows.p // 2
    engine = engine or Local()
    records = pieces(rows, engine)
    x, z = location(engine, records, n, 0, p), location(engine, records, n, p, 2 * p)
    count = -(-n // max(1, VALUES // p))
    places = [slice(k * n // count, (k + 1) * n // count) for k in range(count)]
    most, done = count * (count + 1) // 2, 0
    near_by_near = in_spatial_order(rows, x, z, count, lambda _: told(0, most))
    work, blocks = Links(near_by_near, engine), list[Block]()
    for k, where in enumerate(places):
        blocks.append(work.begin(where))
        told(k + 1, most)
    for k, one in enumerate(blocks):
        for other in blocks[k + 1 :]:
            work.meet(one, other)
            done += 1
            told(count + done, most)
    share = work.share()
    near_by_near.close()
    return share, count


def counted(share: Array) -> Index:
    """How many tie, from what an original earns: t from 1/t, and 0 from 0."""
    return np.where(share > 0, np.rint(1.0 / np.where(share > 0, share, 1.0)), 0.0).astype(np.int64)


def _own_distance(X: Array, Z: Array) -> Array:
    """(b,) from each original to its own protected record, not less than it is."""
    return np.sqrt(((X - Z) ** 2).sum(axis=1)) * (1 + SLACK) + np.finfo(np.float64).tiny
