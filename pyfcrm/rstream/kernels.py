"""Compiled versions of functions in `plain`: the same words taken, the same numbers, bit for bit.

Each kernel takes the generator's key (624 words, changed in place) and position (1 to 624), fills `out`,
and returns the new position. No fastmath: it would change the numbers. `math.log` compiles to a call of
the C library's log, which is the one R and Python call; the tests hold it to that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.compile import compiled
from .plain import BIG, CENTRE, FAR_TAIL, LEAST_UNIFORM, TAIL, TO_UNIT

Key = NDArray[np.uint32]
N, M = 624, 397
UPPER, LOWER = np.uint32(0x80000000), np.uint32(0x7FFFFFFF)
MATRIX_A = np.uint32(0x9908B0DF)
WORDS = 8192  # taken at a time; fits the first cache
(A7, A6, A5, A4, A3, A2, A1, A0), (B7, B6, B5, B4, B3, B2, B1, B0) = CENTRE
(C7, C6, C5, C4, C3, C2, C1, C0), (D7, D6, D5, D4, D3, D2, D1, D0) = TAIL
(E7, E6, E5, E4, E3, E2, E1, E0), (F7, F6, F5, F4, F3, F2, F1, F0) = FAR_TAIL


@compiled
def uniforms(key: Key, position: int, out: NDArray[np.float64]) -> int:
    raw = np.empty(WORDS, np.uint32)
    for start in range(0, out.size, WORDS):
        count = min(WORDS, out.size - start)
        position = _fill(key, position, raw[:count])
        for i in range(count):
            out[start + i] = _unit(raw[i])
    return position


@compiled
def normals(key: Key, position: int, out: NDArray[np.float64]) -> int:
    """The central formula for every draw first, which vectorises; then the tails again."""
    raw, p = np.empty(WORDS, np.uint32), np.empty(WORDS // 2)
    for start in range(0, out.size, WORDS // 2):
        count = min(WORDS // 2, out.size - start)
        position = _fill(key, position, raw[: 2 * count])
        block = out[start : start + count]
        for i in range(count):
            # the whole part of 2^27 u is the word shifted by 5
            p[i] = (np.float64(raw[2 * i] >> np.uint32(5)) + _unit(raw[2 * i + 1])) / BIG
            block[i] = _centre(p[i] - 0.5)
        for i in range(count):
            if abs(p[i] - 0.5) > 0.425:
                block[i] = _tail(p[i])
    return position


@compiled
def sample_pool(key: Key, position: int, n: int, out: NDArray[np.int64]) -> int:
    if n < 2**31:
        return _from_pool(key, position, np.arange(n, dtype=np.int32), out)
    return _from_pool(key, position, np.arange(n), out)


@compiled
def _from_pool(key: Key, position: int, pool: NDArray[Any], out: NDArray[np.int64]) -> int:
    n, bits = pool.size, 0
    while (1 << bits) < n:
        bits += 1
    for i in range(out.size):
        place, position = _below(key, position, n, bits)
        out[i] = np.int64(pool[place]) + 1
        n -= 1
        pool[place] = pool[n]
        if bits > 0 and n <= 1 << (bits - 1):
            bits -= 1
    return position


@compiled
def _below(key: Key, position: int, n: int, bits: int) -> tuple[Any, int]:
    """R_unif_index: a whole number in [0, n) by rejection, 16 bits a word, and the new position."""
    mask = (np.int64(1) << bits) - 1
    while True:
        value = np.int64(0)
        for _ in range(bits // 16 + 1):
            if position == N:
                _twist(key)
                position = 0
            value = (value << 16) | np.int64(_tempered(key[position]) >> np.uint32(16))
            position += 1
        value &= mask
        if value < n:
            return value, position


@compiled
def _fill(key: Key, position: int, out: Key) -> int:
    done = 0
    while done < out.size:
        if position == N:
            _twist(key)
            position = 0
        take = min(N - position, out.size - done)
        for i in range(take):
            out[done + i] = _tempered(key[position + i])
        done += take
        position += take
    return position


@compiled
def _twist(key: Key) -> None:
    """The next 624 words; three loops without a wrapped index, so that they vectorise."""
    for i in range(N - M):
        key[i] = key[i + M] ^ _mixed(key[i], key[i + 1])
    for i in range(N - M, N - 1):
        key[i] = key[i + M - N] ^ _mixed(key[i], key[i + 1])
    key[N - 1] = key[M - 1] ^ _mixed(key[N - 1], key[0])


@compiled
def _mixed(word: Any, following: Any) -> Any:
    y = np.uint32((word & UPPER) | (following & LOWER))
    return np.uint32((y >> np.uint32(1)) ^ ((y & np.uint32(1)) * MATRIX_A))


@compiled
def _tempered(y: Any) -> Any:
    y ^= y >> np.uint32(11)
    y = np.uint32(y ^ ((y << np.uint32(7)) & np.uint32(0x9D2C5680)))
    y = np.uint32(y ^ ((y << np.uint32(15)) & np.uint32(0xEFC60000)))
    return np.uint32(y ^ (y >> np.uint32(18)))


@compiled
def _unit(word: Any) -> Any:
    return LEAST_UNIFORM if word == 0 else np.float64(word) * TO_UNIT


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
