"""Columns of numbers on disk, one after the other: written a column at a time, read a block of rows at a time."""

from __future__ import annotations

import os
import tempfile

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..files.atomic import writing
from .rows import SCRATCH

Array = NDArray[np.float64]


class Columns:
    """p columns of n numbers in a file that has no name: the system removes it with the process. See rows.Rows.

    folder : where there is room for n p numbers, None for the system's temporary folder; kind : what a number is kept
    as, of those that a float64 holds exactly.
    """

    def __init__(self, n: int, p: int, folder: str | None = None, kind: DTypeLike = np.float64) -> None:
        self.n, self.p, self.kind = n, p, np.dtype(kind)
        self._folder = folder or tempfile.gettempdir()
        with writing(self._folder, SCRATCH):
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - closed with the object

    def write(self, j: int, values: NDArray[np.generic]) -> None:
        """Column j: values (n,)."""
        left = np.ascontiguousarray(values, dtype=self.kind).data.cast("B")
        at = j * self.n * self.kind.itemsize
        with writing(self._folder, SCRATCH):
            while left:
                done = os.pwrite(self._file.fileno(), left, at)
                left, at = left[done:], at + done

    def read(self, rows: slice) -> Array:
        """(b, p) the records of a slice with a start and a stop."""
        A = np.empty((rows.stop - rows.start, self.p))
        for j in range(self.p):
            A[:, j] = self._part(j, rows.start, len(A))
        return A

    def _part(self, j: int, start: int, count: int) -> NDArray[np.generic]:
        part = np.empty(count, self.kind)
        left, at = part.data.cast("B"), (j * self.n + start) * self.kind.itemsize
        while left:
            got = os.preadv(self._file.fileno(), [left], at)
            if got == 0:
                raise OSError("the scratch file ended early")
            left, at = left[got:], at + got
        return part

    def close(self) -> None:
        """Give the disk back."""
        self._file.close()
