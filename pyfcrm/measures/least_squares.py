"""Ordinary least squares with standard errors and confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import stdtrit

from ..errors import InvalidInput
from ..linkage.distance import location, scores

Array = NDArray[np.float64]

# A regressor of which less than this share is its own, beside those before it, has no coefficient (R's lm, 1e-7).
ALIASED = 1e-7
LEVEL = 0.95


@dataclass(frozen=True)
class Fit:
    """A regression on (1, X), each field (s + 1,) in the data's units, the intercept first.

    coef, se : estimates and standard errors; low, high : 95 % intervals by Student's t; NaN for a regressor that is
    constant or determined by those before it; records, freedom : how many records, and residual degrees of freedom.
    """

    coef: Array
    se: Array
    low: Array
    high: Array
    records: int
    freedom: int


def least_squares(owner: str, X: Array, y: Array) -> Fit:
    """Regression of y (n,) on (1, X), X (n, s). Raises InvalidInput where records do not outnumber coefficients."""
    n, s = X.shape
    x, where = location(X), location(y[:, None])
    S, t = scores(X, x), scores(y[:, None], where)[:, 0]
    used = _independent(S)
    freedom = n - len(used) - 1
    if freedom < 1:
        raise InvalidInput(owner, f"needs more than {len(used) + 1} records for {len(used) + 1} coefficients", n)
    Q, R = np.linalg.qr(S[:, used])
    b = solve_triangular(R, Q.T @ t)
    left = t - S[:, used] @ b
    V = solve_triangular(R, np.eye(len(used)))
    covariance = V @ V.T * float(left @ left) / freedom
    # Back to the data's units, in sd of y until the last step.
    unit, mean = x.sd[used], x.origin[used] + x.offset[used]
    slope = b / unit
    coef, variance = np.full(s + 1, np.nan), np.full(s + 1, np.nan)
    coef[1:][used] = slope * where.sd[0]
    variance[1:][used] = np.diag(covariance) / unit**2
    coef[0] = (where.origin[0] + where.offset[0]) - where.sd[0] * float(slope @ mean)
    shift = mean / unit
    variance[0] = float(left @ left) / freedom / n + float(shift @ covariance @ shift)
    se = np.sqrt(variance) * where.sd[0]
    half = float(stdtrit(freedom, (1 + LEVEL) / 2)) * se
    return Fit(coef, se, coef - half, coef + half, n, freedom)


def _independent(S: Array) -> NDArray[np.intp]:
    """The columns of standardised S (n, s) that those before them do not determine."""
    kept: list[int] = []
    Q = np.empty((len(S), 0))
    for j in range(S.shape[1]):
        own = S[:, j] - Q @ (Q.T @ S[:, j])
        own -= Q @ (Q.T @ own)
        size = float(np.linalg.norm(own))
        if size > ALIASED * max(float(np.linalg.norm(S[:, j])), 1e-300) and S[:, j].any():
            kept.append(j)
            Q = np.column_stack([Q, own / size])
    return np.array(kept, dtype=np.intp)
