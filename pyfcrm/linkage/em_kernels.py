"""Compiled: iterations of EM for the model of Fellegi and Sunter, whose arrays are too small for numpy to be fast.

The reference implementation is `em` of the tests' brute force, and r_scripts/reference/prl.R.
"""

import math

import numpy as np

from ..engine.compile import compiled
from ..types import CHANGE, CLAMP, Array


@compiled
def maximise(G: Array, share: Array, theta: Array, most: int) -> tuple[int, bool]:
    """Iterations of EM until no estimate moves by CHANGE, at most `most`: their number, and whether EM converged.

    G : (K, p) patterns of 0 and 1; share : (K,) of the pairs; theta : (2p + 1,) m, u and the prevalence, the start, which
    is overwritten.
    """
    K, p = G.shape
    across = G.T.copy()
    step, logit, new = np.empty(p), np.empty(K), np.empty((2, p))
    for iteration in range(1, most + 1):
        start = math.log(theta[2 * p] / (1 - theta[2 * p]))
        for j in range(p):
            differ = math.log1p(-theta[j]) - math.log1p(-theta[p + j])
            step[j] = math.log(theta[j]) - math.log(theta[p + j]) - differ
            start += differ
        logit[:] = start
        for j in range(p):
            for k in range(K):
                logit[k] += step[j] * across[j, k]
        matched, unmatched = _masses(G, share, logit, new)
        moved = 0.0
        for j in range(2 * p + 1):
            value = matched if j == 2 * p else new[j // p, j % p] / (matched if j < p else unmatched)
            value = min(max(value, CLAMP), 1 - CLAMP)
            moved = max(moved, abs(value - theta[j]))
            theta[j] = value
        if moved < CHANGE:
            return iteration, True
    return most, False


@compiled
def _masses(G: Array, share: Array, logit: Array, agreeing: Array) -> tuple[float, float]:
    """The share of matched and of unmatched pairs, above 0; fills `agreeing` (2, p) with the parts that agree."""
    matched, unmatched = 0.0, 0.0
    agreeing[:] = 0.0
    for k in range(share.size):
        # One exponential gives both chances, neither of them by subtraction.
        small = math.exp(-abs(logit[k]))
        larger, smaller = share[k] / (1 + small), share[k] * small / (1 + small)
        a, b = (larger, smaller) if logit[k] >= 0 else (smaller, larger)
        matched += a
        unmatched += b
        for j in range(G.shape[1]):
            agreeing[0, j] += a * G[k, j]
            agreeing[1, j] += b * G[k, j]
    tiny = np.finfo(np.float64).tiny
    return max(matched, tiny), max(unmatched, tiny)
