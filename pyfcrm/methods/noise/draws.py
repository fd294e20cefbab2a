"""What the kinds that work record by record need of a stream: so that draws of a block can stand in for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...rstream import RStream
from ..method import Note, step

Array = NDArray[np.float64]


class Draws(Protocol):
    """See RStream."""

    def rnorm_matrix(self, n: int, k: int) -> Array:
        """(n, k) standard normals."""

    def runif_matrix(self, n: int, k: int) -> Array:
        """(n, k) uniforms."""


class ByColumn:
    """The matrices of a stream, a column at a time, each of which is told of."""

    def __init__(self, stream: RStream, note: Note) -> None:
        self.stream, self.note = stream, note

    def rnorm_matrix(self, n: int, k: int) -> Array:
        """See RStream."""
        return self._filled(self.stream.rnorm, n, k)

    def runif_matrix(self, n: int, k: int) -> Array:
        """See RStream."""
        return self._filled(self.stream.runif, n, k)

    def _filled(self, draw: Callable[[int], Array], n: int, k: int) -> Array:
        columns = np.empty((k, n))  # laid out as RStream's own
        for j, column in enumerate(columns):
            step(self.note, j, k)
            column[:] = draw(n)
        return columns.T
