"""The inner loops that the fuzzy kernels share: 256 records side by side, one to a lane, so that they vectorise.

An array (k, LANES) holds k values of each record. The caller clears the lanes beyond its last record. Compiled
kernels that use these are kept on disk by their own file: after a change here, remove fuzzy/__pycache__.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.compile import TWO, compiled, compiled_freely
from ..types import Array

LANES = 256
TALL, WIDE = 2, 8  # weighted_sums takes so many rows of weights and of values at a time


def in_lanes(U: Array) -> Array:
    """A membership (n, c) as the kernels keep it: (n / 256 rounded up, c, 256), 0 beyond the last record."""
    n, c = U.shape
    lanes = aligned(-(-n // LANES) * c).reshape(-1, c, LANES)
    for q in range(len(lanes)):
        records = U[q * LANES : (q + 1) * LANES]
        lanes[q, :, : len(records)] = records.T
    return lanes


def from_lanes(lanes: Array, n: int) -> Array:
    """The membership (n, c) kept as `in_lanes` says."""
    U = np.empty((n, lanes.shape[1]))
    for q in range(len(lanes)):
        records = U[q * LANES : (q + 1) * LANES]
        records[:] = lanes[q, :, : len(records)].T
    return U


def lanes_of(rows: slice) -> slice:
    """Where `in_lanes` keeps a block of rows that starts at a multiple of 256."""
    return slice(rows.start // LANES, -(-rows.stop // LANES))


def column_of(lanes: Array, i: int, n: int) -> Array:
    """(n,) the membership in cluster i of records kept as `in_lanes` says."""
    return lanes[:, i].reshape(-1)[:n]


@compiled
def aligned(k: int) -> Array:
    """Zeros (k, LANES) that start a cache line: loads of eight numbers that straddle two lines take twice as long."""
    room = np.zeros(k * LANES + 8)
    skip = ((64 - room.ctypes.data % 64) % 64) // 8
    return room[skip : skip + k * LANES].reshape((k, LANES))


def own(A: Array) -> Array:
    """A as the one kind of array that the kernels are compiled for; copied only if it is another."""
    return np.require(A, np.float64, ["C", "W", "A"])


@compiled
def load(A: Array, start: int, lanes: Array) -> None:
    """The 256 records of A (n, k) from `start` on into the first rows of lanes; 0 where there are fewer."""
    records = A[start : start + LANES]
    count = len(records)
    for k in range(A.shape[1]):
        row = lanes[k]
        for lane in range(count):
            row[lane] = records[lane, k]
        for lane in range(count, LANES):
            row[lane] = 0.0


@compiled
def powers(base: Array, exponent: float, out: Array) -> None:
    """out = base^exponent for base >= 0, (k, LANES); the exponents of the usual fuzzifiers need no logarithm."""
    for i in range(base.shape[0]):
        b, o = base[i], out[i]
        if exponent == 1.0:
            for lane in range(LANES):
                o[lane] = b[lane]
        elif exponent == 2.0:
            for lane in range(LANES):
                o[lane] = b[lane] * b[lane]
        elif exponent == 0.5:
            for lane in range(LANES):
                o[lane] = math.sqrt(b[lane])
        elif exponent == 1.5:
            for lane in range(LANES):
                o[lane] = b[lane] * math.sqrt(b[lane])
        elif exponent == 3.0:
            for lane in range(LANES):
                o[lane] = b[lane] * b[lane] * b[lane]
        else:
            for lane in range(LANES):
                o[lane] = b[lane] ** exponent


@compiled
def _ratio_shares(d: Array, least: Array, exponent: float, v: Array, w: Array, total: Array) -> None:
    """Of one cluster: r = least / d, 1 at the nearest, at distance 0 too; v = r^exponent, w = v r, total += v."""
    if exponent == 1.0:
        for lane in range(LANES):
            r = 1.0 if d[lane] == least[lane] else least[lane] / d[lane]
            v[lane], w[lane] = r, r * r
            total[lane] += r
    elif exponent == 2.0:
        for lane in range(LANES):
            r = 1.0 if d[lane] == least[lane] else least[lane] / d[lane]
            v[lane], w[lane] = r * r, r * r * r
            total[lane] += r * r
    else:
        for lane in range(LANES):
            w[lane] = 1.0 if d[lane] == least[lane] else least[lane] / d[lane]
        powers(w.reshape((1, LANES)), exponent, v.reshape((1, LANES)))
        for lane in range(LANES):
            w[lane] *= v[lane]
            total[lane] += v[lane]


@compiled
def shares(d: Array, m: float, u: Array, w: Array, cost: Array) -> None:
    """Memberships u, their weights w = u^m and the records' cost sum_i u_i^m d_i, from squared distances.

    d : (c, LANES) >= 0; u : (c, LANES); w : (at least c, LANES); cost : (2, LANES), the
    cost in its first row. A record at distance 0 is shared by the clusters at 0; infinitely far ones get nothing.
    With r_i = least / d_i, v_i = r_i^(1/(m-1)) and s = sum v_i: u_i = v_i / s, u_i^m = v_i r_i s^-m and the cost
    is least s^(1-m). No ratio is above 1, so nothing overflows; a single power is taken.
    """
    c = len(d)
    least, total = cost[0], cost[1]
    for lane in range(LANES):
        least[lane], total[lane] = d[0, lane], 0.0
    for i in range(1, c):
        distance = d[i]
        for lane in range(LANES):
            least[lane] = distance[lane] if distance[lane] < least[lane] else least[lane]
    for i in range(c):
        _ratio_shares(d[i], least, 1.0 / (m - 1.0), u[i], w[i], total)
    scale = aligned(TWO)
    powers(cost[1:2], m, scale[:1])
    for lane in range(LANES):
        scale[0, lane] = 1.0 / scale[0, lane]
        scale[1, lane] = 1.0 / total[lane]
        least[lane] = least[lane] * (total[lane] * scale[0, lane])
    for i in range(c):
        v, weight = u[i], w[i]
        for lane in range(LANES):
            v[lane] *= scale[1, lane]
            weight[lane] *= scale[0, lane]


@compiled
def clear_beyond(lanes: Array, count: int) -> None:
    """0 in the lanes that hold no record."""
    for i in range(len(lanes)):
        for lane in range(count, LANES):
            lanes[i, lane] = 0.0


@compiled
def replace(old: Array, u: Array, moved: Array) -> None:
    """old = u, both (c, LANES); moved (LANES,) becomes the larger of itself and |u - old|, NaN where there is one."""
    for i in range(len(u)):
        new, before = u[i], old[i]
        for lane in range(LANES):
            move = abs(new[lane] - before[lane])
            moved[lane] = move if (move > moved[lane]) | (move != move) else moved[lane]
            before[lane] = new[lane]


@compiled
def largest(values: Array) -> float:
    """The largest of the values, NaN if there is one."""
    most = values[0]
    for k in range(1, len(values)):
        if values[k] > most or values[k] != values[k]:
            most = values[k]
    return float(most)


@compiled
def unpad(sums: Array, out: Array) -> None:
    """The first rows and columns of sums; a loop, for an assignment of slices takes seconds to compile."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = sums[i, k]


