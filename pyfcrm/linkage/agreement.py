"""When two numbers agree. One small object per answer, all reduced to |a - b| <= width.

No source says when numerical values agree, so the answer is always named beside the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .distance import location

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """Pair (i, k) agrees on attribute j when |A[i, j] - B[k, j]| <= width[j].

    A (n, p) from the original, B (N, p) from the protected file, width (p,) in their units.
    """

    A: Array
    B: Array
    width: Array


class Agreement(Protocol):
    """A rule of agreement: its words for a reader, and the comparison it makes of two files."""

    @property
    def words(self) -> str: ...

    def comparison(self, X: Array, Z: Array) -> Comparison: ...


@dataclass(frozen=True)
class Exact:
    """Two values agree when they are equal. Source: thesis 2.4.2."""

    @property
    def words(self) -> str:
        return "exact agreement"

    def comparison(self, X: Array, Z: Array) -> Comparison:
        """Width 0: a difference of floats is 0 only between equals."""
        return Comparison(X, Z, np.zeros(X.shape[1]))


@dataclass(frozen=True)
class Tolerance:
    """Two values agree within w standard deviations (n - 1) of the original attribute. Own design."""

    w: float = 0.1

    @property
    def words(self) -> str:
        return f"agreement within {self.w:g} sd"

    def comparison(self, X: Array, Z: Array) -> Comparison:
        """Width w sd(x); a constant attribute agrees only where equal."""
        return Comparison(X, Z, self.w * location(X).sd)


@dataclass(frozen=True)
class RankWindow:
    """Two values agree when their average ranks, each in its own file, are within w per cent of n. Own design."""

    w: float = 1.0

    @property
    def words(self) -> str:
        return f"agreement within {self.w:g} % of ranks"

    def comparison(self, X: Array, Z: Array) -> Comparison:
        """Ranks for values, width w n / 100 with n the records of X."""
        width = np.full(X.shape[1], self.w * len(X) / 100)
        return Comparison(average_ranks(X), average_ranks(Z), width)


def average_ranks(A: Array) -> Array:
    """Ranks 1 .. n within each column, equal values sharing the mean of theirs.  A (n, p), returns (n, p)."""
    R = np.empty(A.shape)
    for j, a in enumerate(A.T):
        ordered = np.sort(a)
        first = np.searchsorted(ordered, a, side="left")
        last = np.searchsorted(ordered, a, side="right")
        R[:, j] = (first + 1 + last) / 2
    return R
