"""Group-bys on subsets of attributes, for exact agreement of values that often agree: no pair is compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import TIE, Array, Index, Places, Rows
from .agreement import Comparison, Patterns

MAX_ATTRIBUTES = 20
MAX_COUNTERS = 1 << 28  # one gigabyte: each original has a counter for each pattern
PER_RECORD = 8.0  # nanoseconds, as measured


def shared_codes(a: Array, b: Array) -> tuple[Rows, Rows, int]:
    """Codes from 0 of the values that both a (n,) and b (N,) have, -1 for the other values; and how many codes."""
    shared = np.append(np.intersect1d(a, b), np.nan)
    codes = [np.where(shared[at := np.searchsorted(shared, x)] == x, at, -1) for x in (a, b)]
    return codes[0], codes[1], len(shared) - 1


@dataclass(frozen=True)
class ValueCodes:
    """Values of both files as whole numbers, (p, n + N), -1 where only one file has them; the rarest attributes first.

    attributes (p,): which attribute each row is; n : originals; most : codes that an attribute has at most.
    """

    codes: Places
    attributes: Index
    n: int
    most: int

    @classmethod
    def of(cls, comparison: Comparison) -> ValueCodes:
        """The codes of the two files."""
        A, B = comparison.A, comparison.B
        codes, most = np.empty((A.shape[1], len(A) + len(B)), np.int32), 1
        for a, b, row in zip(A.T, B.T, codes, strict=True):
            row[: len(A)], row[len(A) :], count = shared_codes(a, b)
            most = max(most, count)
        order = np.argsort(np.count_nonzero(codes >= 0, axis=1), kind="stable")
        return cls(codes[order], order, len(A), most)

    @property
    def cost(self) -> float:
        """Nanoseconds, about: a subset's group-by takes the records that its rarest attribute leaves."""
        shared = np.count_nonzero(self.codes >= 0, axis=1)
        return float((shared * 2.0 ** np.arange(len(shared) - 1, -1, -1)).sum()) * PER_RECORD

    def count(self) -> Patterns:
        """How many pairs show each pattern: those that agree on a subset at least, by a Moebius transform."""
        from .subset_kernels import pairs_by_subset, to_patterns

        pairs = np.zeros(1 << len(self.codes), np.int64)
        pairs_by_subset(self.codes, np.int64(1) << self.attributes, self.n, self.most, pairs)
        to_patterns(pairs)
        occur = np.flatnonzero(pairs)
        return Patterns(occur, pairs[occur])

    def link(self, patterns: Patterns, weight: Array, own: Index) -> Array | None:
        """As Pairs.link; own : (n,) each original's own pattern. None where the counters would not fit in memory."""
        from .subset_kernels import heaviest

        p = len(self.codes)
        if self.n << p > MAX_COUNTERS:
            return None
        by_code = np.full(1 << p, -np.inf)
        by_code[patterns.codes] = weight
        best, tied = np.empty(self.n), np.empty(self.n, np.int64)
        heaviest(self.codes, np.int64(1) << self.attributes, self.n, self.most, by_code, best, tied)
        return (best - by_code[own] <= TIE * np.abs(best)) / tied
