"""The compiled loops of `plain`: the same numbers, bit for bit.

No fastmath: it would change the numbers. `math.log` compiles to a call of the C library's log, which is the one R and
Python call; the tests hold it to that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import compiled
from ..types import Array, Integers
from .plain import BIG, CENTRE, FAR_TAIL, LEAST_UNIFORM, TAIL, TO_UNIT

BLOCK = 4096  # draws at a time; fits the first cache
(A7, A6, A5, A4, A3, A2, A1, A0), (B7, B6, B5, B4, B3, B2, B1, B0) = CENTRE
(C7, C6, C5, C4, C3, C2, C1, C0), (D7, D6, D5, D4, D3, D2, D1, D0) = TAIL
(E7, E6, E5, E4, E3, E2, E1, E0), (F7, F6, F5, F4, F3, F2, F1, F0) = FAR_TAIL


@compiled
def normals(words: NDArray[np.uint64], out: Array) -> None:
    """Fills out (n,) from words (2 n,). The central formula for every draw first, which vectorises; then the tails again."""
    p = np.empty(BLOCK)
    for start in range(0, out.size, BLOCK):
        block = out[start : start + BLOCK]
        raw = words[2 * start : 2 * (start + block.size)]
        for i in range(block.size):
            # the whole part of 2^27 u is the word shifted by 5
            word = raw[2 * i + 1]
            unit = LEAST_UNIFORM if word == 0 else np.float64(word) * TO_UNIT
            p[i] = (np.float64(raw[2 * i] >> np.uint64(5)) + unit) / BIG
            block[i] = _centre(p[i] - 0.5)
        for i in range(block.size):
            if abs(p[i] - 0.5) > 0.425:
                block[i] = _tail(p[i])


@compiled
def take(pool: NDArray[Any], left: int, places: Integers, drawn: Integers, done: int) -> int:
    """Adds the places that are below `left` to those drawn, each replaced by the last of the pool; how many are drawn."""
    for place in places:
        if place < left:
            left -= 1
            drawn[done] = np.int64(pool[place]) + 1
            pool[place] = pool[left]
            done += 1
    return done


@compiled
def _centre(q: float) -> float:
    r = 0.180625 - q * q
    top = ((((((r * A7 + A6) * r + A5) * r + A4) * r + A3) * r + A2) * r + A1) * r + A0
    return q * top / (((((((r * B7 + B6) * r + B5) * r + B4) * r + B3) * r + B2) * r + B1) * r + B0)


@compiled
def _tail(p: float) -> float:
    upper = p > 0.5
    nearest = 0.5 - p + 0.5 if upper else p
    if nearest <= 0.0:
        return math.inf
    r = math.sqrt(-math.log(nearest))
    if r <= 5.0:
        r += -1.6
        value = ((((((r * C7 + C6) * r + C5) * r + C4) * r + C3) * r + C2) * r + C1) * r + C0
        value /= ((((((r * D7 + D6) * r + D5) * r + D4) * r + D3) * r + D2) * r + D1) * r + D0
    else:
        r += -5.0
        value = ((((((r * E7 + E6) * r + E5) * r + E4) * r + E3) * r + E2) * r + E1) * r + E0
        value /= ((((((r * F7 + F6) * r + F5) * r + F4) * r + F3) * r + F2) * r + F1) * r + F0
    return value if upper else -value
