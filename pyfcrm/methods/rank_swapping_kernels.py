"""Compiled loops of rank swapping: partners, and the order of ties in mu-Argus's own sort.

Ranks run from 0. Reference implementations are in tests/support/swaps.py; tests compare both.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import compiled
from ..rstream import taus88
from ..types import Integers

_step = compiled(taus88.step)
HALF_WORDS = 2147483648.0  # mu-Argus's uniforms have 31 bits
WORDS = 4294967296.0


@compiled
def argus_partners(u: NDArray[np.float64], width: int, partner: Integers) -> int:
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
        goal = min(i + 1 + step, n - 1)
        found = _end(below, goal)
        if found <= i:
            found = _end(above, goal)
        if found > i + width or found >= n:
            found = i
        partner[i], partner[found] = found, i
        for taken in (i, found):
            below[taken] = max(taken - 1, 0)
            above[taken] = taken + 1
    return used


@compiled
def sdcmicro_partners(reach: Integers, a: int, b: int, c: int, partner: Integers) -> tuple[int, int, int]:
    """Fills `partner` (n,), candidates of rank j being the free ones above it and below reach[j]; taus88's new state.

    reach (n,) must not fall: then all that were taken lie below the next one's reach, and need not be counted.
    """
    n = partner.size
    size = 1
    while size < n:
        size *= 2
    tree = np.zeros(size + 1, np.int64)  # a Fenwick tree: how many of the first ranks are free
    for i in range(1, size + 1):
        tree[i] = i & -i
    partner[:] = np.arange(n)
    # Ranks that look for a partner stay in the tree: `before` of them, up to j; `taken` partners lie above j.
    before, taken = 0, 0
    for j in range(n):
        if partner[j] != j:
            taken -= 1
            continue
        before += 1
        candidates = reach[j] - (j + 1) - taken
        if candidates <= 0:
            continue
        a, b, c = _step(a, b, c)
        unit = np.float32((a ^ b ^ c) / WORDS)
        # The largest words round to 1 in 32 bits; sdcMicro then reads beyond its list.
        pick = min(int(np.float32(unit * np.float32(candidates))), candidates - 1)
        k = _take(tree, before + pick)
        partner[j], partner[k] = k, j
        taken += 1
    return a, b, c


@compiled
def argus_order(values: NDArray[np.float64], order: Integers, most: int) -> bool:
    """Sorts `values` (n,) and `order` with them, as mu-Argus's quicksort does; False after `most` comparisons."""
    n, compared = values.size, 0
    low, high = np.empty(n + 2, np.int64), np.empty(n + 2, np.int64)  # each part takes a pivot: at most n + 1 wait
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
                _swap(values, order, left + 1, right - 1)
                left += 1
                right -= 1
        _swap(values, order, first, left)
        low[depth], high[depth] = first, left - 1
        low[depth + 1], high[depth + 1] = left + 1, last
        depth += 2
    return True


@compiled
def _swap(values: Any, order: Any, i: int, j: int) -> None:
    values[i], values[j] = values[j], values[i]
    order[i], order[j] = order[j], order[i]


@compiled
def _end(chain: Integers, i: int) -> Any:
    while chain[i] != i:
        chain[i] = chain[chain[i]]
        i = chain[i]
    return i


@compiled
def _take(tree: Any, skipped: int) -> int:
    """Removes and returns the free rank that has `skipped` free ones before it."""
    rank, half = 0, tree.size // 2
    while half > 0:
        if tree[rank + half] <= skipped:
            rank += half
            skipped -= tree[rank]
        half //= 2
    i = rank + 1
    while i < tree.size:
        tree[i] -= 1
        i += i & -i
    return rank
