"""One iteration of fuzzy c-means in one pass over blocks of rows: memberships, objective, move, and the next centres.

Its plain twin is tests/support/plain_fuzzy.py. A block is (X, U): X (b, p), and U the membership of its
records in lanes (see `lanes.in_lanes`), which is overwritten; or (X, None), where the old membership is worked out
again from the old centres, so that none needs to be kept.
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

NO_MEMBERSHIP = np.empty((0, 0, LANES))


@dataclass(frozen=True)
class FCMSums:
    """What an iteration needs of the records.

    weights : (c, 1 + p) sum of u^m and of u^m x; objective : sum of u^m d^2; delta : max|U' - U|.
    """

    weights: Array
    objective: float
    delta: float

    def __add__(self, other: FCMSums) -> FCMSums:
        delta = float(np.maximum(self.delta, other.delta))  # NaN stays
        return FCMSums(self.weights + other.weights, self.objective + other.objective, delta)

    def centers(self, before: Array) -> Array:
        """Weighted means (c, p); a cluster without weight stays where it was before."""
        alive = self.weights[:, 0] > 0
        centers = before.copy()
        centers[alive] = self.weights[alive, 1:] / self.weights[alive, :1]
        return centers


@dataclass(frozen=True)
class FCMStart(Added):
    """The sums of a given membership; objective and delta are not a number. m : fuzzifier."""

    m: float

    def part(self, block: tuple[Array, Array]) -> FCMSums:
        """See engine.Kernel."""
        X, U = block
        weights = np.zeros((U.shape[1], 1 + X.shape[1]))
        P = weights[:, 1:].copy()  # not looked at
        _pass(own(X), U, P, P, self.m, True, weights)
        return FCMSums(weights, np.nan, np.nan)


@dataclass(frozen=True)
class FCMPass(Added):
    """One iteration. centers : (c, p), infinite for a cluster that never had weight; m : fuzzifier; before : the
    centres of the iteration before, for blocks that keep no membership (None: then delta is not a number)."""

    centers: Array
    m: float
    before: Array | None = None

    def part(self, block: tuple[Array, Array | None]) -> FCMSums:
        """See engine.Kernel."""
        X, U = block
        weights = np.zeros((len(self.centers), 1 + X.shape[1]))
        known = U is not None or self.before is not None
        before = self.centers if self.before is None else self.before
        given = NO_MEMBERSHIP if U is None else U
        objective, delta = _pass(own(X), given, own(self.centers), own(before), self.m, False, weights)
        return FCMSums(weights, objective, delta if known else np.nan)


@compiled
def _pass(X: Array, U: Array, P: Array, before: Array, m: float, given: bool, weights: Array) -> tuple[float, float]:
    """Objective and move; `given`: only the sums of U, in one kernel with the rest, for compiling takes seconds."""
    c, p = P.shape
    w, u, d = aligned(-(-c // TALL) * TALL), aligned(c), aligned(c + c % 2)
    z = aligned(-(-(1 + p) // WIDE) * WIDE)
    old, cost, moved = aligned(c), aligned(TWO), np.zeros(LANES)
    sums, objective = np.zeros((len(w), len(z))), 0.0
    z[0] = 1.0
    first = 1 if len(U) > 0 else 0  # the old membership is worked out first where it is not kept
    for start in range(0, len(X), LANES):
        load(X, start, z[1:])
        if len(U) > 0:
            old = U[start // LANES]
        if given:
            powers(old, m, w[:c])
            weighted_sums(w, z, sums)
            continue
        for turn in range(first, 2):
            squared_distances(z, before if turn == 0 else P, d)
            shares(d[:c], m, old if turn == 0 else u, w, cost)
        if start + LANES > len(X):
            for lanes in (old, u, w, cost):
                clear_beyond(lanes, len(X) - start)
        replace(old, u, moved)
        objective += sum_of(cost[0])
        weighted_sums(w, z, sums)
    unpad(sums, weights)
    return objective, largest(moved)


@compiled_freely("contract")
def squared_distances(z: Array, P: Array, d: Array) -> None:
    """d (c, and one more if c is odd, LANES): squared distances of records, from row 1 of z on, to centres P (c, p).

    Explicit differences. Two centres and four coordinates at a time; an odd last centre is taken with itself.
    """
    c, p = P.shape
    fours = p - p % 4
    for i in range(0, c, 2):
        e, f, g = d[i], d[i + 1], min(i + 1, c - 1)
        for lane in range(LANES):
            e[lane] = f[lane] = 0.0
        for j in range(0, fours, 4):
            x0, x1, x2, x3 = z[j + 1], z[j + 2], z[j + 3], z[j + 4]
            p0, p1, p2, p3 = P[i, j], P[i, j + 1], P[i, j + 2], P[i, j + 3]
            q0, q1, q2, q3 = P[g, j], P[g, j + 1], P[g, j + 2], P[g, j + 3]
            for lane in range(LANES):
                x, y, v, w = x0[lane], x1[lane], x2[lane], x3[lane]
                e[lane] += (x - p0) * (x - p0) + (y - p1) * (y - p1) + (v - p2) * (v - p2) + (w - p3) * (w - p3)
                f[lane] += (x - q0) * (x - q0) + (y - q1) * (y - q1) + (v - q2) * (v - q2) + (w - q3) * (w - q3)
        for j in range(fours, p):
            x0, p0, q0 = z[j + 1], P[i, j], P[g, j]
            for lane in range(LANES):
                x = x0[lane]
                e[lane] += (x - p0) * (x - p0)
                f[lane] += (x - q0) * (x - q0)
