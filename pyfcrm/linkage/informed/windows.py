"""Attacks on values that move among near ranks only, and on groups of records released with one value each."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...numerics.location import location, standardise
from ...types import Array, Integers
from .base import Attack, Scores, squared

ROUNDING = 1e-9  # relative: rounding between the released values of one group

Reach = Callable[[int], tuple[Integers, Integers]]
"""For n records, the first and the last possible rank in the release of each rank of the original; two (n,), from 0."""


@dataclass(frozen=True)
class RankWindows(Attack):
    """The nearest of the protected records that are within the window of ranks on every attribute.

    Tied originals may have any of their ranks and tied released values have all of theirs, so
    that the own record is always a candidate.
    Source: Nin, Herranz and Torra (2008); by blocks Muralidhar and Domingo-Ferrer (2023); by groups Nin and Torra (2009).
    """

    reach: Reach = field(repr=False)
    """The ranks that the method allows."""
    words: str = "nearest within the window of ranks on every attribute"
    """See Attack.words."""

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores: minus the distance of DBRL within the window, -inf outside."""
        low, high = self.intervals(Y, Z)
        y = standardise(Y)
        z = standardise(Z)

        def block(rows: slice) -> Array:
            """Scores (b, N); distances are computed only for pairs that are inside on every attribute."""
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
        """Lower and upper bounds (n, t) of the released values of each original."""
        first, last = self.reach(len(Y))
        low = np.empty_like(Y)
        high = np.empty_like(Y)
        for j, (y, released) in enumerate(zip(Y.T, np.sort(Z, axis=0).T, strict=True)):
            ranked = np.sort(y)
            # A value that occurs more than once may have any rank from its first to its last place.
            lowest_rank = np.searchsorted(ranked, y, side="left")
            highest_rank = np.searchsorted(ranked, y, side="right") - 1
            low[:, j] = released[first[lowest_rank]]
            high[:, j] = released[last[highest_rank]]
        return low - ROUNDING * np.abs(low), high + ROUNDING * np.abs(high)


def ranks_within(width: int, n: int) -> tuple[Integers, Integers]:
    """The reach of values that move by at most `width` ranks."""
    ranks = np.arange(n)
    return np.maximum(ranks - width, 0), np.minimum(ranks + width, n - 1)


def same_ranks(n: int) -> tuple[Integers, Integers]:
    """The reach of values whose order does not change but for new ties."""
    return ranks_within(0, n)


@dataclass(frozen=True)
class NearestCentroid(Attack):
    """The group whose released values are nearest, in the units of the grouping; 1/size for each of its records."""

    by_variance: bool = True
    """Whether squared differences are divided by each attribute's variance."""

    words = "nearest centroid, in the groups' own units"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores: minus the squared distance. The candidates are the records of the nearest group."""
        of_originals = location(Y)
        unit = of_originals.sd
        if not self.by_variance:  # one unit for all attributes
            unit = np.full(Y.shape[1], unit.max(initial=0.0))
        unit = np.where(unit > 0, unit, 1.0)
        y = (Y - of_originals.origin - of_originals.offset) / unit
        z = (Z - of_originals.origin - of_originals.offset) / unit
        return Scores(lambda rows: -squared(y[rows], z), margin=0.0)
