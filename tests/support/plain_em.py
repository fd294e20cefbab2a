"""Reference implementation of the accelerated EM, in numpy."""

import math

import numpy as np
from numpy.typing import NDArray

from pyfcrm.linkage.probabilistic import plain_rounds
from pyfcrm.types import CLAMP

Array = NDArray[np.float64]


def plain_squarem(G, share, found, iterations, most):
    """linkage.em_kernels.squarem without numba, with equal bits."""
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


def _iterated(G, share, found):
    chance = found[:-1].reshape(2, -1).copy()
    prevalence, _, converged = plain_rounds(G, share, chance, float(found[-1]), 1)
    return np.append(chance, prevalence), converged


def log_likelihood(G, share, found):
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


def _summed(values):
    """One after the other, as a loop does: numpy's sums go by pairs."""
    return float(np.add.accumulate(values)[-1])
