"""Triangular factors of a tall matrix by blocks of rows, and of residual cross-products of any rank.

A factor comes from cross-products if these are accurate enough, which is several times quicker, else from Householder
reflections.
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
from scipy.linalg.lapack import dtrtrs

from ..data.blocks import strips
from ..engine import Engine
from ..types import Array

Columns = Callable[[list[Array]], Array]
"""The columns (b, p) of some rows, from parts of these rows side by side."""
RANK_TOL = 1e-10  # columns come in with norms near 1 or less: what is left of one by those before it
TRUSTED = 1e-4  # smallest eigenvalue of columns' correlations: cross-products lose its digits
SQUARES = (1e-140, 1e140)  # bounds of norms whose squares neither vanish nor overflow
FEW = 512  # records up to which reflections cost as little


def triangle(A: Array) -> Array:
    """R (min(n, p), p) with R'R = A'A for A (n, p), by Householder reflections."""
    return np.asarray(np.linalg.qr(A, mode="r")) if A.size else np.zeros((0, A.shape[1]))


def stacked_factor(a: Array, b: Array) -> Array:
    """The triangular factor of the rows of a and b together."""
    return triangle(np.vstack([a, b]))


def _cross_products(columns: Columns, block: Any) -> Array:
    """A'A of a block."""
    return np.asarray(sum(A.T @ A for A in map(columns, strips(block))))


def _reflections(columns: Columns, block: Any) -> Array:
    """The triangular factor of a block, by Householder reflections."""
    return reduce(stacked_factor, (triangle(columns(strip)) for strip in strips(block)))


def tall_factor(engine: Engine, blocks: Sequence[Any], n: int, columns: Columns) -> Array:
    """R (p, p), upper, with diagonal >= 0 and R'R = A'A for the n rows of A, given as blocks; last rows may be 0.

    blocks : as `strips` takes them; columns : gives those of A (b, p) for some rows of a block.
    Each column is right to rounding of its own norm. Source: Yamamoto et al. (2015), where the columns are far from
    collinear; Demmel et al. (2012) otherwise.
    """
    if n > FEW:
        R = _by_cross_products(engine.total(partial(_cross_products, columns), blocks))
        if R is not None:
            return R
    return positive(engine.total(partial(_reflections, columns), blocks, stacked_factor))


def _by_cross_products(G: Array) -> Array | None:
    """The Cholesky factor of G = A'A (p, p), None where the columns are too nearly collinear for it.

    With D the norms of the columns and C their correlations, G = D C D: the factor of C times D is that of G.
    """
    size = np.sqrt(np.diag(G))
    smallest_norm, largest_norm = SQUARES
    if not ((size > smallest_norm) & (size < largest_norm)).all():
        return None
    correlations = G / size / size[:, None]
    if np.linalg.eigvalsh(correlations)[0] <= TRUSTED:
        return None
    return np.asarray(np.linalg.cholesky(correlations).T * size)


def positive(R: Array) -> Array:
    """The factor R (k, p), k <= p, with a diagonal >= 0 and rows of 0 below, (p, p)."""
    k, p = R.shape
    whole = np.zeros((p, p))
    # Another sign of a row changes nothing in R'R.
    whole[:k] = _signs(R)[:, None] * R
    return whole


def solved(R: Array, B: Array) -> Array:
    """R^-1 B for an upper triangular R (k, k) and B (k, p); either may be empty."""
    return dtrtrs(R, B)[0] if B.size else np.zeros(B.shape)


def basis_and_factor(R: Array) -> tuple[Array, Array]:
    """Orthonormal columns Q (n, k) and T (k, t) with QT = R, so that T'T = R'R; k is the rank of R (n, t).

    T is the Cholesky factor (upper, positive diagonal) if R has full rank, exactly as in Burridge's formula and the R
    code. Otherwise it is that of its first independent columns, extended to the others. Pivoting would choose by
    rounding among columns of one norm.
    """
    n, t = R.shape
    if n >= t:
        Q, T = np.linalg.qr(R)
        has_full_rank = (np.abs(np.diag(T)) > RANK_TOL).all()
        if has_full_rank:
            return Q * _signs(T), T * _signs(T)[:, None]
    Q, T = np.linalg.qr(R[:, independent(R)])
    Q = Q * _signs(T)
    return Q, Q.T @ R


def independent(R: Array, tolerance: float = RANK_TOL) -> list[int]:
    """Positions of the columns of R (n, t) whose residual on those before them exceeds the tolerance."""
    found: list[int] = []
    for j in range(R.shape[1]):
        if len(found) == len(R):
            break  # as many columns as rows span everything
        # The last diagonal element of the factor is the norm of column j's residual on the columns found.
        factor = np.asarray(np.linalg.qr(R[:, [*found, j]], mode="r"))
        if abs(factor[-1, -1]) > tolerance:
            found.append(j)
    return found


def _signs(T: Array) -> Array:
    """Signs of the diagonal of T, (k,); 1 for 0."""
    return np.where(np.diag(T) < 0, -1.0, 1.0)
