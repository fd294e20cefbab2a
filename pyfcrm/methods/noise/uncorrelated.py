"""Uncorrelated noise: each attribute by itself, sdcMicro's "additive"."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...linkage.distance import Location, location
from .draws import Draws

Array = NDArray[np.float64]


def uncorrelated(Y: Array, a: float, stream: Draws, where: Location | None = None) -> Array:
    """Y (n, t) plus normal noise of standard deviation a times each attribute's. Draws: n x t normals by columns.

    where : of all records, where Y is a block of them. Source: Brand (2002), 2.1; sdcMicro's addNoise, "additive".
    """
    return Y + stream.rnorm_matrix(*Y.shape) * (a * (where or location(Y)).sd)
