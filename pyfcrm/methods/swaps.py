"""Calibration by swaps: margins put in place by rank, then only exchanges within a column, until the cross sums are home.

A release's column is a permutation of the margin wanted for it, from the first step to the last: whole numbers stay
whole, and heaps as large as they were. What is left open is who has which value, and that is chosen so that sums of
products with X and among the columns are the original's. Source: own; the view of a release as a permutation of its
margin is Domingo-Ferrer and Muralidhar's (2016).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import Engine
from ..engine.threads import side_by_side
from ..numerics.design import design
from ..numerics.location import Location, location, scores
from ..numerics.sorting import stable_order
from ..progress import OnStep, ignore_steps
from ..rstream import RStream
from ..types import Array, Index, Places
from .swap_kernels import ATTEMPTS, Aim, Chances, Placed, exchange

HOME = 1e-9  # of a correlation: a largest gap below this is none
MOST, LEAST, TRIES = 200, 24, 8_000_000  # attempts a value on short files and on long ones, and how many in all between
SHARE = 0.5  # of the attempts are for columns together at first; and of those left, they must be seen to come home in so many
A_VALUE, AT_ONCE = 10, 1_000_000  # attempts a value in one pass, and at most in all
NARROW, WIDE = 0.05, 1.0  # reach at first and at most
TAILS, FAR = 0.1, 0.0  # shares of attempts that start at ranks near the ends, and whose other rank is any
STUCK = (0.5, 0.3)  # the same where a column is by itself
NEAR = 4096  # how finely ranks near the ends are told apart
TURNS = 3  # of all columns together and column by column
RUNS = 6  # passes of one column by itself


@dataclass(frozen=True)
class Settled:
    """order : (t, n), the record that has each rank of each column; gap : (t, s + t), what is left between the release's
    correlations and the original's, with the s independent columns and with each other; attempts, most : exchanges
    tried, and how many would have been."""

    order: Places
    gap: Array
    attempts: int
    most: int


def settled(
    X: Array,
    Y: Array,
    targets: Array,
    Z: Array,
    stream: RStream,
    *,
    told: OnStep = ignore_steps,
    engine: Engine | None = None,
) -> Settled:
    """Who has which of the targets, so that their cross sums are the original's.

    X : (n, s), s may be 0; Y : (n, t), whose cross sums with X and among themselves are wanted; targets : (n, t), sorted by
    column, of Y's means and standard deviations; Z : (n, t), whose ranks are the start; told : of attempts.
    Draws: runif(3 m) for each pass of m attempts, m and how many there are depending on the data.
    """
    n, t = Y.shape
    where = location(Y, ddof=0)
    work = Exchanges(_features(X), scores(Y, where), _standard(targets, where), Z, stream, engine)
    work.settle(told)
    order = work.placed.order
    z = work.placed.records[:, -t:]
    x = scores(X, location(X, ddof=0))
    gap = np.hstack([z.T @ x - scores(Y, where).T @ x, work.aim.gap[:, -t:]]) / n
    return Settled(order, gap, work.attempts, work.most)


def _standard(targets: Array, where: Location) -> Array:
    return np.ascontiguousarray(scores(targets, where).T)


def _features(X: Array) -> Array:
    """An orthonormal basis of the centred columns of X (n, s), times the root of n: gaps in it are correlations."""
    if not X.shape[1]:
        return np.empty((len(X), 0))
    return np.asarray(design(scores(X, location(X, ddof=0)), intercept=False).columns * np.sqrt(len(X)))


def ranks_from_an_end(n: int) -> Index:
    """(NEAR,) ranks counted from an end, from 0 to n - 1, as many below 10 as from 10 to 100."""
    return (n ** ((np.arange(NEAR) + 0.5) / NEAR)).astype(np.int64) - 1


class Exchanges:
    """The search for the order in which wanted values have wanted cross sums.

    A : (n, q) columns that stay; y : (n, t), whose sums with A and with themselves are wanted; wanted : (t, n) sorted; Z : (n, t)
    whose ranks are the start. All are of mean 0 and about sd 1. A may hold more than the design of X: whatever linear
    sums of the release are to be those of y.
    """

    def __init__(
        self, A: Array, y: Array, wanted: Array, Z: Array, stream: RStream, engine: Engine | None = None
    ) -> None:
        n, t = y.shape
        self.n, self.t, self.q, self.stream = n, t, A.shape[1], stream
        order, records = np.empty((t, n), dtype=np.int32), np.empty((n, A.shape[1] + t))
        records[:, : self.q] = A

        def place(j: int) -> None:
            order[j] = stable_order(Z[:, j])
            records[order[j], self.q + j] = wanted[j]

        side_by_side(place, t, n, engine)
        self.placed = Placed(records, wanted, order, *_ties(wanted))
        self.goal = np.hstack([y.T @ A, y.T @ y])
        self.aim = Aim(np.zeros((t, self.q + t)), np.ones((t, self.q + t)), np.full(t, NARROW))
        self.aim.weight[self._own] = 0.0
        self.near = ranks_from_an_end(n)
        self.most = max(LEAST * n * t, min(MOST * n * t, TRIES))
        self.attempts, self.widest = 0, NARROW
        self.told: OnStep = ignore_steps

    @property
    def _own(self) -> tuple[Index, Index]:
        return np.arange(self.t), self.q + np.arange(self.t)

    def gap(self) -> float:
        """The largest gap, counted anew, in units of a correlation."""
        np.subtract(self.placed.records[:, self.q :].T @ self.placed.records, self.goal, out=self.aim.gap)
        self.aim.gap[self._own] = 0.0
        return self._largest()

    def settle(self, told: OnStep) -> None:
        """All columns together; where that gets stuck each by itself, and together again; what was nearest is kept."""
        self.told = told
        self.told(0, self.most)
        last = np.inf
        best, kept = self.gap(), self.placed.order.copy()
        for turn in range(TURNS):
            if best <= HOME or self.attempts >= self.most or best > last / 2:
                break
            if turn:
                self._in_turn()
            self._together(self.most if turn else int(SHARE * self.most))
            last, gap = best, self.gap()
            if gap < best:
                best = gap
                kept[:] = self.placed.order
        self._place(kept)
        self.told(self.most, self.most)

    def _together(self, most: int) -> None:
        """Passes over all columns, up to so many attempts. Reach is as wide as it must be to be home within them."""
        columns, last = np.arange(self.t), self._size()
        at_once = max(1, min(A_VALUE * self.n * self.t, AT_ONCE) // (ATTEMPTS * self.t)) * ATTEMPTS * self.t
        while self.attempts < most:
            self._try(columns, at_once, TAILS, FAR)
            size = self._size()
            if self._largest() <= HOME:
                return
            if size * at_once > (last - size) * SHARE * (most - self.attempts):
                if self.widest >= WIDE:
                    return
                self.widest = min(WIDE, 2 * self.widest)
            last = size

    def _in_turn(self) -> None:
        """The column farthest from home first: by itself its gaps with X, and with those before it, can be closed."""
        weight = self.aim.weight.copy()
        farthest = np.argsort(-np.abs(self.aim.gap).max(axis=1), kind="stable")
        at_once = max(1, min(A_VALUE * self.n, AT_ONCE) // ATTEMPTS) * ATTEMPTS
        for i, j in enumerate(farthest):
            self.aim.weight[j, self.q + farthest[i:]] = 0.0
            self.aim.reach[j] = max(self.aim.reach[j], NARROW)
            last = np.inf
            for _ in range(RUNS):
                left = float(np.abs(self.aim.gap[j] * self.aim.weight[j]).max(initial=0.0)) / self.n
                if left <= HOME or left > last / 2 or self.attempts >= self.most:
                    break
                last = left
                self._try(farthest[i : i + 1], at_once, *STUCK)
        self.aim.weight[:] = weight

    def _try(self, columns: Index, count: int, tails: float, far: float) -> None:
        chances = Chances(self.near, tails, far, self.widest)
        exchange(self.placed, self.aim, columns, chances, self.stream.runif(3 * count).reshape(-1, 3))
        self.attempts += count
        self.told(min(self.attempts, self.most), self.most)

    def _place(self, order: Places) -> None:
        """The release in which these records have the ranks; its gap is counted anew."""
        self.placed.order[:] = order
        for j in range(self.t):
            self.placed.records[order[j], self.q + j] = self.placed.wanted[j]
        self.gap()

    def _largest(self) -> float:
        return float(np.abs(self.aim.gap).max(initial=0.0)) / self.n

    def _size(self) -> float:
        return float(np.sqrt((self.aim.weight * self.aim.gap**2).sum()))


def _ties(wanted: Array) -> tuple[Index, Places, Places]:
    """Of sorted columns (t, n): `tie`, `first` and `after` of Placed."""
    t, n = wanted.shape
    tie, first, after = np.full(t, -1), list[Places](), list[Places]()
    for j in range(t):
        starts = np.flatnonzero(np.concatenate([[True], wanted[j, 1:] != wanted[j, :-1]]))
        if len(starts) < n:
            tie[j] = len(first)
            ends = np.append(starts[1:], n)
            first.append(np.repeat(starts, ends - starts).astype(np.int32))
            after.append(np.repeat(ends, ends - starts).astype(np.int32))
    stacked = [np.array(rows, dtype=np.int32).reshape(len(rows), n) for rows in (first, after)]
    return tie, stacked[0], stacked[1]
