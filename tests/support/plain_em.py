"""Reference implementation of the likelihood that EM maximises, in numpy."""

import math

import numpy as np


def log_likelihood(G, share, found):
    """Mean over pairs of the log likelihood of their patterns; found (2p + 1,): m, u and the prevalence."""
    chances, prevalence, classes = found[:-1].reshape(2, -1).tolist(), float(found[-1]), []
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
    extra = np.array([math.log1p(math.exp(x)) for x in apart])
    return float((share * (np.maximum(*classes) + extra)).sum())
