"""Random draws of methods: by columns and blocks, of the first records, and multivariate normals by eigenvectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.blocks import Sample
from ..rstream import RStream
from ..types import Array
from .method import Run

SAFE_PIVOT = 1e-6  # of a correlation matrix: a smaller one is half lost to rounding
NEGATIVE_TOL = 1e-6  # what MASS::mvrnorm allows a covariance's eigenvalues below 0, of the largest


def drawn_by_column(sample: Sample, stream: RStream, run: Run, kind: str) -> list[Any]:
    """The n x t matrix that the stream fills by columns next, by blocks; each column is reported.

    kind : "normal" or "uniform".
    """
    columns = list[list[Any]]()
    for j in range(sample.t):
        run.tracker.step(j, sample.t)
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
