"""Counters of agreement patterns, laid out where there can be few and looked up where there can be many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .agreement import Comparison
from .all_pairs import Patterns

Array = NDArray[np.float64]
Index = NDArray[np.int64]

# Up to 2^p counters are laid out; beyond, a table has room for so many, half of which can be used.
MOST_BITS = 20
MOST_KEYS = 1 << 21
FREE = -1


@dataclass(frozen=True)
class Counters:
    """keys (M + 1,): which pattern each counter is of, and last how many there are; none where counter g is g's."""

    keys: Index
    counts: Index

    @classmethod
    def empty(cls, p: int) -> Counters:
        """Of the patterns of p attributes."""
        if p <= MOST_BITS:
            return cls(np.empty(0, np.int64), np.zeros(1 << p, np.int64))
        keys = np.full(MOST_KEYS + 1, FREE)
        keys[-1] = 0
        return cls(keys, np.zeros(MOST_KEYS, np.int64))

    def patterns(self, pairs: int) -> Patterns:
        """The patterns that occur; of `pairs` in all those not counted show the pattern 0."""
        at = np.flatnonzero(self.counts)
        codes = at if not self.keys.size else self.keys[at]
        made = dict(zip(codes.tolist(), self.counts[at].tolist(), strict=True))
        made[0] = made.get(0, 0) + pairs - sum(made.values())
        codes = np.array(sorted(code for code, count in made.items() if count), dtype=np.int64)
        return Patterns(codes, np.array([made[code] for code in codes.tolist()], dtype=np.int64))


def placed_weights(patterns: Patterns, weight: Array, p: int) -> tuple[Index, Array]:
    """Keys as in Counters, and the weight of each pattern where its counter would be."""
    from .pair_kernels import place_of

    keys = Counters.empty(p).keys
    placed = np.zeros(MOST_KEYS if keys.size else 1 << p)
    at = [place_of(keys, code) for code in patterns.codes.tolist()] if keys.size else patterns.codes
    placed[at] = weight
    return keys, placed


def own_patterns(comparison: Comparison) -> Index:
    """(n,): the pattern of each original and the protected record at its position."""
    agrees = np.abs(comparison.A - comparison.B) <= comparison.width
    return np.asarray((agrees.astype(np.int64) << np.arange(agrees.shape[1])).sum(axis=1))
