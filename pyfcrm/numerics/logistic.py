"""Logistic regression by Newton's method, which is iteratively reweighted least squares."""

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit, ndtri, xlogy

from ..errors import InvalidInput
from ..types import Array, Mask
from .least_squares import LEVEL, Fit, determined, on_columns, root_weights
from .location import location, scores

MOST = 25  # iterations; as R's glm
TOLERANCE = 1e-8  # of the deviance, relative; as R's glm
LEAST = 1e-10  # of a fitted probability from 0 and 1


def score_and_information(
    A: Array,
    y: Array | Mask,
    b: Array,
    weights: Array | float = 1.0,
    *,
    offset: Array | float = 0.0,
    least_variance: float = 0.0,
) -> tuple[Array, Array]:
    """The score (k,) and the information (k, k), at coefficients b (k,), of a logistic regression of y (n,), 0 or 1, on A (n, k).

    A step of Newton's method is the solution of information times step = score. weights : (n,) of the records; offset : (n,) known
    part of the log odds; least_variance : of an outcome in the information, which keeps it regular where A separates the outcomes.
    Source: McCullagh and Nelder (1989), Generalized Linear Models, 2.5.
    """
    mean = expit(offset + A @ b)
    variance = np.maximum(mean * (1 - mean), least_variance)
    score = A.T @ (weights * (y - mean))
    information = (A * (weights * variance)[:, None]).T @ A
    return np.asarray(score), np.asarray(information)


def logistic(owner: str, X: Array, y: Array, weights: Array | None = None) -> tuple[Fit, bool]:
    """The log odds of y (n,), 0 or 1, as a linear function of (1, X), X (n, s), and whether the iterations converged.

    weights : (n,), positive, of which only the proportions count; None for equal ones. Intervals are by the normal distribution.
    Raises InvalidInput where y has other values or one alone, or records do not outnumber coefficients.
    Source: McCullagh and Nelder (1989), Generalized Linear Models, 2.5.
    """
    n = len(X)
    check_outcomes(owner, y)
    of_X = location(X)
    prior = root_weights(n, weights) ** 2
    S = scores(X, of_X)
    used = determined(S, prior)
    freedom = n - len(used) - 1
    if freedom < 1:
        raise InvalidInput(owner, f"needs more than {len(used) + 1} records for {len(used) + 1} coefficients", n)

    A = np.column_stack([np.ones(n), S[:, used]])
    # R's glm starts from the least squares of these log odds' working response.
    mean = (prior * y + 0.5) / (prior + 1)
    variance = mean * (1 - mean)
    root = np.sqrt(prior * variance)
    b = np.linalg.lstsq(A * root[:, None], root * (np.log(mean / (1 - mean)) + (y - mean) / variance), rcond=None)[0]
    before = b
    deviance = _deviance(A, y, b, prior)
    converged = False
    for _ in range(MOST - 1):
        before = b
        deviance_before = deviance
        score, information = score_and_information(A, y, before, prior, least_variance=LEAST)
        b = before + np.linalg.solve(information, score)
        deviance = _deviance(A, y, b, prior)
        converged = abs(deviance - deviance_before) < TOLERANCE * (deviance + 0.1)
        if converged:
            break
    # Of the coefficients before the last step, as R's glm: cov(b) = (R'R)^-1, with R'R the information there.
    mean = expit(A @ before)
    variance = np.maximum(mean * (1 - mean), LEAST)
    R = np.linalg.qr(A * np.sqrt(prior * variance)[:, None], mode="r")
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


def check_outcomes(owner: str, y: Array) -> None:
    """Raises InvalidInput where outcomes y (n,) have other values than 0 and 1, or one of them only."""
    other = ~np.isin(y, (0.0, 1.0))
    if other.any():
        rule = "the response of family binomial must be 0 or 1 in every record"
        raise InvalidInput(owner, rule, f"{y[other][0]:g} in record {int(np.argmax(other)) + 1}")
    if len(np.unique(y)) < 2:
        raise InvalidInput(owner, "the response of family binomial must have both values, 0 and 1", "one of them only")


def _deviance(A: Array, y: Array, b: Array, prior: Array) -> float:
    """The deviance of coefficients b (k,), of records with weights `prior` (n,)."""
    mean = np.clip(expit(A @ b), LEAST, 1 - LEAST)
    return -2 * float(prior @ (xlogy(y, mean) + xlogy(1 - y, 1 - mean)))
