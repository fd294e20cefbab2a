"""Compiled MDAV: the nearest records to a point, the farthest, and the farthest from the mean of the records left.

Records are stored in blocks of near ones, rebuilt whenever half of the records are gone. A bounding box rules out a whole
block, a distance in single precision rules out a record. All others are measured as mdav.squared_distances does it, so that
no rounding but that one decides.

The mean is updated, with the largest distance in each block at its last scan. Where rounding of that mean could decide, the
caller adds it up again from first record to last.

The reference implementation is mdav.mdav_labels: the same groups, with ties.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.compile import compiled, compiled_freely
from ...numerics.box_tree import box_tree
from ...progress import OnStep, discard
from ...types import Array, Integers

SINGLE = 2.0**-24  # unit roundoff
TINY = 1e-30  # squares far below it vanish in single precision
FIRST = 4  # blocks taken by their bounds, before the others as they lie
ROUNDOFF = 2.0**-53
SLACK = 1e-9  # relative, on bounds: far more than their rounding
CLOSE = 1e-13  # relative: distances this close may differ by rounding alone
BLOCK = 128  # records
AT_ONCE = 1000  # groups; after each batch the progress is reported and the work can be cancelled
Singles = NDArray[np.float32]


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
    order = box_tree(points).names[:n] if points.shape[1] else np.arange(n)  # near ones side by side
    # The last block is filled up with one of its records, so that its box does not grow.
    ids = np.append(order, np.full(-n % size, order[-1])).reshape(-1, size)
    x = np.ascontiguousarray(points[ids].transpose(0, 2, 1))
    squares = np.square(x).sum(axis=1)
    place = np.empty_like(order)
    place[order] = np.arange(n)
    radius = np.sqrt(squares.max(axis=1).astype(np.float64))
    squares.reshape(-1)[n:] = np.nan
    return Blocks(
        rows=rows,
        weights=weights,
        center=center,
        scale=scale,
        x=x,
        squares=squares,
        ids=ids,
        place=place,
        low=np.ascontiguousarray(x.min(axis=2).T),
        high=np.ascontiguousarray(x.max(axis=2).T),
        radius=radius,
    )


@compiled
def scan(grid: Blocks, point: Array, k: int, far: bool) -> tuple[Integers, int]:
    """(k,) the records nearest to the point, of equally near ones the last in the file first, and the first of the farthest
    records if it is requested, else -1."""
    q, square = to_blocks(grid, point)
    lower, upper = _bounds(grid, q, square)
    found, distance, total = np.full(k, -1), np.full(k, np.inf), np.empty(grid.x.shape[2], np.float32)
    most, farthest = (-1.0 if far else np.inf), -1
    for turn in range(-FIRST - k // total.size, len(lower)):
        b = turn
        if turn < 0:
            b = int(np.argmax(upper)) if turn == -1 else int(np.argmin(lower))
        if not (lower[b] < distance[-1] or upper[b] > most):
            continue
        lower[b], upper[b] = np.inf, -np.inf  # once is enough
        single_distances(grid.x[b], grid.squares[b], q, total)
        off = rounding(grid.radius[b], square, q.size)
        under, over = np.float32(distance[-1] - square + off), np.float32(most - square - off)
        if not _any_outside(total, under, over):
            continue
        for i in range(total.size):
            if total[i] <= under or total[i] >= over:
                record = grid.ids[b, i]
                d = exact_distance(grid, record, point)
                if far and (d > most or (d == most and record < farthest)):
                    most, farthest = d, record
                _insert(found, distance, record, d)
                under, over = np.float32(distance[-1] - square + off), np.float32(most - square - off)
    return found, farthest


@compiled
def to_blocks(grid: Blocks, point: Array) -> tuple[Singles, float]:
    """q (p,), the point where the blocks' x lie, and |q|^2."""
    q = (point - grid.center) * grid.scale
    return q.astype(np.float32), (q * q).sum()


