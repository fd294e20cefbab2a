"""The alternation of calibration: a release is brought to the moments and to the margins in turn, until neither helps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine
from .method import Told, untold
from .residual_map import Moments
from .side_by_side import side_by_side

Array = NDArray[np.float64]
HOLDS = 0.01  # standard deviations: margins this near count as the wanted ones
STILL = 0.98  # a round that leaves more than this of the distance is the last
# Of the way to the moments, since the margins take part of it back: a third of the rounds lead as near, or nearer.
BEYOND = 1.5
BY_TABLE = 200_000  # records from which the first rounds place by a table instead of a sort
SORTED = 2  # rounds that sort after those


def alternated(
    moments: Moments, targets: Array, Z: Array, rounds: int, told: Told = untold, engine: Engine | None = None
) -> tuple[Array, float]:
    """Z (n, t) brought to the moments and to the targets (n, t), sorted by column, in turn; at most `rounds` times.

    Long files place by a table (see placing_kernels) as long as that helps, then sort twice. told : of the rounds done;
    engine : for threads.
    Returns a release (n, t), the targets in some order, and how far its margins move once it is given the moments:
    standard deviations, root mean square, the worst attribute.
    """
    fit = moments.fit
    wanted, sd = np.asfortranarray((targets - fit.center) / fit.scale), targets.std(axis=0) / fit.scale
    work = _Alternation(moments, wanted, np.where(sd > 0, sd, 1.0), rounds, told, engine)
    # In the original's units of norm 1; by columns, as they are placed.
    z = moments.nearly_given_to((Z - fit.center) / fit.scale, engine=engine)
    if len(Z) >= BY_TABLE and rounds > SORTED:
        z = work.in_turn(z, range(rounds - SORTED), by_table=True)
        z = moments.nearly_given_to(z, BEYOND, engine)
        z = work.in_turn(z, range(rounds - SORTED, rounds))
    else:
        z = work.in_turn(z, range(rounds))
    told(rounds, rounds)
    distance = work.apart(moments.nearly_given_to(z, engine=engine))
    z *= fit.scale
    z += fit.center
    return z, distance


@dataclass(frozen=True)
class _Alternation:
    """What every round works with: wanted (n, t), the sorted targets, by columns; sd (t,), theirs; see alternated."""

    moments: Moments
    wanted: Array
    sd: Array
    most: int
    told: Told
    engine: Engine | None

    def in_turn(self, z: Array, rounds: range, by_table: bool = False) -> Array:
        """z (n, t), about at the moments, placed by rank, and again after each step towards them, until that is still."""
        last = [np.inf] * (1 + by_table)  # rounds by table are cheap, and not as even
        for k in rounds:
            self.told(k, self.most)
            z = z if k == rounds.start else self.moments.nearly_given_to(z, BEYOND, self.engine)
            last.append(self.placed(z, by_table))
            if last[-1] > STILL * last.pop(0):
                break
        return z

    def placed(self, z: Array, by_table: bool) -> float:
        """Replaces each column of z (n, t) by the wanted values at its ranks; how far it was, in sd: the worst rms."""

        def one(j: int) -> float:
            sd = float(self.sd[j])
            if by_table:
                from .placing_kernels import table_placed

                return table_placed(z[:, j], self.wanted[:, j], sd) / sd
            return _column_placed(z[:, j], self.wanted[:, j]) / sd

        return max(side_by_side(one, z.shape[1], len(z), self.engine), default=0.0)

    def apart(self, z: Array) -> float:
        """How far the sorted columns of z (n, t) are from the wanted ones, in sd: the worst rms. Sorts z."""

        def one(j: int) -> float:
            z[:, j].sort()
            return _rms(z[:, j], self.wanted[:, j]) / float(self.sd[j])

        return max(side_by_side(one, z.shape[1], len(z), self.engine), default=0.0)


def _column_placed(column: Array, wanted: Array) -> float:
    order = np.argsort(column)
    ranked = column[order]
    if (ranked[1:] == ranked[:-1]).any():  # equal values in the order of the records, on every machine
        order = np.argsort(column, kind="stable")
    column[order] = wanted
    return _rms(ranked, wanted)


def _rms(a: Array, b: Array) -> float:
    return float(np.sqrt(np.mean((a - b) ** 2)))
