"""Every pair looked at by compiled code: one way of `patterns`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .agreement import Comparison
from .all_pairs import Patterns
from .counters import Counters, own_patterns, placed_weights

Array = NDArray[np.float64]

# Nanoseconds, as measured.
PER_PAIR, PER_VALUE = 1.2, 0.12


@dataclass(frozen=True)
class CompiledPairs:
    """All n N pairs, blocks of protected records against each original; memory that of the files."""

    comparison: Comparison

    def cost_of_counting(self) -> float:
        """See patterns.Way."""
        return self._pairs * (PER_PAIR + PER_VALUE * self.comparison.A.shape[1])

    def count(self) -> Patterns | None:
        """See patterns.Way."""
        from .pair_kernels import count_all

        made = Counters.empty(len(self.comparison.width))
        return made.patterns(self._pairs) if count_all(*self._arrays(), made.keys, made.counts) else None

    def cost_of_linking(self, patterns: Patterns) -> float:
        """See patterns.Way."""
        return self.cost_of_counting()

    def link(self, patterns: Patterns, weight: Array) -> Array:
        """See patterns.Way."""
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
