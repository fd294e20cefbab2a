"""Noise with a linear transformation that gives the file its means and covariances back (Kim 1986)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...linkage.distance import location, scores
from ..residual_factor import basis_and_factor
from .draws import Draws

Array = NDArray[np.float64]


def linear(Y: Array, a: float, stream: Draws) -> Array:
    """Y (n, t) plus correlated noise of covariance a^2 S, transformed so that sample means and covariances are Y's.

    Kim multiplies the deviations of y + e from the mean by one number, near 1/sqrt(1 + a^2), that keeps S without
    bias. Here it is the symmetric matrix nearest to it that keeps S exactly: with Y = QT centred, Q orthonormal,
    y + e is Q + aE in that basis, and its polar factor (the orthonormal matrix nearest to it) replaces Q.
    With few records there is little room: with two, a release is the original or its mirror image.
    Draws: n x t normals by columns. Source: Kim (1986); the polar factor: Higham (1986).
    """
    where = location(Y)
    n, t = Y.shape
    noise = stream.rnorm_matrix(n, t)
    Q, T = basis_and_factor(scores(Y, where) / np.sqrt(max(n - 1, 1)))
    G = Q + a / np.sqrt(max(n - 1, 1)) * noise[:, : len(T)]
    left, _, right = np.linalg.svd(G - G.mean(axis=0), full_matrices=False)
    deviations = (left @ right) @ T * np.sqrt(max(n - 1, 1))
    return np.where(where.sd > 0, (where.origin + where.offset) + deviations * where.sd, Y)
