"""Exact inference from plug-in draws of a normal regression: copies of y are xB + noise of the estimated variance."""

from functools import cache

import numpy as np
from scipy.special import chdtri, stdtr

from ..types import Array

NODES = 400  # of the integration over the noise's variance
gauss_legendre = cache(np.polynomial.legendre.leggauss)
"""Nodes and weights of integration on (-1, 1), by their number."""


def pivot_tail(q: Array, records: int, freedom: int, copies: int = 1) -> Array:
    """Probabilities (k,) that the pivot lies beyond +-q, for q (k,) of at least 0.

    The pivot of a coefficient is the mean of the copies' estimates less the true value, divided by the root of the mean of
    their variance estimates. records : n; freedom : n less the number of coefficients. The noise has the residual variance
    RSS/n, as GADP draws it. With w = chi2(freedom) / n, the pivot is distributed as
    t(copies * freedom) * sqrt(1/w + 1/copies), which depends on no unknown parameter.
    Source: Klein, Moura and Sinha (2021) for one copy, with w = chi2(freedom) / freedom.
    """
    nodes, weights = gauss_legendre(NODES)
    # The mean over w is an integral over its upper tail probabilities u on (0, 1), with half the weights of (-1, 1).
    u = (1 + nodes) / 2
    w = np.asarray(chdtri(freedom, u)) / records
    spread = np.sqrt(1 / w + 1 / copies)
    tail_given_w = 2 * stdtr(copies * freedom, -np.abs(np.asarray(q))[..., None] / spread)
    return tail_given_w @ (weights / 2)


@cache
def pivot_quantile(level: float, records: int, freedom: int, copies: int = 1) -> float:
    """The q with which the pivot lies within +-q with probability `level`."""
    from scipy.optimize import brentq  # slow to import

    def excess_tail(q: float) -> float:
        """The probability beyond +-q, less the one that is wanted: positive for a q that is too small."""
        return float(pivot_tail(np.array([q]), records, freedom, copies)[0]) - (1 - level)

    high = 4.0
    while excess_tail(high) > 0:
        high *= 2
    return float(brentq(excess_tail, 0.0, high, xtol=1e-12))
