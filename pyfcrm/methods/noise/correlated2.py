"""sdcMicro's correlated2: values shrunk towards the mean, with noise that makes up for the lost variance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...linkage.distance import Location, location
from .draws import Draws

Array = NDArray[np.float64]


def correlated2(Y: Array, a: float, stream: Draws, where: Location | None = None) -> Array:
    """d y + a e for Y (n, t), d = sqrt(1 - a^2), e normal of mean (1 - d)/a mean(y) and sd(y), a in (0, 1].

    Means and variances hold on average; despite the name the noise is independent between attributes.
    where : of all records, where Y is a block of them. Draws: n x t normals by columns.
    Source: sdcMicro's addNoise, "correlated2", delta = a.
    """
    where = where or location(Y)
    mean, d = where.origin + where.offset, np.sqrt((1 - a) * (1 + a))
    # (1 - d) mean + d y, written so that a constant column stays as it is.
    shrunk = mean + d * (Y - mean)
    return np.where(where.sd > 0, shrunk + a * (stream.rnorm_matrix(*Y.shape) * where.sd), Y)
