"""Calibration by swaps once more, by plain loops: the reference implementation of the compiled loop."""

import numpy as np


def exchange(placed, aim, bounds, strays, columns, chances, u, attempts=64):
    """Tries len(u) exchanges, `attempts` in each of `columns` in turn; how many were done. Changes placed, aim, bounds and strays."""
    t, n = placed.target.shape
    q = placed.records.shape[1] - t
    done, tried, here = 0, 0, 0
    for i, uniforms in enumerate(u.tolist()):
        j = int(columns[(i // attempts) % len(columns)])
        if i % attempts == 0:
            reach, tried, here = float(aim.reach[j]), 0, 0
        p, r = ranks(placed.target[j], reach, chances, uniforms)
        if r is not None:
            tried += 1
            here += _exchanged(placed, aim, bounds, strays, chances.slack, (j, p, r, q))
        if i % attempts == attempts - 1:
            done += here
            if here > tried / 4:
                aim.reach[j] = min(chances.widest, reach * 1.5)
            elif here < tried / 6:
                aim.reach[j] = max(1 / n, reach / 1.5)
    return done


def ranks(values, reach, chances, uniforms):
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


def remaining(bounds, a):
    """What each bound leaves to record a, taken off column by column."""
    left = bounds.left[a].copy()
    for k in range(bounds.held.shape[1]):
        left -= bounds.held[:, k] * bounds.values[a, k]
    return left


def _exchanged(placed, aim, bounds, strays, slack, at):
    j, p, r, q = at
    a, b = placed.order[j, p], placed.order[j, r]
    rise = placed.target[j, r] - placed.target[j, p]
    move = [rise * (placed.records[a, k] - placed.records[b, k]) for k in range(placed.records.shape[1])]
    width, t = len(move), len(placed.target)
    for metric in placed.metrics.T:
        z = placed.records[:, q:]
        by = [rise * (metric[a] * z[a, k] - metric[b] * z[b, k]) for k in range(t)]
        by[j] = (metric[a] - metric[b]) * (rise * (z[a, j] + z[b, j]))
        move += by
    parts = [aim.weight[j, k] * m * (2 * aim.gap[j, k] + m) for k, m in enumerate(move)]
    change = sum(parts[:width], 0.0)
    change += sum(parts[width:], 0.0) if len(parts) > width else 0.0
    gains = strays.factors[:, j] * rise
    if len(gains):
        farther = 0.0
        for off, weight, gain in zip(strays.off.T, strays.weight.T, gains, strict=True):
            farther += weight[a] * gain * (2 * off[a] + gain)
            farther -= weight[b] * gain * (2 * off[b] - gain)
        change += farther
    if change >= slack:
        return False
    if len(bounds.held):
        before = [remaining(bounds, record) for record in (a, b)]
        bounds.values[[a, b], j] = bounds.values[[b, a], j]
        after = [remaining(bounds, record) for record in (a, b)]
        if any((new < np.minimum(old, 0)).any() for old, new in zip(before, after, strict=True)):
            bounds.values[[a, b], j] = bounds.values[[b, a], j]
            return False
    for k, m in enumerate(move):
        if k != q + j:
            aim.gap[j, k] += m
        if k >= q and k != q + j:
            at = q + (k - q) // t * t
            aim.gap[k - at, at + j] = aim.gap[j, k]
    strays.off[a] += gains
    strays.off[b] -= gains
    placed.records[a, q + j], placed.records[b, q + j] = placed.target[j, r], placed.target[j, p]
    placed.order[j, p], placed.order[j, r] = b, a
    return True