@compiled
def exact_distance(grid: Blocks, record: int, point: Array) -> float:
    """As mdav.squared_distances: added attribute by attribute, first to last."""
    total = 0.0
    for j in range(point.size):
        d = grid.rows[record, j] - point[j]
        total += grid.weights[j] * (d * d)
    return total


@compiled
def rounding(radius: Any, square: float, p: int) -> Any:
    """How far off squared distances to q in single precision can be, for |x| up to `radius`, |q|^2 = square.

    |x|^2 - 2 qx: at most 5/4 p + 4 roundings of terms that make (|x| + |q|)^2 together, and 5 more for x, q and |q|^2.
    Bounds by boxes: p + 3 of at most twice as much; where they are larger they say nothing.
    """
    return 2 * (p + 6) * SINGLE * (radius + np.sqrt(square)) ** 2 + TINY


@compiled_freely("contract")
def single_distances(x: Singles, squares: Singles, q: Singles, total: Singles) -> None:
    """Fills total (B,) with |x|^2 - 2 qx, the squared distances less |q|^2."""
    for i in range(total.size):
        total[i] = squares[i]
    for j in range(q.size):
        a = np.float32(-2) * q[j]
        for i in range(total.size):
            total[i] += a * x[j, i]


@compiled
def _bounds(grid: Blocks, q: Singles, square: float) -> tuple[Any, Any]:
    """What no squared distance from q is below, or above, in each block."""
    lower, upper = np.zeros((2, len(grid.x)), np.float32)
    for j in range(q.size):
        for b in range(lower.size):
            left, right = q[j] - grid.low[j, b], grid.high[j, b] - q[j]
            far, near = max(left, right), max(-min(left, right), np.float32(0))
            lower[b] += near * near
            upper[b] += far * far
    off = rounding(grid.radius, square, q.size)
    return lower - off, upper + off


@compiled
def _any_outside(total: Singles, under: Any, over: Any) -> bool:
    count = 0
    for i in range(total.size):  # no early end, so that several are compared at a time
        count += (total[i] <= under) | (total[i] >= over)
    return count > 0


@compiled
def _insert(found: Integers, distance: Array, record: int, d: float) -> None:
    """Puts a record among the nearest, if it is one of them."""
    place = found.size
    while place > 0 and (distance[place - 1] > d or (distance[place - 1] == d and found[place - 1] < record)):
        place -= 1
        if place + 1 < found.size:
            distance[place + 1], found[place + 1] = distance[place], found[place]
    if place < found.size:
        distance[place], found[place] = d, record


@compiled
def farthest_from_mean(grid: Blocks, mean: Array, unsure: float, reach: Array, seen: Array) -> int:
    """The first of the records farthest from the mean; -1 if rounding of the mean could choose another.

    unsure : see uncertainty. reach, seen : the greatest distance in each block when it was last looked at (blocks,),
    inf at first, and from where (p, blocks); kept from call to call.
    """
    (q, square), total = to_blocks(grid, mean), np.empty(grid.x.shape[2], np.float32)
    bound = _bounds_to_mean(grid, mean, reach, seen)
    start = np.argmax(bound)
    best, farthest, rival, enough = -1.0, -1, -1.0, -1.0
    for turn in range(-1, bound.size):
        b = start if turn < 0 else turn
        if bound[b] < enough:
            continue
        bound[b] = -np.inf  # once is enough
        single_distances(grid.x[b], grid.squares[b], q, total)
        off = rounding(grid.radius[b], square, q.size)
        high, over = np.float32(-np.inf), np.float32(enough - square - off)
        for i in range(total.size):
            high = total[i] if total[i] > high else high
            if total[i] >= over:
                record = grid.ids[b, i]
                d = exact_distance(grid, record, mean)
                if d > best or (d == best and record < farthest):
                    best, rival, farthest = d, best, record
                    enough = best - 4 * (2 * np.sqrt(best) + unsure) * unsure - CLOSE * best
                elif d > rival:
                    rival = d
        reach[b] = np.sqrt(max(0.0, float(high) + square + off))
        seen[:, b] = mean
    return -1 if unsure > 0 and rival >= enough else farthest


