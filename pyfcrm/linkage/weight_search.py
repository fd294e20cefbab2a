"""A heuristic for the weights that link most: exact searches along lines, from several starts. Not the optimum.

Along a line w + t v each rival is beaten on a half-line of t, so each original is linked on an interval of t; the t
that lies in most intervals is found by sorting their ends.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .rivals import Files, Rivals, beaten, no_rivals, with_nearest

Array = NDArray[np.float64]

NEAREST = 12  # rivals looked up for each original under one set of weights
ROUNDS = 12  # of looking up rivals that new weights bring near
PASSES = 6  # over all directions between two such rounds
LEAST_NOISE = 1e-6  # relative: an attribute released unchanged must not take all the weight at the start
GAIN = 1e-9  # less is rounding


def search_weights(files: Files) -> tuple[Array, Rivals]:
    """Weights (p,), summing to 1, that link many originals, and the rivals met on the way.

    A heuristic: nothing says that it is best. Starts from equal weights and from the inverse of the mean squared
    difference, and never gives up links that a start had. No randomness.
    """
    rivals = no_rivals(files)
    starts = _starts(files)
    for w in starts:
        rivals = with_nearest(files, rivals, w, NEAREST)
    best, most = starts[0], -np.inf
    for start in starts:
        w, rivals = _climbed(files, rivals, start)
        linked = _linked(files, rivals, w)
        if linked > most + GAIN:
            best, most = w, linked
    return best, rivals


def _starts(files: Files) -> list[Array]:
    p = files.X.shape[1]
    noise = files.own_differences.mean(axis=0)
    inverse = 1 / np.maximum(noise / (float(noise.max()) or 1.0), LEAST_NOISE)
    return [np.full(p, 1 / p), inverse / inverse.sum(), np.sqrt(inverse) / np.sqrt(inverse).sum()]


def _climbed(files: Files, rivals: Rivals, w: Array) -> tuple[Array, Rivals]:
    """The best weights met that hold against every rival, all of them looked up."""
    best, most = w, -np.inf
    for _ in range(ROUNDS):
        before = len(rivals)
        rivals = with_nearest(files, rivals, w, NEAREST)
        linked = _linked(files, rivals, w)
        if linked > most + GAIN:
            best, most = w, linked
        elif len(rivals) == before:
            break
        w = _improved(files, rivals, best)
    return best, rivals


def _improved(files: Files, rivals: Rivals, w: Array) -> Array:
    """Weights of a local maximum against the rivals kept, over all coordinates and exchanges of two."""
    linked = _linked(files, rivals, w)
    for _ in range(PASSES):
        before = linked
        for v in _directions(len(w)):
            t = _best_step(files, rivals, w, v)
            moved = np.maximum(w + t * v, 0.0)
            if moved.sum() <= 0:
                continue
            moved /= moved.sum()
            now = _linked(files, rivals, moved)
            if now > linked + GAIN:
                w, linked = moved, now
        if linked <= before + GAIN:
            break
    return w


def _directions(p: int) -> Iterator[Array]:
    E = np.eye(p)
    yield from E
    for a in range(p):
        for b in range(a):
            yield E[a] - E[b]


def _best_step(files: Files, rivals: Rivals, w: Array, v: Array) -> float:
    """The t for which w + t v, kept at least 0, links most against the rivals kept; the middle of its interval."""
    n = len(files.X)
    falls = v < 0
    high_end = float(np.min(w[falls] / -v[falls], initial=np.inf))
    rises = v > 0
    low_end = -float(np.min(w[rises] / v[rises], initial=np.inf))
    low, high = np.full(n, low_end), np.full(n, high_end)
    base, slope = rivals.D @ w, rivals.D @ v
    up, down = slope > 0, slope < 0
    np.maximum.at(low, rivals.owner[up], -base[up] / slope[up])
    np.minimum.at(high, rivals.owner[down], -base[down] / slope[down])
    low[rivals.owner[(slope == 0) & (base <= 0)]] = np.inf
    open_ = low < high
    if not open_.any():
        return 0.0
    ends = np.concatenate([low[open_], high[open_]])
    change = np.concatenate([files.worth[open_], -files.worth[open_]])
    order = np.lexsort((change, ends))  # at one t, those that end there go first
    k = int(np.argmax(np.cumsum(change[order])))
    left, right = float(ends[order][k]), float(ends[order][min(k + 1, len(order) - 1)])
    return (left + right) / 2 if np.isfinite(right) else (2 * left if left > 0 else left + 1.0)


def _linked(files: Files, rivals: Rivals, w: Array) -> float:
    return float(files.worth[~beaten(rivals, w, len(files.X))].sum())
