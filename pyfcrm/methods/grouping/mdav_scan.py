"""The records nearest to a point and farthest from it, among records in blocks.

A block is passed over when its box shows that it has none of them, a record when its distance in single precision
does. The others are measured as distance.squared_distances does it, so no rounding but that one ever decides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiling import compiled_for_threads, compiled_freely
from .mdav_blocks import Array, Blocks, Integers, Singles

SINGLE = 2.0**-24  # unit roundoff
TINY = 1e-30  # squares far below it vanish in single precision
FIRST = 4  # blocks taken by their bounds, before the others as they lie


@compiled_for_threads
def scan(made: Blocks, point: Array, found: Integers, distance: Array, far: bool) -> int:
    """Fills `found` (k,) with the records nearest to the point, of equally near ones the last in the file first.

    distance : (k,), overwritten. Returns the first of the farthest records if they are asked for, else -1.
    """
    q, total = np.empty(point.size, np.float32), np.empty(made.x.shape[2], np.float32)
    square = to_blocks(made, point, q)
    lower, upper = _bounds(made, q, square)
    distance[:], found[:] = np.inf, -1
    most, farthest = (-1.0 if far else np.inf), -1
    for turn in range(-FIRST - found.size // total.size, len(lower)):
        b = turn
        if turn < 0:
            b = int(np.argmax(upper)) if turn == -1 else int(np.argmin(lower))
        if not (lower[b] < distance[-1] or upper[b] > most):
            continue
        lower[b], upper[b] = np.inf, -np.inf  # once is enough
        single_distances(made.x[b], made.squares[b], q, total)
        off = rounding(made.radius[b], square, q.size)
        under, over = np.float32(distance[-1] - square + off), np.float32(most - square - off)
        if not _any_outside(total, under, over):
            continue
        for i in range(total.size):
            if total[i] <= under or total[i] >= over:
                record = made.ids[b, i]
                d = exact_distance(made, record, point)
                if far and (d > most or (d == most and record < farthest)):
                    most, farthest = d, record
                _insert(found, distance, record, d)
                under, over = np.float32(distance[-1] - square + off), np.float32(most - square - off)
    return farthest


@compiled_for_threads
def to_blocks(made: Blocks, point: Array, q: Singles) -> float:
    """Fills q (p,) with the point where the blocks' x lie; returns |q|^2."""
    square = 0.0
    for j in range(q.size):
        value = (point[j] - made.center[j]) * made.scale[j]
        q[j] = value
        square += value * value
    return square


@compiled_for_threads
def exact_distance(made: Blocks, record: int, point: Array) -> float:
    """As distance.squared_distances: added attribute by attribute, first to last."""
    total = 0.0
    for j in range(point.size):
        d = made.rows[record, j] - point[j]
        total += made.weights[j] * (d * d)
    return total


@compiled_for_threads
def rounding(radius: float, square: float, p: int) -> float:
    """How far off squared distances to q in single precision can be, for |x| up to `radius`, |q|^2 = square.

    |x|^2 - 2 qx: at most 5/4 p + 4 roundings of terms that make (|x| + |q|)^2 together, and 5 more for x, q and |q|^2.
    Bounds by boxes: p + 3 of at most twice as much; where they are larger they say nothing.
    """
    return 2 * (p + 6) * SINGLE * (radius + np.sqrt(square)) ** 2 + TINY


@compiled_freely("contract")
def single_distances(x: Singles, squares: Singles, q: Singles, total: Singles) -> None:
    """Fills total (B,) with |x|^2 - 2 qx, the squared distances less |q|^2; four attributes at a time spare memory."""
    two = np.float32(-2)
    for i in range(total.size):
        total[i] = squares[i]
    j = 0
    while j + 4 <= q.size:
        a, b, c, d = two * q[j], two * q[j + 1], two * q[j + 2], two * q[j + 3]
        for i in range(total.size):
            total[i] += (a * x[j, i] + b * x[j + 1, i]) + (c * x[j + 2, i] + d * x[j + 3, i])
        j += 4
    while j < q.size:
        a = two * q[j]
        for i in range(total.size):
            total[i] += a * x[j, i]
        j += 1


@compiled_for_threads
def _bounds(made: Blocks, q: Singles, square: float) -> tuple[Any, Any]:
    """What no squared distance from q is below, or above, in each block."""
    lower, upper = np.zeros((2, len(made.x)), np.float32)
    for j in range(q.size):
        for b in range(lower.size):
            left, right = q[j] - made.low[j, b], made.high[j, b] - q[j]
            far, near = max(left, right), max(-min(left, right), np.float32(0))
            lower[b] += near * near
            upper[b] += far * far
    for b in range(lower.size):
        off = rounding(made.radius[b], square, q.size)
        lower[b] -= off
        upper[b] += off
    return lower, upper


@compiled_for_threads
def _any_outside(total: Singles, under: Any, over: Any) -> bool:
    count = 0
    for i in range(total.size):  # no early end, so that several are compared at a time
        count += (total[i] <= under) | (total[i] >= over)
    return count > 0


@compiled_for_threads
def _insert(found: Integers, distance: Array, record: int, d: float) -> None:
    """Puts a record among the nearest, if it is one of them."""
    place = found.size
    while place > 0 and (distance[place - 1] > d or (distance[place - 1] == d and found[place - 1] < record)):
        place -= 1
        if place + 1 < found.size:
            distance[place + 1], found[place + 1] = distance[place], found[place]
    if place < found.size:
        distance[place], found[place] = d, record
