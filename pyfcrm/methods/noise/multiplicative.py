"""Multiplicative noise: lognormal factors of mean 1, for attributes whose precision is relative."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .draws import Draws

Array = NDArray[np.float64]


def multiplicative(Y: Array, a: float, stream: Draws) -> Array:
    """Y (n, t) times exp(s z - s^2/2), s^2 = log(1 + a^2), z normal: factors above 0, of mean 1 and sd a.

    Signs and zeros stay; the mean holds on average and the second moment grows by 1 + a^2.
    Draws: n x t normals by columns. Source: Kim and Winkler (2003), with lognormal factors.
    """
    variance = np.log1p(a * a)
    return Y * np.exp(np.sqrt(variance) * stream.rnorm_matrix(*Y.shape) - variance / 2)
