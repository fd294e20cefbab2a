"""Fellegi-Sunter linkage: agreement patterns of all pairs, EM for m and u, links to the largest weight."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engine import worth
from ..errors import InvalidInput
from ..types import CHANGE, CLAMP, Array
from .agreement import Agreement, Codes, Exact
from .patterns import Pairs

M_START, U_START = 0.9, 0.1
MOST_ITERATIONS = 100_000
AGAINST = 1e-9  # relative: m closer to u than this is no difference
PLAIN = 1000  # iterations before EM is accelerated
AT_ONCE = 3000  # accelerated ones between two looks at whether to go on
MOST_ATTRIBUTES = 63
KERNELS = "linkage/em_kernels"
# Rounds of EM, and seconds that numpy takes over one: about.
USUAL_ROUNDS, MORE_ROUNDS, A_ROUND, A_VALUE = 1000, 10_000, 4e-5, 2e-8


@dataclass(frozen=True)
class EMFit:
    """m, u (p,): chance that a matched, an unmatched pair agrees; prevalence: the share of matched pairs."""

    m: Array
    u: Array
    prevalence: float
    iterations: int
    converged: bool


@dataclass(frozen=True)
class Linkage(EMFit):
    """The fit, and share (n,): 1/t where an original's own record is among its t best links, else 0."""

    share: Array


def few_attributes(p: int) -> None:
    """Raises InvalidInput where there are more than agreement patterns have bits for."""
    if p > MOST_ATTRIBUTES:
        raise InvalidInput("prl", f"takes at most {MOST_ATTRIBUTES} attributes", p)


def probabilistic_linkage(
    X: Array, Z: Array, agreement: Agreement | None = None, *, floored: EMFit | None = None, most: int | None = None
) -> Linkage:
    """Link each original to the protected record of largest weight.

    X, Z : (n, p) paired by position, 1 <= p <= 63.  agreement : when two values agree; None is exactly equal. floored : the fit
    of these files, where an attribute in which agreement would count against a link (m < u) is to count for nothing instead, as
    an intruder would have it; most : iterations of EM, 100 000 if not given.
    Returns a Linkage; weights equal to 1e-12 relative are ties.
    Source: Fellegi and Sunter (1969); thesis 2.4.2.
    """
    few_attributes(X.shape[1])
    comparison = (agreement or Exact()).comparison(X, Z)
    pairs = Pairs(comparison)
    patterns = pairs.count()
    G = pattern_bits(patterns.codes, X.shape[1])
    fit = floored or expectation_maximisation(G, patterns.counts, 1 / len(X), most)
    if floored:
        fit = replace(fit, m=np.maximum(fit.m, fit.u))
    share = pairs.link(patterns, weights(G, fit))
    return Linkage(fit.m, fit.u, fit.prevalence, fit.iterations, fit.converged, share)


def pattern_bits(codes: Codes, p: int) -> Array:
    """The patterns as (K, p) of 0 and 1."""
    return ((codes[:, None] >> np.arange(p)) & 1).astype(np.float64)


def expectation_maximisation(G: Array, counts: Codes, prevalence: float, most: int | None = None) -> EMFit:
    """Maximum likelihood of m, u and the prevalence, attributes agreeing independently in each class.

    G : (K, p) patterns of 0 and 1.  counts : (K,) pairs that show each.  prevalence : where to start.
    Starts at m = 0.9, u = 0.1; a local maximum. Stops when an iteration moves no estimate by 1e-10, or after `most`
    iterations, not converged. After 1000 of them EM is accelerated: two iterations, a longer step in their direction and
    one iteration from there, kept where the likelihood is no lower. Source: Varadhan and Roland (2008), SQUAREM, S3.
    """
    p, most = G.shape[1], MOST_ITERATIONS if most is None else most
    G, share, a_round = np.ascontiguousarray(G), counts / counts.sum(), A_ROUND + A_VALUE * G.size
    chance = np.repeat([[M_START], [U_START]], p, axis=1)
    rounds = _compiled().maximise if worth.compiled(KERNELS, USUAL_ROUNDS * a_round) else plain_rounds
    last, iterations, converged = rounds(G, share, chance, _clamped(prevalence), min(PLAIN, most))
    found = np.append(chance, last)
    if not converged and iterations + 3 <= most:
        leaps = _compiled().leaps if worth.compiled(KERNELS, MORE_ROUNDS * a_round) else plain_leaps
        while not converged and iterations + 3 <= most:
            iterations, converged = leaps(G, share, found, iterations, min(most, iterations + AT_ONCE))
    return EMFit(found[:p], found[p:-1], float(found[-1]), iterations, converged)


def _compiled() -> Any:
    from . import em_kernels

    return em_kernels


