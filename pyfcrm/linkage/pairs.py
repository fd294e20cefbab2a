"""Exact counts of the agreement patterns of all n N pairs, and links: compiled code over every pair, or group-bys on subsets
of attributes. Both give the counts and links of `agreement`, the reference implementation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..numerics.box_tree import in_blocks
from ..types import TIE, Array, Index, Mask, Places, Rows
from .agreement import Comparison, Patterns, count_patterns, link_share, own_patterns
from .nearest import worth_compiling

MAX_ATTRIBUTES = 20  # of group-bys
MAX_COUNTERS = 1 << 28  # one gigabyte: each original has a counter for each pattern
PER_RECORD = 8.0  # nanoseconds, as measured
# Nanoseconds, as measured.
PER_PAIR, PER_VALUE = 1.2, 0.12
MAX_COUNTED_ATTRIBUTES = 24  # up to which each of 2^p patterns has a counter; with more, numpy counts what occurs


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


class Pairs:
    """All pairs of two files by agreement pattern; short files in numpy.

    own : (n,) row in B of each original's own record; None pairs by position. With exact agreement, records that share no
    value with the other file are skipped: all of their pairs have the pattern 0.
    """

    def __init__(self, comparison: Comparison, own: Index | None = None) -> None:
        self.comparison, self.own = comparison, own
        n, p = comparison.A.shape
        self.a, self.b = np.arange(n), np.arange(len(comparison.B))
        self.groups: ValueCodes | None = None
        self.compiled = p <= MAX_COUNTED_ATTRIBUTES and worth_compiling(
            "linkage/pair_kernels", comparison.A.size * len(comparison.B)
        )
        if self.compiled and not comparison.width.any():
            values = ValueCodes.of(comparison)
            shared: Mask = np.asarray((values.codes >= 0).any(axis=0))
            self.a, self.b = np.flatnonzero(shared[:n]), np.flatnonzero(shared[n:])
            self.groups = values if p <= MAX_ATTRIBUTES else None
        self.cost = len(self.a) * len(self.b) * (PER_PAIR + PER_VALUE * p)

    def count(self) -> Patterns:
        """The number of pairs by pattern."""
        if not self.compiled:
            return count_patterns(self.comparison)
        if self.groups is not None and self.groups.cost < self.cost:
            return self.groups.count()
        return self.count_all()

    def count_all(self) -> Patterns:
        """The counts from every pair."""
        from .pair_kernels import count_all

        c = self.comparison
        counts = np.zeros(1 << len(c.width), np.int64)
        count_all(*self._arrays(), counts)
        counts[0] += len(c.A) * len(c.B) - counts.sum()
        occur = np.flatnonzero(counts)
        return Patterns(occur, counts[occur])

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """(n,) 1/t where an original's own record is among its t pairs of largest weight, else 0.

        patterns : those of count(); weight : (K,) of each.
        """
        if not self.compiled:
            return link_share(self.comparison, patterns, weight, self.own)
        if self.groups is not None and 2 * self.groups.cost < self.cost:
            share = self.groups.link(patterns, weight, own_patterns(self.comparison, self.own))
            if share is not None:
                return share
        return self.link_all(patterns, weight)

    def link_all(self, patterns: Patterns, weight: Array) -> Array:
        """The links from every pair."""
        from .pair_kernels import link_all

        c = self.comparison
        by_code, share, linked = np.zeros(1 << len(c.width)), np.full(len(c.A), 1 / len(c.B)), np.empty(len(self.a))
        by_code[patterns.codes] = weight
        own = own_patterns(c, self.own)[self.a]
        link_all(*self._arrays(), by_code, own, len(c.B) - len(self.b), linked)
        share[self.a] = linked
        return share

    def _arrays(self) -> tuple[Array, Array, int, Array]:
        from .pair_kernels import BLOCK

        c = self.comparison
        return np.ascontiguousarray(c.A[self.a]), in_blocks(c.B[self.b], BLOCK), len(self.b), c.width
