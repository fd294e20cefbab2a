"""Compiled: values placed by rank up to the width of a bin, for the rounds whose ranks change again anyway."""

from __future__ import annotations

import numpy as np

from ..engine.compile import compiled_for_threads
from ..types import Array, Index

MANTISSA = 52
FINE = 9  # bits: 512 bins each time 1 + 64 |x| doubles, so that they are narrow near the mean and few in the tails
NEAR = 64.0  # bins are narrowest within 1/64 standard deviation of the mean
BLOCK = 1024
ONE = 1023 << FINE  # the bin of 1.0, as the upper bits of a double count them


def table_placed(column: Array, wanted: Array, sd: float) -> float:
    """Replaces `column` (n,), of mean near 0, by the wanted values, sorted, at its ranks; the root mean square of the moves.

    Ranks are exact at the edges of some thousand bins and linear in between, so the map is monotone, and where a bin
    holds one value, as in the tails, exact.
    """
    unit = NEAR / sd
    largest = np.array([1.0 + unit * max(-float(column.min()), float(column.max()))])
    half = int(largest.view(np.int64)[0] >> (MANTISSA - FINE)) - ONE + 1
    counts = np.zeros(2 * half, np.int64)
    count(column, unit, half, counts)
    return float(np.sqrt(place(column, unit, half, counts, np.cumsum(counts), wanted) / len(column)))


@compiled_for_threads
def count(column: Array, unit: float, half: int, counts: Index) -> None:
    """counts (2 half,) of the values in each bin: half + k holds those whose 1 + unit |x| is in bin k, half - 1 - k the negative."""
    size = np.empty(BLOCK)
    bits = size.view(np.int64)
    for start in range(0, column.size, BLOCK):
        m = min(BLOCK, column.size - start)
        for i in range(m):
            size[i] = 1.0 + unit * abs(column[start + i])
        for i in range(m):
            k = (bits[i] >> (MANTISSA - FINE)) - ONE
            counts[half + k if column[start + i] >= 0 else half - 1 - k] += 1


@compiled_for_threads
def place(column: Array, unit: float, half: int, counts: Index, ends: Index, wanted: Array) -> float:
    """Each value moved to the wanted one at its rank, bin k having the ranks below ends[k]; the sum of the squared moves."""
    size = np.empty(BLOCK)
    bits = size.view(np.int64)
    total, rest = 0.0, 1.0 / (1 << (MANTISSA - FINE))
    for start in range(0, column.size, BLOCK):
        m = min(BLOCK, column.size - start)
        for i in range(m):
            size[i] = 1.0 + unit * abs(column[start + i])
        for i in range(m):
            x = column[start + i]
            k = (bits[i] >> (MANTISSA - FINE)) - ONE
            share = (bits[i] & ((1 << (MANTISSA - FINE)) - 1)) * rest
            if x >= 0:
                k = half + k
                moved = wanted[ends[k] - counts[k] + np.int64(share * counts[k])]
            else:
                k = half - 1 - k
                moved = wanted[ends[k] - 1 - np.int64(share * counts[k])]
            total += (moved - x) * (moved - x)
            column[start + i] = moved
    return total
