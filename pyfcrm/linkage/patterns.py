"""Agreement patterns of all n N pairs counted exactly, and links found, by whichever way costs least: compiled code
over every pair, over those pairs only that agree somewhere, or group-bys on subsets of attributes.

The ways: every pair; only pairs that agree somewhere, met through each attribute's sorted values; for exact agreement,
group-bys on subsets of attributes. All give the counts and the links of `agreement`, their plain twin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ..types import Array, Places
from .agreement import Comparison, Counters, Patterns, count_patterns, link_share, own_patterns, placed_weights
from .nearest import worth_compiling
from .subsets import MOST_SUBSET_BITS, SubsetPairs

# Nanoseconds, as measured.
PER_PAIR, PER_VALUE = 1.2, 0.12
# Nanoseconds, as measured: with the protected file in cache, and beyond.
PER_AGREEING_PAIR, PER_AGREEING_PAIR_AFAR = 25.0, 110.0
CACHE = 1 << 23


@dataclass(frozen=True)
class CompiledPairs:
    """All n N pairs, blocks of protected records against each original; memory that of the files."""

    comparison: Comparison

    def cost_of_counting(self) -> float:
        """See linkage.patterns.CountingStrategy."""
        return self._pairs * (PER_PAIR + PER_VALUE * self.comparison.A.shape[1])

    def count(self) -> Patterns | None:
        """See linkage.patterns.CountingStrategy."""
        from .pair_kernels import count_all

        made = Counters.empty(len(self.comparison.width))
        return made.patterns(self._pairs) if count_all(*self._arrays(), made.keys, made.counts) else None

    def cost_of_linking(self, patterns: Patterns) -> float:
        """See linkage.patterns.CountingStrategy."""
        return self.cost_of_counting()

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """See linkage.patterns.CountingStrategy."""
        from .pair_kernels import link_all

        c = self.comparison
        share = np.empty(len(c.A))
        link_all(*self._arrays(), *placed_weights(patterns, weight, len(c.width)), own_patterns(c), share)
        return share

    @property
    def _pairs(self) -> int:
        return len(self.comparison.A) * len(self.comparison.B)

    def _arrays(self) -> tuple[Array, Array, int, Array]:
        from .pair_kernels import BLOCK

        c = self.comparison
        N, p = c.B.shape
        blocks = np.zeros((-(-N // BLOCK) * BLOCK, p))
        blocks[:N] = c.B
        blocks = np.ascontiguousarray(blocks.reshape(-1, BLOCK, p).transpose(0, 2, 1))
        return np.ascontiguousarray(c.A), blocks, N, np.ascontiguousarray(c.width)


@dataclass(frozen=True)
class Windows:
    """Of each attribute: order (p, N) sorts the protected values; originals agree with those at [low, high), (p, n).

    pairs : how many pairs that are, added over the attributes.
    """

    order: Places
    low: Places
    high: Places
    pairs: int


@dataclass(frozen=True)
class AgreeingPairs:
    """Pairs met through the sorted values of each attribute, and counted at the first on which they agree."""

    comparison: Comparison

    def cost_of_counting(self) -> float:
        """See linkage.patterns.CountingStrategy."""
        per_pair = PER_AGREEING_PAIR if self.comparison.B.nbytes <= CACHE else PER_AGREEING_PAIR_AFAR
        return self._windows.pairs * per_pair

    def count(self) -> Patterns | None:
        """See linkage.patterns.CountingStrategy."""
        from .pair_kernels import count_agreeing

        c, w = self.comparison, self._windows
        made = Counters.empty(len(c.width))
        done = count_agreeing(*self._arrays(), c.width, w.order, w.low, w.high, made.keys, made.counts)
        return made.patterns(len(c.A) * len(c.B)) if done else None

    def cost_of_linking(self, patterns: Patterns) -> float:
        """See linkage.patterns.CountingStrategy."""
        return self.cost_of_counting()

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """See linkage.patterns.CountingStrategy."""
        from .pair_kernels import link_agreeing

        c, w = self.comparison, self._windows
        keys, placed = placed_weights(patterns, weight, len(c.width))
        share = np.empty(len(c.A))
        own = own_patterns(c)
        link_agreeing(*self._arrays(), c.width, w.order, w.low, w.high, keys, placed, own, share)
        return share

    def _arrays(self) -> tuple[Array, Array]:
        return np.ascontiguousarray(self.comparison.A), np.ascontiguousarray(self.comparison.B)

    @cached_property
    def _windows(self) -> Windows:
        from .pair_kernels import windows

        c = self.comparison
        p, pairs = len(c.width), 0
        order = np.empty((p, len(c.B)), np.int32)
        low, high = np.empty((2, p, len(c.A)), np.int32)
        for j, width in enumerate(c.width):
            a, b = np.ascontiguousarray(c.A[:, j]), np.ascontiguousarray(c.B[:, j])
            by_b = np.argsort(b)
            pairs += windows(a, np.argsort(a), b, by_b, float(width), low[j], high[j])
            order[j] = by_b
        return Windows(order, low, high, pairs)


class CountingStrategy(Protocol):
    """One way to count and link, and what it would cost in nanoseconds; only the choice depends on that, no result."""

    def cost_of_counting(self) -> float:
        """Nanoseconds, about."""
        ...

    def count(self) -> Patterns | None:
        """How many pairs show each pattern; None where there are too many patterns for this way."""
        ...

    def cost_of_linking(self, patterns: Patterns) -> float:
        """Nanoseconds, about; patterns : those that occur."""
        ...

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """(n,): 1/t where an original's own record is among its t pairs of largest weight (K,), else 0."""
        ...


class Pairs:
    """All pairs of two files, seen through the patterns they show. Short files stay in numpy."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.ways: list[CountingStrategy] = []
        if worth_compiling("linkage/pair_kernels", comparison.A.size * len(comparison.B)):
            self.ways = [CompiledPairs(comparison), AgreeingPairs(comparison)]
            if not comparison.width.any() and comparison.A.shape[1] <= MOST_SUBSET_BITS:
                self.ways.append(SubsetPairs(comparison))

    def count(self) -> Patterns:
        """How many pairs show each pattern that occurs."""
        for way in sorted(self.ways, key=lambda way: way.cost_of_counting()):
            patterns = way.count()
            if patterns is not None:
                return patterns
        return count_patterns(self.comparison)

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """(n,): 1/t where an original's own record is among its t pairs of largest weight, else 0.

        patterns : what count() gave; weight : (K,) of each of them.
        """
        if not self.ways:
            return link_share(self.comparison, patterns, weight)
        return min(self.ways, key=lambda way: way.cost_of_linking(patterns)).link(patterns, weight)
