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
    """An orthonormal basis of the regressors (1, X), and the way from its coefficients to those on (1, X).

    (1, X) has s1 columns: 1 + s with an intercept, s without.
    """

    columns: Array
    """The basis (n, r): orthonormal columns that span (1, X)."""
    back: Array
    """The matrix (s1, r) with which back @ gamma are the coefficients on (1, X), gamma those on the basis."""
    rank: int
    """The rank r of (1, X)."""


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
    """An orthonormal basis of the columns of A (n, k), which have norm 1, or 0, by a pivoted QR decomposition.

    Returns Q (n, min(n, k)) and back (k, rank): the first `rank` columns of Q are A @ back.
    Source: Golub and Van Loan, Matrix Computations, on QR with column pivoting.
    """
    Q, R, pivot = qr(A, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    largest = max(diagonal.max(initial=0.0), np.finfo(float).tiny)
    rank = int(np.sum(diagonal > RANK_TOL * largest))
    # A P = Q R, P the order `pivot`: the pivoted columns times R^-1 are Q. Columns beyond the rank have no part.
    back = np.zeros((A.shape[1], rank))
    back[pivot[:rank]] = solve_triangular(R[:rank, :rank], np.eye(rank))
    return np.asarray(Q), back


def solved(sums: tuple[Array, Array, Array], weighted: Callable[[int], Array]) -> Array:
    """Weighted least-squares coefficients (c, r, t) of every cluster, in the design's basis; NaN for one without weight.

    sums : (c,) of the weights, (c, r, r) A'D_iA and (c, r, t) A'D_iY, A the design's columns; weighted : rows (k, r + t) of A
    and Y with the solution of cluster i, computed where its sums cannot be trusted.
    """
    total, G, h = sums
    r = G.shape[1]
    gamma = np.full(h.shape, np.nan)
    alive = np.flatnonzero(total > 0)  # clusters with weight; below, arrays have one row for each of these

    # Sums per unit of weight, so that small clusters do not underflow.
    size = np.maximum(total[alive], SMALLEST_WEIGHT)[:, None, None]  # (a, 1, 1)
    G = G[alive] / size
    h = h[alive] / size

    # The normal equations G gamma = h are scaled to diagonal 1: D G D (D^-1 gamma) = D h, D = diag(G)^-1/2.
    diagonal = np.einsum("crr->cr", G)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))[:, :, None]
    scaled = G * scale * scale.transpose(0, 2, 1)

    trusted = total[alive] > SMALLEST_WEIGHT
    if r:
        eigenvalues = np.linalg.eigvalsh(scaled)  # ascending
        trusted &= eigenvalues[:, 0] > CONDITION_TOL * eigenvalues[:, -1]
    scale = scale[trusted]
    gamma[alive[trusted]] = scale * np.linalg.solve(scaled[trusted], h[trusted] * scale)

    # Cross-products of nearly collinear regressors lose digits: the records themselves are solved.
    for i in alive[~trusted]:
        rows = weighted(int(i))
        gamma[i] = np.linalg.lstsq(rows[:, :r], rows[:, r:], rcond=RANK_TOL)[0]
    return gamma


def projection(D: Design, Y: Array) -> Array:
    """Fitted values (n, t) of the unweighted regression of Y (n, t) on an orthogonal design."""
    return D.columns @ (D.columns.T @ Y)


def orthogonal_to(D: Design, A: Array) -> Array:
    """Residuals (n, t) of the regression of A (n, t) on an orthogonal design."""
    fitted = projection(D, A)
    return np.subtract(A, fitted, out=fitted)


def with_one(A: Array) -> Array:
    """A column of ones, then A (n, p): (n, 1 + p)."""
    return np.column_stack([np.ones(len(A)), A])


def _standardised(X: Array, intercept: bool) -> tuple[Array, Array]:
    """The columns of (1, X) at norm 1, centred if there is an intercept; and the way back.

    Returns A (n, s1) and unscale (s1, s1): coefficients on (1, X) are unscale @ those on A.
    """
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
    # Coefficients b on A become, on (1, X), b_j / norm_j, and one b_0 - sum_j b_j mean_j / norm_j for the constant.
    one = 1.0 / np.sqrt(n)  # the constant column at norm 1
    whole = np.zeros((s + 1, s + 1))
    whole[0, 0] = one
    whole[0, 1:] = -mean / norm
    whole[1:, 1:] = unscale
    A = np.empty((n, s + 1))
    A[:, 0] = one
    np.divide(centred, norm, out=A[:, 1:])
    return A, whole
