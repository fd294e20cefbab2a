"""Means, standard deviations, triangular factors and the design of a regression, by blocks of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.blocks import loaded, total
from ..engine import Added, Engine
from ..types import Array
from .design import Design, orthonormal
from .factor import triangle
from .location import CONSTANT, Location


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
class _Powers(Added):
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


def location(engine: Engine, blocks: Sequence[Any], n: int, first: int, last: int, ddof: int = 1) -> Location:
    """Mean and sd of columns first to last, by three passes; see numerics.location.location."""
    low, high = total(engine, Extremes(first, last), blocks)
    varies = high - low > CONSTANT * np.maximum(np.abs(low), np.abs(high))
    unit = np.where(varies, np.ldexp(1.0, np.frexp(high - low)[1]), 1.0)
    offset = total(engine, _Powers(first, low, unit, varies, np.zeros(len(low)), 1), blocks) / n
    squares = total(engine, _Powers(first, low, unit, varies, offset, 2), blocks)
    return Location(low, offset * unit, np.sqrt(squares / max(n - ddof, 1)) * unit)


@dataclass(frozen=True)
class Sums:
    """Column sums and largest magnitudes, (2, p), of the first p columns."""

    p: int

    def part(self, block: Array) -> Array:
        """See engine.Kernel."""
        A = block[:, : self.p]
        return np.stack([A.sum(axis=0), np.abs(A).max(axis=0, initial=0.0)])

    def add(self, a: Array, b: Array) -> Array:
        """See engine.Kernel."""
        return np.stack([a[0] + b[0], np.maximum(a[1], b[1])])


@dataclass(frozen=True)
class Triangle:
    """R with R'R = A'A, A the first p columns less `center`, after a column of `one` where that is not 0.

    The factor of blocks' factors is the factor of the whole, to rounding: no cross-products, no squared condition.
    """

    center: Array
    one: float = 0.0

    def part(self, block: Array) -> Array:
        """See engine.Kernel."""
        A = block[:, : len(self.center)] - self.center
        return triangle(np.column_stack([np.full(len(A), self.one), A]) if self.one else A)

    def add(self, a: Array, b: Array) -> Array:
        """See engine.Kernel."""
        return triangle(np.vstack([a, b]))


@dataclass(frozen=True)
class Basis:
    """Orthonormal columns that span (1, X), made of a block of X as they are needed.

    mean, unit : (s,) X is centred and divided by these; one : the constant column, 0 without an intercept;
    back : (s1, r); rank : of (1, X).
    """

    mean: Array
    unit: Array
    one: float
    back: Array
    rank: int

    def columns(self, X: Array) -> Array:
        """(b, r) of the records X (b, s)."""
        A = (X - self.mean) / self.unit
        if self.one:
            A = np.column_stack([np.full(len(A), self.one), A])
        return np.ascontiguousarray(A @ self.back)

    def design(self, blocks: Sequence[Any]) -> Design:
        """The design of all the blocks of X, in memory."""
        unscale = np.diag(np.append(1.0, 1.0 / self.unit))
        unscale[0] = np.append(self.one, -self.mean / self.unit)
        A = np.vstack([self.columns(loaded(block)) for block in blocks])
        return Design(A, (unscale if self.one else unscale[1:, 1:]) @ self.back, self.rank)


def basis(engine: Engine, blocks: Sequence[Any], n: int, s: int, intercept: bool = True) -> Basis:
    """The design of numerics.design by two passes: the same space, whatever its rank. X : the blocks' first s columns."""
    sums = total(engine, Sums(s), blocks)
    mean = sums[0] / n if intercept else np.zeros(s)
    one = 1.0 / np.sqrt(n) if intercept else 0.0
    R = total(engine, Triangle(mean, one), blocks)
    first = int(intercept)
    unit = np.linalg.norm(R[:, first:], axis=0)
    unit[unit <= 1e-13 * sums[1] * np.sqrt(n)] = np.inf
    R = R.copy()
    R[:, first:] /= unit
    _, back = orthonormal(R)
    return Basis(mean, unit, one, back, back.shape[1])
