"""What the kinds that work record by record need of a stream: so that draws of a block can stand in for one."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Draws(Protocol):
    """See RStream."""

    def rnorm_matrix(self, n: int, k: int) -> Array:
        """(n, k) standard normals."""

    def runif_matrix(self, n: int, k: int) -> Array:
        """(n, k) uniforms."""
