"""Factors of residual cross-products, of whatever rank: T'T = R'R, and orthonormal noise to go with it."""

from __future__ import annotations

import numpy as np

from ..types import Array

RANK_TOL = 1e-10  # columns come in with norms near 1 or less: what is left of one by those before it


def residual_factor(R: Array) -> Array:
    """T (k, t), k the rank of R (n, t), with T'T = R'R: the second part of `basis_and_factor`."""
    if R.shape[0] >= R.shape[1]:
        T = np.asarray(np.linalg.qr(R, mode="r"), dtype=np.float64)  # the same numbers, without the basis
        if (np.abs(np.diag(T)) > RANK_TOL).all():
            return T * _signs(T)[:, None]
    return basis_and_factor(R)[1]


def basis_and_factor(R: Array) -> tuple[Array, Array]:
    """Q (n, k) with orthonormal columns and T (k, t), k the rank of R (n, t), with QT = R and so T'T = R'R.

    T is the Cholesky factor (upper, positive diagonal) where R has full rank, so that Burridge's formula and the R
    code are met to the letter; else that of its independent columns, the first ones, extended to the others (pivoting
    would choose by rounding where columns have one norm).
    """
    n, t = R.shape
    if n >= t:
        Q, T = np.linalg.qr(R)
        if (np.abs(np.diag(T)) > RANK_TOL).all():
            return Q * _signs(T), T * _signs(T)[:, None]
    Q, T = np.linalg.qr(R[:, independent(R)])
    Q = Q * _signs(T)
    return Q, Q.T @ R


def independent(R: Array) -> list[int]:
    """Each column of R (n, t) that those before it leave something of."""
    kept: list[int] = []
    for j in range(R.shape[1]):
        left = np.diag(np.asarray(np.linalg.qr(R[:, [*kept, j]], mode="r"))) if len(kept) < len(R) else np.zeros(1)
        if abs(left[-1]) > RANK_TOL:
            kept.append(j)
    return kept


def _signs(T: Array) -> Array:
    return np.where(np.diag(T) < 0, -1.0, 1.0)
