"""Compiled counts of agreement patterns, and links, from every pair.

Bit j of a pattern is set where |A[i, j] - B[k, j]| <= width[j].
"""

from typing import Any

import numpy as np

from ..engine.compile import compiled
from ..types import TIE, Array, Index

BLOCK = 512  # protected records of a block, compared with one original at a time


@compiled
def count_all(A: Array, blocks: Array, N: int, width: Array, counts: Index) -> None:
    """Adds the pattern of every pair of A (n, p) and the N protected records to `counts` (2^p,).

    blocks : (blocks, p, BLOCK), the protected records; the last block is filled up with any values.
    """
    codes = np.empty(BLOCK, np.int64)
    for b in range(blocks.shape[0]):
        for i in range(A.shape[0]):
            _codes(A[i], blocks[b], width, codes)
            for k in range(min(BLOCK, N - b * BLOCK)):
                counts[codes[k]] += 1


@compiled
def link_all(A: Array, blocks: Array, N: int, width: Array, weight: Array, own: Index, share: Array) -> None:
    """Fills share (n,): 1/t where the own pair, of pattern own[i], is among the t of largest weight, else 0.

    weight : (2^p,) of each pattern. The largest weight is found first; its ties are counted only if the own pair is one.
    """
    codes = np.empty(BLOCK, np.int64)
    heaviest = np.empty(BLOCK)
    for i in range(A.shape[0]):
        best = -np.inf  # the largest weight, known after the first turn
        tied = 0
        for counting in (False, True):
            reach = TIE * abs(best)
            if counting and best - weight[own[i]] > reach:
                break
            heaviest[:] = -np.inf
            for b in range(blocks.shape[0]):
                _codes(A[i], blocks[b], width, codes)
                count = min(BLOCK, N - b * BLOCK)
                if counting:
                    for k in range(count):
                        tied += best - weight[codes[k]] <= reach
                else:
                    for k in range(count):
                        heaviest[k] = max(heaviest[k], weight[codes[k]])
            if not counting:
                best = max(best, heaviest.max())
        share[i] = 1.0 / tied if tied > 0 else 0.0


@compiled
def _codes(a: Any, block: Any, width: Array, codes: Index) -> None:
    """Fills codes (BLOCK,) with the patterns of original a (p,) with the records of a block (p, BLOCK)."""
    codes[:] = 0
    for j in range(a.size):
        value = a[j]
        reach = width[j]
        bit = np.int64(1) << j
        for k in range(BLOCK):
            codes[k] |= bit if abs(value - block[j, k]) <= reach else np.int64(0)