@compiled_freely("reassoc")
def sum_of(values: Array) -> float:
    total = 0.0
    for lane in range(LANES):
        total += values[lane]
    return total


@compiled_freely("contract", "reassoc")
def weighted_sums(w: Array, z: Array, out: Array) -> None:
    """out[i, k] += sum over lanes of w[i] z[k]; w (a multiple of 2, LANES), z (a multiple of 8, LANES).

    Sixteen sums at a time stay in registers: every value loaded is used twice, every weight eight times.
    """
    for k in range(0, len(z), WIDE):
        z0, z1, z2, z3 = z[k], z[k + 1], z[k + 2], z[k + 3]
        z4, z5, z6, z7 = z[k + 4], z[k + 5], z[k + 6], z[k + 7]
        for i in range(0, len(w), TALL):
            w0, w1 = w[i], w[i + 1]
            a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = 0.0
            b0 = b1 = b2 = b3 = b4 = b5 = b6 = b7 = 0.0
            for lane in range(LANES):
                a, b = w0[lane], w1[lane]
                a0 += a * z0[lane]
                a1 += a * z1[lane]
                a2 += a * z2[lane]
                a3 += a * z3[lane]
                a4 += a * z4[lane]
                a5 += a * z5[lane]
                a6 += a * z6[lane]
                a7 += a * z7[lane]
                b0 += b * z0[lane]
                b1 += b * z1[lane]
                b2 += b * z2[lane]
                b3 += b * z3[lane]
                b4 += b * z4[lane]
                b5 += b * z5[lane]
                b6 += b * z6[lane]
                b7 += b * z7[lane]
            out[i, k] += a0
            out[i + 1, k] += b0
            out[i, k + 1] += a1
            out[i + 1, k + 1] += b1
            out[i, k + 2] += a2
            out[i + 1, k + 2] += b2
            out[i, k + 3] += a3
            out[i + 1, k + 3] += b3
            out[i, k + 4] += a4
            out[i + 1, k + 4] += b4
            out[i, k + 5] += a5
            out[i + 1, k + 5] += b5
            out[i, k + 6] += a6
            out[i + 1, k + 6] += b6
            out[i, k + 7] += a7
            out[i + 1, k + 7] += b7
