"""Chance taken off a count."""

import numpy as np
from scipy.special import pdtr, pdtrik

SLACK = 1.1  # of the number expected by chance, for the error of the references
CHANCE = 0.99  # quantile of a Poisson distribution that a count must not exceed


def beyond_chance(count: float, expected: float) -> float:
    """A count less the 99 % quantile of a Poisson distribution with 1.1 times the expected mean, at least 0."""
    if expected <= 0:
        return count
    mean = SLACK * expected
    quantile = float(np.ceil(pdtrik(CHANCE, mean)))
    # pdtrik inverts pdtr, which is P(X <= k), by approximation: rounded up it may be one too large.
    if quantile > 0 and pdtr(quantile - 1, mean) >= CHANCE:
        quantile -= 1
    return max(count - quantile, 0.0)
