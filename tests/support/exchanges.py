"""Calibration by swaps once more, by plain loops: the twin of the compiled loop, an attempt at a time."""

from __future__ import annotations

import numpy as np


def exchange(placed, aim, columns, chances, u, attempts=64) -> int:
    """Tries len(u) exchanges, `attempts` in each of `columns` in turn; how many were done. Changes placed and aim."""
    t, n = placed.wanted.shape
    q = placed.records.shape[1] - t
    done, tried, here = 0, 0, 0
    for i, uniforms in enumerate(u.tolist()):
        j = int(columns[(i // attempts) % len(columns)])
        if i % attempts == 0:
            reach, tried, here = float(aim.reach[j]), 0, 0
        p, r = ranks(placed.wanted[j], reach, chances, uniforms)
        if r is not None:
            tried += 1
            here += _exchanged(placed, aim, j, p, r, q)
        if i % attempts == attempts - 1:
            done += here
            if here > tried / 4:
                aim.reach[j] = min(chances.widest, reach * 1.5)
            elif here < tried / 6:
                aim.reach[j] = max(1 / n, reach / 1.5)
    return done


def ranks(values, reach, chances, uniforms) -> tuple[int, int | None]:
    """The two ranks of sorted `values` that three uniforms choose; None for the second where there is none."""
    n, k = len(values), len(chances.near)
    one, other, among = uniforms
    if one < chances.tails:
        place = int(one / chances.tails * 2 * k)
        p = int([*chances.near, *(n - 1 - chances.near)][place])
    else:
        p = int((one - chances.tails) / (1 - chances.tails) * n)
    if other < chances.far:
        r = int(other / chances.far * n)
        return p, r if values[r] != values[p] else None
    larger = int(np.sum(values <= values[p]))
    r = larger + int((other - chances.far) / (1 - chances.far) * reach * min(p + 1, n - p))
    if r >= n:
        return p, None
    alike = np.flatnonzero(values == values[r])
    return p, int(alike[int(among * len(alike))])


def _exchanged(placed, aim, j, p, r, q) -> bool:
    a, b = placed.order[j, p], placed.order[j, r]
    rise = placed.wanted[j, r] - placed.wanted[j, p]
    move = [rise * (placed.records[a, k] - placed.records[b, k]) for k in range(placed.records.shape[1])]
    change = 0.0
    for k, m in enumerate(move):
        change += aim.weight[j, k] * m * (2 * aim.gap[j, k] + m)
    if change >= 0:
        return False
    for k, m in enumerate(move):
        if k != q + j:
            aim.gap[j, k] += m
        if k >= q and k != q + j:
            aim.gap[k - q, q + j] = aim.gap[j, k]
    placed.records[a, q + j], placed.records[b, q + j] = placed.wanted[j, r], placed.wanted[j, p]
    placed.order[j, p], placed.order[j, r] = b, a
    return True
