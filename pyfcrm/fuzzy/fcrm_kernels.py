"""One iteration of fuzzy c-regression in one pass over blocks of rows: errors, memberships, objective, move, and the
weighted cross-products of every cluster, from which the next coefficients are solved.

Its plain twin is tests/support/plain_fuzzy.py. A block is (A, Y, U): A (b, r) regressors in the design's basis,
Y (b, t), and U the membership of its records in lanes (see `lanes.in_lanes`), which is overwritten; or (A, Y, None),
where the old membership is worked out again from the old coefficients, so that none needs to be kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import Added
from ..engine.compile import TWO, compiled, compiled_freely
from ..types import Array
from .lanes import (
    LANES,
    TALL,
    WIDE,
    aligned,
    clear_beyond,
    largest,
    load,
    own,
    powers,
    replace,
    shares,
    sum_of,
    unpad,
    weighted_sums,
)

ERROR_FLOOR = 1e-100  # the thesis's replacement for an error of zero
NO_MEMBERSHIP = np.empty((0, 0, LANES))


@dataclass(frozen=True)
class FCRMSums:
    """What an iteration needs of the records.

    products : (c, 1 + K) sum of u^m, and of u^m a_i a_j and u^m a_i y_j: for each i, j from i on and then y;
    objective : sum of u^m E; delta : max|U' - U|.
    """

    products: Array
    objective: float
    delta: float

    def __add__(self, other: FCRMSums) -> FCRMSums:
        delta = float(np.maximum(self.delta, other.delta))  # NaN stays
        return FCRMSums(self.products + other.products, self.objective + other.objective, delta)

    def normal_equations(self, r: int, t: int) -> tuple[Array, Array, Array]:
        """(c,) weights, (c, r, r) A'DA and (c, r, t) A'DY of every cluster."""
        c = len(self.products)
        G, h, at = np.empty((c, r, r)), np.empty((c, r, t)), 1
        for i in range(r):
            G[:, i, i:] = self.products[:, at : at + r - i]
            G[:, i:, i] = G[:, i, i:]
            h[:, i] = self.products[:, at + r - i : at + r - i + t]
            at += r - i + t
        return self.products[:, 0], G, h


@dataclass(frozen=True)
class FCRMStart(Added):
    """The sums of a given membership; objective and delta are not a number. m : fuzzifier."""

    m: float

    def part(self, block: tuple[Array, Array, Array]) -> FCRMSums:
        """See engine.Kernel."""
        A, Y, U = block
        products = np.zeros((U.shape[1], number_of_products(A.shape[1], Y.shape[1])))
        gamma = np.zeros((U.shape[1], A.shape[1], Y.shape[1]))  # not looked at
        _pass(own(A), own(Y), U, gamma, gamma, self.m, True, products)
        return FCRMSums(products, np.nan, np.nan)


@dataclass(frozen=True)
class FCRMPass(Added):
    """One iteration. gamma : (c, r, t), NaN for a cluster that never had weight; m : fuzzifier; before : the
    coefficients of the iteration before, for blocks that keep no membership (None: then delta is not a number)."""

    gamma: Array
    m: float
    before: Array | None = None

    def part(self, block: tuple[Array, Array, Array | None]) -> FCRMSums:
        """See engine.Kernel."""
        A, Y, U = block
        products = np.zeros((len(self.gamma), number_of_products(A.shape[1], Y.shape[1])))
        known = U is not None or self.before is not None
        before = self.gamma if self.before is None else self.before
        given = NO_MEMBERSHIP if U is None else U
        objective, delta = _pass(own(A), own(Y), given, own(self.gamma), own(before), self.m, False, products)
        return FCRMSums(products, objective, delta if known else np.nan)


def number_of_products(r: int, t: int) -> int:
    """1 + K: the weight, the upper triangle of A'DA, and A'DY."""
    return 1 + r * (r + 1) // 2 + r * t


@compiled
def _pass(
    A: Array, Y: Array, U: Array, gamma: Array, before: Array, m: float, given: bool, products: Array
) -> tuple[float, float]:
    """Objective and move; `given`: only the sums of U, in one kernel with the rest, for compiling takes seconds."""
    c, r, t = gamma.shape
    w, u = aligned(-(-c // TALL) * TALL), aligned(c)
    E, current, previous = aligned(c + c % 2), paired(gamma), paired(before)
    z, rest = aligned(r + t + 1), aligned(TWO)
    old, cost, moved = aligned(c), aligned(TWO), np.zeros(LANES)
    pairs = aligned(-(-products.shape[1] // WIDE) * WIDE)
    sums, objective = np.zeros((len(w), len(pairs))), 0.0
    first = 1 if len(U) > 0 else 0  # the old membership is worked out first where it is not kept
    for start in range(0, len(A), LANES):
        load(A, start, z)
        load(Y, start, z[r:])
        multiply(z[: r + t], r, pairs)
        if len(U) > 0:
            old = U[start // LANES]
        if given:
            powers(old, m, w[:c])
            weighted_sums(w, pairs, sums)
            continue
        for turn in range(first, 2):
            squared_errors(z, r, previous if turn == 0 else current, rest, E)
            shares(E[:c], m, old if turn == 0 else u, w, cost)
        if start + LANES > len(A):
            for lanes in (old, u, w, cost):
                clear_beyond(lanes, len(A) - start)
        replace(old, u, moved)
        objective += sum_of(cost[0])
        weighted_sums(w, pairs, sums)
    unpad(sums, products)
    return objective, largest(moved)


@compiled
def multiply(z: Array, r: int, pairs: Array) -> None:
    """pairs : (1 + K or more, LANES) ones, and the products of rows i < r of z (r + t, LANES) with rows i, i + 1, ..."""
    pairs[0] = 1.0
    at = 1
    for i in range(r):
        for j in range(i, len(z)):
            a, b, product = z[i], z[j], pairs[at]
            for lane in range(LANES):
                product[lane] = a[lane] * b[lane]
            at += 1


@compiled
def paired(gamma: Array) -> Array:
    """gamma (c, r, t) as `squared_errors` takes it: (an even number, t, a number it has a loop for), 0 where padded."""
    c, r, t = gamma.shape
    width = 2 if r < 3 else r + r % 2
    out = np.zeros((c + c % 2, t, width))
    for i in range(c):
        for j in range(t):
            for k in range(r):
                out[i, j, k] = gamma[i, k, j]
    return out


@compiled
def squared_errors(z: Array, r: int, gamma: Array, rest: Array, E: Array) -> None:
    """E (c, LANES): squared residuals, added over the responses, at least 1e-100; infinite where gamma is not a number.

    z : (r + t + 1, LANES) regressors, then responses; gamma : `paired`, where a coefficient 0 may meet a response;
    rest : (2, LANES), to work in. Residuals are explicit, y less its prediction. Two clusters at a time; regressors
    four at a time, and the last two, four or six with the square.
    """
    t, width = gamma.shape[1:]
    last = 6 if width % 4 == 2 and width > 2 else (4 if width % 4 == 0 else 2)
    first = width - last
    for i in range(0, len(E), 2):
        e, f = E[i], E[i + 1]
        for lane in range(LANES):
            e[lane] = f[lane] = 0.0
        for j in range(t):
            for k in range(0, first, 4):
                _subtract_four(z, r, gamma, i, j, k, rest)
            x, y = (rest[0], rest[1]) if first > 0 else (z[r + j], z[r + j])
            if last == 2:
                _square_two(z, gamma, i, j, first, x, y, e, f)
            elif last == 4:
                _square_four(z, gamma, i, j, first, x, y, e, f)
            else:
                _square_six(z, gamma, i, j, first, x, y, e, f)
    for i in range(len(E)):
        e = E[i]
        for lane in range(LANES):
            floored = e[lane] if e[lane] > ERROR_FLOOR else ERROR_FLOOR
            e[lane] = floored if e[lane] == e[lane] else np.inf


@compiled_freely("contract")
def _subtract_four(z: Array, r: int, gamma: Array, i: int, j: int, k: int, rest: Array) -> None:
    z0, z1, z2, z3 = z[k], z[k + 1], z[k + 2], z[k + 3]
    u, v = rest[0], rest[1]
    x, y = (z[r + j], z[r + j]) if k == 0 else (u, v)
    g0, g1, g2 = gamma[i, j, k], gamma[i, j, k + 1], gamma[i, j, k + 2]
    h0, h1, h2 = gamma[i + 1, j, k], gamma[i + 1, j, k + 1], gamma[i + 1, j, k + 2]
    g3 = gamma[i, j, k + 3]
    h3 = gamma[i + 1, j, k + 3]
    for lane in range(LANES):
        a, b, c, d = z0[lane], z1[lane], z2[lane], z3[lane]
        u[lane] = x[lane] - (g0 * a + g1 * b + g2 * c + g3 * d)
        v[lane] = y[lane] - (h0 * a + h1 * b + h2 * c + h3 * d)


@compiled_freely("contract")
def _square_two(z: Array, gamma: Array, i: int, j: int, k: int, x: Array, y: Array, e: Array, f: Array) -> None:
    z0, z1 = z[k], z[k + 1]
    g0, g1 = gamma[i, j, k], gamma[i, j, k + 1]
    h0, h1 = gamma[i + 1, j, k], gamma[i + 1, j, k + 1]
    for lane in range(LANES):
        a, b = z0[lane], z1[lane]
        p = x[lane] - (g0 * a + g1 * b)
        q = y[lane] - (h0 * a + h1 * b)
        e[lane] += p * p
        f[lane] += q * q


@compiled_freely("contract")
def _square_four(z: Array, gamma: Array, i: int, j: int, k: int, x: Array, y: Array, e: Array, f: Array) -> None:
    z0, z1, z2, z3 = z[k], z[k + 1], z[k + 2], z[k + 3]
    g0, g1, g2 = gamma[i, j, k], gamma[i, j, k + 1], gamma[i, j, k + 2]
    h0, h1, h2 = gamma[i + 1, j, k], gamma[i + 1, j, k + 1], gamma[i + 1, j, k + 2]
    g3 = gamma[i, j, k + 3]
    h3 = gamma[i + 1, j, k + 3]
    for lane in range(LANES):
        a, b, c, d = z0[lane], z1[lane], z2[lane], z3[lane]
        p = x[lane] - (g0 * a + g1 * b + g2 * c + g3 * d)
        q = y[lane] - (h0 * a + h1 * b + h2 * c + h3 * d)
        e[lane] += p * p
        f[lane] += q * q


@compiled_freely("contract")
def _square_six(z: Array, gamma: Array, i: int, j: int, k: int, x: Array, y: Array, e: Array, f: Array) -> None:
    z0, z1, z2, z3, z4, z5 = z[k], z[k + 1], z[k + 2], z[k + 3], z[k + 4], z[k + 5]
    g0, g1, g2 = gamma[i, j, k], gamma[i, j, k + 1], gamma[i, j, k + 2]
    h0, h1, h2 = gamma[i + 1, j, k], gamma[i + 1, j, k + 1], gamma[i + 1, j, k + 2]
    g3, g4, g5 = gamma[i, j, k + 3], gamma[i, j, k + 4], gamma[i, j, k + 5]
    h3, h4, h5 = gamma[i + 1, j, k + 3], gamma[i + 1, j, k + 4], gamma[i + 1, j, k + 5]
    for lane in range(LANES):
        a, b, c, d, s, t = z0[lane], z1[lane], z2[lane], z3[lane], z4[lane], z5[lane]
        p = x[lane] - (g0 * a + g1 * b + g2 * c + g3 * d + g4 * s + g5 * t)
        q = y[lane] - (h0 * a + h1 * b + h2 * c + h3 * d + h4 * s + h5 * t)
        e[lane] += p * p
        f[lane] += q * q
