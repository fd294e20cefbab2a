"""Calibration by swaps: target margins are placed by rank, then values are swapped within columns until cross sums agree.

At every step a column of the release is a permutation of its target margin. So whole numbers stay whole and point
masses keep their counts. The search assigns values to records so that sums of products with X and among the columns are
the original's. Source: own; the release as a permutation of its margin is Domingo-Ferrer and Muralidhar's (2016).
"""

from typing import Any

import numpy as np
from scipy.stats import rankdata

from ...engine import Engine
from ...engine.engines import side_by_side
from ...numerics.sorting import stable_order
from ...progress import OnStep, discard
from ...rstream import RStream
from ...types import Array, Index, Integers, Mask, Places
from .kernels import ATTEMPTS, Chances, Held, Shard, swap

CLOSED_GAP = 1e-9  # of a correlation: the search ends where the largest gap is below this
CLOSED_GAP_BY_METRICS = 1e-8  # the same where cross sums by weights and levels are targets too
# The number of attempts depends on the number of values n t alone, not on the number of unmodified columns.
MOST = 200  # attempts a value on short files
MOST_IF_TIGHT = 400  # the same where columns nearly determine each other
MOST_BY_METRICS = 600  # the same with metrics
TRIES = 8_000_000  # attempts in all on longer files
TRIES_BY_METRICS = 45_000_000
LEAST = 12  # attempts a value on the longest files
A_VALUE = 10  # attempts a value in one pass
AT_ONCE = 1_000_000  # attempts in one pass at most
# With metrics, what a swap may add to the sum of squares: in the first pass, the factor from pass to pass, and where it ends.
HOT = 100.0
COOLER = 0.7
COLD = 1e-4
# Weight of the squared distances of ranks, as shares, from those of the release, over n: at first, when it ends, and the share of
# the attempts until then. Swaps that move ranks little are done first: quantiles of groups stay near those of the release.
STAY = 30.0
FREE = 0.01
STAYING = 0.3
# The least such weight of a column of codes over the root of n, to the end: a swap of two codes moves many ranks. It is worth it where a
# sum is off by about a standard error. Otherwise codes stay where the release has drawn them.
STAY_OF_CODES = 5000.0
SHARE = 0.75  # of the attempts are for columns together at first; the rest must be enough to close the gaps
NARROW = 10.0  # reach at first, over the attempts a value
FULL_REACH = 1.0
TAILS = 0.1  # share of attempts that start at ranks near the ends
FAR = 0.0  # share of attempts whose other rank is any
STUCK = (0.5, 0.3)  # the same two shares where a column is swapped by itself
END_RANKS = 4096  # how finely ranks near the ends are distinguished
WORTH = 0.1  # of the largest gap: a turn that closes less is not kept
MAX_TURNS = 3  # of all columns together and column by column
SINGLE_PASSES = 6  # passes of one column by itself
SHARD = 100_000  # records that swap among themselves, on long files
# Columns that nearly determine each other: swaps get stuck there, and a small gap of a correlation matters.
DETERMINED = 1e-3  # least eigenvalue of the correlations below which columns nearly determine each other
# Added to what a correlation leaves open, so that no pair of columns has nearly all the weight.
CORRELATION_FLOOR = 0.03
TOLERATED_GAP = 0.1  # of a correlation's standard error: a gap below this is near enough where swaps get stuck
# There, what a swap may add to the sum of squares: in the first pass, the factor from pass to pass, and where it ends.
HEAT = 3000.0
COOLER_STUCK = 0.4
COLD_STUCK = 0.01
COOLING_PASSES = int(np.ceil(np.log(COLD_STUCK / HEAT) / np.log(COOLER_STUCK)))
PART = 0.3  # of all attempts that go into one cooling, and into what follows it
WORTHWHILE = 0.3  # of the attempts that a pass has elsewhere: with fewer, on long files, cooling is not worth it


def ranks_from_an_end(n: int) -> Index:
    """Ranks counted from an end (END_RANKS,), from 0 to n - 1, as many below 10 as from 10 to 100."""
    return (n ** ((np.arange(END_RANKS) + 0.5) / END_RANKS)).astype(np.int64) - 1


