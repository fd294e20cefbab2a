"""Groups of records that leave with one value each: the group whose centroid is nearest, and one of its records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...numerics.location import location
from ...types import Array
from .attack import Attack, squared
from .links import Scores


@dataclass(frozen=True)
class NearestCentroid(Attack):
    """The group whose released values are nearest, in the units that the groups were made in; 1/size for each of its records.

    by_variance : whether squared differences are divided by each attribute's variance, else they are raw.
    """

    by_variance: bool = True

    @property
    def words(self) -> str:
        """See Attack."""
        return "nearest centroid, in the groups' own units"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores. The candidates are the records of the nearest group."""
        where = location(Y)
        unit = where.sd if self.by_variance else np.full(Y.shape[1], where.sd.max(initial=0.0))
        unit = np.where(unit > 0, unit, 1.0)
        y, z = ((A - where.origin - where.offset) / unit for A in (Y, Z))

        def block(rows: slice) -> Array:
            return -squared(y[rows], z)

        return Scores(block, margin=0.0)
