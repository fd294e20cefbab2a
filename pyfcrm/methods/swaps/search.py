"""Calibration by swaps: target margins are placed by rank, then values are swapped within columns until cross sums agree.

At every step a column of the release is a permutation of its target margin. So whole numbers stay whole and point
masses keep their counts. The search assigns values to records so that sums of products with X and among the columns are
the original's. Source: own; the release as a permutation of its margin is Domingo-Ferrer and Muralidhar's (2016).
"""

from typing import Any

import numpy as np

from ...engine import Engine
from ...engine.engines import side_by_side
from ...numerics.sorting import stable_order
from ...progress import OnStep, discard
from ...rstream import RStream
from ...types import Array, Index, Mask, Places
from .kernels import ATTEMPTS, Chances, Held, Shard, swap

CLOSED_GAP = 1e-9  # of a correlation: a largest gap below this is none
MOST, LEAST, TRIES = 200, 12, 8_000_000  # attempts a value on short files and on long ones, and how many in all between
MOST_IF_TIGHT = 400  # on short files whose columns nearly determine each other
# The same where cross sums by weights and levels are targets too; and what a swap may add to their squares, pass by pass.
CLOSED_GAP_BY_METRICS, MOST_BY_METRICS, TRIES_BY_METRICS = 1e-8, 600, 45_000_000
HOT, COOLER, COLD = 100.0, 0.7, 1e-4
SHARE = 0.75  # of the attempts are for columns together at first, and the rest must be enough to close the gaps
A_VALUE, AT_ONCE = 10, 1_000_000  # attempts a value in one pass, and at most in all
NARROW, FULL_REACH = 10.0, 1.0  # reach at first, over the attempts a value, and at most
TAILS, FAR = 0.1, 0.0  # shares of attempts that start at ranks near the ends, and whose other rank is any
STUCK = (0.5, 0.3)  # the same where a column is by itself
END_RANKS = 4096  # how finely ranks near the ends are distinguished
WORTH = 0.1  # of the largest gap: a turn that closes less leaves others as they were
MAX_TURNS = 3  # of all columns together and column by column
SINGLE_PASSES = 6  # passes of one column by itself
SHARD = 100_000  # records that swap among themselves, on long files
# Columns that nearly determine each other: swaps get stuck there, and a small gap of a correlation matters.
DETERMINED = 1e-3  # least eigenvalue of the correlations below which columns nearly determine each other
CORRELATION_FLOOR = 0.03  # added to what a correlation leaves open, so that no pair of columns is all that counts
TOLERATED_GAP = 0.1  # of a correlation's standard error: a gap below this is near enough where swaps get stuck
# What a swap may add to the squares, pass by pass, where they are stuck.
HEAT, COOLER_STUCK, COLD_STUCK = 3000.0, 0.4, 0.01
COOLING_PASSES = int(np.ceil(np.log(COLD_STUCK / HEAT) / np.log(COOLER_STUCK)))  # until that is nothing
PART = 0.3  # of all attempts that go into one cooling, and into what follows it
WORTHWHILE = 0.3  # of the attempts that a pass has elsewhere: with fewer, on long files, cooling is not worth it


def ranks_from_an_end(n: int) -> Index:
    """(END_RANKS,) ranks counted from an end, from 0 to n - 1, as many below 10 as from 10 to 100."""
    return (n ** ((np.arange(END_RANKS) + 0.5) / END_RANKS)).astype(np.int64) - 1


