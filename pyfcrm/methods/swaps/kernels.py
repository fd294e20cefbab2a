"""Compiled loops of calibration by swaps. Reference implementations are in tests/support/swaps.py; tests compare both.

`swap` swaps the values of two records in one column if this brings the cross sums nearer to their targets; `repair`
swaps values until records keep their bounds.
"""

from typing import NamedTuple

import numpy as np

from ...engine.compile import ZERO, compiled
from ...types import Array, Index, Mask, Places

ATTEMPTS = 64  # in one column before its reach is looked at again
WIDER, NARROWER = 4, 6  # reach grows where more than 1 in 4 are done, and shrinks where fewer than 1 in 6 are
STEP = 1.5


class Held(NamedTuple):
    """Bounds that each record must keep: held @ its values is at most what is left for it. g may be 0.

    values : (n, t), in the units of the release; held : (g, t); left : (n, g).
    """

    values: Array
    held: Array
    left: Array


class Shard(NamedTuple):
    """Records that swap values among themselves, every column a permutation of its target margin, and their distance
    from the target.

    records : (n, q + t), q columns that stay and the t of the release; target : (t, n), sorted; order : (t, n), the record
    that holds each rank; tie : (t,), the row of `first` and `after` for a column with equal values, or -1;
    first, after : (m, n), for each rank the first rank of the same value and the first of a larger one. metrics : (n, m), what
    products of two released columns are weighted by too; m may be 0.
    gap : (t, q + t + m t), the sums over records of each released column with every column, then by each metric with every
    released one, less the target sums; weight : the same, of their squares; 0 for a column with itself, metrics apart.
    reach : (t,), how far apart ranks may be that are swapped, as a share of the ranks between the nearer end and the record.
    bounds : that records keep. off : (n, d), how far each record's derived columns are from their targets; factors : (d, t), what
    a derived column gains where a released one gains 1; precision : (n, d), the weight of the squares of `off`; d may be 0.
    levels : (n, t), of records that swap a column's values among themselves; (n, 0) where there are none.
    """

    records: Array
    target: Array
    order: Places
    tie: Index
    first: Places
    after: Places
    metrics: Array
    gap: Array
    weight: Array
    reach: Array
    bounds: Held
    off: Array
    factors: Array
    precision: Array
    levels: Mask


class Chances(NamedTuple):
    """Where pairs are looked for. near : ranks from an end, (k,), each as likely as the next; tails : the share of attempts
    that start from such a rank, the others from any; far : the share whose other rank is any; widest : reach at most; slack : what a
    swap may add to the sum of squares."""

    near: Index
    tails: float
    far: float
    widest: float
    slack: float = 0.0


