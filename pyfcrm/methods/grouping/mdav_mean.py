"""The record farthest from the mean of what is left, without looking at every block.

The mean is kept up to date, and of each block how far its records were when it was last looked at. Where rounding of
that mean could decide, nothing is decided here: the caller adds it up again first record to last, as the plain twin.
"""

from __future__ import annotations

import numpy as np

from ...compiling import compiled_for_threads
from .mdav_blocks import Array, Blocks, Integers
from .mdav_scan import TINY, exact_distance, rounding, single_distances, to_blocks

ROUNDOFF = 2.0**-53
SLACK = 1e-9  # relative, on bounds: far more than their rounding
CLOSE = 1e-13  # relative: distances this close may be told apart by rounding alone


@compiled_for_threads
def farthest_from_mean(made: Blocks, mean: Array, unsure: float, reach: Array, seen: Array) -> int:
    """The first of the records farthest from the mean; -1 if rounding of the mean could choose another.

    unsure : see uncertainty. reach, seen : the greatest distance in each block when it was last looked at (blocks,),
    inf at first, and from where (p, blocks); kept from call to call.
    """
    q, total = np.empty(mean.size, np.float32), np.empty(made.x.shape[2], np.float32)
    square = to_blocks(made, mean, q)
    bound = _bounds(made, mean, reach, seen)
    start = np.argmax(bound)
    best, farthest, rival, enough = -1.0, -1, -1.0, -1.0
    for turn in range(-1, bound.size):
        b = start if turn < 0 else turn
        if bound[b] < enough:
            continue
        bound[b] = -np.inf  # once is enough
        single_distances(made.x[b], made.squares[b], q, total)
        off = rounding(made.radius[b], square, q.size)
        high, over = np.float32(-np.inf), np.float32(enough - square - off)
        for i in range(total.size):
            high = total[i] if total[i] > high else high
            if total[i] >= over:
                record = made.ids[b, i]
                d = exact_distance(made, record, mean)
                if d > best or (d == best and record < farthest):
                    best, rival, farthest = d, best, record
                    enough = best - _margin(best, unsure)
                elif d > rival:
                    rival = d
        reach[b] = np.sqrt(max(0.0, float(high) + square + off))
        for j in range(mean.size):
            seen[j, b] = mean[j]
    return -1 if unsure > 0 and rival >= enough else farthest


@compiled_for_threads
def _bounds(made: Blocks, mean: Array, reach: Array, seen: Array) -> Array:
    """What no squared distance from the mean is above, in each block."""
    bound = np.zeros(reach.size)
    for j in range(mean.size):
        for b in range(bound.size):
            moved = mean[j] - seen[j, b]
            bound[b] += made.weights[j] * (moved * moved)
    for b in range(bound.size):
        bound[b] = (reach[b] + np.sqrt(bound[b])) ** 2 * (1 + SLACK) + TINY
    return bound


@compiled_for_threads
def _margin(best: float, unsure: float) -> float:
    return 4 * (2 * np.sqrt(best) * unsure + unsure * unsure) + CLOSE * best if unsure > 0 else 0.0


@compiled_for_threads
def sums_left(made: Blocks, labels: Integers, sums: Array) -> None:
    """Fills sums (p,) with those of the records whose label is -1, first record to last."""
    sums[:] = 0.0
    for i in range(labels.size):
        if labels[i] < 0:
            for j in range(sums.size):
                sums[j] += made.rows[i, j]


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
