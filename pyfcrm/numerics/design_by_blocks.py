"""Means, standard deviations, triangular factors and the design of a regression, by blocks of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..data.blocks import loaded, total
from ..engine import Engine
from ..types import Array, Mask
from .design import Design, orthonormal
from .factor import stacked_factor, triangle
from .location import Location, power_of_two


def _extremes(first: int, last: int, block: Array) -> Array:
    """(2, k): the largest value of columns first to last, of their negatives and of them."""
    A = block[:, first:last]
    return np.stack([-A.min(axis=0), A.max(axis=0)])


def _powers(first: int, scale: tuple[Array, Array, Mask], offset: Array | float, power: int, block: Array) -> Array:
    """Sums of ((a - low) / unit - offset)^power, scale (low, unit, varies); 0 where the column does not vary."""
    low, unit, varies = scale
    A = block[:, first : first + len(low)]
    return ((np.where(varies, (A - low) / unit, 0.0) - offset) ** power).sum(axis=0)


def location(engine: Engine, blocks: Sequence[Any], n: int, first: int, last: int, ddof: int = 1) -> Location:
    """Mean and sd of columns first to last, by three passes; see numerics.location.location."""
    negative, high = total(engine, partial(_extremes, first, last), blocks, np.maximum)
    low = -negative
    unit, varies = power_of_two(low, high)
    offset = total(engine, partial(_powers, first, (low, unit, varies), 0.0, 1), blocks) / n
    squares = total(engine, partial(_powers, first, (low, unit, varies), offset, 2), blocks)
    return Location(low, offset * unit, np.sqrt(squares / max(n - ddof, 1)) * unit)


def column_sums(engine: Engine, blocks: Sequence[Any], p: int) -> Array:
    """(2, p) sums and largest magnitudes of the first p columns."""
    return total(engine, partial(_sums, p), blocks, _sums_added)


def _sums(p: int, block: Array) -> Array:
    A = block[:, :p]
    return np.stack([A.sum(axis=0), np.abs(A).max(axis=0, initial=0.0)])


def _sums_added(a: Array, b: Array) -> Array:
    return np.stack([a[0] + b[0], np.maximum(a[1], b[1])])


def centred_factor(engine: Engine, blocks: Sequence[Any], center: Array, one: float = 0.0) -> Array:
    """R with R'R = A'A, A the first columns less `center`, after a column of `one` where that is not 0."""
    return total(engine, partial(_factor, center, one), blocks, stacked_factor)


def _factor(center: Array, one: float, block: Array) -> Array:
    A = block[:, : len(center)] - center
    return triangle(np.column_stack([np.full(len(A), one), A]) if one else A)


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
    sums = column_sums(engine, blocks, s)
    mean = sums[0] / n if intercept else np.zeros(s)
    one = 1.0 / np.sqrt(n) if intercept else 0.0
    R = centred_factor(engine, blocks, mean, one)
    first = int(intercept)
    unit = np.linalg.norm(R[:, first:], axis=0)
    unit[unit <= 1e-13 * sums[1] * np.sqrt(n)] = np.inf
    R = R.copy()
    R[:, first:] /= unit
    _, back = orthonormal(R)
    return Basis(mean, unit, one, back, back.shape[1])
