"""Where each column lies and how far it spreads: means, standard deviations, standardised columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..types import Array, Mask, Rows, Terms

# A column is constant if its range is smaller, relative to its values: the range is then rounding.
CONSTANT = 1e-14
# Pairs held at a time; 2 MB of float64 stays in cache.
PAIRS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Location:
    """Where each column lies and how far it spreads, in its own units.

    The mean is origin + offset; they are kept apart because their sum can lose the offset's digits.
    origin (p,) the smallest value; offset (p,) mean less origin; sd (p,), 0 for a constant column.
    """

    origin: Array
    offset: Array
    sd: Array


@dataclass(frozen=True)
class Spread:
    """Records, means (q,) less a centre (q,), and sums of squares about them (q,).

    Blocks about one centre can be added (Chan et al. 1983), without loss where the centre is among the values.
    """

    n: int
    mean: Array
    squares: Array

    @classmethod
    def of(cls, A: Array, centre: Array) -> Spread:
        """Of records A (b, q)."""
        away = A - centre
        mean = away.mean(axis=0) if len(A) else np.zeros(A.shape[1])
        return cls(len(A), mean, ((away - mean) ** 2).sum(axis=0))

    @property
    def sd(self) -> Array:
        """(q,) standard deviations, of all records."""
        return np.sqrt(self.squares / max(self.n, 1))

    def __add__(self, other: Spread) -> Spread:
        n, away = self.n + other.n, other.mean - self.mean
        share = other.n / max(n, 1)
        return Spread(n, self.mean + share * away, self.squares + other.squares + self.n * share * away**2)


def location(A: Array, ddof: int = 1) -> Location:
    """Mean and standard deviation of each column, safe for huge, tiny and nearly constant values.

    A : (n, p) finite, or NaN for a missing cell, which counts for nothing; n >= 1.  ddof : the sd divides by n - ddof.
    Returns a Location; a column that is constant up to rounding, or has one record, has sd 0.
    """
    low, high = A.min(axis=0), A.max(axis=0)
    if np.isnan(low).any():
        return location_of_columns((a[~np.isnan(a), None] for a in A.T), ddof)
    unit, varies = power_of_two(low, high)
    C = np.where(varies, (A - low) / unit, 0.0)
    offset = C.mean(axis=0)
    C -= offset
    sd = np.sqrt((C * C).sum(axis=0) / max(len(A) - ddof, 1))
    return Location(low, offset * unit, sd * unit)


def location_of_columns(columns: Iterable[Array], ddof: int = 1) -> Location:
    """The location of columns (n, 1), one after the other, as of a table that memory does not hold."""
    parts = (vars(location(column, ddof)).values() for column in columns)
    return Location(*map(np.concatenate, zip(*parts, strict=True)))


def power_of_two(low: Array, high: Array) -> tuple[Array, Mask]:
    """What columns of these extremes are divided by, so that scaling rounds nothing and squares cannot overflow; and which
    columns are not constant."""
    varies = high - low > CONSTANT * np.maximum(np.abs(low), np.abs(high))
    return np.where(varies, np.ldexp(1.0, np.frexp(high - low)[1]), 1.0), varies


def scores(A: Array, where: Location) -> Array:
    """(A - mean) / sd by column, (n, p); a column of sd 0 gives zeros."""
    varies = where.sd > 0
    return np.where(varies, ((A - where.origin) - where.offset) / np.where(varies, where.sd, 1.0), 0.0)


def standardise(A: Array, ddof: int = 1) -> Array:
    """Each column less its own mean, over its own sd (n - ddof); zeros for a constant column.

    A : (n, p) in the data's units.  Returns (n, p), in sd.
    Source: thesis 2.4.2; MEASURES, DBRL.
    """
    return scores(A, location(A, ddof))


def distance_columns(X: Array, terms: Terms) -> Array:
    """(n, q) columns whose Euclidean distances are those of predictors X (n, s). Numbers count in standard deviations;
    a category counts 0 if equal, else 1 (Gower 1971), for any number of columns. terms : the categories."""
    coded = [j for term in terms for j in term]
    parts = [np.delete(standardise(X), coded, axis=1)]
    for term in terms:
        levels = X[:, list(term)]
        parts.append(np.column_stack([levels, 1 - levels.sum(axis=1)]) * np.sqrt(0.5))
    return np.hstack(parts)


def evenly(n: int, most: int) -> Rows:
    """At most so many of n records, evenly spaced."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.intp)


def row_blocks(n: int, N: int) -> Iterator[slice]:
    """Slices of range(n), so that a slice against N records stays near PAIRS_AT_ONCE pairs."""
    step = max(1, PAIRS_AT_ONCE // max(N, 1))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
