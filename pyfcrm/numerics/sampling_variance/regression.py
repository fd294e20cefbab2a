"""Linear and logistic regressions with the standard errors of a sampling design."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import expit, stdtrit

from ...errors import InvalidInput
from ...types import Array
from ..least_squares import LEVEL, Fit, determined, on_columns
from ..location import Location, location, scores
from ..logistic import check_outcomes, score_and_information
from .design import SamplingDesign

STEPS = 50
CONVERGED = 1e-10  # largest change of a coefficient on standardised regressors
LEAST = 1e-10  # variance of an outcome in the information


def design_regression(
    owner: str, X: Array, y: Array, design: SamplingDesign, *, of_log_odds: bool = False
) -> tuple[Fit, bool]:
    """The regression of y (n,) on (1, X), X (n, s), and whether the iterations converged. of_log_odds : of y, 0 or 1.

    Coefficients solve the weighted estimating equations. Influences are the scores times the inverse of the information (Binder 1983).
    Intervals are by Student's t with degrees of freedom of the design less the number of slopes.
    Raises InvalidInput where the design has too few of them, or y is not 0 or 1.
    """
    of_X = location(X)
    S = scores(X, of_X)
    weights = design.weights / design.weights.mean()
    used = determined(S, weights)
    A = np.column_stack([np.ones(len(X)), S[:, used]])
    freedom = design.freedom - len(used)
    if freedom < 1:
        rule = f"the sampling design must have more degrees of freedom than the regression has slopes, {len(used)}"
        raise InvalidInput(owner, rule, design.freedom)

    of_y: Location | None = None
    converged = True
    if of_log_odds:
        check_outcomes(owner, y)
        b = logistic_coefficients(A, y, np.zeros(A.shape[1]), weights)
        score, information = score_and_information(A, y, b, weights, least_variance=LEAST)
        converged = bool(np.abs(np.linalg.solve(information, score)).max() < CONVERGED)
        residuals = y - expit(A @ b)
        estimator = partial(logistic_coefficients, A, y, b)
    else:
        of_y = location(y[:, None])
        t = scores(y[:, None], of_y)[:, 0]
        estimator = partial(linear_coefficients, A, t)
        b = estimator(weights)
        information = (A * weights[:, None]).T @ A
        residuals = t - A @ b
    influences = np.linalg.solve(information, (A * (weights * residuals)[:, None]).T).T
    fit = on_columns(
        b,
        design.root(influences, estimator),
        of_X,
        used,
        half_width=float(stdtrit(freedom, (1 + LEVEL) / 2)),
        records=len(X),
        freedom=freedom,
        of_y=of_y,
    )
    return fit, converged


def linear_coefficients(A: Array, t: Array, weights: Array) -> Array:
    """Coefficients (k,) of the weighted regression of t (n,) on A (n, k); NaN where the weights do not determine them."""
    root = np.sqrt(weights)
    b, _, rank, _ = np.linalg.lstsq(A * root[:, None], t * root, rcond=None)
    return np.asarray(b) if rank == A.shape[1] else np.full(A.shape[1], np.nan)


def logistic_coefficients(A: Array, y: Array, start: Array, weights: Array) -> Array:
    """Coefficients (k,) of the weighted logistic regression of y (n,) on A (n, k), by Newton's method from `start` (k,)."""
    b = start
    mean_one = weights / weights.mean()
    for _ in range(STEPS):
        score, information = score_and_information(A, y, b, mean_one, least_variance=LEAST)
        step = np.linalg.solve(information, score)
        b = b + step
        if np.abs(step).max() < CONVERGED:
            break
    return b
