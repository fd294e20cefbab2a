"""Moments of a file up to the fourth, of columns standardised first so that no scale can overflow them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..linkage.distance import Location, location, scores
from .measure import Array

ROWS_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class FourthMoments:
    """Mixed 1/n moments of standardised columns, each (p, p).

    m22[i, j] = mean x_i^2 x_j^2;  m31[i, j] = mean x_i^3 x_j.  m4 is the diagonal of either.
    """

    m22: Array
    m31: Array


def spread(A: Array) -> Location:
    """Mean and 1/n standard deviation of each column of A (n, p), in the data's units."""
    return location(A, ddof=0)


def correlation(A: Array, where: Location) -> Array:
    """Pearson's r of each two columns, (p, p); 0 with a constant column."""
    r = sum((S.T @ S for S in _blocks(A, where)), np.zeros((A.shape[1],) * 2)) / len(A)
    return np.clip(r, -1.0, 1.0)


def fourth_moments(A: Array, where: Location) -> FourthMoments:
    """Fourth moments of A (n, p) standardised by `where`; 0 with a constant column."""
    m22, m31 = (np.zeros((A.shape[1],) * 2) for _ in range(2))
    for S in _blocks(A, where):
        S2 = S * S
        m22 += S2.T @ S2
        m31 += (S2 * S).T @ S
    return FourthMoments(m22 / len(A), m31 / len(A))


def _blocks(A: Array, where: Location) -> Iterator[Array]:
    return (scores(A[start : start + ROWS_AT_ONCE], where) for start in range(0, len(A), ROWS_AT_ONCE))
