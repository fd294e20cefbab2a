"""Exact counts of the agreement patterns of all n N pairs, and links.

By compiled code over every pair, or by group-bys on subsets of attributes. Both give the counts and links of `agreement`, the
reference implementation.
"""

from collections.abc import Iterator

import numpy as np

from ..numerics.box_tree import in_blocks
from ..types import TIE, Array, Places
from .agreement import Comparison, Patterns, count_patterns, link_share, patterns_of_counts
from .nearest import worth_compiling

MAX_COUNTERS = 1 << 28  # one gigabyte: each original has a counter for each pattern
# Nanoseconds, as measured.
PER_RECORD = 8.0  # of a record in a group-by
PER_SUBSET = 1e4  # of a group-by
PER_PAIR = 1.2
PER_VALUE = 0.12  # of a pair's attribute
MAX_COUNTED_ATTRIBUTES = 24  # up to which each of 2^p patterns has a counter; with more, numpy counts what occurs


class Subsets:
    """Group-bys on every subset of attributes of values as codes, which are below 0 for values that only one file has.

    The attributes with fewest shared values come first. A group of records that agree on a subset is split by one more
    attribute at a time, and parts without a record of the other file are dropped.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.n = len(comparison.A)
        self.N = len(comparison.B)
        codes = np.vstack([comparison.A, comparison.B]).T.astype(np.int32)  # (p, n + N)
        shared = np.count_nonzero(codes >= 0, axis=1)
        self.attributes = np.argsort(shared, kind="stable")
        self.codes = codes[self.attributes]
        # A subset's group-by takes the records that its rarest attribute leaves. Of p attributes, the j-th rarest is the
        # rarest of 2^(p - j) subsets.
        sizes = shared[self.attributes]
        subsets = 2.0 ** np.arange(len(sizes) - 1, -1, -1)
        self.cost = float((sizes * subsets).sum()) * PER_RECORD + PER_SUBSET * 2.0 ** len(sizes)

    def agreeing(self) -> Iterator[tuple[int, Places, Places]]:
        """Each subset on which originals agree with protected records: its bits, these originals (k,), and their partners (k,).

        The partners of an original are the number of protected records that agree with it at least on the subset.
        """
        records = self.n + self.N
        all_in_one_group = (np.arange(records, dtype=np.int32), np.array([records], np.int32))
        different_codes = int(self.codes.max(initial=0)) + 1
        work = (np.zeros((different_codes, 3), np.int32), np.empty(different_codes, np.int32))
        return self._larger(0, 0, all_in_one_group, work)

    def _larger(
        self, first: int, subset: int, groups: tuple[Places, Places], work: tuple[Places, Places]
    ) -> Iterator[tuple[int, Places, Places]]:
        """The subsets that add attributes from `first` on to `subset`, each as in `agreeing`.

        groups : members and ends of the groups that agree on `subset`; work : arrays to work in, as in split.
        """
        from .subset_kernels import split

        members, ends = groups
        tally, met = work
        for j in range(first, len(self.codes)):
            inside, parts, partners = split(self.codes[j], self.n, members, ends, tally, met)
            if not len(inside):
                continue
            larger = subset | 1 << int(self.attributes[j])
            originals = inside < self.n
            yield larger, inside[originals], partners[originals]
            yield from self._larger(j + 1, larger, (inside, parts), work)

    def count(self) -> Patterns:
        """The number of pairs by pattern, from the pairs that agree at least on a subset."""
        from .subset_kernels import to_patterns

        pairs = np.zeros(1 << len(self.codes), np.int64)
        pairs[0] = self.n * self.N
        for subset, _, partners in self.agreeing():
            pairs[subset] = partners.sum(dtype=np.int64)
        to_patterns(pairs)
        return patterns_of_counts(pairs)

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """The shares of links (n,); see Pairs.link."""
        from .subset_kernels import heaviest

        weight_by_code = np.full(1 << len(self.codes), -np.inf)
        weight_by_code[patterns.codes] = weight
        counts = np.zeros((self.n, 1 << len(self.codes)), np.int32)
        counts[:, 0] = self.N
        for subset, originals, partners in self.agreeing():
            counts[originals, subset] = partners
        best = np.empty(self.n)
        tied = np.empty(self.n, np.int64)
        heaviest(counts, weight_by_code, best, tied)
        own = weight_by_code[self.comparison.own_patterns]
        return (best - own <= TIE * np.abs(best)) / tied


class Pairs:
    """All pairs of two blocks of records by agreement pattern: of few records in numpy, of many in compiled code."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        n, p = comparison.A.shape
        N = len(comparison.B)
        self.cost = n * N * (PER_PAIR + PER_VALUE * p)
        self.compiled = p <= MAX_COUNTED_ATTRIBUTES and worth_compiling("linkage/pair_kernels", n * N * p)
        exact = not comparison.width.any()
        self.subsets = Subsets(comparison) if self.compiled and exact else None

    def count(self) -> Patterns:
        """The number of pairs by pattern."""
        if not self.compiled:
            return count_patterns(self.comparison)
        if self.subsets is not None and self.subsets.cost < self.cost:
            return self.subsets.count()
        from .pair_kernels import count_all

        A, blocks = self._arrays()
        comparison = self.comparison
        counts = np.zeros(1 << len(comparison.width), np.int64)
        count_all(A, blocks, len(comparison.B), comparison.width, counts)
        return patterns_of_counts(counts)

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """Shares (n,): 1/t where an original's own record is among its t pairs of largest weight, else 0.

        patterns : those of count(), and more; weight : (K,) of each.
        """
        comparison = self.comparison
        if not self.compiled:
            return link_share(comparison, patterns, weight)
        counters = len(comparison.A) << len(comparison.width)
        if self.subsets is not None and 2 * self.subsets.cost < self.cost and counters <= MAX_COUNTERS:
            return self.subsets.link(patterns, weight)
        from .pair_kernels import link_all

        A, blocks = self._arrays()
        weight_by_code = np.zeros(1 << len(comparison.width))
        weight_by_code[patterns.codes] = weight
        share = np.empty(len(comparison.A))
        own = comparison.own_patterns
        link_all(A, blocks, len(comparison.B), comparison.width, weight_by_code, own, share)
        return share

    def _arrays(self) -> tuple[Array, Array]:
        """The originals, and the protected records in blocks, as the kernels take them."""
        from .pair_kernels import BLOCK

        return np.ascontiguousarray(self.comparison.A, np.float64), in_blocks(self.comparison.B, BLOCK)
