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
    """Largest values of columns first to last, (2, k): of their negatives, then of themselves.

    Both are maxima, so that blocks are joined by one maximum.
    """
    A = block[:, first:last]
    return np.stack([-A.min(axis=0), A.max(axis=0)])


def _powers(first: int, scale: tuple[Array, Array, Mask], offset: Array | float, power: int, block: Array) -> Array:
    """Sums of ((a - low) / unit - offset)^power, scale (low, unit, varies); 0 where the column does not vary."""
    low, unit, varies = scale
    A = block[:, first : first + len(low)]
    return ((np.where(varies, (A - low) / unit, 0.0) - offset) ** power).sum(axis=0)


def location(engine: Engine, blocks: Sequence[Any], n: int, first: int, last: int, *, ddof: int = 1) -> Location:
    """Mean and sd of columns first to last, by three passes; see numerics.location.location."""
    largest_negative, high = total(engine, partial(_extremes, first, last), blocks, np.maximum)
    low = -largest_negative
    unit, varies = power_of_two(low, high)
    scale = (low, unit, varies)
    offset = total(engine, partial(_powers, first, scale, 0.0, 1), blocks) / n
    squares = total(engine, partial(_powers, first, scale, offset, 2), blocks)
    return Location(low, offset * unit, np.sqrt(squares / max(n - ddof, 1)) * unit)


def column_sums(engine: Engine, blocks: Sequence[Any], p: int) -> Array:
    """Sums of the first p columns, then their largest magnitudes: (2, p)."""
    return total(engine, partial(_sums, p), blocks, _sums_added)


def _sums(p: int, block: Array) -> Array:
    """The column_sums of one block, (2, p)."""
    A = block[:, :p]
    return np.stack([A.sum(axis=0), np.abs(A).max(axis=0, initial=0.0)])


def _sums_added(a: Array, b: Array) -> Array:
    """The column_sums of two blocks together: sums are added, of magnitudes the larger counts."""
    return np.stack([a[0] + b[0], np.maximum(a[1], b[1])])


def centred_factor(engine: Engine, blocks: Sequence[Any], center: Array, one: float = 0.0) -> Array:
    """The triangular factor R, R'R = A'A. A : the first columns less `center`, and before them a constant column.

    one : the value of that column; 0 for no such column.
    """
    return total(engine, partial(_factor, center, one), blocks, stacked_factor)


def _factor(center: Array, one: float, block: Array) -> Array:
    """The centred_factor of one block."""
    A = block[:, : len(center)] - center
    if one:
        A = np.column_stack([np.full(len(A), one), A])
    return triangle(A)


@dataclass(frozen=True)
class Basis:
    """Orthonormal columns that span (1, X), computed for a block of X when needed."""

    mean: Array
    """Means (s,), subtracted from X; zeros without an intercept."""
    unit: Array
    """Scales (s,) by which centred X is divided; infinite for a constant column."""
    one: float
    """The value of the constant column, 0 without an intercept."""
    back: Array
    """Transformation (s1, r) from the scaled columns to the orthonormal ones."""
    rank: int
    """The rank r of (1, X)."""

    def columns(self, X: Array) -> Array:
        """Orthonormal columns (b, r) of the records X (b, s)."""
        A = (X - self.mean) / self.unit
        if self.one:
            A = np.column_stack([np.full(len(A), self.one), A])
        return np.ascontiguousarray(A @ self.back)

    def design(self, blocks: Sequence[Any]) -> Design:
        """The design of all the blocks of X, in memory."""
        # The scaled columns are `one` and (x - mean) / unit. Coefficients b on them become, on (1, X), b_j / unit_j, and
        # one b_0 - sum_j b_j mean_j / unit_j for the constant. Without an intercept the first row and column go.
        unscale = np.diag(np.append(1.0, 1.0 / self.unit))
        unscale[0] = np.append(self.one, -self.mean / self.unit)
        if not self.one:
            unscale = unscale[1:, 1:]
        columns = np.vstack([self.columns(loaded(block)) for block in blocks])
        return Design(columns, unscale @ self.back, self.rank)


def basis(engine: Engine, blocks: Sequence[Any], n: int, s: int, intercept: bool = True) -> Basis:
    """The basis of the design of (1, X), by two passes: the same space as numerics.design, whatever its rank.

    X : the first s columns of the blocks, n records. The matrix that makes the columns of a table A orthonormal also does so
    for its triangular factor R, since R'R = A'A; and R has few rows.
    """
    sums, largest = column_sums(engine, blocks, s)
    if intercept:
        mean = sums / n
        one = 1.0 / np.sqrt(n)  # the constant column at norm 1
    else:
        mean = np.zeros(s)
        one = 0.0
    R = centred_factor(engine, blocks, mean, one)
    first = int(intercept)  # position of the first column of X in R
    unit = np.linalg.norm(R[:, first:], axis=0)
    unit[unit <= 1e-13 * largest * np.sqrt(n)] = np.inf  # a constant column: centring leaves rounding behind
    R = R.copy()
    R[:, first:] /= unit
    _, back = orthonormal(R)
    return Basis(mean, unit, one, back, back.shape[1])
