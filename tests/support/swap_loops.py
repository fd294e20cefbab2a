"""Calibration by swaps once more, by plain loops: the reference implementation of the compiled loop."""

import numpy as np


def exchange(shard, columns, chances, u, attempts=64):
    """Tries len(u) exchanges, `attempts` in each of `columns` in turn; how many were done. Changes the shard."""
    t, n = shard.target.shape
    q = shard.records.shape[1] - t
    done, tried, local = 0, 0, 0
    for i, uniforms in enumerate(u.tolist()):
        j = int(columns[(i // attempts) % len(columns)])
        if i % attempts == 0:
            reach, tried, local = float(shard.reach[j]), 0, 0
        p, r = ranks(shard.target[j], reach, chances, uniforms)
        if r is not None and _of_one_level(shard, j, p, r):
            tried += 1
            local += _exchanged(shard, chances, (j, p, r, q))
        if i % attempts == attempts - 1:
            done += local
            if local > tried / 4:
                shard.reach[j] = min(chances.widest, reach * 1.5)
            elif local < tried / 6:
                shard.reach[j] = max(1 / n, reach / 1.5)
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


def _of_one_level(shard, j, p, r):
    return not shard.levels.size or shard.levels[shard.order[j, p], j] == shard.levels[shard.order[j, r], j]


def remaining(bounds, a):
    """What each bound leaves to record a, taken off column by column."""
    left = bounds.left[a].copy()
    for k in range(bounds.held.shape[1]):
        left -= bounds.held[:, k] * bounds.values[a, k]
    return left


def _exchanged(shard, chances, at):
    (j, p, r, q), bounds = at, shard.bounds
    a, b = shard.order[j, p], shard.order[j, r]
    rise = shard.target[j, r] - shard.target[j, p]
    move = [rise * (shard.records[a, k] - shard.records[b, k]) for k in range(shard.records.shape[1])]
    width, t = len(move), len(shard.target)
    for metric in shard.metrics.T:
        z = shard.records[:, q:]
        by = [rise * (metric[a] * z[a, k] - metric[b] * z[b, k]) for k in range(t)]
        by[j] = (metric[a] - metric[b]) * (rise * (z[a, j] + z[b, j]))
        move += by
    parts = [shard.weight[j, k] * m * (2 * shard.gap[j, k] + m) for k, m in enumerate(move)]
    change = sum(parts[:width], 0.0)
    change += sum(parts[width:], 0.0) if len(parts) > width else 0.0
    gains = shard.factors[:, j] * rise
    if len(gains):
        farther = 0.0
        for off, weight, gain in zip(shard.off.T, shard.precision.T, gains, strict=True):
            farther += weight[a] * gain * (2 * off[a] + gain)
            farther -= weight[b] * gain * (2 * off[b] - gain)
        change += farther
    if len(chances.stay):
        own, other = shard.home[a, j], shard.home[b, j]
        low, high = p / shard.target.shape[1], r / shard.target.shape[1]
        change += chances.stay[j] * ((high - own) ** 2 + (low - other) ** 2 - (low - own) ** 2 - (high - other) ** 2)
    if change >= chances.slack:
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
            shard.gap[j, k] += m
        if k >= q and k != q + j:
            at = q + (k - q) // t * t
            shard.gap[k - at, at + j] = shard.gap[j, k]
    shard.off[a] += gains
    shard.off[b] -= gains
    shard.records[a, q + j], shard.records[b, q + j] = shard.target[j, r], shard.target[j, p]
    shard.order[j, p], shard.order[j, r] = b, a
    return True
