"""Means and standard deviations by blocks of rows, as linkage.distance.location has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine
from ..linkage.distance import CONSTANT, Location
from .blocks import total

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Extremes:
    """(2, k): the smallest and the largest value of columns first to last."""

    first: int
    last: int

    def part(self, block: Array) -> Array:
        """See engine.Kernel."""
        A = block[:, self.first : self.last]
        return np.stack([A.min(axis=0), A.max(axis=0)])

    def add(self, a: Array, b: Array) -> Array:
        """See engine.Kernel."""
        return np.stack([np.minimum(a[0], b[0]), np.maximum(a[1], b[1])])


@dataclass(frozen=True)
class _Powers:
    """Sums of ((a - low) / unit - offset)^power; 0 where the column does not vary."""

    first: int
    low: Array
    unit: Array
    varies: NDArray[np.bool_]
    offset: Array
    power: int

    def part(self, block: Array) -> Array:
        A = block[:, self.first : self.first + len(self.low)]
        C = np.where(self.varies, (A - self.low) / self.unit, 0.0) - self.offset
        return np.asarray((C if self.power == 1 else C * C).sum(axis=0))

    def add(self, a: Array, b: Array) -> Array:
        return a + b


def location(engine: Engine, blocks: Sequence[Any], n: int, first: int, last: int, ddof: int = 1) -> Location:
    """Mean and sd of columns first to last, by three passes; see linkage.distance.location."""
    low, high = total(engine, Extremes(first, last), blocks)
    varies = high - low > CONSTANT * np.maximum(np.abs(low), np.abs(high))
    unit = np.where(varies, np.ldexp(1.0, np.frexp(high - low)[1]), 1.0)
    offset = total(engine, _Powers(first, low, unit, varies, np.zeros(len(low)), 1), blocks) / n
    squares = total(engine, _Powers(first, low, unit, varies, offset, 2), blocks)
    return Location(low, offset * unit, np.sqrt(squares / max(n - ddof, 1)) * unit)
