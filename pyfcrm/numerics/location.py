"""Means and standard deviations of columns, and columns standardised by them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..types import Array, Mask, Rows, Terms

# A column is constant if its range is smaller, relative to its values: the range is then rounding.
CONSTANT = 1e-14
# Pairs held at a time; 2 MB of float64 stays in cache.
PAIRS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Location:
    """Mean and standard deviation of each of p columns, in the columns' units.

    The mean is origin + offset. The two are kept apart, because their sum can lose the offset's digits.
    """

    origin: Array
    """The smallest value of each column, (p,)."""
    offset: Array
    """The mean less the origin, (p,)."""
    sd: Array
    """Standard deviations (p,), 0 for a constant column."""


@dataclass(frozen=True)
class Spread:
    """Sums of a block of records about a centre, which can be added to those of another block about the same centre.

    Source: Chan, Golub and LeVeque (1983). No digits are lost where the centre is among the values.
    """

    n: int
    """Number of records."""
    mean: Array
    """Means less the centre, (q,)."""
    squares: Array
    """Sums of squares about the means, (q,)."""

    @classmethod
    def of(cls, A: Array, centre: Array) -> Spread:
        """The sums of records A (b, q) about a centre (q,)."""
        away = A - centre
        mean = away.mean(axis=0) if len(A) else np.zeros(A.shape[1])
        return cls(len(A), mean, ((away - mean) ** 2).sum(axis=0))

    @property
    def sd(self) -> Array:
        """Standard deviations (q,), with divisor n."""
        return np.sqrt(self.squares / max(self.n, 1))

    def __add__(self, other: Spread) -> Spread:
        """The sums of both blocks: S = S_1 + S_2 + n_1 n_2 / n (mean_2 - mean_1)^2, and the mean of all records."""
        n = self.n + other.n
        share = other.n / max(n, 1)
        difference = other.mean - self.mean
        squares = self.squares + other.squares + self.n * share * difference**2
        return Spread(n, self.mean + share * difference, squares)


def location(A: Array, ddof: int = 1) -> Location:
    """Mean and standard deviation of each column, safe for huge, tiny and nearly constant values.

    A : (n, p) finite, or NaN for a missing cell, which counts for nothing; n >= 1. ddof : the sd divides by n - ddof.
    A column that is constant up to rounding, or has one record, has sd 0.
    """
    low = A.min(axis=0)
    high = A.max(axis=0)
    if np.isnan(low).any():
        observed = (column[~np.isnan(column), None] for column in A.T)
        return location_of_columns(observed, ddof)
    unit, varies = power_of_two(low, high)
    # In units of a power of two, from the smallest value: scaling rounds nothing, and squares cannot overflow.
    C = np.where(varies, (A - low) / unit, 0.0)
    offset = C.mean(axis=0)
    C -= offset
    sd = np.sqrt((C * C).sum(axis=0) / max(len(A) - ddof, 1))
    return Location(low, offset * unit, sd * unit)


def location_of_columns(columns: Iterable[Array], ddof: int = 1) -> Location:
    """The location of columns (n, 1), one after the other, as of a table that memory does not hold."""
    parts = [location(column, ddof) for column in columns]
    return Location(
        origin=np.concatenate([part.origin for part in parts]),
        offset=np.concatenate([part.offset for part in parts]),
        sd=np.concatenate([part.sd for part in parts]),
    )


def power_of_two(low: Array, high: Array) -> tuple[Array, Mask]:
    """Divisors (p,) of columns with these extremes, and which columns are not constant (p,).

    A divisor is the power of two above the range: dividing by it rounds nothing, and squares cannot overflow.
    """
    varies = high - low > CONSTANT * np.maximum(np.abs(low), np.abs(high))
    exponent = np.frexp(high - low)[1]
    return np.where(varies, np.ldexp(1.0, exponent), 1.0), varies


def scores(A: Array, location: Location) -> Array:
    """Scores (n, p): (A - mean) / sd by column; a column of sd 0 gives zeros."""
    varies = location.sd > 0
    # The origin first: the mean, origin + offset, need not have the offset's digits.
    centred = (A - location.origin) - location.offset
    return np.where(varies, centred / np.where(varies, location.sd, 1.0), 0.0)


def standardise(A: Array, ddof: int = 1) -> Array:
    """Columns of A (n, p) less their own means, over their own sd (divisor n - ddof); zeros for a constant column.

    Source: thesis 2.4.2.
    """
    return scores(A, location(A, ddof))


def comparable(x: Location, z: Location) -> tuple[Location, Location]:
    """The locations of two files of the same columns, with sd 0 in both for a column that is constant in one of them.

    Such a column adds nothing to the distance between records of the two files.
    """
    varies = (x.sd > 0) & (z.sd > 0)
    return replace(x, sd=np.where(varies, x.sd, 0.0)), replace(z, sd=np.where(varies, z.sd, 0.0))


def standardise_pair(X: Array, Z: Array) -> tuple[Array, Array]:
    """Columns of X (n, p) and Z (N, p) less their own means, over their own sd (divisor n - 1), for distances between the files.

    A column that is constant in one file is zeros in both.
    """
    x, z = comparable(location(X), location(Z))
    return scores(X, x), scores(Z, z)


def distance_columns(X: Array, terms: Terms) -> Array:
    """Columns (n, q) whose Euclidean distances are those of predictors X (n, s).

    Numbers count in standard deviations. A category counts 0 if equal and 1 if not, whatever its number of columns
    (Gower 1971). terms : the positions of each category's 0/1 columns, its first level having none.
    """
    coded = [j for term in terms for j in term]
    parts = [np.delete(standardise(X), coded, axis=1)]
    for term in terms:
        levels = X[:, list(term)]
        first_level = 1 - levels.sum(axis=1)
        # Two unequal levels differ in two of these columns: the squared distance is 2 times 1/2.
        parts.append(np.column_stack([levels, first_level]) * np.sqrt(0.5))
    return np.hstack(parts)


def evenly(n: int, most: int) -> Rows:
    """Positions of at most `most` of n records, evenly spaced, the first and the last among them."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)


def row_blocks(n: int, N: int) -> Iterator[slice]:
    """Slices of range(n), so that a slice against N records has about PAIRS_AT_ONCE pairs."""
    step = max(1, PAIRS_AT_ONCE // max(N, 1))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
