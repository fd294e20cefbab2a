"""Agreement patterns of all n N pairs counted exactly, and links found, by whichever way costs least.

The ways: every pair; only pairs that agree somewhere, met through each attribute's sorted values; for exact agreement,
group-bys on subsets of attributes. All give the counts and the links of `all_pairs`, their plain twin.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .agreeing_pairs import AgreeingPairs
from .agreement import Comparison
from .all_pairs import Patterns, count_patterns, link_share
from .compiled_pairs import CompiledPairs
from .distance import worth_compiling
from .subset_pairs import MOST_SUBSET_BITS, SubsetPairs

Array = NDArray[np.float64]


class Way(Protocol):
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
        self.ways: list[Way] = []
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
