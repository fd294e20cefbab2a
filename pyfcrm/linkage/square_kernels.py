"""Compiled: squared distances from one record to the records of a block, and whether one of those is a rival.

Distances are summed attribute by attribute like the plain code's, so every comparison comes out as there. Records lie
in blocks, (blocks, p, lanes), so that one instruction works on several of them; the last block may be short.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled, compiled_for_threads
from .distance import TIE

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# Relative, on squares: beyond it a distance is farther or nearer whatever the rounding; within, roots are compared.
BAND = 4 * TIE
LOST = -1.0


@compiled
def blocked(Z: Array, order: Index, blocks: Array) -> None:
    """Lay the rows of Z (N, p), in the order given, into `blocks`; what is left over of the last is far away."""
    lanes = blocks.shape[2]
    blocks[-1] = np.inf
    for place in range(order.size):
        b, lane = place // lanes, place % lanes
        for j in range(Z.shape[1]):
            blocks[b, j, lane] = Z[order[place], j]


@compiled
def own_squares(X: Array, Z: Array, own: Index, out: Array) -> None:
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            difference = X[i, j] - Z[own[i], j]
            total += difference * difference
        out[i] = total


@compiled_for_threads
def squares(x: Any, block: Any, total: Array) -> None:
    """Fills `total` (lanes,) with the squared distances of x (p,) to a block (p, lanes)."""
    lanes, fours = total.size, x.size - x.size % 4
    for lane in range(lanes):
        total[lane] = 0.0
    # Four attributes between loading a sum and storing it, which is what takes the time; added one after the other.
    for j in range(0, fours, 4):
        a, b, c, d = x[j], x[j + 1], x[j + 2], x[j + 3]
        for lane in range(lanes):
            e, f, g, h = a - block[j, lane], b - block[j + 1, lane], c - block[j + 2, lane], d - block[j + 3, lane]
            total[lane] = (((total[lane] + e * e) + f * f) + g * g) + h * h
    for j in range(fours, x.size):
        value = x[j]
        for lane in range(lanes):
            difference = value - block[j, lane]
            total[lane] += difference * difference


@compiled_for_threads
def nearest_of(total: Array, own: float) -> tuple[float, int]:
    """The smallest distance among squares `total` that may tie with `own`, and how many may; inf and 0 where none may.

    LOST and 0 where one is strictly nearer.
    """
    far, clear, near, surely = own * (1.0 + BAND), own * (1.0 - BAND), 0, 0
    for lane in range(total.size):
        near += total[lane] <= far
        surely += total[lane] < clear
    if surely > 0:
        return LOST, 0
    smallest = np.inf
    if near > 0:
        for lane in range(total.size):
            if total[lane] <= far:
                smallest = min(smallest, np.sqrt(total[lane]))
        if np.sqrt(own) > smallest * (1 + TIE):
            return LOST, 0
    return smallest, near