class SwapSearch:
    """Searches for the order in which values have the target cross sums.

    On long files every k-th record is in one shard. Before a pass each shard gets an equal part of the gap, which it reduces
    on its own thread. The file's gap is the sum of the shards' remaining gaps.

    Parameters
    ----------
    A : ndarray, shape (n, q)
        Unmodified columns, of mean 0 and about sd 1. They may be more than the design of X: all columns whose sums of products
        with the release are to be those with y.
    y : ndarray, shape (n, t)
        The originals in the same units, whose sums of products with A and with themselves are the targets.
    z : ndarray, shape (n, t)
        The values to be swapped, in their starting order and in the units of y.
    stream : RStream
        The source of the uniforms.
    bounds : Held, optional
        Bounds that records satisfy, and the values in the units of the bounds.
    metrics : ndarray, shape (n, m)
        Factors of products of two released columns whose sums are targets too.
    levels : ndarray of int, shape (n, t)
        Records of one level swap a column's values among themselves.
    factors : ndarray, shape (d, t), optional
        What each released column adds to the derived columns.
    covariances : ndarray of bool, shape (t, t), optional
        Symmetric: the pairs of columns whose sum of products is a target; None is all.
    codes : ndarray of bool, shape (t,), optional
        The columns of codes, see is_scale: their values are swapped only where this is worth it. None is no column.
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
        levels: Integers,
        factors: Array | None = None,
        covariances: Mask | None = None,
        codes: Mask | None = None,
        on_step: OnStep = discard,
    ) -> None:
        n, t = y.shape
        by_metrics = metrics.shape[1] > 0
        self.n = n
        self.t = t
        self.q = A.shape[1]
        self.stream = stream
        self.engine = engine
        self.on_step = on_step
        # Cross sums (t, q + t + m t): with A, among released columns, then among these by each metric.
        self.goal = np.hstack([y.T @ A, y.T @ y, *_by_metrics(y, metrics)])
        self.weight = np.hstack([np.ones((t, self.q + t)), *_precision(y, metrics)])
        self.unit = np.sqrt(self.weight)
        self.own = (np.arange(t), self.q + np.arange(t))  # sums of a column with itself, which swaps do not change
        self.tight = not by_metrics and t > 0 and determined(np.hstack([A, y]))
        if self.tight:
            self.weight = tightness(self.goal / n)
        self.weight[self.own] = 0.0
        if covariances is not None:
            among = slice(self.q, self.q + t)
            self.weight[:, among][~covariances] = 0.0
            self.unit[:, among][~covariances] = 0.0
        self.most = self._most_attempts(by_metrics)
        if by_metrics:
            self.widest = FULL_REACH
            self.slack = HOT
            self.home = CLOSED_GAP_BY_METRICS
        else:
            self.widest = min(FULL_REACH, NARROW * n * t / self.most)
            self.slack = 0.0
            self.home = CLOSED_GAP
        if factors is None:
            factors = np.empty((0, t))
        if bounds is None:
            bounds = Held(values=np.empty((0, t)), held=np.empty((0, t)), left=np.empty((0, 0)))
        if not levels.any():
            levels = levels[:, :0]
        levels = levels.astype(np.int8)
        self.least_stay = np.zeros(t)
        if codes is not None and not len(bounds.held):
            self.least_stay[codes] = STAY_OF_CODES * np.sqrt(n)
        parts = max(1, n // SHARD)
        self.rows = [slice(k, None, parts) for k in range(parts)]
        columns = (A, z, metrics, levels)
        self.shards = side_by_side(lambda k: self._shard(self.rows[k], columns, factors, bounds), parts, n, engine)
        self.total = np.zeros(self.weight.shape)
        self.near = ranks_from_an_end(self.shards[-1].target.shape[1])
        # Attempts between which ranks stay near those at the start. Within bounds swaps get stuck there.
        self.stays = (0, 0 if len(bounds.held) else int(STAYING * self.most))
        self.attempts = 0
        self.least = np.inf
        self.best = list[Places]()

    def _most_attempts(self, by_metrics: bool) -> int:
        """The largest number of attempts, by the number of values alone."""
        values = self.n * self.t
        if by_metrics:
            on_short_files = MOST_BY_METRICS * values
            on_longer_files = TRIES_BY_METRICS
        else:
            on_short_files = (MOST_IF_TIGHT if self.tight else MOST) * values
            on_longer_files = TRIES
        return max(LEAST * values, min(on_short_files, on_longer_files))

    def _shard(self, rows: slice, columns: tuple[Any, ...], factors: Array, bounds: Held) -> Shard:
        """The shard of some records of the file. columns : A, z, metrics and levels, of all records.

        Distances of derived columns have no weight yet. The shards share one array `weight`, and see its changes.
        """
        A, z, metrics, levels = (np.ascontiguousarray(part[rows]) for part in columns)
        order = np.array([stable_order(column) for column in z.T], dtype=np.int32).reshape(self.t, len(z))
        target = np.ascontiguousarray(np.take_along_axis(z.T, order, axis=1))
        held = Held(
            values=np.ascontiguousarray(bounds.values[rows]),
            held=bounds.held,
            left=np.ascontiguousarray(bounds.left[rows]),
        )
        tie, first, after = _ties(target)
        home = np.empty((len(z), self.t))
        np.put_along_axis(home, order.T.astype(np.int64), (np.arange(len(z)) / max(len(z), 1))[:, None], axis=0)
        of_codes = self.least_stay > 0
        home[:, of_codes] = (rankdata(z[:, of_codes], axis=0) - 1) / max(len(z), 1)
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
            home=home,
        )

    def gap(self) -> float:
        """The largest gap, counted anew, in units of a correlation."""
        sums = list[Array]()
        for shard in self.shards:
            z = shard.records[:, self.q :]
            sums.append(np.hstack([z.T @ shard.records, *_by_metrics(z, shard.metrics)]))
        self.total = np.sum(sums, axis=0) - self.goal
        self.total[self.own] = 0.0
        return self._largest()

    def orders(self) -> list[Places]:
        """Runs the search, and returns the best order of each shard's ranks: (t, n), the record at each.

        All columns are swapped together. Where this gets stuck each is swapped by itself, or gaps may increase for a while;
        then all are swapped together again.
        """
        self.on_step(0, self.most)
        self.gap()
        self._search()
        self.on_step(self.most, self.most)
        return self.best

    def _search(self) -> None:
        """Swaps until the gaps are closed or all attempts are made, and keeps the best order."""
        if self.tight:
            self._by_heat()
            return
        self._by_turns()
        # Within bounds swaps that only reduce gaps may get stuck, too.
        shard = self.shards[0]
        bounded = len(shard.bounds.held) > 0 and shard.metrics.shape[1] == 0
        if bounded and self.gap() > self.home and self._in_errors() > TOLERATED_GAP:
            self.least = np.inf
            self._by_heat()

    def _keep(self, size: float) -> None:
        """Keeps the order of each shard's ranks where no earlier one had so small a gap."""
        if size < self.least:
            self.least = size
            self.best = [shard.order.copy() for shard in self.shards]

    def _by_turns(self) -> None:
        """Makes passes over all columns together, then over each by itself and over all again.

        Gaps that bounds or heavy tails leave open for columns together may be closed by each column by itself: one such turn is
        tried in any case, another only where the last one halved the largest gap.
        """
        last = np.inf
        self._keep(self._remaining())
        for turn in range(MAX_TURNS):
            if self.least <= self.home or self.attempts >= self.most:
                break
            if turn > 1 and self.least > last / 2:
                break
            if turn == 0:
                self._together(int(SHARE * self.most))
            else:
                self._in_turn()
                self._together(self.most)
            last = self.least
            self.gap()
            remaining = self._remaining()
            if remaining < (1 - WORTH) * self.least:
                self._keep(remaining)

    def _by_heat(self) -> None:
        """Makes the passes of a search where columns nearly determine each other.

        There distant values move only together, by swaps that increase gaps first. Such passes, a cooling, follow where a gap exceeds
        the original's sampling error; swaps that only reduce gaps end the search.
        """
        self._keep(self._size())
        each = A_VALUE * self.n * self.t
        part = int(PART * self.most)
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
        """Sets the largest reach, and moves the reach of each column between both."""
        self.widest = most
        for shard in self.shards:
            shard.reach[:] = np.clip(shard.reach, least, most)

    def _together(self, most: int) -> None:
        """Makes passes over all columns, until the gaps are closed or the search has made `most` attempts.

        Reach doubles where the gaps would not be closed in time. With metrics a swap may add a slack to the sum of squares, smaller
        in each pass: distant values find their places before near ones compensate.
        """
        columns = np.arange(self.t)
        last = self._size()
        at_once = self._whole(min(A_VALUE * self.n * self.t, AT_ONCE), self.t)
        while self.attempts + self._whole(1, self.t) <= most:
            self._try(columns, min(at_once, self._whole(most - self.attempts, self.t)))
            size = self._size()
            if self._largest() <= self.home:
                return
            closed_by_pass = last - size
            attempts_left = most - self.attempts
            if self.slack:
                self.slack = self.slack * COOLER if self.slack > COLD else 0.0
            elif (
                self._stay() == 0 and size * at_once > closed_by_pass * attempts_left
            ):  # too slow: closed_by_pass / at_once < size / attempts_left
                if self.widest >= FULL_REACH:
                    return
                self.widest = min(FULL_REACH, 2 * self.widest)
            last = size

    def _in_turn(self) -> None:
        """Makes passes over one column after another, that with the largest gap first.

        The gaps of a column with X and with the columns before it can be closed. Those with later columns have no weight.
        """
        weight = self.weight.copy()
        farthest = np.argsort(-np.abs(self.total).max(axis=1), kind="stable")
        at_once = self._whole(min(A_VALUE * self.n, AT_ONCE), 1)
        for i, j in enumerate(farthest):
            # Blocks of t sums among released columns: plain ones, then by each metric. By metrics a column has a sum with itself.
            for at in range(self.q, self.weight.shape[1], self.t):
                later = farthest[i:] if at == self.q else farthest[i + 1 :]
                self.weight[j, at + later] = 0.0
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
        """About `count` attempts: a whole number of kernel calls, equally many in each column and shard."""
        unit = ATTEMPTS * columns * len(self.shards)
        return max(1, count // unit) * unit

    def _try(self, columns: Index, count: int, tails: float = TAILS, far: float = FAR) -> None:
        """Makes `count` attempts in these columns, in all shards together. tails, far : see Chances."""
        chances = Chances(
            near=self.near, tails=tails, far=far, widest=self.widest, slack=self.slack, stay=self._stay_of_columns()
        )
        parts = len(self.shards)
        u = self.stream.runif(3 * count).reshape(parts, -1, 3)

        def swap_in(k: int) -> None:
            """Swaps in one shard, which has an equal part of the gaps."""
            self.shards[k].gap[:] = self.total / parts
            swap(self.shards[k], columns, chances, u[k])

        side_by_side(swap_in, parts, self.n, self.engine)
        self.total = np.sum([shard.gap for shard in self.shards], axis=0)
        self.attempts += count
        self.on_step(min(self.attempts, self.most), self.most)

    def _stay(self) -> float:
        """The weight of the squared distances of ranks from those at the start; it falls by the same factor in each pass."""
        first, last = self.stays
        if self.attempts >= last:
            return 0.0
        share = (self.attempts - first) / (last - first)
        return float(STAY * self.n * (FREE / STAY) ** share)

    def _stay_of_columns(self) -> Array:
        """The weight of each column (t,); (0,) where no column has one."""
        weights: Array = np.maximum(self._stay(), self.least_stay)
        return weights if weights.any() else weights[:0]

    def _remaining(self) -> float:
        """The largest gap. With codes the root of the weighted sum of squares: a gap of codes may stay open, and be the largest one."""
        if self.least_stay.any():
            return self._size() / self.n
        return self._largest()

    def _largest(self) -> float:
        """The largest gap, in units of a correlation."""
        return float((self.unit * np.abs(self.total)).max(initial=0.0)) / self.n

    def _in_errors(self) -> float:
        """The largest gap, about in standard errors of the original's correlation: sqrt(weight) is about 1 / (1 - r^2)."""
        return float((np.sqrt(self.weight) * np.abs(self.total)).max(initial=0.0)) / np.sqrt(self.n)

    def _size(self) -> float:
        """The root of the weighted sum of squared gaps."""
        return float(np.sqrt((self.weight * self.total**2).sum()))


def _by_metrics(z: Array, metrics: Array) -> list[Array]:
    """Cross sums (t, t) of columns z (n, t), weighted by each metric (n, m)."""
    return [(z * metric[:, None]).T @ z for metric in metrics.T]


def _precision(y: Array, metrics: Array) -> list[Array]:
    """Precisions (t, t) of the sums by each metric, relative to those of products of normals, at most 1.

    With a metric g the precision is 1 / max(mean(g^2 y_j^2 y_k^2), 1), as products of uncorrelated normals have a mean square
    of 1. A sum of heavy-tailed products is less certain, and has less weight. y : (n, t), standardised; metrics : (n, m).
    """
    squares = y * y
    precisions = list[Array]()
    for metric in metrics.T:
        mean_squares = (squares * metric[:, None] ** 2).T @ squares / len(y)
        precisions.append(1 / np.maximum(mean_squares, 1.0))
    return precisions


def _ties(target: Array) -> tuple[Index, Places, Places]:
    """The fields `tie`, `first` and `after` of Shard, for sorted columns (t, n)."""
    t, n = target.shape
    tie = np.full(t, -1)
    first = list[Index]()
    after = list[Index]()
    for j, values in enumerate(target):
        starts = np.searchsorted(values, values)
        if (starts < np.arange(n)).any():
            tie[j] = len(first)
            first.append(starts)
            after.append(np.searchsorted(values, values, side="right"))
    first_ranks = np.array(first, dtype=np.int32).reshape(len(first), n)
    ranks_after = np.array(after, dtype=np.int32).reshape(len(after), n)
    return tie, first_ranks, ranks_after


def determined(A: Array) -> bool:
    """Whether columns A (n, p) of mean 0 and sd 1 nearly determine each other: the least eigenvalue of their correlations is small."""
    return bool(np.linalg.eigvalsh(A.T @ A / len(A))[0] < DETERMINED)


def tightness(correlations: Array) -> Array:
    """Weights for squared gaps of correlations, of any shape: about how surely each is known, 1 for a correlation of 0.

    An estimate r of normals has a standard error of (1 - r^2) / sqrt(n). The weight is its square's inverse, with a floor f:
    ((1 + f) / (1 - r^2 + f))^2.
    """
    left_open = 1 - np.minimum(correlations**2, 1.0)
    return ((1 + CORRELATION_FLOOR) / (left_open + CORRELATION_FLOOR)) ** 2
