"""Blocks of rows given out in other lengths than they came in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Flow:
    """blocks : arrays (b, t), one after the other."""

    def __init__(self, blocks: Iterator[Array], t: int) -> None:
        self.blocks, self.rest = blocks, np.empty((0, t))

    def take(self, k: int) -> Array:
        """The next k rows, or those that are left."""
        parts, have = [self.rest], len(self.rest)
        while have < k:
            block = next(self.blocks, None)
            if block is None:
                break
            parts.append(block)
            have += len(block)
        whole = np.concatenate(parts) if len(parts) > 1 else self.rest
        self.rest = whole[k:]
        return whole[:k]
