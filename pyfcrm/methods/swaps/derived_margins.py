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

TRIES = 16_000_000  # attempts in all on longer files; on short ones MOST_BY_METRICS a value
MORE = 2  # times as many attempts as without derived columns, on the longest files
ERROR_FLOOR = 0.25  # of the median standard error of a quantile, added to each: it is 0 where values are alike
# Root mean square distance from the targets that is near enough, in standard errors of a quantile.
TOLERATED_DISTANCE = 0.5
# Of each turn its reach, and what a swap may add to the sum of squares at first.
TURNS = ((0.05, 10.0), (0.3, 30.0), (FULL_REACH, 100.0))
MIN_PER_TURN = 30  # attempts a value in a turn; with fewer there is one turn alone, in which squares only fall
TURN_PASSES = 12  # passes of a turn
COOLER = 0.4  # factor, from pass to pass, of what a swap may add
LAST = 5  # last passes, in which a swap may add nothing, and distances weigh less and less
LIGHTER = 0.4  # factor of the weight of distances in these passes
BEFORE = 0.2  # share of a turn's attempts that are for cross sums alone, before distances count
MEANWHILE = 0.6  # share with distances; the rest is for sums again
# Share of a turn's attempts, of those with distances, in which ranks stay near those at the start. A search of one turn has none of
# these: its gaps would stay open.
STAYING_MEANWHILE = 0.3
AFTER = 0.02  # reach in that rest, at first, where files are short


@dataclass(frozen=True)
class Margins:
    """The derived columns of scores z (n, t), base + z @ factors.T, and their target margins, in sd of the target."""

    base: Array
    """Part of the derived columns that the unmodified columns and means make (n, d)."""
    factors: Array
    """What a derived column gains if a released column gains 1 (d, t)."""
    target: Array
    """Sorted values of the target margins (n, d)."""
    precision: Array
    """Weights of squared distances from the target, by rank (n, d)."""

    @classmethod
    def of(cls, totals: Totals, where: Location) -> Margins:
        """The margins of totals whose values are sorted by column. where : what released columns are standardised by."""
        sd = totals.values.std(axis=0)
        sd = np.where(sd > 0, sd, 1.0)
        target = totals.values / sd
        # A released column is z sd + mean.
        of_means = totals.released @ (where.origin + where.offset)
        return cls(
            base=(totals.fixed + of_means) / sd,
            factors=totals.released * where.sd / sd[:, None],
            target=target,
            precision=np.column_stack([_precision(column) for column in target.T]),
        )

    def distances(self, z: Array) -> tuple[Array, Array]:
        """Distance of each record from the target at its rank, and the weight of its square there, both (n, d)."""
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
    """One over the squared standard error of each sorted value (n,) as a quantile, about: (n,).

    The rank of a quantile at share p has a standard error of sqrt(n p (1 - p)). That of the quantile is half the distance of
    the values so many ranks above and below.
    """
    n = len(target)
    rank = np.arange(n)
    share = (rank + 0.5) / n
    error_of_rank = np.maximum(np.sqrt(n * share * (1 - share)), 1.0)
    high = np.interp(np.clip(rank + error_of_rank, 0, n - 1), rank, target)
    low = np.interp(np.clip(rank - error_of_rank, 0, n - 1), rank, target)
    error = (high - low) / 2
    positive = error[error > 0]
    usual = np.median(positive) if len(positive) else 1.0
    return 1 / (error**2 + (ERROR_FLOOR * usual) ** 2)


class DerivedSwapSearch(SwapSearch):
    """A SwapSearch that also targets `margins`, in turns with growing reach and growing tolerated increase."""

    def __init__(self, *columns: Any, margins: Margins, **more: Any) -> None:
        super().__init__(*columns, factors=margins.factors, **more)
        self.margins = margins
        self.most = min(MOST_BY_METRICS * self.n * self.t, max(MORE * self.most, TRIES))

    def _search(self) -> None:
        """Makes the turns, up to the first that is near enough, and keeps the order at the end of the best."""
        turns: tuple[tuple[float, float], ...] = TURNS
        if self.most < MIN_PER_TURN * len(TURNS) * self.n * self.t:
            turns = ((FULL_REACH, 0.0),)
        for k, (reach, heat) in enumerate(turns):
            turns_left = len(turns) - k
            self._turn(reach, heat, (self.most - self.attempts) // turns_left, turns=len(turns))
            self._keep(self._far())
            if self.least <= 1:
                break

    def _turn(self, reach: float, heat: float, most: int, *, turns: int) -> None:
        """Makes up to `most` attempts: for cross sums, then also for distances with the reach given, then for cross sums again.

        heat : what a swap may add to the sum of squares at first; turns : how many turns the search has.
        """
        columns = np.arange(self.t)
        until = self.attempts + most
        # For cross sums alone: distances have no weight yet.
        self.slack = 0.0
        staying = BEFORE if turns == 1 else BEFORE + STAYING_MEANWHILE
        self.stays = (self.attempts, self.attempts + int(staying * most))
        self._together(self.attempts + int(BEFORE * most))
        # Also for distances: first what a swap may add falls, then the weight of distances.
        self._reach(reach, reach)
        at_once = self._whole(min(int(MEANWHILE * most / TURN_PASSES), AT_ONCE), self.t)
        for left in range(TURN_PASSES, 0, -1):
            if left > LAST:
                self.slack = heat * COOLER ** (TURN_PASSES - left)
                self._aim(1.0)
            else:
                self.slack = 0.0
                self._aim(LIGHTER ** (LAST - left))
            self._try(columns, at_once)
        # For cross sums again.
        self._aim(0.0)
        self._reach(0.0, AFTER if heat else FULL_REACH)
        self.gap()
        self._together(until)

    def _aim(self, weight: float) -> float:
        """Sets the targets by the current ranks, and multiplies the weights of the squared distances by `weight`.

        Returns the largest root mean square distance of a column, in standard errors of a quantile.
        """
        z = np.empty((self.n, self.t))
        for rows, shard in zip(self.rows, self.shards, strict=True):
            z[rows] = shard.records[:, self.q :]
        off, precision = self.margins.distances(z)
        for rows, shard in zip(self.rows, self.shards, strict=True):
            shard.off[:] = off[rows]
            shard.precision[:] = weight * precision[rows]
        return float(np.sqrt((precision * off**2).mean(axis=0)).max())

    def _far(self) -> float:
        """Distances and gaps, the larger relative to what is near enough: at most 1 where both are."""
        distance = self._aim(0.0) / TOLERATED_DISTANCE
        if self.gap() <= self.home:
            return distance
        return max(distance, self._in_errors() / TOLERATED_GAP)
