"""Swaps that also target the margins of derived columns: a part keeps its margin under any swap, a sum of parts does not.

The target of a derived value is the target margin's value at its rank; a swap that moves two records away from theirs costs.
Source: own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...constraints.accepted import Totals
from ...numerics.location import Location
from ...numerics.sorting import stable_order
from ...types import Array
from .search import AT_ONCE, FULL_REACH, MOST_BY_METRICS, TOLERATED_GAP, SwapSearch

TRIES = 16_000_000  # in all on longer files; on short ones MOST_BY_METRICS a value
MORE = 2  # times as many as without derived columns, on the longest
ERROR_FLOOR = 0.25  # of the median standard error of a quantile, added to each: it is 0 where values are alike
# Root mean square distance from the targets that is near enough, in standard errors of a quantile.
TOLERATED_DISTANCE = 0.5
TURNS = ((0.05, 10.0), (0.3, 30.0), (FULL_REACH, 100.0))  # reach, and what a swap may add to the squares at first
MIN_PER_TURN = 30  # attempts a value in a turn below which there is one turn alone, in which squares only fall
TURN_PASSES, COOLER = 12, 0.4  # of a turn, and by how much less a swap may add from one to the next
LAST, LIGHTER = 5, 0.4  # of these, in which nothing may be added, and distances weigh less and less
# Of a turn's attempts, for cross sums alone and with distances; the rest is for sums again.
BEFORE, MEANWHILE = 0.2, 0.6
AFTER = 0.02  # reach in that rest, at first, where files are short


@dataclass(frozen=True)
class Margins:
    """Derived columns of scores z (n, t), as base (n, d) + z @ factors.T, factors (d, t); target (n, d), sorted by column;
    precision (n, d), by rank, of squared distances from it. All in sd of the target."""

    base: Array
    factors: Array
    target: Array
    precision: Array

    @classmethod
    def of(cls, totals: Totals, where: Location) -> Margins:
        """Of totals whose values are sorted by column. where : what released columns are standardised by."""
        sd = totals.values.std(axis=0)
        sd = np.where(sd > 0, sd, 1.0)
        target = totals.values / sd
        base = (totals.fixed + totals.released @ (where.origin + where.offset)) / sd
        precision = np.column_stack([_precision(column) for column in target.T])
        return cls(base, totals.released * where.sd / sd[:, None], target, precision)

    def strays(self, z: Array) -> tuple[Array, Array]:
        """How far each record is from the target at its rank, and the precision there, both (n, d)."""
        off = self.base.copy()
        for column, factors in zip(z.T, self.factors.T, strict=True):
            off += column[:, None] * factors
        precision = np.empty_like(off)
        for c in range(off.shape[1]):
            order = stable_order(off[:, c])
            off[order, c] -= self.target[:, c]
            precision[order, c] = self.precision[:, c]
        return off, precision


def _precision(target: Array) -> Array:
    """(n,) of sorted values: one over the squared standard error of each as a quantile, about."""
    n = len(target)
    rank, share = np.arange(n), (np.arange(n) + 0.5) / n
    apart = np.maximum(np.sqrt(n * share * (1 - share)), 1.0)
    high, low = (np.interp(np.clip(rank + side * apart, 0, n - 1), rank, target) for side in (1, -1))
    error = (high - low) / 2
    usual = np.median(error[error > 0]) if (error > 0).any() else 1.0
    return 1 / (error**2 + (ERROR_FLOOR * usual) ** 2)


class DerivedSwapSearch(SwapSearch):
    """A SwapSearch that also targets `margins`, in turns with growing reach and growing tolerated increase."""

    def __init__(self, *columns: Any, margins: Margins, **more: Any) -> None:
        super().__init__(*columns, factors=margins.factors, **more)
        self.margins = margins
        self.most = min(MOST_BY_METRICS * self.n * self.t, max(MORE * self.most, TRIES))

    def _search(self) -> None:
        """Keeps the order at the end of the best turn; the first that is near enough is the last."""
        turns = TURNS if self.most >= MIN_PER_TURN * len(TURNS) * self.n * self.t else ((FULL_REACH, 0.0),)
        for k, (reach, heat) in enumerate(turns):
            self._turn(reach, heat, (self.most - self.attempts) // (len(turns) - k))
            self._keep(self._far())
            if self.least <= 1:
                break

    def _turn(self, reach: float, heat: float, most: int) -> None:
        columns, until = np.arange(self.t), self.attempts + most
        self.slack = 0.0
        self._together(self.attempts + int(BEFORE * most))
        self._reach(reach, reach)
        at_once = self._whole(min(int(MEANWHILE * most / TURN_PASSES), AT_ONCE), self.t)
        for left in range(TURN_PASSES, 0, -1):
            self.slack = heat * COOLER ** (TURN_PASSES - left) if left > LAST else 0.0
            self._aim(min(1.0, LIGHTER ** (LAST - left)))
            self._try(columns, at_once)
        self._aim(0.0)
        self._reach(0.0, AFTER if heat else FULL_REACH)
        self.gap()
        self._together(until)

    def _aim(self, weight: float) -> float:
        """Sets the targets by the present ranks, and the weight of the distances from them. Returns the largest root
        mean square distance of a column, in standard errors of a quantile."""
        z = np.empty((self.n, self.t))
        for rows, shard in zip(self.rows, self.shards, strict=True):
            z[rows] = shard.records[:, self.q :]
        off, precision = self.margins.strays(z)
        for rows, shard in zip(self.rows, self.shards, strict=True):
            shard.off[:] = off[rows]
            shard.precision[:] = weight * precision[rows]
        return float(np.sqrt((precision * off**2).mean(axis=0)).max())

    def _far(self) -> float:
        """How far margins and sums are from near enough: at most 1 where all are."""
        strays = self._aim(0.0) / TOLERATED_DISTANCE
        return strays if self.gap() <= self.home else max(strays, self._in_errors() / TOLERATED_GAP)
