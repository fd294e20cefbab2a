"""Ordinary or weighted regression with an intercept: coefficients, their standard errors and confidence intervals."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import stdtrit

from ..errors import InvalidInput
from ..types import Array
from .factor import independent, triangle
from .location import Location, location, scores, standardise

# A regressor has no coefficient if those before it explain all but this share of it (R's lm, 1e-7).
ALIASED = 1e-7
LEVEL = 0.95


@dataclass(frozen=True)
class Fit:
    """A regression on (1, X), in the data's units, the intercept first.

    Parameters
    ----------
    coef : ndarray, shape (s + 1,)
        Estimates; NaN for a regressor that is constant or determined by those before it.
    se : ndarray, shape (s + 1,)
        Standard errors; NaN likewise.
    low : ndarray, shape (s + 1,)
        Lower ends of the 95 % intervals by Student's t; NaN likewise.
    high : ndarray, shape (s + 1,)
        Upper ends of these intervals.
    records : int
        Number of records.
    freedom : int
        Residual degrees of freedom.
    cov : ndarray, shape (s + 1, s + 1)
        Covariances of the estimates; NaN likewise.
    """

    coef: Array
    se: Array
    low: Array
    high: Array
    records: int
    freedom: int
    cov: Array


def least_squares(owner: str, X: Array, y: Array, weights: Array | None = None) -> Fit:
    """Regression of y (n,) on (1, X), X (n, s), by a QR decomposition of standardised columns.

    weights : (n,), positive, as R's lm has them; None for equal ones.
    Raises InvalidInput where records do not outnumber coefficients.
    Source: Seber and Lee (2003), Linear Regression Analysis, 3.2 and 11.3.
    """
    n = len(X)
    of_X = location(X)
    of_y = location(y[:, None])
    root = root_weights(n, weights)
    S = scores(X, of_X)
    used = determined(S, root**2)
    freedom = n - len(used) - 1
    if freedom < 1:
        raise InvalidInput(owner, f"needs more than {len(used) + 1} records for {len(used) + 1} coefficients", n)

    # b solves the weighted regression of the scores of y on (1, S): both times the roots of the weights are t and A;
    # with A = QR, b solves R b = Q't.
    A = np.column_stack([root, S[:, used] * root[:, None]])
    t = scores(y[:, None], of_y)[:, 0] * root
    Q, R = np.linalg.qr(A)
    b = solve_triangular(R, Q.T @ t)

    # cov(b) = sigma^2 (R'R)^-1 = V V' with V = sigma R^-1, sigma the residual norm over the root of the degrees of freedom.
    inverse = solve_triangular(R, np.eye(len(R)))
    sigma = np.linalg.norm(t - A @ b) / np.sqrt(freedom)
    return on_columns(
        b,
        inverse * sigma,
        of_X,
        used,
        half_width=float(stdtrit(freedom, (1 + LEVEL) / 2)),
        records=n,
        freedom=freedom,
        of_y=of_y,
    )


def determined(S: Array, weights: Array) -> NDArray[np.intp]:
    """Positions of the regressors that those before them do not determine. S : scores (n, s); weights (n,) with mean 1."""
    weighted_mean = weights @ S / len(S)
    return _independent((S - weighted_mean) * np.sqrt(weights)[:, None])


def on_columns(
    b: Array,
    V: Array,
    of_X: Location,
    used: NDArray[np.intp],
    *,
    half_width: float,
    records: int,
    freedom: int,
    of_y: Location | None = None,
) -> Fit:
    """The fit on (1, X), X (n, s), of coefficients b on (1, S), S the scores of the regressors `used`, with cov(b) = V V'.

    half_width : of an interval, in standard errors; of_y : where b is of the scores of y.
    """
    # `back` takes coefficients on (1, S), s_j = (x_j - mean_j) / sd_j, to coefficients on (1, X), still in sd of y.
    back = np.diag(np.append(1.0, 1 / of_X.sd[used]))
    back[0, 1:] = -(of_X.origin + of_X.offset)[used] / of_X.sd[used]
    sd = 1.0 if of_y is None else of_y.sd[0]

    # cov(back b) = (back V)(back V)': the norms of the rows of back V are the standard errors.
    spread = back @ V
    places = np.append(0, 1 + used)  # of the estimates among the s + 1 coefficients
    k = len(of_X.sd) + 1
    coef = np.full(k, np.nan)
    coef[places] = back @ b * sd
    if of_y is not None:
        coef[0] += of_y.origin[0] + of_y.offset[0]  # the mean of y
    se = np.full(k, np.nan)
    se[places] = np.linalg.norm(spread, axis=1) * sd
    cov = np.full((k, k), np.nan)
    cov[np.ix_(places, places)] = spread @ spread.T * sd**2
    return Fit(
        coef=coef,
        se=se,
        low=coef - half_width * se,
        high=coef + half_width * se,
        records=records,
        freedom=freedom,
        cov=cov,
    )


def root_weights(n: int, weights: Array | None) -> Array:
    """Square roots of the weights at mean 1, (n,)."""
    if weights is None:
        return np.ones(n)
    return np.sqrt(weights / weights.mean())


def _independent(S: Array) -> NDArray[np.intp]:
    """Positions of the columns of S (n, s), centred, that the columns before them do not determine."""
    size = np.linalg.norm(S, axis=0)
    R = triangle(S / np.where(size > 0, size, 1.0))
    return np.array(independent(R, ALIASED), dtype=np.intp)


def distances(X: Array, Y: Array, Z: Array, weights: Array | None = None) -> Array:
    """Distances of the coefficients of Z (n, t) on (1, X) from those of Y (n, t), in standard errors of Y's.

    X : (n, s), s may be 0. The regressors are centred, so that the constant is the fitted value at their means. weights :
    (n,), as in `least_squares`. Returns (k, t), k coefficients (those of determined regressors left out); NaN where Y is
    fitted perfectly, or records do not outnumber coefficients.
    """
    n = len(X)
    root = root_weights(n, weights)[:, None]
    S = standardise(X)
    S = (S - (root * root).T @ S / n) * root
    Q, R = np.linalg.qr(np.hstack([root, S[:, _independent(S)]]))
    freedom = n - len(R)
    if freedom < 1:
        return np.full((len(R), Y.shape[1]), np.nan)

    # Residuals of Y; the second projection removes what rounding leaves of the first.
    y = root * (Y - Y.mean(axis=0))
    residuals = y - Q @ (Q.T @ y)
    residuals -= Q @ (Q.T @ residuals)
    size = np.sqrt((residuals * residuals).sum(axis=0))
    perfect = size <= ALIASED * np.sqrt((y * y).sum(axis=0))

    # b = R^-1 Q'y is linear in y, so the coefficients move by R^-1 Q'(z - y); se(b_i) = sigma |row i of R^-1|.
    inverse = solve_triangular(R, np.eye(len(R)))
    moved = np.abs(inverse @ (Q.T @ (root * (Z - Y))))
    errors = np.linalg.norm(inverse, axis=1)[:, None] * (size / np.sqrt(freedom))
    return np.where(perfect, np.nan, moved / np.where(perfect, 1.0, errors))