def plain_leaps(G: Array, share: Array, found: Array, iterations: int, most: int) -> tuple[int, bool]:
    """linkage.em_kernels.leaps without numba, the same to the last bit; what it takes and gives is said there."""
    while iterations + 3 <= most:
        one, converged = _iterated(G, share, found)
        if converged:
            found[:] = one
            return iterations + 1, True
        two, _ = _iterated(G, share, one)
        change, bend = one - found, (two - one) - (one - found)
        size = math.sqrt(_summed(bend * bend))
        length = max(1.0, math.sqrt(_summed(change * change)) / size) if size > 0 else 1.0
        far = found + 2 * length * change + length * length * bend
        leapt, _ = _iterated(G, share, np.minimum(np.maximum(far, CLAMP), 1 - CLAMP))
        found[:] = leapt if log_likelihood(G, share, leapt) >= log_likelihood(G, share, two) else two
        iterations += 3
    return iterations, False


def _iterated(G: Array, share: Array, found: Array) -> tuple[Array, bool]:
    chance = found[:-1].reshape(2, -1).copy()
    prevalence, _, converged = plain_rounds(G, share, chance, float(found[-1]), 1)
    return np.append(chance, prevalence), converged


def log_likelihood(G: Array, share: Array, found: Array) -> float:
    """Mean over pairs of the log likelihood of their patterns; found (2p + 1,): m, u and the prevalence."""
    chances, prevalence, classes = found[:-1].reshape(2, -1).tolist(), float(found[-1]), list[Array]()
    for chance, start in zip(chances, (math.log(prevalence), math.log1p(-prevalence)), strict=True):
        steps = list[float]()
        for agrees in chance:
            differ = math.log1p(-agrees)
            steps.append(math.log(agrees) - differ)
            start += differ
        logs = np.full(len(share), start)
        for step, pattern in zip(steps, G.T, strict=True):
            logs += step * pattern
        classes.append(logs)
    apart = (-np.abs(classes[0] - classes[1])).tolist()
    beside = np.array([math.log1p(math.exp(x)) for x in apart])
    return _summed(share * (np.maximum(*classes) + beside))


def _summed(values: Array) -> float:
    """One after the other, as a loop does: numpy's sums go by pairs."""
    return float(np.add.accumulate(values)[-1])


def plain_rounds(G: Array, share: Array, chance: Array, prevalence: float, most: int) -> tuple[float, int, bool]:
    """linkage.em_kernels.maximise without numba, the same to the last bit; what it takes and gives is said there."""
    across, both = np.ascontiguousarray(G.T), np.empty((2, *G.shape))
    for iteration in range(1, most + 1):
        start, steps = math.log(prevalence / (1 - prevalence)), list[float]()
        for m, u in chance.T.tolist():
            differ = math.log1p(-m) - math.log1p(-u)
            steps.append(math.log(m) - math.log(u) - differ)
            start += differ
        logit = np.full(len(share), start)
        for step, agrees in zip(steps, across, strict=True):
            logit += step * agrees
        # numpy's own exponential may differ from the C library's in the last bit
        small = np.array([math.exp(x) for x in (-np.abs(logit)).tolist()])
        larger, smaller = share / (1 + small), share * small / (1 + small)
        likely = logit >= 0
        mass = np.stack([np.where(likely, larger, smaller), np.where(likely, smaller, larger)])
        np.multiply(mass[:, :, None], G, out=both)
        # One after the other: numpy's sums go by pairs.
        total = np.maximum(np.add.accumulate(mass, axis=1)[:, -1], np.finfo(np.float64).tiny)
        agreeing = np.add.accumulate(both, axis=1)[:, -1]
        new = np.minimum(np.maximum(agreeing / total[:, None], CLAMP), 1 - CLAMP)
        new_prevalence = _clamped(total[0])
        moved = max(np.abs(new - chance).max(), abs(new_prevalence - prevalence))
        chance[:], prevalence = new, new_prevalence
        if moved < CHANGE:
            return prevalence, iteration, True
    return prevalence, most, False


def weights(G: Array, fit: EMFit) -> Array:
    """Of each pattern, sum over attributes of log(m/u) where it agrees, log((1-m)/(1-u)) where not; (K,)."""
    agree, differ = _log_ratios(fit.m, fit.u)
    return G @ agree + (1 - G) @ differ


def _log_ratios(m: Array, u: Array) -> tuple[Array, Array]:
    """log(m/u), what an agreement weighs, and log((1-m)/(1-u)), what a disagreement does; each (p,)."""
    return np.log(m) - np.log(u), np.log1p(-m) - np.log1p(-u)


def against(fit: EMFit) -> list[int]:
    """The attributes, from 0, in which an agreement counts against a link: m below u, but for rounding."""
    return np.flatnonzero(fit.m < fit.u * (1 - AGAINST)).tolist()


def _clamped(value: float) -> float:
    return float(min(max(value, CLAMP), 1 - CLAMP))
