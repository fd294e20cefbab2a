"""Levels of false alarms, and chance taken off a count."""

from collections.abc import Mapping

import numpy as np
from scipy.special import pdtr, pdtrik

FALSE_ALARMS: Mapping[str, float] = {
    "unprotected": 0.01,
    "replicated": 0.01,
    "order": 0.01,
    "audit": 0.01,
    "dependence": 0.01,
}
"""By test of the verdict, the share of honest releases that chance alone may hold: 5 per cent in all, "audit" over all attacks."""

SLACK = 1.1  # of the number expected by chance, for the error of the references


def beyond_chance(count: float, expected: float, level: float = FALSE_ALARMS["unprotected"]) -> float:
    """A count less the 1 - level quantile of a Poisson distribution with 1.1 times the expected mean, at least 0."""
    if expected <= 0:
        return count
    mean = SLACK * expected
    quantile = float(np.ceil(pdtrik(1 - level, mean)))
    # pdtrik inverts pdtr, which is P(X <= k), by approximation: rounded up it may be one too large.
    if quantile > 0 and pdtr(quantile - 1, mean) >= 1 - level:
        quantile -= 1
    return max(count - quantile, 0.0)