class SwapSearch:
    """Searches for the order in which values have the target cross sums.

    A : (n, q) columns that stay; y : (n, t), whose sums with A and with themselves are wanted; z : (n, t), the values to be
    swapped, where they are at the start. All are of mean 0 and about sd 1. A may hold more than the design of X:
    whatever linear sums of the release are to be those of y. metrics : (n, m), whose sums of products of two released
    columns are targets too. factors : (d, t), what these add to derived columns. bounds : that records keep, and where
    values are in their units. levels : (n, t), of records that swap a column's values among themselves. On long files
    every k-th record is in one shard. Before a pass each shard gets an equal part of the gap, which it reduces on its
    own thread. The file's gap is the sum of the shards' remaining gaps.
    """

    def __init__(
        self,
        A: Array,
        y: Array,
        z: Array,
        stream: RStream,
        engine: Engine | None = None,
        *,
        bounds: Held | None = None,
        metrics: Array,
        levels: Mask,
        factors: Array | None = None,
        on_step: OnStep = discard,
    ) -> None:
        self.n, self.t = n, t = y.shape
        self.q, self.stream, self.engine, self.on_step = A.shape[1], stream, engine, on_step
        self.weight = np.hstack([np.ones((t, self.q + t)), *_precision(y, metrics)])
        self.unit = np.sqrt(self.weight)
        self.own = np.arange(t), self.q + np.arange(t)
        self.goal = np.hstack([y.T @ A, y.T @ y, *_by_metrics(y, metrics)])
        self.tight = not metrics.shape[1] and t > 0 and determined(np.hstack([A, y]))
        if self.tight:
            self.weight = tightness(self.goal / n)
        self.weight[self.own] = 0.0
        most, tries = (MOST_BY_METRICS, TRIES_BY_METRICS) if metrics.shape[1] else (MOST, TRIES)
        most = MOST_IF_TIGHT if self.tight else most
        self.most = max(LEAST * n * t, min(most * n * t, tries))
        self.widest = FULL_REACH if metrics.shape[1] else min(FULL_REACH, NARROW * n * t / self.most)
        self.slack, self.home = (HOT, CLOSED_GAP_BY_METRICS) if metrics.shape[1] else (0.0, CLOSED_GAP)
        F = np.empty((0, t)) if factors is None else factors
        L = levels if levels.any() else levels[:, :0]
        held = Held(np.empty((0, t)), np.empty((0, t)), np.empty((0, 0))) if bounds is None else bounds
        parts = max(1, n // SHARD)
        self.rows = [slice(k, None, parts) for k in range(parts)]
        self.shards = side_by_side(lambda k: self._shard(self.rows[k], (A, z, metrics, L), F, held), parts, n, engine)
        self.total = np.zeros(self.weight.shape)
        self.near = ranks_from_an_end(self.shards[-1].target.shape[1])
        self.attempts, self.least, self.best = 0, np.inf, list[Places]()

    def _shard(self, rows: slice, columns: tuple[Any, ...], factors: Array, bounds: Held) -> Shard:
        """Some records of the file. Derived columns have no weight yet; all shards see changes of `weight`."""
        A, z, metrics, levels = (np.ascontiguousarray(part[rows]) for part in columns)
        order = np.array([stable_order(column) for column in z.T], dtype=np.int32).reshape(self.t, len(z))
        target = np.ascontiguousarray(np.take_along_axis(z.T, order, axis=1))
        held = Held(np.ascontiguousarray(bounds.values[rows]), bounds.held, np.ascontiguousarray(bounds.left[rows]))
        tie, first, after = _ties(target)
        return Shard(
            records=np.hstack([A, z]),
            target=target,
            order=order,
            tie=tie,
            first=first,
            after=after,
            metrics=metrics,
            gap=np.zeros(self.weight.shape),
            weight=self.weight,
            reach=np.full(self.t, self.widest),
            bounds=held,
            off=np.zeros((len(z), len(factors))),
            factors=factors,
            precision=np.zeros((len(z), len(factors))),
            levels=levels,
        )

    def gap(self) -> float:
        """The largest gap, counted anew, in units of a correlation."""
        sums = []
        for shard in self.shards:  # of the released columns with all columns, and by metrics
            z = shard.records[:, self.q :]
            sums.append(np.hstack([z.T @ shard.records, *_by_metrics(z, shard.metrics)]))
        self.total = np.sum(sums, axis=0) - self.goal
        self.total[self.own] = 0.0
        return self._largest()

    def orders(self) -> list[Places]:
        """Swaps all columns together; without progress each alone, or with gaps that may increase, and together again. Returns the
        best order of each shard's ranks: (t, n), the record at each."""
        self.on_step(0, self.most)
        self.gap()
        self._search()
        self.on_step(self.most, self.most)
        return self.best

    def _search(self) -> None:
        if self.tight:
            self._by_heat()
        else:
            self._by_turns()

    def _keep(self, size: float) -> None:
        """Keeps the order of each shard's ranks where no earlier one had so small a gap."""
        if size < self.least:
            self.least, self.best = size, [shard.order.copy() for shard in self.shards]

    def _by_turns(self) -> None:
        """Passes over all columns together and over each separately."""
        last = np.inf
        self._keep(self._largest())
        for turn in range(MAX_TURNS):
            # What bounds or heavy tails hold open for columns together each may close by itself: one turn of that is tried.
            if self.least <= self.home or self.attempts >= self.most or (turn > 1 and self.least > last / 2):
                break
            if turn:
                self._in_turn()
            self._together(self.most if turn else int(SHARE * self.most))
            last, gap = self.least, self.gap()
            if gap < (1 - WORTH) * self.least:
                self._keep(gap)

    def _by_heat(self) -> None:
        """The same where columns nearly determine each other: distant values move only together, by swaps that increase gaps first.
        Such passes begin where a gap exceeds the original's sampling error, and end with swaps that only reduce gaps."""
        self._keep(self._size())
        each, part = A_VALUE * self.n * self.t, int(PART * self.most)
        at_once = self._whole(min(each, AT_ONCE, part // COOLING_PASSES), self.t)
        long = at_once < WORTHWHILE * each
        while True:
            self._together(self.most if long else min(self.most, self.attempts + part))
            near = self.gap() <= self.home or self._in_errors() <= TOLERATED_GAP
            self._keep(self._size())
            if near or long or self.attempts + COOLING_PASSES * at_once >= self.most:
                return
            self._reach(FULL_REACH, FULL_REACH)
            for k in range(COOLING_PASSES):
                self.slack = HEAT * COOLER_STUCK**k
                self._try(np.arange(self.t), at_once)
            self.slack = 0.0

    def _reach(self, least: float, most: float) -> None:
        """Reaches within these, from now on at most the latter."""
        self.widest = most
        for shard in self.shards:
            shard.reach[:] = np.clip(shard.reach, least, most)

    def _together(self, most: int) -> None:
        """Passes over all columns, up to so many attempts. Reach is as wide as it must be to close the gaps within
        them. With metrics a gap may grow by a slack at first, smaller in each pass. So far values find their places
        before near ones compensate."""
        columns, last = np.arange(self.t), self._size()
        at_once = self._whole(min(A_VALUE * self.n * self.t, AT_ONCE), self.t)
        while self.attempts + self._whole(1, self.t) <= most:
            self._try(columns, min(at_once, self._whole(most - self.attempts, self.t)))
            size = self._size()
            if self._largest() <= self.home:
                return
            if self.slack:
                self.slack = self.slack * COOLER if self.slack > COLD else 0.0
            elif size * at_once > (last - size) * (most - self.attempts):
                if self.widest >= FULL_REACH:
                    return
                self.widest = min(FULL_REACH, 2 * self.widest)
            last = size

    def _in_turn(self) -> None:
        """One column after another, that with the largest gap first: its gaps with X and with those before it can be closed."""
        weight = self.weight.copy()
        farthest = np.argsort(-np.abs(self.total).max(axis=1), kind="stable")
        at_once = self._whole(min(A_VALUE * self.n, AT_ONCE), 1)
        for i, j in enumerate(farthest):
            for at in range(self.q, self.weight.shape[1], self.t):
                self.weight[j, at + farthest[i + (at > self.q) :]] = 0.0
            for shard in self.shards:
                shard.reach[j] = max(shard.reach[j], self.widest)
            last = np.inf
            for _ in range(SINGLE_PASSES):
                left = np.abs(self.total[j] * self.weight[j]).max(initial=0.0) / self.n
                if left <= self.home or left > last / 2 or self.attempts + at_once > self.most:
                    break
                last = left
                self._try(farthest[i : i + 1], at_once, *STUCK)
        self.weight[:] = weight

    def _whole(self, count: int, columns: int) -> int:
        """About `count` attempts, as many in each column and in each shard."""
        unit = ATTEMPTS * columns * len(self.shards)
        return max(1, count // unit) * unit

    def _try(self, columns: Index, count: int, tails: float = TAILS, far: float = FAR) -> None:
        """So many attempts, shared by the shards."""
        chances, parts = Chances(self.near, tails, far, self.widest, self.slack), len(self.shards)
        u = self.stream.runif(3 * count).reshape(parts, -1, 3)

        def swap_in(k: int) -> None:
            self.shards[k].gap[:] = self.total / parts
            swap(self.shards[k], columns, chances, u[k])

        side_by_side(swap_in, parts, self.n, self.engine)
        self.total = np.sum([shard.gap for shard in self.shards], axis=0)
        self.attempts += count
        self.on_step(min(self.attempts, self.most), self.most)

    def _largest(self) -> float:
        return float((self.unit * np.abs(self.total)).max(initial=0.0)) / self.n

    def _in_errors(self) -> float:
        """The largest gap in units of the original's standard error, about."""
        return float((np.sqrt(self.weight) * np.abs(self.total)).max(initial=0.0)) / np.sqrt(self.n)

    def _size(self) -> float:
        return float(np.sqrt((self.weight * self.total**2).sum()))


def _by_metrics(z: Array, metrics: Array) -> list[Array]:
    return [(z * metric[:, None]).T @ z for metric in metrics.T]


def _precision(y: Array, metrics: Array) -> list[Array]:
    """Precisions of the sums by metrics, relative to those of products of normals, at most 1.

    A sum of heavy-tailed products is less certain, and has less weight. y : (n, t), standardised; metrics : (n, m).
    """
    return [1 / np.maximum((y * y * metric[:, None] ** 2).T @ (y * y) / len(y), 1.0) for metric in metrics.T]


def _ties(target: Array) -> tuple[Index, Places, Places]:
    """The fields `tie`, `first` and `after` of Shard, for sorted columns (t, n)."""
    t, n = target.shape
    tie, first, after = np.full(t, -1), list[Index](), list[Index]()
    for j, values in enumerate(target):
        starts = np.searchsorted(values, values)
        if (starts < np.arange(n)).any():
            tie[j] = len(first)
            first.append(starts)
            after.append(np.searchsorted(values, values, side="right"))
    stacked = [np.array(rows, dtype=np.int32).reshape(len(rows), n) for rows in (first, after)]
    return tie, stacked[0], stacked[1]


def determined(A: Array) -> bool:
    """Whether columns A (n, p) of mean 0 and sd 1 nearly determine each other."""
    return bool(np.linalg.eigvalsh(A.T @ A / len(A))[0] < DETERMINED)


def tightness(correlations: Array) -> Array:
    """Weights for squared gaps of correlations, of any shape: about how surely each is known, 1 for a correlation of 0.

    An estimate r of normals has a standard error of (1 - r^2) / sqrt(n).
    """
    return ((1 + CORRELATION_FLOOR) / (1 - np.minimum(correlations**2, 1.0) + CORRELATION_FLOOR)) ** 2
