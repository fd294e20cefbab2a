"""Compiled: squared distances from one record to the records of a block, originals held against blocks of protected
records until one beats their own, and a balanced tree for the originals that no block has settled.

Distances are summed attribute by attribute like the plain code's, so every comparison comes out as there. Records lie
in blocks, (blocks, p, lanes), so that one instruction works on several of them; the last block may be short.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import compiled
from ..types import TIE, Array, Index

# Relative, on squares: beyond it a distance is farther or nearer whatever the rounding; within, roots are compared.
BAND = 4 * TIE
LOST = -1.0
WIDE = 64  # records of a block: fewer cost more each
RUN = 8  # neighbours taken together, which share a page of memory
LANES = 16  # records of a leaf


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


@compiled
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


@compiled
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


@compiled
def spread_out(Z: Array, chosen: Index, count: int, blocks: Array) -> None:
    """Lay runs b, b + count, b + 2 count ... of rows of Z (N, p) into a block, for every b chosen; the rest is far away."""
    for k in range(chosen.size):
        for lane in range(WIDE):
            row = (chosen[k] + lane // RUN * count) * RUN + lane % RUN
            for j in range(Z.shape[1]):
                blocks[k, j, lane] = Z[row, j] if row < Z.shape[0] else np.inf


@compiled
def scan(X: Array, own: Array, blocks: Array, rows: Index, least: Array, near: Index) -> int:
    """Of the originals `rows` those that no record of the blocks beats are moved to the front; how many.

    own : (n,) squared distance of every original to its own record; least, near : (n,) the smallest distance met, and
    how many records may tie with the own one, both brought up to date.
    """
    left, total = 0, np.empty(WIDE)
    for r in range(rows.size):
        i = rows[r]
        for b in range(blocks.shape[0]):
            squares(X[i], blocks[b], total)
            smallest, more = nearest_of(total, own[i])
            least[i] = min(least[i], smallest)
            near[i] += more
            if smallest < 0:
                break
        if least[i] >= 0:
            rows[left] = i
            left += 1
    return left


@compiled
def count_tied(X: Array, blocks: Array, N: int, rows: Index, least: Array, tied: Index) -> None:
    """Adds to tied (n,), of each original in `rows`, the records as near as `least`. N : records in the blocks."""
    total = np.empty(WIDE)
    for i in rows:
        for b in range(blocks.shape[0]):
            squares(X[i], blocks[b], total)
            for lane in range(min(WIDE, N - b * WIDE)):
                tied[i] += np.sqrt(total[lane]) <= least[i] * (1 + TIE)


@compiled
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


@compiled
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


@compiled
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
