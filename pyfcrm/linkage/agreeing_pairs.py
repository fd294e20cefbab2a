"""Only pairs that agree somewhere looked at: one way of `patterns`, for values that seldom agree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .agreement import Comparison
from .all_pairs import Patterns
from .counters import Counters, own_patterns, placed_weights

Array = NDArray[np.float64]
Places = NDArray[np.int32]

# Nanoseconds, as measured: with the protected file in cache, and beyond.
PER_PAIR, PER_PAIR_AFAR = 25.0, 110.0
CACHE = 1 << 23


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
        """See patterns.Way."""
        per_pair = PER_PAIR if self.comparison.B.nbytes <= CACHE else PER_PAIR_AFAR
        return self._windows.pairs * per_pair

    def count(self) -> Patterns | None:
        """See patterns.Way."""
        from .pair_kernels import count_agreeing

        c, w = self.comparison, self._windows
        made = Counters.empty(len(c.width))
        done = count_agreeing(*self._arrays(), c.width, w.order, w.low, w.high, made.keys, made.counts)
        return made.patterns(len(c.A) * len(c.B)) if done else None

    def cost_of_linking(self, patterns: Patterns) -> float:
        """See patterns.Way."""
        return self.cost_of_counting()

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """See patterns.Way."""
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
