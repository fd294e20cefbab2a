"""The compiled loops of rank swapping: who swaps with whom, and the order mu-Argus's own sort leaves ties in.

Ranks run from 0. Their plain twins are in tests/support/swaps.py; the tests hold both to the same result.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import compiled
from ..rstream import taus88
from ..types import Integers

_step = compiled(taus88.step)
HALF_WORDS = 2147483648.0  # mu-Argus's uniforms have 31 bits
WORDS = 4294967296.0
LEAF = 64  # ranks whose bits are in one word
NO_BITS, ONE = np.uint64(0), np.uint64(1)
PAIRS, FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
BYTES, EACH_BYTE = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


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
def sdcmicro_partners(reach: Integers, a: int, b: int, c: int, partner: Integers) -> tuple[int, int, int]:
    """Fills `partner` (n,), candidates of rank j being the free ones above it and below reach[j]; taus88's new state.

    reach (n,) must not fall: then all that were taken lie below the next one's reach, and need not be counted.
    """
    n = partner.size
    leaves = 1
    while LEAF * leaves < n:
        leaves *= 2
    free = np.full(leaves, ~NO_BITS)  # a bit a rank
    tree = np.zeros(leaves + 1, np.int64)  # a Fenwick tree: how many bits are set in the first leaves
    for i in range(1, leaves + 1):
        tree[i] = LEAF * (i & -i)
    for i in range(n):
        partner[i] = i
    # Who looks for a partner stays free: `before` of them, up to j; `taken` were found, above j.
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
        k = _take(free, tree, before + pick)
        partner[j], partner[k] = k, j
        taken += 1
    return a, b, c


@compiled
def argus_order(values: NDArray[np.float64], order: Integers, most: int) -> bool:
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
def _end(chain: Integers, i: int) -> Any:
    while chain[i] != i:
        chain[i] = chain[chain[i]]
        i = chain[i]
    return i


@compiled
def _take(free: Any, tree: Any, skipped: int) -> int:
    """The rank that has `skipped` free ones before it and is free itself; it is no longer."""
    leaf, half = 0, free.size // 2
    while half > 0:
        if tree[leaf + half] <= skipped:
            leaf += half
            skipped -= tree[leaf]
        half //= 2
    place = _place(free[leaf], skipped)
    free[leaf] ^= ONE << np.uint64(place)
    i = leaf + 1
    while i < tree.size:
        tree[i] -= 1
        i += i & -i
    return LEAF * leaf + place


@compiled
def _place(word: Any, skipped: int) -> int:
    """Which bit of a word has `skipped` set ones below it and is set itself."""
    place, half = 0, LEAF // 2
    while half > 0:
        below = _bits_set(word & ((ONE << np.uint64(half)) - ONE))
        if below <= skipped:
            skipped -= below
            word >>= np.uint64(half)
            place += half
        half //= 2
    return place


@compiled
def _bits_set(word: Any) -> Any:
    """How many bits of a word are set: sums of pairs, of fours, of bytes. Source: Knuth (2011), 7.1.3."""
    word -= (word >> np.uint64(1)) & PAIRS
    word = (word & FOURS) + ((word >> np.uint64(2)) & FOURS)
    word = (word + (word >> np.uint64(4))) & BYTES
    return np.int64((word * EACH_BYTE) >> np.uint64(56))
