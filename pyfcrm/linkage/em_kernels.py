"""Compiled: iterations of EM for the model of Fellegi and Sunter, whose arrays are too small for numpy to be fast.

The reference implementation is `em` of the tests' brute force, and r_scripts/reference/prl.R.
"""

import math
from typing import cast

import numpy as np

from ..engine.compile import compiled
from ..types import CHANGE, CLAMP, Array

ONE = cast(int, np.int64(1))  # for calls from kernel to kernel: see engine.compile


@compiled
def maximise(G: Array, share: Array, theta: Array, most: int) -> tuple[int, bool]:
    """Iterations of EM until no estimate moves by CHANGE, at most `most`: their number, and whether EM converged.

    G : (K, p) patterns of 0 and 1; share : (K,), the part of the pairs with each; theta : (2p + 1,), m, then u, then the
    prevalence: the start, which the estimates overwrite.
    """
    K, p = G.shape
    G_by_attribute = G.T.copy()
    step = np.empty(p)  # by which agreement on an attribute changes the log odds
    logit = np.empty(K)  # log odds of a match by pattern
    agreeing = np.empty((2, p))  # shares of matched, then of unmatched pairs that agree on each attribute
    for iteration in range(1, most + 1):
        # E step: the log odds of a match, log(prevalence / (1 - prevalence)) + sum_j log ratio of pattern k on attribute j.
        # The log ratio is log(m / u) where the pattern agrees, log((1 - m) / (1 - u)) where not. `differ` is the latter, and
        # `step` the difference of the two.
        all_differ = math.log(theta[2 * p] / (1 - theta[2 * p]))
        for j in range(p):
            differ = math.log1p(-theta[j]) - math.log1p(-theta[p + j])
            step[j] = math.log(theta[j]) - math.log(theta[p + j]) - differ
            all_differ += differ
        logit[:] = all_differ
        for j in range(p):
            for k in range(K):
                logit[k] += step[j] * G_by_attribute[j, k]
        matched, unmatched = _masses(G, share, logit, agreeing)

        # M step: shares of the matched (m) and the unmatched pairs (u) that agree, and the share of matched pairs.
        moved = 0.0
        for j in range(2 * p + 1):
            if j < p:
                value = agreeing[0, j] / matched
            elif j < 2 * p:
                value = agreeing[1, j - p] / unmatched
            else:
                value = matched
            value = min(max(value, CLAMP), 1 - CLAMP)
            moved = max(moved, abs(value - theta[j]))
            theta[j] = value
        if moved < CHANGE:
            return iteration, True
    return most, False


@compiled
def accelerate(G: Array, share: Array, theta: Array, most: int) -> tuple[int, bool]:
    """Accelerated iterations of EM, as `maximise` has them: two iterations, a longer step in their direction, and one iteration
    from there, unless the likelihood is lower. Source: Varadhan and Roland (2008), SQUAREM, S3.
    """
    iterations = 0
    while iterations + 3 <= most:
        first = theta.copy()  # maximise() overwrites its argument
        _, converged = maximise(G, share, first, ONE)
        if converged:
            theta[:] = first
            return iterations + 1, True
        second = first.copy()
        maximise(G, share, second, ONE)

        # SQUAREM, scheme S3: theta + 2 a r + a^2 v with r = first - theta, v = (second - first) - r and a = max(1, |r| / |v|).
        # (The source writes -a.) With a = 1 that is `second`.
        r = first - theta
        v = (second - first) - r
        curvature = math.sqrt((v * v).sum())
        a = 1.0
        if curvature > 0:
            a = max(a, math.sqrt((r * r).sum()) / curvature)
        third = np.minimum(np.maximum(theta + 2 * a * r + a**2 * v, CLAMP), 1 - CLAMP)
        maximise(G, share, third, ONE)  # an iteration of EM from there
        if log_likelihood(G, share, second) > log_likelihood(G, share, third):
            theta[:] = second
        else:
            theta[:] = third
        iterations += 3
    return iterations, False


@compiled
def log_likelihood(G: Array, share: Array, theta: Array) -> float:
    """Mean over pairs of the log likelihood of their patterns; theta (2p + 1,): m, then u, then the prevalence.

    A pattern has probability prevalence * P(pattern | matched) + (1 - prevalence) * P(pattern | unmatched).
    """
    K, p = G.shape
    agree = np.log(theta[: 2 * p])
    differ = np.log1p(-theta[: 2 * p])
    log_matched = math.log(theta[2 * p])
    log_unmatched = math.log(1 - theta[2 * p])
    total = 0.0
    for k in range(K):
        matched = log_matched
        unmatched = log_unmatched
        for j in range(p):
            if G[k, j] > 0:
                matched += agree[j]
                unmatched += agree[p + j]
            else:
                matched += differ[j]
                unmatched += differ[p + j]
        # log(exp(matched) + exp(unmatched)) without overflow
        larger = max(matched, unmatched)
        total += share[k] * (larger + math.log1p(math.exp(-abs(matched - unmatched))))
    return total


@compiled
def _masses(G: Array, share: Array, logit: Array, agreeing: Array) -> tuple[float, float]:
    """The expected shares of matched and of unmatched pairs, above 0; fills `agreeing` (2, p) with their parts that agree.

    A pair with log odds L is matched with probability 1 / (1 + exp(-L)).
    """
    matched = 0.0
    unmatched = 0.0
    agreeing[:] = 0.0
    for k in range(share.size):
        # One exponential gives both probabilities, neither of them by subtraction.
        small = math.exp(-abs(logit[k]))
        larger = share[k] / (1 + small)
        smaller = share[k] * small / (1 + small)
        if logit[k] >= 0:
            match = larger
            no_match = smaller
        else:
            match = smaller
            no_match = larger
        matched += match
        unmatched += no_match
        for j in range(G.shape[1]):
            agreeing[0, j] += match * G[k, j]
            agreeing[1, j] += no_match * G[k, j]
    tiny = np.finfo(np.float64).tiny
    return max(matched, tiny), max(unmatched, tiny)
