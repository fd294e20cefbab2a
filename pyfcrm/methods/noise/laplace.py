"""Laplace noise: each attribute by itself, with the tails that differential privacy made popular."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...linkage.distance import Location, location
from .draws import Draws

Array = NDArray[np.float64]


def laplace(Y: Array, a: float, stream: Draws, where: Location | None = None) -> Array:
    """Y (n, t) plus Laplace noise of standard deviation a times each attribute's, a scale of a sd / sqrt 2.

    The scale comes from the data's spread, not from a sensitivity: no differential privacy is promised.
    where : of all records, where Y is a block of them. Draws: n x t uniforms by columns, put through the quantile function.
    """
    u = stream.runif_matrix(*Y.shape) - 0.5
    standard = -np.sign(u) * np.log1p(-2 * np.abs(u)) / np.sqrt(2)
    return Y + standard * (a * (where or location(Y)).sd)
