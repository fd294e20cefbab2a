"""Records kept in blocks of near ones, each in a box: what MDAV's scans look at, and what they may leave out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...types import Array, Integers

Singles = NDArray[np.float32]

SAMPLE = 200  # records that tell which side of a piece is longest


class Blocks(NamedTuple):
    """n records and, B to a block and in single precision, the points x = scale (record - center)."""

    rows: Array  # (n, p) the records, in the file's order
    weights: Array  # (p,) of their squared differences
    center: Array  # (p,)
    scale: Array  # (p,) roots of the weights
    x: Singles  # (blocks, p, B)
    squares: Singles  # (blocks, B) |x|^2; nan where there is no record, or none any more
    ids: Integers  # (blocks, B) which record
    place: Integers  # (n,) where each record is: B times its block, plus its place there
    low: Singles  # (p, blocks) the boxes' corners
    high: Singles
    radius: Array  # (blocks,) the greatest |x|


def blocked(rows: Array, weights: Array, size: int) -> Blocks:
    """The records `rows` (n, p), n at least 1, `size` to a block."""
    n, center, scale = len(rows), rows.mean(axis=0), np.sqrt(weights)
    points = ((rows - center) * scale).astype(np.float32)
    order = near_order(points, size)
    # The last block is filled up with one of its records, so that its box does not grow.
    ids = np.append(order, np.full(-n % size, order[-1])).reshape(-1, size)
    x = np.ascontiguousarray(points[ids].transpose(0, 2, 1))
    squares = np.square(x).sum(axis=1)
    place = np.empty_like(order)
    place[order] = np.arange(n)
    radius = np.sqrt(squares.max(axis=1).astype(np.float64))
    squares.reshape(-1)[n:] = np.nan
    low, high = np.ascontiguousarray(x.min(axis=2).T), np.ascontiguousarray(x.max(axis=2).T)
    return Blocks(rows, weights, center, scale, x, squares, ids, place, low, high, radius)


def near_order(points: Singles, size: int) -> Integers:
    """The numbers of the points (n, p), from 0, near ones side by side.

    All are halved across their longest side, and the halves again, down to pieces of `size`, the last of which may be
    shorter.
    """
    order, columns = np.arange(len(points)), np.ascontiguousarray(points.T)
    todo = [(0, len(points))] if len(columns) else []
    while todo:
        start, end = todo.pop()
        pieces = -(-(end - start) // size)
        if pieces < 2:
            continue
        part = order[start:end]
        some = points[part[:: 1 + len(part) // SAMPLE]]
        longest = np.argmax(some.max(axis=0) - some.min(axis=0))
        half = (pieces + 1) // 2 * size
        order[start:end] = part[np.argpartition(columns[longest][part], half)]
        todo += [(start, start + half), (start + half, end)]
    return order
