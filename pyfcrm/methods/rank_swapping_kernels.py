"""The compiled loops of rank swapping: who swaps with whom, and the order mu-Argus's own sort leaves ties in.

Ranks run from 0. Their plain twins are in tests/support/swaps.py; the tests hold both to the same result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compiling import compiled
from . import taus88

Ranks = NDArray[np.int64]

_step = compiled(taus88.step)
HALF_WORDS = 2147483648.0  # mu-Argus's uniforms have 31 bits
WORDS = 4294967296.0


@compiled
def argus_partners(u: NDArray[np.float64], width: int, partner: Ranks) -> int:
    """Fills `partner` (n,) with the rank each rank swaps with (itself if none is free); how many of `u` (n,) it took."""
    n, used = partner.size, 0
    # The nearest free rank at or below, at or above: chains that finding one shortens.
    below, above = np.arange(n), np.arange(n + 1)
    partner[:] = -1
    for i in range(n):
        if partner[i] >= 0:
            continue
        step = int(width * np.floor(u[used] * HALF_WORDS) / HALF_WORDS)
        used += 1
        wanted = min(i + 1 + step, n - 1)
        found = _end(below, wanted)
        if found <= i:
            found = _end(above, wanted)
        if found > i + width or found >= n:
            found = i
        partner[i], partner[found] = found, i
        for taken in (i, found):
            below[taken] = max(taken - 1, 0)
            above[taken] = taken + 1
    return used


@compiled
def sdcmicro_partners(reach: Ranks, a: int, b: int, c: int, partner: Ranks) -> tuple[int, int, int]:
    """Fills `partner` (n,), candidates of rank j being the free ones above it and below reach[j]; taus88's new state."""
    n = partner.size
    free = np.zeros(n + 1, np.int64)  # a Fenwick tree: how many are free among the first ranks
    top = 1
    for i in range(1, n + 1):
        free[i] = i & -i
    while 2 * top <= n:
        top *= 2
    for i in range(n):
        partner[i] = i
    swapped = np.zeros(n, np.bool_)
    for j in range(n):
        if swapped[j]:
            continue
        before = _count(free, j + 1)
        candidates = _count(free, reach[j]) - before if reach[j] > j + 1 else 0
        if candidates == 0:
            continue
        a, b, c = _step(a, b, c)
        unit = np.float32((a ^ b ^ c) / WORDS)
        # The largest words round to 1 in 32 bits; sdcMicro then reads beyond its list.
        pick = min(int(np.float32(unit * np.float32(candidates))), candidates - 1)
        k = _select(free, before + pick, top)
        partner[j], partner[k] = k, j
        swapped[j] = swapped[k] = True
        _remove(free, j)
        _remove(free, k)
    return a, b, c


@compiled
def argus_order(values: NDArray[np.float64], order: Ranks, most: int) -> bool:
    """Sorts `values` (n,) and `order` with them, as mu-Argus's quicksort does; False after `most` comparisons."""
    n, compared = values.size, 0
    low, high = np.empty(n + 2, np.int64), np.empty(n + 2, np.int64)
    low[0], high[0], depth = 0, n - 1, 1
    while depth > 0:
        depth -= 1
        first, last = low[depth], high[depth]
        if first >= last:
            continue
        compared += last - first
        if compared > most:
            return False
        pivot, left, right = values[first], first, last + 1
        while right != left + 1:
            if values[left + 1] <= pivot:
                left += 1
            elif values[right - 1] >= pivot:
                right -= 1
            else:
                _exchange(values, order, left + 1, right - 1)
                left += 1
                right -= 1
        _exchange(values, order, first, left)
        # The longer side waits, so that the stack stays short.
        if left - first > last - left:
            low[depth], high[depth] = first, left - 1
            low[depth + 1], high[depth + 1] = left + 1, last
        else:
            low[depth], high[depth] = left + 1, last
            low[depth + 1], high[depth + 1] = first, left - 1
        depth += 2
    return True


@compiled
def _exchange(values: Any, order: Any, i: int, j: int) -> None:
    values[i], values[j] = values[j], values[i]
    order[i], order[j] = order[j], order[i]


@compiled
def _end(chain: Ranks, i: int) -> Any:
    while chain[i] != i:
        chain[i] = chain[chain[i]]
        i = chain[i]
    return i


@compiled
def _count(free: Ranks, i: int) -> int:
    total = 0
    while i > 0:
        total += free[i]
        i -= i & -i
    return total


@compiled
def _remove(free: Ranks, i: int) -> None:
    i += 1
    while i < free.size:
        free[i] -= 1
        i += i & -i


@compiled
def _select(free: Ranks, skipped: int, top: int) -> int:
    """The rank that has `skipped` free ones before it and is free itself."""
    at = 0
    while top > 0:
        if at + top < free.size and free[at + top] <= skipped:
            at += top
            skipped -= free[at]
        top //= 2
    return at
