"""Compiled counts of agreement patterns, and links, from every pair; and of pairs within a width.

Bit j of a pattern is set where |A[i, j] - B[k, j]| <= width[j]. A pattern's counter lies at the pattern itself where
`keys` is empty; else, with too many bits for that, where `keys` has it (open addressing, FREE where empty).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.compile import ZERO, compiled
from ..types import TIE, Array, Index

BLOCK = 512
FREE = -1


@compiled
def count_all(A: Array, blocks: Array, N: int, width: Array, keys: Index, counts: Index) -> bool:
    """Adds every pair of A (n, p) and the N protected records to `counts`; False if they do not suffice.

    blocks (any, p, BLOCK): the protected records, the last block filled up with anything.
    """
    codes = np.empty(BLOCK, np.int64)
    for b in range(blocks.shape[0]):
        count = min(BLOCK, N - b * BLOCK)
        for i in range(A.shape[0]):
            _codes(A[i], blocks[b], width, codes)
            if keys.size == 0:
                for k in range(count):
                    counts[codes[k]] += 1
                continue
            for k in range(count):
                place = _place(keys, codes[k])
                if place < 0:
                    return False
                counts[place] += 1
    return True


@compiled
def link_all(
    A: Array, blocks: Array, N: int, width: Array, keys: Index, weight: Array, own: Index, others: int, share: Array
) -> None:
    """share[i]: 1 / (pairs tied for the largest weight) where the own pair, of pattern own[i], is one of them, else 0.

    weight : of each pattern, at its counter; others : protected records besides, whose pairs show the pattern 0.
    """
    codes, heaviest = np.empty(BLOCK, np.int64), np.empty(BLOCK)
    none = weight[_place(keys, ZERO)] if others > 0 else -np.inf
    for i in range(A.shape[0]):
        best, tied = none, 0
        for counting in (False, True):
            reach = TIE * abs(best)
            if counting and best - weight[_place(keys, own[i])] > reach:
                break
            if counting and others > 0 and best - none <= reach:
                tied += others
            heaviest[:] = -np.inf
            for b in range(blocks.shape[0]):
                _codes(A[i], blocks[b], width, codes)
                count = min(BLOCK, N - b * BLOCK)
                if keys.size > 0:
                    for k in range(count):
                        codes[k] = _place(keys, codes[k])
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
    codes[:] = 0
    for j in range(a.size):
        value, reach, bit = a[j], width[j], np.int64(1) << j
        for k in range(BLOCK):
            codes[k] |= bit if abs(value - block[j, k]) <= reach else np.int64(0)


@compiled
def _place(keys: Index, code: Any) -> Any:
    """Where the counter of a pattern is, made if it is new; -1 where more than half the places would be taken."""
    if keys.size == 0:
        return code
    mask = keys.size - 2  # the last key counts the places taken
    at = np.int64((np.uint64(code) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while keys[at] != FREE and keys[at] != code:
        at = (at + 1) & mask
    if keys[at] == FREE:
        if 2 * keys[-1] >= mask:
            return -1
        keys[at] = code
        keys[-1] += 1
    return at


@compiled
def place_of(keys: Index, code: int) -> Any:
    """Where the counter of a pattern is, made if it is new."""
    return _place(keys, np.int64(code))


@compiled
def pairs_within(x: Array, z: Array, width: float) -> Any:
    """Pairs with |z - x| <= width as floats subtract; x (n,) and z (N,) ascending. Reference: measures.interval.plain_pairs_within."""
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
