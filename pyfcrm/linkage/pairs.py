"""Exact counts of the agreement patterns of all n N pairs, and links: compiled code over every pair, or group-bys on subsets
of attributes. Both give the counts and links of `agreement`, the reference implementation."""

from collections.abc import Iterator

import numpy as np

from ..numerics.box_tree import in_blocks
from ..types import TIE, Array, Places
from .agreement import Comparison, Patterns, count_patterns, counted, link_share
from .nearest import worth_compiling

MAX_COUNTERS = 1 << 28  # one gigabyte: each original has a counter for each pattern
# Nanoseconds, as measured: of a record in a group-by, of a group-by, of a pair, of a pair's attribute.
PER_RECORD, PER_SUBSET, PER_PAIR, PER_VALUE = 8.0, 1e4, 1.2, 0.12
MAX_COUNTED_ATTRIBUTES = 24  # up to which each of 2^p patterns has a counter; with more, numpy counts what occurs


class Subsets:
    """Group-bys of codes, which are below 0 for values that only one file has, on every subset of attributes.

    The rarest attributes come first. A group of records is split by one more attribute at a time, and parts without a
    partner are dropped.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.n, self.N, self.comparison = len(comparison.A), len(comparison.B), comparison
        codes = np.vstack([comparison.A, comparison.B]).T.astype(np.int32)
        shared = np.count_nonzero(codes >= 0, axis=1)
        self.attributes = np.argsort(shared, kind="stable")
        self.codes, sizes = codes[self.attributes], shared[self.attributes]
        # A subset's group-by takes the records that its rarest attribute leaves.
        self.cost = float((sizes * 2.0 ** np.arange(len(sizes) - 1, -1, -1)).sum()) * PER_RECORD
        self.cost += PER_SUBSET * 2.0 ** len(sizes)

    def agreeing(self) -> Iterator[tuple[int, Places, Places]]:
        """Each subset, as bits, on which originals agree with protected records; these originals (k,), and with how many."""
        most, records = int(self.codes.max(initial=0)) + 1, self.n + self.N
        work = np.zeros((most, 3), np.int32), np.empty(most, np.int32)
        return self._below(0, 0, (np.arange(records, dtype=np.int32), np.array([records], np.int32)), work)

    def _below(
        self, first: int, subset: int, groups: tuple[Places, Places], work: tuple[Places, Places]
    ) -> Iterator[tuple[int, Places, Places]]:
        """The larger subsets, by the attributes from `first`; groups : members and ends; work : as in split."""
        from .subset_kernels import split

        for j in range(first, len(self.codes)):
            inside, parts, partners = split(self.codes[j], self.n, *groups, *work)
            if len(inside):
                larger, own = subset | 1 << int(self.attributes[j]), inside < self.n
                yield larger, inside[own], partners[own]
                yield from self._below(j + 1, larger, (inside, parts), work)

    def count(self) -> Patterns:
        """How many pairs show each pattern: those that agree on a subset at least, by a Moebius transform."""
        from .subset_kernels import to_patterns

        pairs = np.zeros(1 << len(self.codes), np.int64)
        pairs[0] = self.n * self.N
        for subset, _, partners in self.agreeing():
            pairs[subset] = partners.sum(dtype=np.int64)
        to_patterns(pairs)
        return counted(pairs)

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """As Pairs.link."""
        from .subset_kernels import heaviest

        by_code, counts = np.full(1 << len(self.codes), -np.inf), np.zeros((self.n, 1 << len(self.codes)), np.int32)
        by_code[patterns.codes], counts[:, 0] = weight, self.N
        for subset, originals, partners in self.agreeing():
            counts[originals, subset] = partners
        best, tied = np.empty(self.n), np.empty(self.n, np.int64)
        heaviest(counts, by_code, best, tied)
        return (best - by_code[self.comparison.own_patterns] <= TIE * np.abs(best)) / tied


class Pairs:
    """All pairs of two blocks of records by agreement pattern; of few records in numpy."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        (n, p), N = comparison.A.shape, len(comparison.B)
        self.cost = n * N * (PER_PAIR + PER_VALUE * p)
        self.compiled = p <= MAX_COUNTED_ATTRIBUTES and worth_compiling("linkage/pair_kernels", n * N * p)
        self.subsets = Subsets(comparison) if self.compiled and not comparison.width.any() else None

    def count(self) -> Patterns:
        """The number of pairs by pattern."""
        if not self.compiled:
            return count_patterns(self.comparison)
        if self.subsets is not None and self.subsets.cost < self.cost:
            return self.subsets.count()
        from .pair_kernels import count_all

        counts = np.zeros(1 << len(self.comparison.width), np.int64)
        count_all(*self._arrays(), counts)
        return counted(counts)

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """(n,) 1/t where an original's own record is among its t pairs of largest weight, else 0.

        patterns : those of count(), and more; weight : (K,) of each.
        """
        c = self.comparison
        if not self.compiled:
            return link_share(c, patterns, weight)
        if self.subsets is not None and 2 * self.subsets.cost < self.cost and len(c.A) << len(c.width) <= MAX_COUNTERS:
            return self.subsets.link(patterns, weight)
        from .pair_kernels import link_all

        by_code, share = np.zeros(1 << len(c.width)), np.empty(len(c.A))
        by_code[patterns.codes] = weight
        link_all(*self._arrays(), by_code, c.own_patterns, share)
        return share

    def _arrays(self) -> tuple[Array, Array, int, Array]:
        from .pair_kernels import BLOCK

        c = self.comparison
        return np.ascontiguousarray(c.A, np.float64), in_blocks(c.B, BLOCK), len(c.B), c.width
