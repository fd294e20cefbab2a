"""The compiled iteration of fuzzy c-means and fuzzy c-regression, and its inner loops over panels of 256 records.

Array (k, 256) holds k values of each record of a panel. The reference implementation is passes._in_numpy.
"""

import math

import numpy as np

from ..engine.compile import compiled, compiled_freely
from ..types import Array
from .panels import ERROR_FLOOR, PANEL

WIDE = 8  # rows of values that weighted_sums takes at a time


@compiled
def iterate(
    A: Array, Y: Array, U: Array, models: Array, before: Array, m: float, sums_only: bool, distances: bool,
    work: tuple[Array, ...], moved: Array, sums: Array,
) -> float:  # fmt: skip
    """The objective of an iteration; `moved` (256,) and `sums` (weights, products) are added to.

    A : (n, r) records of c-means, or regressors; Y : (n, t) responses; U : (panels, c, 256), or empty where the old
    membership follows from the models `before`; it is overwritten. models : as passes._padded gives them; m : the fuzzifier;
    sums_only : whether only the sums with U are computed; distances : whether it is c-means, where Y is not used; work :
    arrays (k, 256), see passes._compiled.
    """
    z, rest, products, d, old, u, w, cost = work
    c = len(u)
    r = A.shape[1]
    t = Y.shape[1]
    objective = 0.0
    # Turn 0 computes the old membership from the models before, turn 1 the new one. A stored U needs turn 1 alone.
    first_turn = 1 if len(U) > 0 else 0
    for start in range(0, len(A), PANEL):
        if distances:
            load(A, start, products[1:])
        else:
            load(A, start, z)
            load(Y, start, z[r:])
            multiply(z[: r + t], r, products)
        if len(U) > 0:
            old = U[start // PANEL]
        if sums_only:
            powers(old, m, w[:c])
            weighted_sums(w, products, sums)
            continue
        for turn in range(first_turn, 2):
            current = before if turn == 0 else models
            if distances:
                squared_distances(products, current, d)
            else:
                squared_errors(z, r, current, rest, d)
            shares(d[:c], m, old if turn == 0 else u, w, cost)
        if start + PANEL > len(A):  # places beyond the last record count for nothing
            for rows in (old, u, w, cost):
                rows[:, len(A) - start :] = 0.0
        replace(old, u, moved)
        objective += sum_of(cost[0])
        weighted_sums(w, products, sums)
    return objective


@compiled
def load(A: Array, start: int, rows: Array) -> None:
    """Copies the 256 records of A (n, k) from `start` on into the first k rows; 0 where there are fewer."""
    records = A[start : start + PANEL]
    for k in range(A.shape[1]):
        rows[k, : len(records)] = records[:, k]
        rows[k, len(records) :] = 0.0


@compiled
def multiply(z: Array, r: int, pairs: Array) -> None:
    """Fills pairs[1:] with the products of rows i < r of z (r + t, PANEL) with rows i, i + 1, ..."""
    place = 1
    for i in range(r):
        for j in range(i, len(z)):
            a = z[i]
            b = z[j]
            product = pairs[place]
            for lane in range(PANEL):
                product[lane] = a[lane] * b[lane]
            place += 1


@compiled_freely("contract")
def squared_distances(z: Array, P: Array, d: Array) -> None:
    """Fills d (c, PANEL) with squared distances of records, from row 1 of z on, to centres P (c, 1, p).

    Differences are explicit, since |x|^2 + |p|^2 - 2 x'p loses digits. Four columns at a time, then the rest one by one.
    """
    c, _, p = P.shape
    fours = p - p % 4
    for i in range(c):
        e = d[i]
        q = P[i, 0]
        for lane in range(PANEL):
            e[lane] = 0.0
        for j in range(0, fours, 4):
            x0, x1, x2, x3 = z[j + 1], z[j + 2], z[j + 3], z[j + 4]
            p0, p1, p2, p3 = q[j], q[j + 1], q[j + 2], q[j + 3]
            for lane in range(PANEL):
                x, y, v, w = x0[lane], x1[lane], x2[lane], x3[lane]
                e[lane] += (x - p0) * (x - p0) + (y - p1) * (y - p1) + (v - p2) * (v - p2) + (w - p3) * (w - p3)
        for j in range(fours, p):
            x0 = z[j + 1]
            p0 = q[j]
            for lane in range(PANEL):
                e[lane] += (x0[lane] - p0) * (x0[lane] - p0)


@compiled
def squared_errors(z: Array, r: int, gamma: Array, rest: Array, E: Array) -> None:
    """Fills E (c, PANEL) with squared residuals, added over the responses: at least 1e-100, infinite where gamma is NaN.

    z : (r + t + 6, PANEL) regressors, then responses; gamma : passes._padded, where a coefficient 0 may meet a response;
    rest : (PANEL,), to work in. Residuals are explicit, y less its prediction. Regressors four at a time, and the last
    six with the square.
    """
    _, t, width = gamma.shape
    for i in range(len(E)):
        e = E[i]
        for lane in range(PANEL):
            e[lane] = 0.0
        for j in range(t):
            y = z[r + j]
            for k in range(0, width - 6, 4):
                _subtract_four(z, gamma[i, j], k, y, rest)
                y = rest
            _square_six(z, gamma[i, j], width - 6, y, e)
        for lane in range(PANEL):
            floored = e[lane] if e[lane] > ERROR_FLOOR else ERROR_FLOOR
            e[lane] = floored if e[lane] == e[lane] else np.inf


@compiled_freely("contract")
def _subtract_four(z: Array, g: Array, k: int, y: Array, rest: Array) -> None:
    """Fills rest (PANEL,) with y less four regressors, from row k of z on, times their coefficients g[k:]."""
    z0, z1, z2, z3 = z[k], z[k + 1], z[k + 2], z[k + 3]
    g0, g1, g2, g3 = g[k], g[k + 1], g[k + 2], g[k + 3]
    for lane in range(PANEL):
        rest[lane] = y[lane] - (g0 * z0[lane] + g1 * z1[lane] + g2 * z2[lane] + g3 * z3[lane])


@compiled_freely("contract")
def _square_six(z: Array, g: Array, k: int, y: Array, e: Array) -> None:
    """Adds to e (PANEL,) the squared residuals (y - sum_i g[k + i] z[k + i])^2 of each record, i = 0, ..., 5.

    z[k:] : the last six regressors; y (PANEL,) : the response less all regressors before. Where there are fewer than six,
    rows beyond the regressors have coefficients 0, see passes._padded. The six terms are written out, so that the residual
    of a record stays in a register and is not stored between them.
    """
    z0, z1, z2, z3, z4, z5 = z[k], z[k + 1], z[k + 2], z[k + 3], z[k + 4], z[k + 5]
    g0, g1, g2, g3, g4, g5 = g[k], g[k + 1], g[k + 2], g[k + 3], g[k + 4], g[k + 5]
    for lane in range(PANEL):
        a, b, c, d, s, t = z0[lane], z1[lane], z2[lane], z3[lane], z4[lane], z5[lane]
        p = y[lane] - (g0 * a + g1 * b + g2 * c + g3 * d + g4 * s + g5 * t)
        e[lane] += p * p


@compiled
def shares(d: Array, m: float, u: Array, w: Array, cost: Array) -> None:
    """Memberships u, their weights w = u^m and the records' cost sum_i u_i^m d_i, from squared distances.

    d : (c, PANEL) >= 0; u : (c, PANEL); w : (at least c, PANEL); cost : (4, PANEL), the cost in its first row.
    A record at distance 0 is shared by the clusters at 0; infinitely far ones get nothing.
    With r_i = least / d_i, v_i = r_i^(1/(m-1)) and s = sum v_i: u_i = v_i / s, u_i^m = v_i r_i s^-m and the cost
    is least s^(1-m). No ratio is above 1, so nothing overflows. u_i^m needs no power of its own, since v_i^m = v_i r_i.
    Source: Bezdek (1981).
    """
    c = len(d)
    least = cost[0]
    total = cost[1]
    scale = cost[2:]
    for lane in range(PANEL):
        least[lane] = d[0, lane]
        total[lane] = 0.0
    for i in range(1, c):
        distance = d[i]
        for lane in range(PANEL):
            least[lane] = distance[lane] if distance[lane] < least[lane] else least[lane]
    for i in range(c):
        distance = d[i]
        v = u[i]
        ratio = w[i]
        for lane in range(PANEL):
            ratio[lane] = 1.0 if distance[lane] == least[lane] else least[lane] / distance[lane]
        powers(w[i : i + 1], 1.0 / (m - 1.0), u[i : i + 1])
        for lane in range(PANEL):
            ratio[lane] *= v[lane]
            total[lane] += v[lane]
    powers(cost[1:2], m, scale[:1])
    for lane in range(PANEL):
        scale[0, lane] = 1.0 / scale[0, lane]
        scale[1, lane] = 1.0 / total[lane]
        least[lane] = least[lane] * (total[lane] * scale[0, lane])
    for i in range(c):
        v = u[i]
        weight = w[i]
        for lane in range(PANEL):
            v[lane] *= scale[1, lane]
            weight[lane] *= scale[0, lane]


@compiled
def powers(base: Array, exponent: float, out: Array) -> None:
    """Fills out with base^exponent for base >= 0, (k, PANEL); the exponents of usual fuzzifiers need no logarithm."""
    for i in range(base.shape[0]):
        b = base[i]
        o = out[i]
        if exponent == 1.0:
            for lane in range(PANEL):
                o[lane] = b[lane]
        elif exponent == 2.0:
            for lane in range(PANEL):
                o[lane] = b[lane] * b[lane]
        elif exponent == 0.5:
            for lane in range(PANEL):
                o[lane] = math.sqrt(b[lane])
        elif exponent == 1.5:
            for lane in range(PANEL):
                o[lane] = b[lane] * math.sqrt(b[lane])
        elif exponent == 3.0:
            for lane in range(PANEL):
                o[lane] = b[lane] * b[lane] * b[lane]
        else:
            for lane in range(PANEL):
                o[lane] = b[lane] ** exponent


@compiled
def replace(old: Array, u: Array, moved: Array) -> None:
    """Copies u into old, both (c, PANEL); moved (PANEL,) becomes the larger of itself and |u - old|, NaN where one is NaN."""
    for i in range(len(u)):
        new = u[i]
        before = old[i]
        for lane in range(PANEL):
            move = abs(new[lane] - before[lane])
            moved[lane] = move if (move > moved[lane]) | (move != move) else moved[lane]
            before[lane] = new[lane]


@compiled_freely("reassoc")
def sum_of(values: Array) -> float:
    """The sum of values (PANEL,), in an order that the compiler chooses."""
    total = 0.0
    for lane in range(PANEL):
        total += values[lane]
    return total


@compiled_freely("contract", "reassoc")
def weighted_sums(w: Array, z: Array, out: Array) -> None:
    """Adds the matrix product w z' to out (c, K): out[i, k] gains sum_lane w[i, lane] z[k, lane].

    w (c, PANEL) : weights of the records in each cluster; z (K, PANEL) : values of the records, K a multiple of 8 (rows beyond
    the values are 0). The inner loop computes eight of the sums, a0 for row k to a7 for row k + 7: they stay in registers,
    and every weight is read once for eight products.
    """
    for k in range(0, len(z), WIDE):
        z0, z1, z2, z3 = z[k], z[k + 1], z[k + 2], z[k + 3]
        z4, z5, z6, z7 = z[k + 4], z[k + 5], z[k + 6], z[k + 7]
        for i in range(len(w)):
            weights = w[i]
            sums = out[i]
            a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = 0.0
            for lane in range(PANEL):
                a = weights[lane]
                a0 += a * z0[lane]
                a1 += a * z1[lane]
                a2 += a * z2[lane]
                a3 += a * z3[lane]
                a4 += a * z4[lane]
                a5 += a * z5[lane]
                a6 += a * z6[lane]
                a7 += a * z7[lane]
            sums[k] += a0
            sums[k + 1] += a1
            sums[k + 2] += a2
            sums[k + 3] += a3
            sums[k + 4] += a4
            sums[k + 5] += a5
            sums[k + 6] += a6
            sums[k + 7] += a7
