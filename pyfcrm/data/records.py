"""Tables of float64 numbers in memory, or in a scratch file on disk, read a block of rows at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ..errors import refusing
from ..types import Array, Rows

ALL = slice(None)
SCRATCH = "the temporary file of this work could not be written there"


class Records:
    """n records of p numbers. A : (n, p), in memory, or mapped from a file without a name, by columns."""

    def __init__(self, A: Any, *, on_disk: bool = False) -> None:
        # In memory one layout, for sums in one order wherever a block is.
        self.A, self.on_disk = A if on_disk else np.ascontiguousarray(A), on_disk
        self.n, self.p = A.shape

    @classmethod
    def empty(
        cls, n: int, p: int, *, on_disk: bool = False, folder: str | None = None, dtype: DTypeLike = np.float64
    ) -> Records:
        """A table to be filled. folder : where a file of its size fits, None for the system's temporary folder."""
        if not on_disk or n * p == 0:
            return cls(np.empty((n, p), dtype), on_disk=on_disk)
        size = n * p * np.dtype(dtype).itemsize
        with refusing(folder or tempfile.gettempdir(), SCRATCH), tempfile.TemporaryFile(dir=folder) as file:
            file.truncate(size)
            # A full disk is an error here; under a mapped page it would end the process.
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            return cls(np.asarray(np.memmap(file, dtype, "r+", shape=(n, p), order="F")), on_disk=True)

    def read(self, rows: slice = ALL) -> Array:
        """(b, p) the records of a slice; not to be written to."""
        return np.ascontiguousarray(self.A[rows], dtype=np.float64)

    def column(self, j: int) -> Array:
        """(n, 1) one column, in memory."""
        return np.array(self.A[:, j], dtype=np.float64)[:, None]

    def first(self, n: int) -> Records:
        """The first n records, in the same place."""
        return Records(self.A[:n], on_disk=self.on_disk)

    def taken(self, rows: Rows, columns: Sequence[int] | None = None, folder: str | None = None) -> Records:
        """A new table of the records at these positions, in this order. columns : None for all."""
        columns = range(self.p) if columns is None else columns
        table = Records.empty(len(rows), len(columns), on_disk=self.on_disk, folder=folder, dtype=self.A.dtype)
        for k, j in enumerate(columns):
            table.A[:, k] = self.A[rows, j]
        return table


class SideBySide(Records):
    """The records of two tables of equal length: the columns of the first, then those of the second."""

    def __init__(self, first: Records, second: Records) -> None:
        self.tables, self.n, self.p = (first, second), first.n, first.p + second.p

    def read(self, rows: slice = ALL) -> Array:
        """See Records."""
        return np.hstack([table.read(rows) for table in self.tables])

    def column(self, j: int) -> Array:
        """See Records."""
        first, second = self.tables
        return first.column(j) if j < first.p else second.column(j - first.p)
