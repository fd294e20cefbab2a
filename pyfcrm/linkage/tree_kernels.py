"""Compiled: a balanced tree over protected records, which settles originals that no glance at a few has settled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled, compiled_for_threads
from .distance import TIE
from .square_kernels import BAND, LOST, nearest_of, squares

Array = NDArray[np.float64]
Index = NDArray[np.int64]

LANES = 16  # records of a leaf


@compiled_for_threads
def settle(
    X: Array, own: Array, blocks: Array, copies: Array, low: Array, high: Array, rows: Index, share: Array
) -> None:
    """share[i] of each original in `rows`: 0 if some record is strictly nearer, else 1 / (records tied with its own).

    blocks : the tree's leaves; copies : (blocks, LANES) records that each stands for, 0 where there is none;
    low, high : (nodes, p) the corners of the tree's boxes.
    """
    total, stack = np.empty(LANES), np.empty((64, 3), np.int64)
    for r in range(rows.size):
        i = rows[r]
        least, tied = _search(X[i], own[i], np.inf, blocks, copies, low, high, total, stack)
        if tied > 1:  # as near as the own one, or a little farther
            least, tied = _search(X[i], own[i], least, blocks, copies, low, high, total, stack)
        share[i] = 1.0 / tied if least >= 0 else 0.0


@compiled_for_threads
def _search(
    x: Array,
    own: float,
    least: float,
    blocks: Array,
    copies: Array,
    low: Array,
    high: Array,
    total: Array,
    stack: Index,
) -> tuple[float, float]:
    """The smallest distance, and of the records that may tie with the own one how many are as near as `least`, ties so.

    LOST and 0 where one is strictly nearer.
    """
    reach, smallest, tied = own * (1.0 + BAND), np.sqrt(own), 0.0
    stack[0, 0], stack[0, 1], stack[0, 2], depth = 0, 0, blocks.shape[0], 1
    while depth > 0:
        depth -= 1
        node, first, last = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        if last - first > 1:
            middle = (first + last) // 2
            left, right = node + 1, node + 2 * (middle - first)
            to_left, to_right = _to_box(x, low[left], high[left], reach), _to_box(x, low[right], high[right], reach)
            # The nearer side is looked at first, so it goes on top.
            for side in (to_left > to_right, to_left <= to_right):
                if side and to_left <= reach:
                    stack[depth, 0], stack[depth, 1], stack[depth, 2] = left, first, middle
                    depth += 1
                elif not side and to_right <= reach:
                    stack[depth, 0], stack[depth, 1], stack[depth, 2] = right, middle, last
                    depth += 1
            continue
        squares(x, blocks[first], total)
        nearest, near = nearest_of(total, own)
        if nearest < 0:
            return LOST, 0.0
        if near == 0:
            continue
        for lane in range(LANES):
            if total[lane] <= reach and copies[first, lane] > 0:
                distance = np.sqrt(total[lane])
                smallest = min(smallest, distance)
                if distance <= least * (1 + TIE):
                    tied += copies[first, lane]
    return smallest, tied


@compiled_for_threads
def _to_box(x: Any, low: Any, high: Any, reach: float) -> float:
    """Squared distance from x to a box, or some number beyond `reach` where it is farther."""
    total = 0.0
    for j in range(x.size):
        difference = max(low[j] - x[j], x[j] - high[j], 0.0)
        total += difference * difference
        if total > reach:
            break
    return total


@compiled
def grow(Z: Array, order: Index, low: Array, high: Array) -> None:
    """A balanced tree over the rows of Z (N, p): sorts `order` (N,) into leaves of LANES; fills the nodes' boxes.

    The node of blocks [first, last) has its left child next to it, its right one after all of the left's.
    """
    N, p = Z.shape
    keys, stack = np.empty(N), np.empty((64, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], depth = 0, 0, (N + LANES - 1) // LANES, 1
    while depth > 0:
        depth -= 1
        node, first, last = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        start, stop = first * LANES, min(last * LANES, N)
        _box(Z, order[start:stop], low[node], high[node])
        if last - first == 1:
            continue
        widest = 0
        for j in range(1, p):
            if high[node, j] - low[node, j] > high[node, widest] - low[node, widest]:
                widest = j
        for place in range(start, stop):
            keys[place] = Z[order[place], widest]
        middle = (first + last) // 2
        _part(keys, order, start, stop - 1, middle * LANES)
        stack[depth, 0], stack[depth, 1], stack[depth, 2] = node + 2 * (middle - first), middle, last
        stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = node + 1, first, middle
        depth += 2


@compiled
def _box(Z: Array, rows: Any, low: Any, high: Any) -> None:
    low[:], high[:] = np.inf, -np.inf
    for i in rows:
        for j in range(Z.shape[1]):
            low[j], high[j] = min(low[j], Z[i, j]), max(high[j], Z[i, j])


@compiled
def _part(keys: Array, order: Index, first: int, last: int, k: int) -> None:
    """Hoare's selection: keys[first .. k-1] <= keys[k .. last], `order` moved along."""
    while first < last:
        # The median of three keeps sorted files from being the worst case.
        a, b, c = keys[first], keys[(first + last) // 2], keys[last]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = first, last
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if k <= j:
            last = j
        elif k >= i:
            first = i
        else:
            return


@compiled
def hashes(Z: Array, out: NDArray[np.uint64]) -> None:
    """out[i], 64 bits of row i of Z (N, p): equal rows have equal ones. -0.0 counts as 0.0."""
    words = (Z + 0.0).view(np.uint64)
    for i in range(Z.shape[0]):
        h = np.uint64(0x9E3779B97F4A7C15)
        for j in range(Z.shape[1]):
            # splitmix64's finaliser
            h ^= words[i, j]
            h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            h ^= h >> np.uint64(31)
        out[i] = h


@compiled
def gather(Z: Array, order: Index, h: NDArray[np.uint64], first: Index, copies: Index, group: Index) -> int:
    """Rows equal to their predecessor in `order` (sorted by hash) share one group; how many groups there are.

    first (groups,) a row of each, copies (groups,) how many, group (N,) which one a row is in.
    """
    made = 0
    for place in range(order.size):
        i = order[place]
        same = made > 0 and h[first[made - 1]] == h[i]
        if same:
            for j in range(Z.shape[1]):
                if Z[i, j] != Z[first[made - 1], j]:
                    same = False
                    break
        if same:
            copies[made - 1] += 1
        else:
            first[made], copies[made] = i, 1
            made += 1
        group[i] = made - 1
    return made
