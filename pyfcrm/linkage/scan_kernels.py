"""Compiled: originals looked at against blocks of protected records, one block after the other, until one beats them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled, compiled_for_threads
from .distance import TIE
from .square_kernels import nearest_of, squares

Array = NDArray[np.float64]
Index = NDArray[np.int64]

WIDE = 64  # records of a block: fewer cost more each
RUN = 8  # neighbours taken together, which share a page of memory


@compiled
def spread_out(Z: Array, chosen: Index, count: int, blocks: Array) -> None:
    """Lay runs b, b + count, b + 2 count ... of rows of Z (N, p) into a block, for every b chosen; the rest is far away."""
    for k in range(chosen.size):
        for lane in range(WIDE):
            row = (chosen[k] + lane // RUN * count) * RUN + lane % RUN
            for j in range(Z.shape[1]):
                blocks[k, j, lane] = Z[row, j] if row < Z.shape[0] else np.inf


@compiled_for_threads
def scan(X: Array, own: Array, blocks: Array, rows: Index, least: Array, near: Index) -> int:
    """Of the originals `rows` those that no record of the blocks beats are moved to the front; how many.

    own : (n,) squared distance of every original to its own record; least, near : (n,) the smallest distance met, and
    how many records may tie with the own one, both brought up to date.
    """
    left, total = 0, np.empty(WIDE)
    for r in range(rows.size):
        i = rows[r]
        for b in range(blocks.shape[0]):
            squares(X[i], blocks[b], total)
            smallest, more = nearest_of(total, own[i])
            least[i] = min(least[i], smallest)
            near[i] += more
            if smallest < 0:
                break
        if least[i] >= 0:
            rows[left] = i
            left += 1
    return left


@compiled
def count_tied(X: Array, blocks: Array, N: int, rows: Index, least: Array, tied: Index) -> None:
    """Adds to tied (n,), of each original in `rows`, the records as near as `least`. N : records in the blocks."""
    total = np.empty(WIDE)
    for i in rows:
        for b in range(blocks.shape[0]):
            squares(X[i], blocks[b], total)
            for lane in range(min(WIDE, N - b * WIDE)):
                tied[i] += np.sqrt(total[lane]) <= least[i] * (1 + TIE)
