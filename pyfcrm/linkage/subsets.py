"""Group-bys on subsets of attributes, for exact agreement of values that often agree: no pair is compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import TIE, Array, Index, Places, Rows
from .agreement import Comparison, Patterns

MAX_ATTRIBUTES = 20
MAX_NONMONOTONE = 5  # attributes whose agreement is counted by 2^5 counters for each original
MAX_COUNTERS = 1 << 28  # one gigabyte
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
        last = nonmonotone_attributes(patterns, weight, p)
        if len(last) > MAX_NONMONOTONE or not is_lexicographic(patterns, weight, last):
            last = list(range(p))
            if self.n << p > MAX_COUNTERS:
                return None
        laid_out = np.full(1 << p, -np.inf)
        laid_out[patterns.codes] = weight
        order = np.argsort(np.isin(self.attributes, last), kind="stable")
        best, tied, bits = np.empty(self.n), np.empty(self.n, np.int64), np.int64(1) << self.attributes[order]
        heaviest(self.codes[order], bits, p - len(last), self.n, self.most, laid_out, best, tied)
        return (best - laid_out[own] <= TIE * np.abs(best)) / tied


def nonmonotone_attributes(patterns: Patterns, weight: Array, p: int) -> list[int]:
    """The attributes whose agreement does not always raise the weight, ties counted."""
    reach, codes = 2 * TIE * np.abs(weight).max(), patterns.codes
    found = []
    for j in range(p):
        place = np.minimum(np.searchsorted(codes, codes | 1 << j), len(codes) - 1)
        both = (codes >> j & 1 == 0) & (codes[place] == codes | 1 << j)
        if (weight[place] - weight <= reach)[both].any():
            found.append(j)
    return found


def is_lexicographic(patterns: Patterns, weight: Array, nonmonotone: list[int]) -> bool:
    """Whether patterns unlike on the other attributes never tie, and weigh more where they agree on more of those."""
    apart = sum(1 << j for j in nonmonotone)
    falling = np.argsort(-weight, kind="stable")
    codes, heavy = patterns.codes[falling], weight[falling]
    monotone, others = codes & ~apart, codes & apart
    near = -np.diff(heavy) <= 2 * TIE * np.abs(weight).max()
    if (near & (monotone[1:] != monotone[:-1])).any():
        return False
    # Of patterns with equal other attributes, one that agrees on more than a heavier one would have to come before it.
    return not any(
        ((others[q + 1 :] == others[q]) & (monotone[q + 1 :] & g == g)).any() for q, g in enumerate(monotone)
    )
