"""What methods need of a stream: draws record by record, and draws from a multivariate normal, by a factor of its
covariance, by Cholesky as R's chol, or by eigenvectors as MASS."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.blocks import Sample
from ..errors import InvalidInput
from ..progress import ProgressTracker, Reporter
from ..rstream import RStream
from ..types import Array

SAFE_PIVOT = 1e-6  # of a correlation matrix: a smaller one is half lost to rounding
NEGATIVE_TOL = 1e-6  # what MASS::mvrnorm allows a covariance's eigenvalues below 0, of the largest


def drawn_by_column(sample: Sample, stream: RStream, note: Reporter, kind: str) -> list[Any]:
    """The n x t matrix that the stream fills by columns next, by blocks, each column of which is told of.

    kind : "normal" or "uniform".
    """
    columns = list[list[Any]]()
    for j in range(sample.t):
        ProgressTracker.of(note).step(j, sample.t)
        columns.append(sample.draws(stream, 1, kind))
    return list(zip(*columns, strict=True))


def first_normals(n: int, t: int, most: int, stream: RStream) -> Array:
    """(m, t) those of the first m = min(n, most) records in the n x t block of normals that the stream fills by columns next."""
    if n <= most:
        return stream.rnorm_matrix(n, t)
    m, columns = most, []
    for _ in range(t):
        columns.append(stream.rnorm(m))
        stream.skip(2 * (n - m))
    return np.column_stack(columns)


def normals_with_factor(n: int, T: Array, stream: RStream) -> Array:
    """(n, t) normals of covariance T'T, for T (k, t), k <= t. Draws: one n x t block of normals by columns."""
    k, t = T.shape
    return stream.rnorm_matrix(n, t)[:, :k] @ T


def multivariate_normal(n: int, mean: Array, covariance: Array, stream: RStream) -> Array:
    """(n, t) draws from N(mean, covariance): normals times the upper Cholesky factor, plus the mean.

    mean : (t,); covariance : (t, t), singular ones too. Draws: one n x t block of normals by columns, as sdcMicro's
    dataGen. Errors: InvalidInput where the covariance is not positive semi-definite.
    """
    return normals_with_factor(n, covariance_factor(covariance), stream) + mean


def covariance_factor(covariance: Array) -> Array:
    """T (t, t), T'T the covariance: R's chol where it is regular, else with rows of 0 (see _leading_factor).

    Errors: InvalidInput where it is not positive semi-definite.
    """
    sd = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    unit = np.where(sd > 0, sd, 1.0)
    R = covariance / unit / unit[:, None]
    try:
        T: Array = np.asarray(np.linalg.cholesky(R).T, dtype=np.float64)
        if (np.diag(T) > SAFE_PIVOT).all():
            return T * unit
    except np.linalg.LinAlgError:
        pass
    T = _leading_factor(R)
    if np.abs(T.T @ T - R).max(initial=0.0) > NEGATIVE_TOL:
        raise InvalidInput("multivariate_normal", "the covariance must be positive semi-definite")
    return T * unit


def eigen_normals(n: int, covariance: Array, stream: RStream) -> tuple[Array, bool]:
    """(n, t) draws from N(0, covariance) as MASS's mvrnorm makes them, and whether the covariance is one.

    Eigenvalues below 0 count as 0; the second result is False where one lies far below. The sign of an
    eigenvector is LAPACK's whim in R; here the last component that is not 0 is positive, so that machines agree.
    Draws: one n x t block of normals by columns.
    """
    values, vectors = np.linalg.eigh(covariance)
    values, vectors = values[::-1], vectors[:, ::-1]
    for j, vector in enumerate(vectors.T):
        if vector[np.flatnonzero(np.abs(vector) > SAFE_PIVOT)[-1]] < 0:
            vectors[:, j] = -vector
    proper = bool((values >= -NEGATIVE_TOL * np.abs(values).max(initial=0.0)).all())
    noise = stream.rnorm_matrix(n, len(values))
    return (noise * np.sqrt(np.maximum(values, 0.0))) @ vectors.T, proper


def _leading_factor(R: Array) -> Array:
    """Of a singular correlation matrix: the Cholesky factor of its first independent columns, extended to the others, whose
    own rows are 0. What R's chol tends to there."""
    T = np.zeros_like(R)
    for j in range(len(R)):
        left = R[j] - T[:j, j] @ T[:j]
        if left[j] > SAFE_PIVOT**2:
            T[j, j:] = left[j:] / np.sqrt(left[j])
    return T
