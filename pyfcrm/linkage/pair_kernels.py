"""Compiled counts of agreement patterns, pair by pair: of all pairs, or of those that agree somewhere.

Bit j of a pattern is set where |A[i, j] - B[k, j]| <= width[j]. A pattern's counter lies at the pattern itself where
`keys` is empty; else, with too many bits for that, where `keys` has it (open addressing, FREE where empty).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.compile import ZERO, compiled
from ..types import TIE, Array, Index, Places

BLOCK = 512
FREE = -1


@compiled
def windows(a: Array, by_a: Index, b: Array, by_b: Index, width: float, low: Places, high: Places) -> int:
    """Where in the ascending b[by_b] those lie that agree with each a: [low[i], high[i]). Returns how many pairs."""
    first = last = pairs = 0
    for i in by_a:
        while first < b.size and a[i] - b[by_b[first]] > width:
            first += 1
        last = max(last, first)
        while last < b.size and not b[by_b[last]] - a[i] > width:
            last += 1
        low[i], high[i] = first, last
        pairs += last - first
    return pairs


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
def count_agreeing(
    A: Array, B: Array, width: Array, order: Places, low: Places, high: Places, keys: Index, counts: Index
) -> bool:
    """As count_all, for the pairs that agree somewhere only.

    B (N, p); order (p, N) sorts each attribute of B; low, high (p, n): see windows.
    """
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            for at in range(low[j, i], high[j, i]):
                code = _code_from(A[i], B[order[j, at]], width, j)
                if code >= 0:
                    place = _place(keys, code)
                    if place < 0:
                        return False
                    counts[place] += 1
    return True


@compiled
def link_all(
    A: Array, blocks: Array, N: int, width: Array, keys: Index, weight: Array, own: Index, share: Array
) -> None:
    """share[i]: 1 / (pairs tied for the largest weight) where the own pair, of pattern own[i], is one of them, else 0.

    weight : of each pattern, where its counter was; blocks : see count_all.
    """
    codes, heaviest = np.empty(BLOCK, np.int64), np.empty(BLOCK)
    for i in range(A.shape[0]):
        best, tied = -np.inf, 0
        for counting in (False, True):
            reach = TIE * abs(best)
            if counting and best - weight[_place(keys, own[i])] > reach:
                break
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
                for k in range(BLOCK):
                    best = max(best, heaviest[k])
        share[i] = 1.0 / tied if tied > 0 else 0.0


@compiled
def link_agreeing(
    A: Array,
    B: Array,
    width: Array,
    order: Places,
    low: Places,
    high: Places,
    keys: Index,
    weight: Array,
    own: Index,
    share: Array,
) -> None:
    """As link_all, meeting only pairs that agree somewhere; the others all show the pattern 0."""
    seen, met = np.zeros(weight.size, np.int64), np.empty(weight.size, np.int64)
    for i in range(A.shape[0]):
        found, pairs = ZERO, 0
        for j in range(A.shape[1]):
            for at in range(low[j, i], high[j, i]):
                code = _code_from(A[i], B[order[j, at]], width, j)
                if code >= 0:
                    found = _meet(_place(keys, code), seen, met, found)
                    pairs += 1
        if pairs < B.shape[0]:
            none = _place(keys, ZERO)
            seen[none] += B.shape[0] - pairs
            met[found] = none
            found += 1
        share[i] = _earned(weight, seen, met, found, _place(keys, own[i]))


@compiled
def _codes(a: Any, block: Any, width: Array, codes: Index) -> None:
    codes[:] = 0
    for j in range(a.size):
        value, reach, bit = a[j], width[j], np.int64(1) << j
        for k in range(BLOCK):
            codes[k] |= bit if abs(value - block[j, k]) <= reach else np.int64(0)


@compiled
def _code_from(a: Any, b: Any, width: Array, first: int) -> Any:
    """The pattern of one pair, or -1 if it agrees on an attribute before `first`, where it has been met."""
    for j in range(first):
        if abs(a[j] - b[j]) <= width[j]:
            return -1
    code = np.int64(1) << first
    for j in range(first + 1, a.size):
        if abs(a[j] - b[j]) <= width[j]:
            code |= np.int64(1) << j
    return code


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
def _meet(place: int, seen: Index, met: Index, found: int) -> int:
    if seen[place] == 0:
        met[found] = place
        found += 1
    seen[place] += 1
    return found


@compiled
def _earned(weight: Array, seen: Index, met: Index, found: int, own: int) -> float:
    """What one original earns, from how often each pattern was seen; empties `seen`."""
    best, tied = weight[met[0]], 0
    for q in range(1, found):
        best = max(best, weight[met[q]])
    for q in range(found):
        if best - weight[met[q]] <= TIE * abs(best):
            tied += seen[met[q]]
        seen[met[q]] = 0
    return 1.0 / tied if best - weight[own] <= TIE * abs(best) else 0.0


@compiled
def place_of(keys: Index, code: int) -> Any:
    """Where the counter of a pattern is, made if it is new."""
    return _place(keys, np.int64(code))
