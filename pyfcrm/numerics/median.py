"""The median of more numbers than fit in memory, by passes over blocks of them: exact, and the same as at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.blocks import total
from ..engine import Added, Engine
from ..types import Array

DIGIT = 16  # bits that a pass decides
PASSES = 64 // DIGIT + 1  # at most


def median(engine: Engine, blocks: Sequence[Any], count: int) -> float:
    """Of all numbers of the blocks, `count` of them, at least 0; the mean of the two in the middle where it is even.

    Numbers of at least 0 come in the order of their bits, so their digits are found one after the other by counting.
    """
    rank = (count - 1) // 2  # from 0; how many numbers with the digits found so far are below the median
    prefix = 0
    for shift in range(64 - DIGIT, -1, -DIGIT):
        counts = total(engine, _Digits(shift, prefix), blocks)
        up_to = np.cumsum(counts)
        digit = int(np.searchsorted(up_to, rank, side="right"))
        rank -= int(up_to[digit - 1]) if digit else 0
        prefix = (prefix << DIGIT) | digit
    low = float(np.array([prefix], dtype=np.uint64).view(np.float64)[0])
    if count % 2 or rank + 1 < counts[digit]:
        return low
    return (low + total(engine, _Next(low), blocks)) / 2


@dataclass(frozen=True)
class _Digits(Added):
    """(2^16,) how many of the numbers that begin with the bits of `prefix` go on with each digit."""

    shift: int
    prefix: int

    def part(self, block: Array) -> NDArray[np.int64]:
        """See engine.Kernel."""
        bits = np.ascontiguousarray(block).reshape(-1).view(np.uint64) >> np.uint64(self.shift)
        if self.shift + DIGIT < 64:  # not the first
            bits = bits[bits >> np.uint64(DIGIT) == np.uint64(self.prefix)]
        return np.bincount((bits & np.uint64((1 << DIGIT) - 1)).astype(np.int64), minlength=1 << DIGIT)


@dataclass(frozen=True)
class _Next:
    """The smallest number above `low`, infinite where there is none."""

    low: float

    def part(self, block: Array) -> float:
        """See engine.Kernel."""
        return float(block[block > self.low].min(initial=np.inf))

    def add(self, a: float, b: float) -> float:
        """See engine.Kernel."""
        return min(a, b)
