"""Agreement of two numbers; patterns and links of all pairs in numpy, for short files and as the reference implementation.

The pattern of a pair of records is a whole number: bit j is set where the two agree on attribute j.

No source defines when numerical values agree, so results name the rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..numerics.location import row_blocks
from ..types import TIE, Array, Index

Codes = NDArray[np.integer]
# Attributes up to which all 2^p patterns have a counter; beyond, only the patterns that occur.
MOST_COUNTED_BITS = 16


@dataclass(frozen=True)
class Agreement:
    """Two values agree within `width_in_sd` standard deviations (n - 1) of the original attribute; 0 requires equality.

    Source: thesis 2.4.2 for 0; else own design.
    """

    width_in_sd: float = 0.0
    """The largest difference of values that agree, in standard deviations."""

    @property
    def words(self) -> str:
        """The rule, for reports."""
        return f"agreement within {self.width_in_sd:g} sd" if self.width_in_sd else "exact agreement"

    def width(self, sd: Array) -> Array:
        """Largest difference (p,) of values that agree. sd : (p,) of the original, 0 for a constant attribute."""
        return self.width_in_sd * sd


EXACT = Agreement()
WITHIN = Agreement(0.1)


@dataclass(frozen=True)
class Comparison:
    """Two files whose pairs of records are compared attribute by attribute.

    Pair (i, k) agrees on attribute j when |A[i, j] - B[k, j]| <= width[j]. A missing cell (NaN) agrees with nothing.
    """

    A: Array
    """Original records (n, p)."""
    B: Array
    """Protected records (N, p)."""
    width: Array
    """Largest differences (p,) of values that agree, in the attributes' units."""
    own: Index | None = None
    """The row in B of each original's own record, (n,); None where only patterns are counted."""

    @property
    def own_patterns(self) -> Index:
        """Patterns (n,) of the originals with their own records."""
        agrees = np.abs(self.A - self.B[self.own]) <= self.width
        bits = 1 << np.arange(len(self.width))
        return agrees @ bits

    def codes(self, rows: slice) -> Codes:
        """Patterns (rows, N) of some originals with every protected record: bit j is set where attribute j agrees."""
        pairs = (rows.stop - rows.start, len(self.B))
        # Two bytes hold 16 bits, and are faster.
        kind = np.uint16 if len(self.width) <= MOST_COUNTED_BITS else np.int64
        codes = np.zeros(pairs, dtype=kind)
        # Written again for each attribute: new arrays of this size take longer than the comparison.
        difference = np.empty(pairs)
        agrees = np.empty(pairs, dtype=bool)
        bit = np.empty(pairs, dtype=kind)
        for j, width in enumerate(self.width):
            original = self.A[rows, j, None]
            released = np.ascontiguousarray(self.B[:, j])
            if width == 0:
                np.equal(original, released, out=agrees)
            else:
                np.subtract(original, released, out=difference)
                np.abs(difference, out=difference)
                np.less_equal(difference, width, out=agrees)
            np.multiply(agrees, kind(1 << j), out=bit)
            np.bitwise_or(codes, bit, out=codes)
        return codes


@dataclass(frozen=True)
class Patterns:
    """The agreement patterns that occur among pairs of records."""

    codes: Codes
    """The patterns (K,), ascending."""
    counts: Codes
    """Numbers (K,) of pairs with each pattern."""

    @classmethod
    def total(cls, parts: Iterable[Patterns]) -> Patterns:
        """The patterns of several sets of pairs together."""
        parts = list(parts)
        codes = np.concatenate([part.codes for part in parts])
        counts = np.concatenate([part.counts for part in parts])
        distinct, place = np.unique(codes, return_inverse=True)
        total = np.zeros(len(distinct), np.int64)
        np.add.at(total, place, counts)
        return cls(distinct[total > 0], total[total > 0])


def patterns_of_counts(pairs: Index) -> Patterns:
    """The patterns that occur. pairs : the number of pairs of each possible pattern, (2^p,)."""
    occur = np.flatnonzero(pairs)
    return Patterns(occur, pairs[occur])


def count_patterns(comparison: Comparison) -> Patterns:
    """The number of the n N pairs by agreement pattern, counted by blocks of rows."""
    p = len(comparison.width)
    blocks = map(comparison.codes, row_blocks(len(comparison.A), len(comparison.B)))
    if p <= MOST_COUNTED_BITS:
        pairs = np.zeros(1 << p, np.int64)
        for codes in blocks:
            pairs += np.bincount(codes.ravel(), minlength=1 << p)
        return patterns_of_counts(pairs)
    return Patterns.total(Patterns(*np.unique(codes, return_counts=True)) for codes in blocks)


def link_share(comparison: Comparison, patterns: Patterns, weight: Array) -> Array:
    """Shares (n,): 1/t where an original's own record is among the t of largest weight, else 0.

    weight : (K,) of each pattern.
    """
    assert comparison.own is not None
    n = len(comparison.A)
    share = np.zeros(n)
    for rows in row_blocks(n, len(comparison.B)):
        W = weight[np.searchsorted(patterns.codes, comparison.codes(rows))]  # (b, N), the weights of all pairs
        best = W.max(axis=1, keepdims=True)
        linked = best - W <= TIE * np.abs(best)
        share[rows] = linked[np.arange(len(W)), comparison.own[rows]] / linked.sum(axis=1)
    return share
