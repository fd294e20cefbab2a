"""Effects of sampling units apart from what trees draw: taken off before, added again after, on normal scores.

Trees on the effects would have leaves of one village. A record's own value then counts much in the leaf from which it is drawn, and the
noise of a leaf is common to a village.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..numerics.sorting import normal_scores
from ..types import Array
from .work import Run


@dataclass(frozen=True)
class UnitShifts:
    """Effects of sampling units on dependent columns."""

    effects: Array
    """(n, t) the effect of each record's unit, in normal scores; 0 for columns on which units have none."""

    @classmethod
    def of(cls, X: Array, t: int, run: Run) -> UnitShifts:
        """The effects on t columns, of the predictors X (n, s) of a run."""
        effects = np.zeros((len(X), t))
        for j, of in run.unit_effects:
            if of >= 0:
                effects[:, of] += X[:, j]
        return cls(effects)

    def taken_off(self, Y: Array) -> Array:
        """Y (n, t), of columns with effects the normal scores less these."""
        return np.where(self._affected, normal_scores(Y) - self.effects, Y)

    def added(self, Z: Array, Y: Array) -> Array:
        """The release Z (n, t) of what taken_off() gives, with effects again: columns with effects have the values of Y (n, t) by rank."""
        from scipy.stats import rankdata

        released = Z.copy()
        for j in np.flatnonzero(self._affected):
            place = rankdata(Z[:, j] + self.effects[:, j], method="ordinal") - 1
            released[:, j] = np.sort(Y[:, j])[place]
        return released

    @property
    def _affected(self) -> Array:
        return (self.effects != 0).any(axis=0)


def without_unit_effects(X: Array, run: Run) -> Array:
    """The predictors X (n, s + k) that are no effects of sampling units."""
    return np.delete(X, [j for j, _ in run.unit_effects], axis=1)