@compiled
def _bounds_to_mean(grid: Blocks, mean: Array, reach: Array, seen: Array) -> Array:
    """What no squared distance from the mean is above, in each block."""
    bound = np.zeros(reach.size)
    for j in range(mean.size):
        bound += grid.weights[j] * (mean[j] - seen[j]) ** 2
    return (reach + np.sqrt(bound)) ** 2 * (1 + SLACK) + TINY


@compiled
def sums_left(grid: Blocks, labels: Integers, sums: Array) -> None:
    """Fills sums (p,) with those of the records whose label is -1, first record to last."""
    sums[:] = 0.0
    for i in range(labels.size):
        if labels[i] < 0:
            sums += grid.rows[i]


def uncertainty(rows: Array, weights: Array) -> float:
    """How far apart, as distances go, two means of rows (n, p) can be that are rounded differently; 0 if none is.

    A sum of n values within M, kept by adding and subtracting until half of them are gone, is off by 2 n u n M at most
    (u the unit roundoff), the mean by 4 n u M, and one added first to last by n u M. Whole numbers, in units of any
    power of two, are added without rounding while n M is below 2^53 units.
    """
    most = len(rows) * np.abs(rows).max(axis=0)
    units = np.ldexp(rows, 53 - np.frexp(most)[1])
    if (units == np.rint(units)).all():
        return 0.0
    off = 8 * ROUNDOFF * most
    return max(float(np.sqrt((weights * off * off).sum())), np.finfo(np.float64).tiny)


def mdav_compiled(columns: Array, weights: Array, k: int, on_step: OnStep = discard, size: int = BLOCK) -> Integers:
    """(n,) the labels of MDAV's groups of columns (p, n), weights (p,) of the squared differences.

    size : records in a block, which changes no group; on_step : called with (records grouped, n) now and then.
    """
    rows, group = np.ascontiguousarray(columns.T), 0
    labels, left = np.empty(len(rows), dtype=np.int64), np.arange(len(rows))
    while len(left) >= 2 * k:
        grid, assigned = blocked(rows, weights, size), np.full(len(left), -1)
        unsure, remaining, p = uncertainty(rows, weights), len(left), rows.shape[1]
        state = np.full(len(grid.x), np.inf), np.zeros((p, len(grid.x))), np.empty(p)
        sums_left(grid, assigned, state[2])
        while remaining >= 2 * k and 2 * remaining >= len(left):
            on_step(k * group, len(labels))
            before, group = group, _some(grid, state, k, group, group + AT_ONCE, assigned, unsure)
            remaining -= k * (group - before)
        labels[left] = assigned
        rows, left = rows[assigned < 0], left[assigned < 0]
    labels[left] = group
    return labels


@compiled
def _some(grid: Blocks, state: Any, k: int, group: int, last: int, labels: Integers, unsure: float) -> int:
    """Groups from label `group` on, until fewer than half of the records, or than 2k, are left, or label `last` is
    reached or just passed; returns the next label.

    labels : (n,) -1 for the records left. unsure : see uncertainty. state : reach and seen of farthest_from_mean, sums (p,) of
    the records left.
    """
    reach, seen, sums = state
    n, left = len(grid.rows), (labels < 0).sum()
    while left >= 2 * k and 2 * left >= n and group < last:
        point = sums / left
        record = farthest_from_mean(grid, point, unsure, reach, seen)
        if record < 0:
            sums_left(grid, labels, sums)
            point = sums / left
        # From the mean again, if need be; from the farthest record; from the opposite one, found before any have left.
        for turn in range(0 if record < 0 else 1, 3):
            if turn > 0:
                point = grid.rows[record]
            found, record = scan(grid, point, k, turn < 2)
            if turn > 0:
                _take(grid, found, labels, group, sums)
                left, group = left - k, group + 1
            if left < 2 * k:
                break
    return group


@compiled
def _take(grid: Blocks, found: Integers, labels: Integers, group: int, sums: Array) -> None:
    for record in found:
        grid.squares.reshape(-1)[grid.place[record]] = np.nan
        labels[record] = group
        sums -= grid.rows[record]
