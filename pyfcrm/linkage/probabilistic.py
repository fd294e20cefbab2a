"""Fellegi-Sunter linkage: m and u by EM from the counts of agreement patterns, and the weights of the patterns."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..types import CLAMP, Array
from .agreement import Codes, Patterns

M_START, U_START = 0.9, 0.1
MOST_ITERATIONS = 100_000
AGAINST = 1e-9  # relative: m closer to u than this is no difference
LARGEST_WEIGHT = math.log(1e6)  # beyond, m or u is next to 0 or 1 and depends on where EM stops
PLAIN = 1000  # iterations before EM is accelerated


@dataclass(frozen=True)
class EMFit:
    """m, u (p,): probability that a matched, an unmatched pair agrees; prevalence: share of matched pairs."""

    m: Array
    u: Array
    prevalence: float
    iterations: int
    converged: bool


@dataclass(frozen=True)
class Linkage(EMFit):
    """The fit, and share (n,): 1/t where an original's own record is among its t best links, else 0; blocks : of records."""

    share: Array
    blocks: int


def fitted(
    patterns: Patterns, p: int, n: int, fit: EMFit | None = None, most: int | None = None
) -> tuple[EMFit, Array]:
    """The fit, by default estimated from the counts of n^2 pairs on p attributes; and the weight (K,) of each pattern."""
    G = pattern_bits(patterns.codes, p)
    fit = fit or expectation_maximisation(G, patterns.counts, 1 / n, most)
    agree, differ = np.clip(attribute_weights(fit), -LARGEST_WEIGHT, LARGEST_WEIGHT)
    return fit, G @ agree + (1 - G) @ differ


def attribute_weights(fit: EMFit) -> Array:
    """(2, p): the weights of agreement and of disagreement."""
    return np.stack([np.log(fit.m) - np.log(fit.u), np.log1p(-fit.m) - np.log1p(-fit.u)])


def at_boundary(fit: EMFit) -> list[int]:
    """The attributes, from 0, with a weight beyond LARGEST_WEIGHT: the likelihood is flat there, and EM stops anywhere."""
    return np.flatnonzero(np.abs(attribute_weights(fit)).max(axis=0) > LARGEST_WEIGHT).tolist()


def pattern_bits(codes: Codes, p: int) -> Array:
    """The patterns as (K, p) of 0 and 1."""
    return ((codes[:, None] >> np.arange(p)) & 1).astype(np.float64)


def expectation_maximisation(G: Array, counts: Codes, prevalence: float, most: int | None = None) -> EMFit:
    """Maximum likelihood estimates of m, u and the prevalence, if attributes agree independently in each class.

    G : (K, p) patterns of 0 and 1; counts : (K,) pairs by pattern; prevalence : its start. m starts at 0.9, u at 0.1.
    Finds a local maximum. Stops when an iteration changes no estimate by 1e-10, or after `most` iterations (not converged).
    After 1000 iterations EM is accelerated: two iterations, a longer step in their direction, and one iteration from there,
    unless the likelihood is lower. Source: Varadhan and Roland (2008), SQUAREM, S3.
    """
    from .em_kernels import maximise  # slow to import

    p, most = G.shape[1], MOST_ITERATIONS if most is None else most
    G, share = np.ascontiguousarray(G), counts / counts.sum()
    theta = np.append(np.repeat([M_START, U_START], p), min(max(prevalence, CLAMP), 1 - CLAMP))
    iterations, converged = maximise(G, share, theta, min(PLAIN, most))
    while not converged and iterations + 3 <= most:
        first = theta.copy()
        if converged := maximise(G, share, first, 1)[1]:
            theta, iterations = first, iterations + 1
            break
        second = first.copy()
        maximise(G, share, second, 1)
        change, bend = first - theta, (second - first) - (first - theta)
        curvature = float(np.linalg.norm(bend))
        length = max(1.0, float(np.linalg.norm(change)) / curvature) if curvature > 0 else 1.0
        third = np.clip(theta + 2 * length * change + length**2 * bend, CLAMP, 1 - CLAMP)
        maximise(G, share, third, 1)
        theta = max((third, second), key=partial(log_likelihood, G, share))
        iterations += 3
    return EMFit(theta[:p], theta[p:-1], float(theta[-1]), iterations, converged)


def log_likelihood(G: Array, share: Array, theta: Array) -> float:
    """Mean over pairs of the log likelihood of their patterns; theta (2p + 1,): m, u and the prevalence."""
    classes = zip(theta[:-1].reshape(2, -1), (theta[-1], 1 - theta[-1]), strict=True)
    logs = [np.log(size) + G @ np.log(agrees) + (1 - G) @ np.log1p(-agrees) for agrees, size in classes]
    return float(share @ np.logaddexp(*logs))


def against(fit: EMFit) -> list[int]:
    """The attributes, from 0, whose agreement counts against a link: m below u, by more than rounding."""
    return np.flatnonzero(fit.m < fit.u * (1 - AGAINST)).tolist()
