"""Windows of ranks, where values move among near ranks only; and groups of records released with one value each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...numerics.location import location, standardise
from ...types import Array, Integers
from .base import Attack, Scores, squared

ROUNDING = 1e-9  # relative: by so much released values of one group may differ

Reach = Callable[[int], tuple[Integers, Integers]]


@dataclass(frozen=True)
class RankWindows(Attack):
    """The nearest of the protected records that lie within the window of ranks on every attribute.

    reach : of the number of records, two (n,): the first and the last rank of the release, from 0, that the value of each
    rank of the original can be found at. An original that shares its value with others may have the rank of any of
    them, and equal released values have all of their ranks, so that the own record is always a candidate.
    Source: Nin, Herranz and Torra (2008); by blocks Muralidhar and Domingo-Ferrer (2023); by groups Nin and Torra (2009).
    """

    reach: Reach = field(repr=False)
    words: str = "nearest within the window of ranks on every attribute"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores. Distances as in DBRL, so that no record it finds is missed."""
        low, high = self.intervals(Y, Z)
        y, z = standardise(Y), standardise(Z)

        def block(rows: slice) -> Array:
            inside = np.ones((len(Y[rows]), len(Z)), dtype=bool)
            for a, b, released in zip(low[rows].T, high[rows].T, Z.T, strict=True):
                inside &= a[:, None] <= released
                inside &= b[:, None] >= released
            S = np.full(inside.shape, -np.inf)
            i, k = np.nonzero(inside)
            S[i, k] = -np.sqrt(((y[rows][i] - z[k]) ** 2).sum(axis=1))
            return S

        return Scores(block)

    def intervals(self, Y: Array, Z: Array) -> tuple[Array, Array]:
        """Two (n, t): between which released values those of each original must lie."""
        first, last = self.reach(len(Y))
        low, high = np.empty_like(Y), np.empty_like(Y)
        for j, (y, z) in enumerate(zip(Y.T, np.sort(Z, axis=0).T, strict=True)):
            ranked = np.sort(y)
            low[:, j] = z[first[np.searchsorted(ranked, y, side="left")]]
            high[:, j] = z[last[np.searchsorted(ranked, y, side="right") - 1]]
        return low - ROUNDING * np.abs(low), high + ROUNDING * np.abs(high)


def ranks_within(width: int, n: int) -> tuple[Integers, Integers]:
    """The reach of values that move by at most `width` ranks."""
    ranks = np.arange(n)
    return np.maximum(ranks - width, 0), np.minimum(ranks + width, n - 1)


def same_ranks(n: int) -> tuple[Integers, Integers]:
    """The reach of values whose order does not change, those of a group becoming equal."""
    return ranks_within(0, n)


@dataclass(frozen=True)
class NearestCentroid(Attack):
    """The group whose released values are nearest, in the units that the groups were made in; 1/size for each of its records.

    by_variance : whether squared differences are divided by each attribute's variance, else they are raw.
    """

    by_variance: bool = True

    words = "nearest centroid, in the groups' own units"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores. The candidates are the records of the nearest group."""
        where = location(Y)
        unit = where.sd if self.by_variance else np.full(Y.shape[1], where.sd.max(initial=0.0))
        unit = np.where(unit > 0, unit, 1.0)
        y, z = ((A - where.origin - where.offset) / unit for A in (Y, Z))

        return Scores(lambda rows: -squared(y[rows], z), margin=0.0)
