"""Noise with a non-linear transformation: added to normal scores, taken back by the margins (Sullivan 1989)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...linkage.distance import location, scores
from ..normal_scores import normal_scores, placed_by_rank
from .correlated import like_in_covariance
from .draws import Draws

Array = NDArray[np.float64]


def nonlinear(Y: Array, a: float, stream: Draws) -> Array:
    """The values of each attribute of Y (n, t), placed by the ranks of its normal scores with correlated noise.

    The noise's covariance is a^2 that of the scores. Each margin is the original's exactly: the values released are
    the file's own, at other records. Draws: n x t normals by columns. Source: Sullivan (1989), with the empirical
    margins and without her later steps, which search for the best correlations.
    """
    S = normal_scores(Y)
    Z = scores(S, location(S))
    return placed_by_rank(Y, Z + a * like_in_covariance(Z, stream))
