"""MDAV compiled: the records left are scanned in blocks, each of which closes its own gaps.

The plain twin is mdav.mdav_labels: the same groups, ties and all. Which record is farthest from the mean is settled
with a mean kept up to date and with bounds from earlier visits to each block; where rounding could decide, the mean is
added up again first record to last, as there, and every block is looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...compiling import compiled_for_threads

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

BLOCK = 512
ROUNDOFF = 2.0**-53
SLACK = 1e-9  # relative, on bounds: far more than their rounding
CLOSE = 1e-13  # relative: distances this close may be told apart by rounding alone


@compiled_for_threads
def mdav_compiled(columns: Array, weights: Array, k: int, labels: Integers) -> None:
    """Fills `labels` (n,) with MDAV's groups of columns (p, n), weights (p,) of the squared differences."""
    p, n = columns.shape
    blocks, ids = np.zeros(((n + BLOCK - 1) // BLOCK, p, BLOCK)), np.zeros(((n + BLOCK - 1) // BLOCK, BLOCK), np.int64)
    sizes = np.zeros(len(blocks), np.int64)
    for i in range(n):
        b, at = i // BLOCK, i % BLOCK
        ids[b, at] = i
        sizes[b] += 1
        for j in range(p):
            blocks[b, j, at] = columns[j, i]
    used, left, group, whole = len(blocks), n, 0, n
    point, total = np.empty(p), np.empty(BLOCK)
    # Where the nearest lie: nearest first, of equally near ones the last in the file first.
    first, second, distance = np.empty((k, 2), np.int64), np.empty((k, 2), np.int64), np.empty(k)
    taken = np.zeros((len(blocks), BLOCK), np.bool_)
    # The greatest distance in each block when last visited, and what it was a distance to.
    reach, seen = np.full(len(blocks), np.inf), np.zeros((len(blocks), p))
    sums, unsure = np.empty(p), _unsure(columns, weights)
    _sums(blocks, sizes, used, sums)
    while left >= 2 * k:
        if 2 * left < whole:  # before the sums kept have lost too many digits
            used, whole = _pack(blocks, ids, sizes, used), left
            reach[:] = np.inf
            _sums(blocks, sizes, used, sums)
        point[:] = sums / left
        b, at = _farthest(blocks, sizes, used, weights, point, total, reach, seen, unsure)
        if b < 0:
            _sums(blocks, sizes, used, sums)
            point[:] = sums / left
            b, at = _scan(blocks, sizes, used, weights, point, total, taken, first, distance, 0)
        _take(blocks[b], at, point)
        b, at = _scan(blocks, sizes, used, weights, point, total, taken, first, distance, k)
        _mark(first, blocks, ids, taken, labels, group, sums)
        if left >= 3 * k:
            group += 1
            _take(blocks[b], at, point)
            _scan(blocks, sizes, used, weights, point, total, taken, second, distance, k)
            _mark(second, blocks, ids, taken, labels, group, sums)
            _close(second, blocks, ids, sizes, taken)
            left -= k
        _close(first, blocks, ids, sizes, taken)
        left -= k
        group += 1
    for b in range(used):
        for at in range(sizes[b]):
            labels[ids[b, at]] = group


@compiled_for_threads
def _scan(
    blocks: Array,
    sizes: Integers,
    used: int,
    weights: Array,
    point: Array,
    total: Array,
    taken: Any,
    found: Integers,
    distance: Array,
    k: int,
) -> tuple[int, int]:
    """Where the first of the records farthest from the point lies; fills `found` with the k nearest not taken."""
    farthest, in_block, at_place, have = -1.0, 0, 0, 0
    for b in range(used):
        size = sizes[b]
        _distances(blocks[b], size, weights, point, total)
        high, low = -1.0, np.inf
        for i in range(size):
            high, low = max(high, total[i]), min(low, total[i])
        if high > farthest:
            farthest, in_block, at_place = high, b, 0
            while total[at_place] != high:
                at_place += 1
        if k == 0 or (have == k and low > distance[k - 1]):
            continue
        for i in range(size):
            if (have == k and total[i] > distance[k - 1]) or taken[b, i]:
                continue
            place = have if have < k else k - 1
            have = place + 1
            while place > 0 and distance[place - 1] >= total[i]:
                distance[place], found[place] = distance[place - 1], found[place - 1]
                place -= 1
            distance[place], found[place, 0], found[place, 1] = total[i], b, i
    return in_block, at_place


@compiled_for_threads
def _distances(block: Any, size: int, weights: Array, point: Array, total: Array) -> None:
    """Added attribute by attribute, first to last; four at a time only spare the memory."""
    p = weights.size
    for i in range(size):
        total[i] = 0.0
    j = 0
    while j + 4 <= p:
        x0, x1, x2, x3 = point[j], point[j + 1], point[j + 2], point[j + 3]
        w0, w1, w2, w3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        for i in range(size):
            d0, d1, d2, d3 = block[j, i] - x0, block[j + 1, i] - x1, block[j + 2, i] - x2, block[j + 3, i] - x3
            total[i] = (((total[i] + w0 * (d0 * d0)) + w1 * (d1 * d1)) + w2 * (d2 * d2)) + w3 * (d3 * d3)
        j += 4
    while j < p:
        x, w = point[j], weights[j]
        for i in range(size):
            d = block[j, i] - x
            total[i] += w * (d * d)
        j += 1


@compiled_for_threads
def _sums(blocks: Array, sizes: Integers, used: int, point: Array) -> None:
    """Sums of what is left, first record to last; four attributes side by side, which do not wait for each other."""
    p = point.size
    point[:] = 0.0
    for b in range(used):
        block, size, j = blocks[b], sizes[b], 0
        while j + 4 <= p:
            a0, a1, a2, a3 = point[j], point[j + 1], point[j + 2], point[j + 3]
            for i in range(size):
                a0 += block[j, i]
                a1 += block[j + 1, i]
                a2 += block[j + 2, i]
                a3 += block[j + 3, i]
            point[j], point[j + 1], point[j + 2], point[j + 3] = a0, a1, a2, a3
            j += 4
        while j < p:
            a0 = point[j]
            for i in range(size):
                a0 += block[j, i]
            point[j] = a0
            j += 1


@compiled_for_threads
def _unsure(columns: Array, weights: Array) -> float:
    """How far apart, as distances go, two means can be that are rounded differently.

    A sum of n values within M, kept by adding and subtracting until half of them are gone, is off by 2 n u n M at most
    (u the unit roundoff), the mean by 4 n u M, and one added first to last by n u M.
    """
    total = 0.0
    for j in range(weights.size):
        most = 0.0
        for i in range(columns.shape[1]):
            most = max(most, abs(columns[j, i]))
        off = 8 * columns.shape[1] * ROUNDOFF * most
        total += weights[j] * off * off
    return np.sqrt(total)


@compiled_for_threads
def _farthest(
    blocks: Array,
    sizes: Integers,
    used: int,
    weights: Array,
    mean: Array,
    total: Array,
    reach: Array,
    seen: Array,
    unsure: float,
) -> tuple[int, int]:
    """Where the record farthest from the mean lies; (-1, -1) if another is as far but for rounding.

    reach, seen : of each block, kept from call to call: see mdav_compiled.
    """
    bound, start = np.empty(used), 0
    for b in range(used):
        moved = 0.0
        for j in range(mean.size):
            difference = mean[j] - seen[b, j]
            moved += weights[j] * (difference * difference)
        bound[b] = (np.sqrt(reach[b]) + np.sqrt(moved)) ** 2 * (1 + SLACK)
        if bound[b] > bound[start]:
            start = b
    best, second, in_block, at_place = -1.0, -1.0, -1, -1
    for turn in range(-1, used):
        b = start if turn < 0 else turn
        margin = 4 * (2 * np.sqrt(max(best, 0.0)) * unsure + unsure * unsure) + CLOSE * max(best, 0.0)
        if (turn == start) or sizes[b] == 0 or bound[b] < best - margin:
            continue
        _distances(blocks[b], sizes[b], weights, mean, total)
        high = -1.0
        for i in range(sizes[b]):
            high = max(high, total[i])
        reach[b] = high
        seen[b] = mean
        if high < best - margin:
            continue
        for i in range(sizes[b]):
            if total[i] > best:
                best, second, in_block, at_place = total[i], best, b, i
            elif total[i] > second:
                second = total[i]
    margin = 4 * (2 * np.sqrt(best) * unsure + unsure * unsure) + CLOSE * best
    if second >= best - margin:
        return -1, -1
    return in_block, at_place


@compiled_for_threads
def _take(block: Any, at: int, point: Array) -> None:
    for j in range(point.size):
        point[j] = block[j, at]


@compiled_for_threads
def _mark(found: Integers, blocks: Array, ids: Integers, taken: Any, labels: Integers, group: int, sums: Array) -> None:
    for f in range(found.shape[0]):
        b, at = found[f]
        for j in range(sums.size):
            sums[j] -= blocks[b, j, at]
        taken[b, at] = True
        labels[ids[b, at]] = group


@compiled_for_threads
def _close(found: Integers, blocks: Array, ids: Integers, sizes: Integers, taken: Any) -> None:
    """Closes the gaps that taken records leave in their blocks; the order stays."""
    for f in range(found.shape[0]):
        b = found[f, 0]
        kept = 0
        for at in range(sizes[b]):
            if taken[b, at]:
                taken[b, at] = False
                continue
            if kept < at:
                ids[b, kept] = ids[b, at]
                for j in range(blocks.shape[1]):
                    blocks[b, j, kept] = blocks[b, j, at]
            kept += 1
        sizes[b] = kept


@compiled_for_threads
def _pack(blocks: Array, ids: Integers, sizes: Integers, used: int) -> int:
    """Moves what is left to the front, in order; how many blocks that takes."""
    to, place = 0, 0
    for b in range(used):
        size = sizes[b]
        for at in range(size):
            if place == BLOCK:
                to, place = to + 1, 0
            ids[to, place] = ids[b, at]
            for j in range(blocks.shape[1]):
                blocks[to, j, place] = blocks[b, j, at]
            place += 1
    for b in range(to):
        sizes[b] = BLOCK
    sizes[to] = place
    return to + 1
