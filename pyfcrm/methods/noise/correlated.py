"""Correlated noise: its covariance is proportional to the file's, so correlations hold on average (Brand 2002)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...linkage.distance import location, scores
from ..normal_draws import normals_with_factor
from ..residual_factor import residual_factor
from .draws import Draws

Array = NDArray[np.float64]


def correlated(Y: Array, a: float, stream: Draws) -> Array:
    """Y (n, t) plus normal noise of covariance a^2 S, S the sample covariance of Y.

    The noise has the rank of Y: what is an exact linear identity in Y stays one. Draws: n x t normals by columns.
    Source: Brand (2002), 2.2. (sdcMicro's "correlated" takes noise/100 for a^2.)
    """
    where = location(Y)
    return Y + a * like_in_covariance(scores(Y, where), stream) * where.sd


def like_in_covariance(Z: Array, stream: Draws) -> Array:
    """Normal noise (n, t) whose covariance is the sample covariance of Z (n, t), columns centred, sd 1 or 0."""
    n = len(Z)
    T = residual_factor(Z / np.sqrt(max(n - 1, 1)))
    return normals_with_factor(n, T, stream)
