"""Fellegi-Sunter linkage: m and u by EM from the counts of agreement patterns, and the weights of the patterns."""

import math
from dataclasses import dataclass

import numpy as np

from ..types import CLAMP, Array
from .agreement import Codes, Patterns

M_START = 0.9  # initial m of every attribute
U_START = 0.1  # initial u
MOST_ITERATIONS = 100_000
AGAINST = 1e-9  # relative: m closer to u than this is no difference
LARGEST_WEIGHT = math.log(1e6)  # beyond, m or u is next to 0 or 1, and depends on the iteration at which EM ends
PLAIN = 1000  # iterations before EM is accelerated


@dataclass(frozen=True)
class EMFit:
    """Estimates of the model of Fellegi and Sunter."""

    m: Array
    """Probabilities (p,) that a matched pair agrees on each attribute."""
    u: Array
    """Probabilities (p,) that an unmatched pair agrees."""
    prevalence: float
    """The share of matched pairs."""
    iterations: int
    """Iterations of EM."""
    converged: bool
    """Whether the last iteration changed no estimate."""


@dataclass(frozen=True)
class Linkage(EMFit):
    """The estimates and the links that follow from them."""

    share: Array
    """Shares (n,): 1/t where an original's own record is among its t best links, else 0."""
    blocks: int
    """Number of blocks of records."""


def fitted(
    patterns: Patterns, p: int, n: int, fit: EMFit | None = None, most: int | None = None
) -> tuple[EMFit, Array]:
    """The estimates, and the weight (K,) of each pattern: the sum of the weights of its agreements and disagreements.

    patterns : those of n^2 pairs on p attributes; fit : estimates to use, None for EM with the prevalence 1/n as its start;
    most : iterations of EM.
    """
    G = pattern_bits(patterns.codes, p)
    if fit is None:
        fit = expectation_maximisation(G, patterns.counts, 1 / n, most)
    agree, differ = np.clip(attribute_weights(fit), -LARGEST_WEIGHT, LARGEST_WEIGHT)
    return fit, G @ agree + (1 - G) @ differ


def attribute_weights(fit: EMFit) -> Array:
    """The weights (2, p) of agreement, log(m / u), and of disagreement, log((1 - m) / (1 - u))."""
    agree = np.log(fit.m) - np.log(fit.u)
    differ = np.log1p(-fit.m) - np.log1p(-fit.u)
    return np.stack([agree, differ])


def at_boundary(fit: EMFit) -> list[int]:
    """Positions of the attributes with a weight beyond LARGEST_WEIGHT, where the likelihood is flat."""
    return np.flatnonzero(np.abs(attribute_weights(fit)).max(axis=0) > LARGEST_WEIGHT).tolist()


def pattern_bits(codes: Codes, p: int) -> Array:
    """Patterns as 0 and 1 by attribute, (K, p)."""
    return ((codes[:, None] >> np.arange(p)) & 1).astype(np.float64)


def expectation_maximisation(G: Array, counts: Codes, prevalence: float, most: int | None = None) -> EMFit:
    """Maximum likelihood estimates of m, u and the prevalence, if attributes agree independently in each class.

    G : (K, p) patterns of 0 and 1; counts : (K,) pairs by pattern; prevalence : its start. m starts at 0.9, u at 0.1.
    Finds a local maximum. Stops when an iteration changes no estimate by 1e-10, or after `most` iterations (not converged).
    After 1000 iterations EM is accelerated.
    """
    from .em_kernels import accelerate, maximise  # slow to import

    p = G.shape[1]
    if most is None:
        most = MOST_ITERATIONS
    G = np.ascontiguousarray(G)
    share = counts / counts.sum()
    theta = np.append(np.repeat([M_START, U_START], p), min(max(prevalence, CLAMP), 1 - CLAMP))
    iterations, converged = maximise(G, share, theta, min(PLAIN, most))
    if not converged:
        further, converged = accelerate(G, share, theta, most - iterations)
        iterations += further
    return EMFit(m=theta[:p], u=theta[p:-1], prevalence=float(theta[-1]), iterations=iterations, converged=converged)


def against(fit: EMFit) -> list[int]:
    """Positions of the attributes whose agreement counts against a link: m below u, by more than rounding."""
    return np.flatnonzero(fit.m < fit.u * (1 - AGAINST)).tolist()
