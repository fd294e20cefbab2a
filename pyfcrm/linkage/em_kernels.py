"""Compiled: the rounds of EM for Fellegi and Sunter's chances, whose arrays are too small for numpy to be quick at.

The reference implementation is `em` of the tests' brute force, and r_scripts/reference/prl.R.
"""

from __future__ import annotations

import math

import numpy as np

from ..engine.compile import ONE, compiled
from ..types import CHANGE, CLAMP, Array


@compiled
def maximise(G: Array, share: Array, theta: Array, most: int) -> tuple[int, bool]:
    """Rounds of EM until no estimate moves by CHANGE, at most `most`: how many, and whether it converged.

    G : (K, p) patterns of 0 and 1; share : (K,) of the pairs; theta : (2p + 1,) m, u and the prevalence, where to start and
    overwritten.
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
    """The mass of matched and of unmatched pairs, at least the smallest number; `agreeing` (2, p): what of it agrees."""
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


@compiled
def squarem(G: Array, share: Array, theta: Array, iterations: int, most: int) -> tuple[int, bool]:
    """Accelerated EM until an iteration moves no estimate by CHANGE: how many iterations now, and whether it converged.

    G, share : as above; theta : (2p + 1,) m, u and the prevalence, where to start and overwritten; iterations : so far;
    most : none is begun that would make more. Three a time: two, and one from further along; of the latter the likelier.
    """
    theta1, theta2, extrapolated, theta3 = (
        np.empty_like(theta),
        np.empty_like(theta),
        np.empty_like(theta),
        np.empty_like(theta),
    )
    while iterations + 3 <= most:
        if _iterated(G, share, theta, theta1):
            _copy(theta1, theta)
            return iterations + 1, True
        _iterated(G, share, theta1, theta2)
        moved, curvature = 0.0, 0.0
        for j in range(theta.size):
            change, bend = theta1[j] - theta[j], (theta2[j] - theta1[j]) - (theta1[j] - theta[j])
            moved += change * change
            curvature += bend * bend
        size = math.sqrt(curvature)
        length = max(1.0, math.sqrt(moved) / size) if size > 0 else 1.0
        for j in range(theta.size):
            change, bend = theta1[j] - theta[j], (theta2[j] - theta1[j]) - (theta1[j] - theta[j])
            extrapolated[j] = min(max(theta[j] + 2 * length * change + length * length * bend, CLAMP), 1 - CLAMP)
        _iterated(G, share, extrapolated, theta3)
        _copy(theta3 if _log_likelihood(G, share, theta3) >= _log_likelihood(G, share, theta2) else theta2, theta)
        iterations += 3
    return iterations, False


@compiled
def _iterated(G: Array, share: Array, start: Array, result: Array) -> bool:
    """One iteration from `start` to `result`, both (2p + 1,), and whether it moved nothing by CHANGE."""
    _copy(start, result)
    return maximise(G, share, result, ONE)[1]


@compiled
def _copy(start: Array, result: Array) -> None:
    """A loop, for an assignment of slices takes seconds to compile."""
    for j in range(start.size):
        result[j] = start[j]


@compiled
def _log_likelihood(G: Array, share: Array, theta: Array) -> float:
    """Mean over pairs of the log likelihood of their patterns; theta (2p + 1,): m, u and the prevalence."""
    K, p = G.shape
    steps, start, total = np.empty((2, p)), np.empty(2), 0.0
    start[0], start[1] = math.log(theta[2 * p]), math.log1p(-theta[2 * p])
    for of in range(2):
        for j in range(p):
            differ = math.log1p(-theta[of * p + j])
            steps[of, j] = math.log(theta[of * p + j]) - differ
            start[of] += differ
    for k in range(K):
        matched, unmatched = start[0], start[1]
        for j in range(p):
            matched += steps[0, j] * G[k, j]
            unmatched += steps[1, j] * G[k, j]
        total += share[k] * (max(matched, unmatched) + math.log1p(math.exp(-abs(matched - unmatched))))
    return total
