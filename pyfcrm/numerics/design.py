"""Least squares with the weights of a fuzzy partition: beta_i = (X'D_iX)^- X'D_iY for every cluster i."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular

from ..types import Array

RANK_TOL = 1e-10  # of a column standardised to norm 1: what is left of it by the columns before it
CONDITION_TOL = 1e-8  # ratio of eigenvalues below which X'DX is not trusted and X itself is solved
SMALLEST_WEIGHT = 1e-200  # a cluster's sum of weights below which products with it lose digits


@dataclass(frozen=True)
class Design:
    """The regressors in a basis that can be solved with, and the way back.

    columns : (n, r), the regressors in that basis; back : (s1, r), coefficients on (1, X) are back @ gamma;
    rank : of (1, X).
    """

    columns: Array
    back: Array
    rank: int


def design(X: Array, intercept: bool = True) -> Design:
    """The design of regressing on (1, X), or on X alone, whatever its rank.

    X : (n, s), s may be 0 with an intercept. The columns are an orthonormal basis of the space that (1, X) spans, so that
    collinear columns are no special case.
    """
    A, unscale = _standardised(X, intercept)
    Q, back = orthonormal(A)
    rank = back.shape[1]
    return Design(np.ascontiguousarray(Q[:, :rank]), unscale @ back, rank)


def orthonormal(A: Array) -> tuple[Array, Array]:
    """(Q, back): the first columns of Q (n, .) are A @ back, orthonormal; back (k, rank). A : (n, k), of columns that have
    norm 1, or 0."""
    Q, R, pivot = qr(A, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > RANK_TOL * max(diagonal.max(initial=0.0), np.finfo(float).tiny)))
    back = np.zeros((A.shape[1], rank))
    back[pivot[:rank]] = solve_triangular(R[:rank, :rank], np.eye(rank))
    return np.asarray(Q), back


def solved(sums: tuple[Array, Array, Array], weighted: Callable[[int], Array]) -> Array:
    """Weighted least-squares coefficients (c, r, t) of every cluster, in the design's basis; NaN for one without weight.

    sums : (c,) of the weights, (c, r, r) A'D_iA and (c, r, t) A'D_iY, A the design's columns; weighted : rows (k, r + t) of A
    and Y with the solution of cluster i, computed where its sums cannot be trusted. The normal equations are scaled to diagonal 1.
    """
    total, G, h = sums
    alive, gamma = np.flatnonzero(total > 0), np.full(h.shape, np.nan)
    size = np.maximum(total[alive], SMALLEST_WEIGHT)[:, None, None]
    G, h, trusted = G[alive] / size, h[alive] / size, total[alive] > SMALLEST_WEIGHT
    diagonal = np.einsum("crr->cr", G)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))[:, :, None]
    scaled, r = G * scale * scale.transpose(0, 2, 1), G.shape[1]
    if r:
        eigenvalues = np.linalg.eigvalsh(scaled)
        trusted &= eigenvalues[:, 0] > CONDITION_TOL * eigenvalues[:, -1]
    scale = scale[trusted]
    gamma[alive[trusted]] = scale * np.linalg.solve(scaled[trusted], h[trusted] * scale)
    for i in alive[~trusted]:
        rows = weighted(int(i))
        gamma[i] = np.linalg.lstsq(rows[:, :r], rows[:, r:], rcond=RANK_TOL)[0]
    return gamma


def projection(D: Design, Y: Array) -> Array:
    """Fitted values (n, t) of the unweighted regression of Y (n, t) on an orthogonal design."""
    return D.columns @ (D.columns.T @ Y)


def orthogonal_to(D: Design, A: Array) -> Array:
    """What the regression of A (n, t) on an orthogonal design leaves."""
    fitted = projection(D, A)
    return np.subtract(A, fitted, out=fitted)


def with_one(A: Array) -> Array:
    """(n, 1 + p) a column of ones, then A (n, p)."""
    return np.column_stack([np.ones(len(A)), A])


def _standardised(X: Array, intercept: bool) -> tuple[Array, Array]:
    """(A, unscale): the columns of (1, X) at norm 1, centred if there is an intercept; beta = unscale @ beta_of_A."""
    n, s = X.shape
    mean = X.mean(axis=0) if intercept else np.zeros(s)
    centred = X - mean
    # Centring leaves rounding behind in a constant column, which must not be blown up to norm 1.
    norm = np.sqrt((centred * centred).sum(axis=0))
    # By columns, which is several times quicker than along the first axis.
    largest = np.array([max(x.max(initial=0.0), -x.min(initial=0.0)) for x in X.T])
    norm[norm <= 1e-13 * largest * np.sqrt(n)] = np.inf
    unscale = np.diag(1.0 / norm)
    if not intercept:
        return centred / norm, unscale
    one = 1.0 / np.sqrt(n)
    whole = np.zeros((s + 1, s + 1))
    whole[0, 0], whole[1:, 1:] = one, unscale
    whole[0, 1:] = -mean / norm
    A = np.empty((n, s + 1))
    A[:, 0] = one
    np.divide(centred, norm, out=A[:, 1:])
    return A, whole