@compiled
def swap(shard: Shard, columns: Index, chances: Chances, u: Array) -> int:
    """Tries len(u) swaps, ATTEMPTS in each of `columns` in turn, and does those that reduce the weighted sum of squares
    of the gap, with that of derived columns. No record may leave its bounds, or go farther out. Returns their number. u
    : (m, 3) uniforms, m a multiple of ATTEMPTS."""
    records, target, order, reach, bounds = shard.records, shard.target, shard.order, shard.reach, shard.bounds
    n, width, q = target.shape[1], records.shape[1], records.shape[1] - target.shape[0]
    low, high = np.empty(ATTEMPTS, np.int64), np.empty(ATTEMPTS, np.int64)
    move, done, touched = np.empty(shard.gap.shape[1]), 0, 0.0
    for start in range(0, u.shape[0], ATTEMPTS):
        j = columns[(start // ATTEMPTS) % columns.size]
        holders, values = order[j], target[j]
        _choose(shard, j, reach[j], chances, u[start : start + ATTEMPTS], low, high)
        # What a swap needs stands together in memory.
        for i in range(ATTEMPTS):
            a, b = holders[low[i]], holders[max(high[i], 0)]
            touched += records[a, 0] + records[b, 0] + records[a, width - 1] + records[b, width - 1]
        tried, accepted = 0, 0
        for i in range(ATTEMPTS):
            if high[i] < 0:
                continue
            a, b, rise = holders[low[i]], holders[high[i]], values[high[i]] - values[low[i]]
            if shard.levels.shape[1] and shard.levels[a, j] != shard.levels[b, j]:
                continue
            tried += 1
            change = 0.0
            for k in range(width):
                move[k] = rise * (records[a, k] - records[b, k])
                change += shard.weight[j, k] * move[k] * (2 * shard.gap[j, k] + move[k])
            if shard.metrics.shape[1]:
                change += _by_metrics(shard, j, a, b, rise, move)
            if shard.off.shape[1]:
                change += _of_derived(shard, j, a, b, rise)
            if change < chances.slack and _allowed(bounds, j, a, b):
                accepted += 1
                if bounds.held.shape[0]:
                    change_places(bounds, j, a, b)
                _done(shard.gap, j, q, move)
                for c in range(shard.off.shape[1]):
                    shard.off[a, c] += shard.factors[c, j] * rise
                    shard.off[b, c] -= shard.factors[c, j] * rise
                records[a, q + j], records[b, q + j] = values[high[i]], values[low[i]]
                holders[low[i]], holders[high[i]] = b, a
        if WIDER * accepted > tried:
            reach[j] = min(chances.widest, reach[j] * STEP)
        elif NARROWER * accepted < tried:
            reach[j] = max(1.0 / n, reach[j] / STEP)
        done += accepted
    return done if touched < np.inf else -1  # so that the touching is not left out


@compiled
def room(bounds: Held, a: int, c: int, j: int, value: float) -> float:
    """The slack of bound c in record a with this value of column j; below 0 where the bound is violated."""
    left = bounds.left[a, c]
    for k in range(bounds.held.shape[1]):
        left -= bounds.held[c, k] * (value if k == j else bounds.values[a, k])
    return left


@compiled
def change_places(bounds: Held, j: int, a: int, b: int) -> None:
    """Records a and b swap their values of column j."""
    values = bounds.values
    values[a, j], values[b, j] = values[b, j], values[a, j]


@compiled
def _allowed(bounds: Held, j: int, a: int, b: int) -> bool:
    """Whether a swap of column j between records a and b violates no bound that holds, and none more than before."""
    for c in range(bounds.held.shape[0]):
        if bounds.held[c, j] != 0.0:
            for record, other in ((a, b), (b, a)):
                left = room(bounds, record, c, j, bounds.values[other, j])
                if left < 0 and left < room(bounds, record, c, j, bounds.values[record, j]):
                    return False
    return True


@compiled
def _by_metrics(shard: Shard, j: int, a: int, b: int, rise: float, move: Array) -> float:
    """What a swap of column j between records a and b, by which a gains `rise`, changes the weighted sum of squares of the
    gaps by metrics by; `move` records each."""
    records, metrics, t = shard.records, shard.metrics, shard.target.shape[0]
    q, at = records.shape[1] - t, records.shape[1]
    squares, change = rise * (records[a, q + j] + records[b, q + j]), 0.0
    for c in range(metrics.shape[1]):
        one, other = metrics[a, c], metrics[b, c]
        for k in range(t):
            move[at + k] = rise * (one * records[a, q + k] - other * records[b, q + k])
        move[at + j] = (one - other) * squares
        for k in range(t):
            change += shard.weight[j, at + k] * move[at + k] * (2 * shard.gap[j, at + k] + move[at + k])
        at += t
    return change


@compiled
def _of_derived(shard: Shard, j: int, a: int, b: int, rise: float) -> float:
    """What a swap of column j between records a and b, by which a gains `rise`, changes the weighted squares of `off` by."""
    change = 0.0
    for c in range(shard.off.shape[1]):
        gain = shard.factors[c, j] * rise
        change += shard.precision[a, c] * gain * (2 * shard.off[a, c] + gain)
        change -= shard.precision[b, c] * gain * (2 * shard.off[b, c] - gain)
    return change


@compiled
def _done(gap: Array, j: int, q: int, move: Array) -> None:
    """The gaps after a swap in column j that moved its sums by `move`."""
    t = gap.shape[0]
    for k in range(gap.shape[1]):
        gap[j, k] += move[k]
    gap[j, q + j] = 0.0
    for at in range(q, gap.shape[1], t):
        for k in range(t):
            gap[k, at + j] = gap[j, at + k]


@compiled
def _choose(shard: Shard, j: int, reach: float, chances: Chances, u: Array, low: Index, high: Index) -> None:
    """Fills low and high with two ranks of column j, whose values differ, for each row of u; high is -1 where none was found."""
    n, ends = shard.target.shape[1], chances.near.size
    tie, values = shard.tie[j], shard.target[j]
    for i in range(u.shape[0]):
        if u[i, 0] < chances.tails:
            place = int(u[i, 0] / chances.tails * 2 * ends)
            p = chances.near[place] if place < ends else n - 1 - chances.near[place - ends]
        else:
            p = int((u[i, 0] - chances.tails) / (1 - chances.tails) * n)
        low[i], high[i] = p, -1
        if u[i, 1] < chances.far:
            r = int(u[i, 1] / chances.far * n)
            high[i] = r if values[r] != values[p] else -1
            continue
        step = int((u[i, 1] - chances.far) / (1 - chances.far) * reach * min(p + 1, n - p))
        if tie < 0:
            high[i] = p + 1 + step if p + 1 + step < n else -1
            continue
        r = shard.after[tie, p] + step
        if r < n:
            first = shard.first[tie, r]
            high[i] = first + int(u[i, 2] * (shard.after[tie, r] - first))


@compiled
def repair(target: Array, order: Index, rank: Index, bounds: Held, size: Array, todo: Index, u: Array) -> int:
    """Tries len(u) swaps, for each record of `todo` in turn, and does those after which the two violate bounds less;
    returns their number. target : (t, n), values by column, sorted; order : (t, n), the record that holds each rank;
    rank : (t, n), the rank of each record's value; size : (g,), the unit of each bound; u : (m, 2) uniforms.

    One uniform chooses a column of a broken bound, the other the distance of the partner's rank on the side that helps.
    Distances from 1 to 10 are as likely as those from 10 to 100.
    """
    n, done = target.shape[1], 0
    for i in range(u.shape[0]):
        a = todo[i % todo.size]
        c, j = _broken(bounds, a, u[i, 0])
        if c < 0:
            continue
        value = bounds.values[a, j]
        lower, larger = np.searchsorted(target[j], value), np.searchsorted(target[j], value, side="right")
        m = lower if bounds.held[c, j] > 0 else n - larger
        if m == 0:
            continue
        step = min(int((m + 1.0) ** u[i, 1]), m)
        r = lower - step if bounds.held[c, j] > 0 else larger + step - 1
        b, p = order[j, r], rank[j, a]
        before = _outside(bounds, size, a) + _outside(bounds, size, b)
        change_places(bounds, j, a, b)
        if _outside(bounds, size, a) + _outside(bounds, size, b) < before:
            order[j, p], order[j, r] = b, a
            rank[j, a], rank[j, b] = r, p
            done += 1
        else:
            change_places(bounds, j, a, b)
    return done


@compiled
def _broken(bounds: Held, a: int, share: float) -> tuple[int, int]:
    """A bound that record a violates and a column of it, the one at this share of all such; -1, -1 where there is none."""
    places, many = np.empty((bounds.held.size, 2), np.int64), 0
    for c in range(bounds.held.shape[0]):
        if room(bounds, a, c, ZERO, bounds.values[a, 0]) < 0:
            for j in range(bounds.held.shape[1]):
                if bounds.held[c, j] != 0.0:
                    places[many, 0], places[many, 1] = c, j
                    many += 1
    if many == 0:
        return -1, -1
    chosen = int(share * many)
    return places[chosen, 0], places[chosen, 1]


@compiled
def _outside(bounds: Held, size: Array, a: int) -> float:
    """How far record a violates its bounds, each in its own unit."""
    far = 0.0
    for c in range(bounds.held.shape[0]):
        left = room(bounds, a, c, ZERO, bounds.values[a, 0])
        if left < 0:
            far -= left / size[c]
    return far
