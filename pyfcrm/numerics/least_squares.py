"""One ordinary or weighted regression with an intercept: coefficients, their standard errors and confidence intervals."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import stdtrit

from ..errors import InvalidInput
from ..types import Array
from .factor import independent, triangle
from .location import location, scores, standardise

# A regressor has no coefficient if those before it explain all but this share of it (R's lm, 1e-7).
ALIASED = 1e-7
LEVEL = 0.95


@dataclass(frozen=True)
class Fit:
    """A regression on (1, X), in the data's units, the intercept first.

    Parameters
    ----------
    coef, se : ndarray, shape (s + 1,)
        Estimates and standard errors; NaN for a regressor that is constant or determined by those before it.
    low, high : ndarray, shape (s + 1,)
        The 95 % intervals by Student's t; NaN likewise.
    records, freedom : int
        How many records, and residual degrees of freedom.
    """

    coef: Array
    se: Array
    low: Array
    high: Array
    records: int
    freedom: int


def least_squares(owner: str, X: Array, y: Array, weights: Array | None = None) -> Fit:
    """Regression of y (n,) on (1, X), X (n, s); weights : (n,), positive, as R's lm has them, None for equal ones.

    Raises InvalidInput where records do not outnumber coefficients.
    """
    n, s = X.shape
    x, where = location(X), location(y[:, None])
    root = np.ones(n) if weights is None else np.sqrt(weights / weights.mean())
    S, t = scores(X, x), scores(y[:, None], where)[:, 0] * root
    used = _independent((S - root**2 @ S / n) * root[:, None])
    freedom = n - len(used) - 1
    if freedom < 1:
        raise InvalidInput(owner, f"needs more than {len(used) + 1} records for {len(used) + 1} coefficients", n)
    A = np.column_stack([root, S[:, used] * root[:, None]])
    Q, R = np.linalg.qr(A)
    b = solve_triangular(R, Q.T @ t)
    # From scores to the data's units, in sd of y until the last step.
    back = np.diag(np.append(1.0, 1 / x.sd[used]))
    back[0, 1:] = -(x.origin + x.offset)[used] / x.sd[used]
    V = back @ solve_triangular(R, np.eye(len(R))) * np.linalg.norm(t - A @ b) / np.sqrt(freedom)
    (coef, se), places = np.full((2, s + 1), np.nan), np.append(0, 1 + used)
    coef[places], se[places] = back @ b * where.sd[0], np.linalg.norm(V, axis=1) * where.sd[0]
    coef[0] += where.origin[0] + where.offset[0]
    half = float(stdtrit(freedom, (1 + LEVEL) / 2)) * se
    return Fit(coef, se, coef - half, coef + half, n, freedom)


def _independent(S: Array) -> NDArray[np.intp]:
    """The columns of standardised S (n, s) that those before them do not determine."""
    size = np.linalg.norm(S, axis=0)
    return np.array(independent(triangle(S / np.where(size > 0, size, 1.0)), ALIASED), dtype=np.intp)


def distances(X: Array, Y: Array, Z: Array, weights: Array | None = None) -> Array:
    """How far coefficients of Z (n, t) on (1, X), at the regressors' means, are from those of Y, in Y's standard errors.

    X : (n, s), s may be 0; weights : (n,), as in `least_squares`. (k, t), k the coefficients that there are; NaN where Y is
    fitted perfectly, or records do not outnumber coefficients.
    """
    n = len(X)
    root = np.ones((n, 1)) if weights is None else np.sqrt(weights / weights.mean())[:, None]
    S = standardise(X)
    S = (S - (root * root).T @ S / n) * root
    Q, R = np.linalg.qr(np.hstack([root, S[:, _independent(S)]]))
    V, y = solve_triangular(R, np.eye(len(R))), root * (Y - Y.mean(axis=0))
    left = y - Q @ (Q.T @ y)
    left -= Q @ (Q.T @ left)
    size, freedom = np.sqrt((left * left).sum(axis=0)), n - len(R)
    perfect = size <= ALIASED * np.sqrt((y * y).sum(axis=0))
    if freedom < 1:
        return np.full((len(R), Y.shape[1]), np.nan)
    moved = np.abs(V @ (Q.T @ (root * (Z - Y))))
    errors = np.linalg.norm(V, axis=1)[:, None] * (size / np.sqrt(freedom))
    return np.where(perfect, np.nan, moved / np.where(perfect, 1.0, errors))
