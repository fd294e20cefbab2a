"""The compiled loops of `plain`: the same numbers, bit for bit.

No fastmath: it would change the numbers. `math.log` compiles to a call of the C library's log, which R and Python call too;
a test compares them.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import compiled
from ..types import Array, Integers
from .plain import BIG, CENTRE, FAR_TAIL, LEAST_UNIFORM, TAIL, TO_UNIT, horner

BLOCK = 4096  # draws at a time; fits the first cache
_horner: Any = compiled(horner)


@compiled
def normals(words: NDArray[np.uint64], out: Array) -> None:
    """Fills out (n,) with normals from words (2 n,): R's norm_rand() with Inversion.

    A normal is the quantile of p = (floor(2^27 u) + u') / 2^27, u and u' two uniforms. The central formula is computed for
    every draw first, which vectorises; the draws in the tails are then replaced.
    """
    p = np.empty(BLOCK)
    for start in range(0, out.size, BLOCK):
        block = out[start : start + BLOCK]
        raw = words[2 * start : 2 * (start + block.size)]
        for i in range(block.size):
            # u = word / 2^32, so the whole part of 2^27 u is the word shifted by 5 bits.
            word = raw[2 * i + 1]
            unit = LEAST_UNIFORM if word == 0 else np.float64(word) * TO_UNIT
            p[i] = (np.float64(raw[2 * i] >> np.uint64(5)) + unit) / BIG
            block[i] = _centre(p[i] - 0.5)
        for i in range(block.size):
            if abs(p[i] - 0.5) > 0.425:
                block[i] = _tail(p[i])


@compiled
def take(pool: NDArray[Any], left: int, places: Integers, drawn: Integers, done: int) -> int:
    """Draws from the pool at those places that are below `left`, the number of values left; returns the number drawn.

    The value at a place is drawn, and the last value of the pool takes its place. drawn : filled from `done` on.
    """
    for place in places:
        if place < left:
            left -= 1
            drawn[done] = np.int64(pool[place]) + 1
            pool[place] = pool[left]
            done += 1
    return done


@compiled
def _centre(q: float) -> float:
    """The normal quantile of 1/2 + q, for |q| up to 0.425: q times a rational function of 0.425^2 - q^2."""
    r = 0.180625 - q * q
    return q * _horner(CENTRE[0], r) / _horner(CENTRE[1], r)


@compiled
def _tail(p: float) -> float:
    """The normal quantile of p in a tail: a rational function of sqrt(-log(smaller tail probability))."""
    upper = p > 0.5
    nearest = 0.5 - p + 0.5 if upper else p  # 1 - p as R computes it, which may round differently
    if nearest <= 0.0:
        return math.inf
    r = math.sqrt(-math.log(nearest))
    if r <= 5.0:
        value = _horner(TAIL[0], r + -1.6) / _horner(TAIL[1], r + -1.6)
    else:
        value = _horner(FAR_TAIL[0], r + -5.0) / _horner(FAR_TAIL[1], r + -5.0)
    return value if upper else -value
