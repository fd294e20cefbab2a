"""Compiled loops of calibration by swaps. Reference implementations are in tests/support/swaps.py; tests compare both.

`swap` swaps the values of two records in one column if this brings the cross sums nearer to their targets; `repair`
swaps values until records keep their bounds.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.compile import ZERO, compiled
from ...types import Array, Index, Places

ATTEMPTS = 64  # in one column, before its reach is adapted
WIDER = 4  # reach grows where more than 1 attempt in 4 succeeds
NARROWER = 6  # and shrinks where fewer than 1 in 6 do
STEP = 1.5  # factor by which reach grows or shrinks


class Held(NamedTuple):
    """Bounds that each record must satisfy: held @ values <= left. There are g of them, and g may be 0."""

    values: Array
    """Values of the release (n, t), in its units."""
    held: Array
    """Factors of the released columns in each bound (g, t)."""
    left: Array
    """What the unmodified columns leave for the released ones, by record and bound (n, g)."""


class Shard(NamedTuple):
    """Records that swap values among themselves, and the distance of their cross sums from the targets.

    Each of t released columns is a permutation of its target margin; q columns are unmodified.
    """

    records: Array
    """The q unmodified columns, then the t released ones (n, q + t)."""
    target: Array
    """Sorted values of each released column (t, n)."""
    order: Places
    """The record that has each rank (t, n)."""
    tie: Index
    """The row of `first` and `after` for each column with equal values, else -1 (t,)."""
    first: Places
    """The first rank of the same value, for each rank of a column with equal values (c, n)."""
    after: Places
    """The first rank of a larger value, for the same ranks (c, n)."""
    metrics: Array
    """Factors of further cross sums of two released columns: weights, or indicators of a level (n, m); m may be 0."""
    gap: Array
    """Cross sums less their targets (t, q + t + m t): each released column with every column, then with each released column
    by the first metric, and so on."""
    weight: Array
    """Weights of the squares of `gap`, of the same shape; 0 for a column with itself, except by metrics."""
    reach: Array
    """How far apart swapped ranks may be, as a share of the ranks between a record and the nearer end (t,)."""
    bounds: Held
    """Bounds that records satisfy."""
    off: Array
    """Distance of derived columns from their targets, by record (n, d); d may be 0."""
    factors: Array
    """What a derived column gains if a released column gains 1 (d, t)."""
    precision: Array
    """Weights of the squares of `off` (n, d)."""
    levels: NDArray[np.int8]
    """The level of each record, within which the values of a column are swapped (n, t); (n, 0) without levels."""
    home: Array
    """The rank of each record before any swap, as a share of n (n, t); equal codes are at the middle of their ranks."""


class Chances(NamedTuple):
    """The distribution of the pairs that are tried."""

    near: Index
    """Ranks counted from an end (k,), each equally likely."""
    tails: float
    """Share of attempts that start from such a rank; the others start from any rank."""
    far: float
    """Share of attempts whose other rank is any rank, whatever the reach."""
    widest: float
    """Largest reach."""
    slack: float = 0.0
    """What a swap may add to the sum of squares."""
    stay: Array = np.zeros(0)
    """Weight by column of the squared distances of ranks, as shares of n, from those before any swap (t,); (0,) for none."""


@compiled
def swap(shard: Shard, columns: Index, chances: Chances, u: Array) -> int:
    """Tries len(u) swaps, ATTEMPTS in each of `columns` in turn, and returns how many were done.

    A swap is done where it reduces the weighted sum of squares of the gap, with those of derived columns and of ranks, or adds
    less than the slack. No record may violate its bounds, or more than before. u : (a, 3) uniforms, a a multiple of ATTEMPTS.
    """
    records = shard.records
    reach = shard.reach
    bounds = shard.bounds
    n = shard.target.shape[1]
    width = records.shape[1]
    q = width - shard.target.shape[0]
    low = np.empty(ATTEMPTS, np.int64)
    high = np.empty(ATTEMPTS, np.int64)
    move = np.empty(shard.gap.shape[1])
    done = 0
    touched = 0.0
    for start in range(0, u.shape[0], ATTEMPTS):
        j = columns[(start // ATTEMPTS) % columns.size]
        holders = shard.order[j]
        values = shard.target[j]
        _choose(shard, j, reach[j], chances, u[start : start + ATTEMPTS], low, high)
        # Reading both ends of each record first brings it into the processor's cache: the reads do not wait for each other.
        for i in range(ATTEMPTS):
            a = holders[low[i]]
            b = holders[max(high[i], 0)]
            touched += records[a, 0] + records[b, 0] + records[a, width - 1] + records[b, width - 1]
        tried = 0
        accepted = 0
        for i in range(ATTEMPTS):
            if high[i] < 0:
                continue
            a = holders[low[i]]
            b = holders[high[i]]
            rise = values[high[i]] - values[low[i]]
            if shard.levels.shape[1] and shard.levels[a, j] != shard.levels[b, j]:
                continue
            tried += 1
            # a gains `rise` and b loses it. Each sum moves by d, and its square by (gap + d)^2 - gap^2 = d (2 gap + d).
            change = 0.0
            for k in range(width):
                move[k] = rise * (records[a, k] - records[b, k])
                change += shard.weight[j, k] * move[k] * (2 * shard.gap[j, k] + move[k])
            if shard.metrics.shape[1]:
                change += _by_metrics(shard, j, a, b, rise, move)
            if shard.off.shape[1]:
                change += _of_derived(shard, j, a, b, rise)
            if chances.stay.size:
                # (high - home_a)^2 + (low - home_b)^2 less the same before the swap.
                farther = 2 * (high[i] - low[i]) / n * (shard.home[b, j] - shard.home[a, j])
                change += chances.stay[j] * farther
            if change < chances.slack and _allowed(bounds, j, a, b):
                accepted += 1
                if bounds.held.shape[0]:
                    change_places(bounds, j, a, b)
                _done(shard.gap, j, q, move)
                for c in range(shard.off.shape[1]):
                    shard.off[a, c] += shard.factors[c, j] * rise
                    shard.off[b, c] -= shard.factors[c, j] * rise
                records[a, q + j] = values[high[i]]
                records[b, q + j] = values[low[i]]
                holders[low[i]] = b
                holders[high[i]] = a
        if WIDER * accepted > tried:
            reach[j] = min(chances.widest, reach[j] * STEP)
        elif NARROWER * accepted < tried:
            reach[j] = max(1.0 / n, reach[j] / STEP)
        done += accepted
    return done if touched < np.inf else -1  # a use of `touched`, without which the compiler omits the reads


@compiled
def room(bounds: Held, a: int, c: int, j: int, value: float) -> float:
    """Slack of bound c in record a, if its value of column j were `value`; below 0 where the bound is violated."""
    left = bounds.left[a, c]
    for k in range(bounds.held.shape[1]):
        left -= bounds.held[c, k] * (value if k == j else bounds.values[a, k])
    return left


@compiled
def change_places(bounds: Held, j: int, a: int, b: int) -> None:
    """Swaps the values of column j between records a and b."""
    values = bounds.values
    values[a, j], values[b, j] = values[b, j], values[a, j]


@compiled
def _allowed(bounds: Held, j: int, a: int, b: int) -> bool:
    """Whether a swap of column j between records a and b leaves satisfied bounds satisfied, and violates no other one more."""
    for c in range(bounds.held.shape[0]):
        if bounds.held[c, j] != 0.0:
            for record, other in ((a, b), (b, a)):
                left = room(bounds, record, c, j, bounds.values[other, j])
                if left < 0 and left < room(bounds, record, c, j, bounds.values[record, j]):
                    return False
    return True


@compiled
def _by_metrics(shard: Shard, j: int, a: int, b: int, rise: float, move: Array) -> float:
    """Change of the weighted squares of the gaps by metrics, if a swap of column j moves `rise` from record b to record a.

    The change of each sum is written to `move`, behind those of the plain sums. With metric g, column j and another column z,
    the sum of g z_j z changes by rise (g_a z_a - g_b z_b). The sum of g z_j^2 changes by rise (g_a - g_b) (z_ja + z_jb).
    """
    records = shard.records
    metrics = shard.metrics
    t = shard.target.shape[0]
    at = records.shape[1]  # where the sums by the current metric begin
    q = at - t
    squares = rise * (records[a, q + j] + records[b, q + j])
    change = 0.0
    for c in range(metrics.shape[1]):
        of_a = metrics[a, c]
        of_b = metrics[b, c]
        for k in range(t):
            move[at + k] = rise * (of_a * records[a, q + k] - of_b * records[b, q + k])
        move[at + j] = (of_a - of_b) * squares
        for k in range(t):
            change += shard.weight[j, at + k] * move[at + k] * (2 * shard.gap[j, at + k] + move[at + k])
        at += t
    return change


@compiled
def _of_derived(shard: Shard, j: int, a: int, b: int, rise: float) -> float:
    """Change of the weighted squares of `off`, if a swap of column j moves `rise` from record b to record a."""
    change = 0.0
    for c in range(shard.off.shape[1]):
        gain = shard.factors[c, j] * rise
        change += shard.precision[a, c] * gain * (2 * shard.off[a, c] + gain)
        change -= shard.precision[b, c] * gain * (2 * shard.off[b, c] - gain)
    return change


@compiled
def _done(gap: Array, j: int, q: int, move: Array) -> None:
    """Adds the change `move` (q + t + m t) of a swap in column j to the gaps. The sums of two released columns are symmetric."""
    t = gap.shape[0]
    for k in range(gap.shape[1]):
        gap[j, k] += move[k]
    gap[j, q + j] = 0.0
    for at in range(q, gap.shape[1], t):
        for k in range(t):
            gap[k, at + j] = gap[j, at + k]


@compiled
def _choose(shard: Shard, j: int, reach: float, chances: Chances, u: Array, low: Index, high: Index) -> None:
    """Fills `low` and `high` with two ranks of column j whose values differ, for each row of u; high is -1 where there are none.

    u : (ATTEMPTS, 3). The first uniform chooses a rank, the second the distance of the other, the third one of the records
    that have the other's value. A uniform below a share, over this share, is a uniform again; so is the rest above it.
    """
    n = shard.target.shape[1]
    ends = chances.near.size
    tie = shard.tie[j]
    values = shard.target[j]
    for i in range(u.shape[0]):
        if u[i, 0] < chances.tails:  # one of the ranks near the low end, or near the high end
            place = int(u[i, 0] / chances.tails * 2 * ends)
            p = chances.near[place] if place < ends else n - 1 - chances.near[place - ends]
        else:
            p = int((u[i, 0] - chances.tails) / (1 - chances.tails) * n)
        low[i] = p
        high[i] = -1
        if u[i, 1] < chances.far:  # any rank
            r = int(u[i, 1] / chances.far * n)
            high[i] = r if values[r] != values[p] else -1
            continue
        # A larger value, up to `reach` times as many ranks above it as there are to the nearer end.
        nearer_end = min(p + 1, n - p)
        step = int((u[i, 1] - chances.far) / (1 - chances.far) * reach * nearer_end)
        if tie < 0:  # all values differ
            high[i] = p + 1 + step if p + 1 + step < n else -1
            continue
        r = shard.after[tie, p] + step
        if r < n:
            first = shard.first[tie, r]
            high[i] = first + int(u[i, 2] * (shard.after[tie, r] - first))


@compiled
def repair(
    target: Array,
    order: Index,
    rank: Index,
    bounds: Held,
    unit: Array,
    violating: Index,
    levels: NDArray[np.int8],
    u: Array,
) -> int:
    """Tries len(u) swaps, for each violating record in turn, and returns how many were done: those after which the two
    records violate bounds less.

    target : (t, n), sorted values of each column; order : (t, n), the record that has each rank; rank : (t, n), the rank of
    each record; unit : (g,), of each bound; violating : numbers of records; levels : see Shard; u : (a, 2) uniforms.

    One uniform chooses a column of a violated bound, the other the distance of the partner's rank on the side that helps.
    Distances from 1 to 10 are as likely as those from 10 to 100.
    """
    n = target.shape[1]
    done = 0
    for i in range(u.shape[0]):
        a = violating[i % violating.size]
        c, j = _broken(bounds, a, u[i, 0])
        if c < 0:
            continue
        value = bounds.values[a, j]
        smaller = np.searchsorted(target[j], value)  # number of smaller values
        up_to_value = np.searchsorted(target[j], value, side="right")  # of smaller and equal ones
        needs_less = bounds.held[c, j] > 0
        m = smaller if needs_less else n - up_to_value  # ranks on the side that helps
        if m == 0:
            continue
        # From 1 to m with equal chances on a scale of logarithms.
        step = min(int((m + 1.0) ** u[i, 1]), m)
        r = smaller - step if needs_less else up_to_value + step - 1
        b = order[j, r]
        if levels.shape[1] and levels[a, j] != levels[b, j]:
            continue
        p = rank[j, a]
        before = _outside(bounds, unit, a) + _outside(bounds, unit, b)
        change_places(bounds, j, a, b)
        if _outside(bounds, unit, a) + _outside(bounds, unit, b) < before:
            order[j, p] = b
            order[j, r] = a
            rank[j, a] = r
            rank[j, b] = p
            done += 1
        else:
            change_places(bounds, j, a, b)
    return done


@compiled
def _broken(bounds: Held, a: int, share: float) -> tuple[int, int]:
    """A bound that record a violates and one of its columns, at this share of all such pairs; -1, -1 where there is none."""
    pairs = np.empty((bounds.held.size, 2), np.int64)
    count = 0
    for c in range(bounds.held.shape[0]):
        if room(bounds, a, c, ZERO, bounds.values[a, 0]) < 0:  # with the record's own value in column 0: as it is
            for j in range(bounds.held.shape[1]):
                if bounds.held[c, j] != 0.0:
                    pairs[count, 0] = c
                    pairs[count, 1] = j
                    count += 1
    if count == 0:
        return -1, -1
    chosen = int(share * count)
    return pairs[chosen, 0], pairs[chosen, 1]


@compiled
def _outside(bounds: Held, unit: Array, a: int) -> float:
    """Sum of the amounts by which record a violates bounds, each in the bound's unit."""
    total = 0.0
    for c in range(bounds.held.shape[0]):
        slack = room(bounds, a, c, ZERO, bounds.values[a, 0])
        if slack < 0:
            total -= slack / unit[c]
    return total
