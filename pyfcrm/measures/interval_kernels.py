"""Compiled: how many pairs lie within a width of each other, by walking two sorted files once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.compile import compiled
from ..types import Array


@compiled
def pairs_within(x: Array, z: Array, width: float) -> Any:
    """Pairs with |z - x| <= width as floats subtract; x (n,) and z (N,) ascending. Reference: plain_pairs_within."""
    first = last = 0
    pairs = np.int64(0)
    for i in range(x.size):
        while first < z.size and x[i] - z[first] > width:
            first += 1
        last = max(last, first)
        while last < z.size and z[last] - x[i] <= width:
            last += 1
        pairs += last - first
    return pairs
