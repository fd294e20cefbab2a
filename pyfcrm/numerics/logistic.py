"""Logistic regression with an intercept, by iteratively reweighted least squares."""

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit, ndtri, xlogy

from ..errors import InvalidInput
from ..types import Array
from .least_squares import LEVEL, Fit, determined, on_columns, root_weights
from .location import location, scores

MOST = 25  # iterations; as R's glm
TOLERANCE = 1e-8  # of the deviance, relative; as R's glm
LEAST = 1e-10  # of a fitted probability from 0 and 1


def logistic(owner: str, X: Array, y: Array, weights: Array | None = None) -> tuple[Fit, bool]:
    """The log odds of y (n,), 0 or 1, as a linear function of (1, X), X (n, s), and whether the iterations converged.

    weights : (n,), positive, of which only the proportions count; None for equal ones. Intervals are by the normal distribution.
    Raises InvalidInput where y has other values or one alone, or records do not outnumber coefficients.
    Source: McCullagh and Nelder (1989), Generalized Linear Models, 2.5.
    """
    n = len(X)
    other = ~np.isin(y, (0.0, 1.0))
    if other.any():
        rule = "the response of family binomial must be 0 or 1 in every record"
        raise InvalidInput(owner, rule, f"{y[other][0]:g} in record {int(np.argmax(other)) + 1}")
    if len(np.unique(y)) < 2:
        raise InvalidInput(owner, "the response of family binomial must have both values, 0 and 1", "one of them only")
    of_X = location(X)
    prior = root_weights(n, weights) ** 2
    S = scores(X, of_X)
    used = determined(S, prior)
    freedom = n - len(used) - 1
    if freedom < 1:
        raise InvalidInput(owner, f"needs more than {len(used) + 1} records for {len(used) + 1} coefficients", n)

    A = np.column_stack([np.ones(n), S[:, used]])
    mean = (prior * y + 0.5) / (prior + 1)
    eta = np.log(mean / (1 - mean))
    deviance = np.inf
    converged = False
    for _ in range(MOST):
        # Weighted least squares of the working response eta + (y - mean) / v, with weights v = mean (1 - mean).
        variance = mean * (1 - mean)
        root = np.sqrt(prior * variance)
        Q, R = np.linalg.qr(A * root[:, None])
        b = solve_triangular(R, Q.T @ (root * (eta + (y - mean) / variance)))
        eta = A @ b
        mean = np.clip(expit(eta), LEAST, 1 - LEAST)
        before = deviance
        deviance = -2 * float(prior @ (xlogy(y, mean) + xlogy(1 - y, 1 - mean)))
        converged = abs(deviance - before) < TOLERANCE * (deviance + 0.1)
        if converged:
            break
    # Of the weights of the last regression, as R's glm: cov(b) = (R'R)^-1.
    inverse = solve_triangular(R, np.eye(len(R)))
    return on_columns(
        b,
        inverse,
        of_X,
        used,
        half_width=float(ndtri((1 + LEVEL) / 2)),
        records=n,
        freedom=freedom,
    ), converged
