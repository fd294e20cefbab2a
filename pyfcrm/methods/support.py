"""The support of a discrete column: the grid of its numbers, or the values that many records share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..numerics.decimals import decimals, in_units, of_units
from ..types import Array, Index, Mask

PARTS = 16  # of 1: halves, quarters and so on have no decimals, see `decimals`
FACTORS = (2, 3, 5)  # of the steps of a grid
ON_GRID = 0.95  # of the records that are no zeros, which have multiples of its step
SHARED = 10  # records of a value, from which on it is shared by many
SHARED_SHARE = 0.8  # of the records, that have such values in a column of them
FEWEST_SHARED = 6  # such values
ON_SCALE = 0.95  # of the records, that have values of a scale which many share
MOST_OF_SCALE = 20  # different values of a column that is a scale, such as years married of .125, .75, 4, 7 and 10
SPARSE, FILLED = 0.2, 0.6  # of the places of a grid between these: from the one to the other they fill it in part


@dataclass(frozen=True)
class Support:
    """The values of a discrete column."""

    digits: int | None
    """The number of decimals; None for halves, quarters and so on."""
    step: int
    """The step of the grid, in units of the last decimal, or in sixteenths."""
    shared: Array | None
    """The values that many records share (k,), ascending, where nearly all have one, and they leave gaps in a grid; else None."""
    is_scale: bool = False
    """Whether these are few, and all values that the column may have."""

    @classmethod
    def of(cls, values: Array, counts: Index) -> Support | None:
        """The support of different values (k,), ascending, with these counts; None for numbers without a unit, unless they are few."""
        digits = decimals(values)
        is_shared = _shared(counts)
        is_scale = len(values) <= MOST_OF_SCALE and counts[is_shared].sum() >= ON_SCALE * counts.sum()
        if digits is None and not _whole(values * PARTS).all():
            return cls(digits=None, step=1, shared=values[is_shared], is_scale=True) if is_scale else None
        units = np.rint(values * PARTS if digits is None else in_units(values, digits))
        step = _step(units, counts)
        support = cls(digits=digits, step=step, shared=None)
        if not is_shared.any():
            return support
        places = units[is_shared] / step
        filled = is_shared.sum() / (places[-1] - places[0] + 1)
        if filled >= FILLED or (filled < SPARSE and not is_scale):
            return support
        return cls(digits=digits, step=step, shared=values[is_shared], is_scale=is_scale)

    def places(self, values: Array) -> Array:
        """Values in steps of the grid, not rounded."""
        units = values * PARTS if self.digits is None else in_units(values, self.digits)
        return units / self.step

    def values(self, places: Array) -> Array:
        """The values at whole places of the grid."""
        units = places * self.step
        return units / PARTS if self.digits is None else of_units(units, self.digits)

    def nearest(self, y: Array, others: Array) -> Array:
        """The nearest of the values that many records share for each of y (n,), of a grid between them; `others` (k,) stay."""
        if self.shared is None:
            return y
        permitted = np.union1d(self.shared, others)
        if self.is_scale:
            y = np.clip(y, permitted[0], permitted[-1])
        return nearest_between(y, permitted)

    def neighbours(self, values: Array, counts: Index) -> tuple[Array, Array]:
        """The counts (k,) of the next lower and the next higher value of the support; 0 where values do not have it.

        values, counts : (k,) the different values, ascending, and their counts.
        """
        below = np.zeros(len(values))
        above = np.zeros(len(values))
        if self.shared is None:
            places = self.places(values)
            rows = np.flatnonzero(_whole(places))
            adjacent = np.diff(np.rint(places[rows])) == 1
        else:
            rows = np.flatnonzero(np.isin(values, self.shared))
            adjacent = np.ones(len(rows) - 1, dtype=bool)
        below[rows[1:]] = counts[rows[:-1]] * adjacent
        above[rows[:-1]] = counts[rows[1:]] * adjacent
        return below, above


def shared_values(y: Array) -> Array:
    """The values (k,) of a column (n,) that many records share, ascending, where nearly all have one; else none."""
    values, counts = np.unique(y, return_counts=True)
    return values[_shared(counts)]


def nearest_between(y: Array, values: Array) -> Array:
    """For each number of y (n,) between the ascending values (k,) the nearest of them, of two as near the lower one."""
    found = values[np.searchsorted((values[1:] + values[:-1]) / 2, y)]
    return np.where((y > values[0]) & (y < values[-1]), found, y)


def _shared(counts: Index) -> Mask:
    """Which values of a column, with these counts (k,), many records share; none where they are few or some records have others."""
    is_shared = counts >= SHARED
    if is_shared.sum() < FEWEST_SHARED or counts[is_shared].sum() < SHARED_SHARE * counts.sum():
        return np.zeros(len(counts), dtype=bool)
    return is_shared


def _whole(numbers: Array) -> Mask:
    """Which numbers (k,) are whole, but for rounding."""
    return np.abs(numbers - np.rint(numbers)) < 1e-6


def _step(units: Array, counts: Index) -> int:
    """The largest step, a product of 2, 3 and 5, of which nearly all records have multiples. Zeros do not count.

    units : (k,) different whole numbers.
    """
    is_counted = units != 0
    rest, counted = np.abs(units[is_counted]), counts[is_counted]
    enough = ON_GRID * counted.sum()
    step = 1
    if not len(rest):
        return step
    while True:
        larger = [step * factor for factor in FACTORS if counted[rest % (step * factor) == 0].sum() >= enough]
        if not larger:
            return step
        step = larger[0]
