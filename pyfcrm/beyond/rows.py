"""A table of float64 numbers read a block of rows at a time, from memory or from a file without a name."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..engine import row_blocks
from ..files.atomic import writing

Array = NDArray[np.float64]
SCRATCH = "the temporary file of this work could not be written there"


class Rows(Protocol):
    """n records of p numbers."""

    @property
    def n(self) -> int:
        """Records."""

    @property
    def p(self) -> int:
        """Columns."""

    def read(self, rows: slice) -> Array:
        """(b, p) the records of a slice with a start and a stop; not to be written to."""


def column(rows: Rows, j: int) -> Array:
    """(n, 1) one column of a table, in memory."""
    out = np.empty((rows.n, 1))
    for where in row_blocks(rows.n):
        out[where, 0] = rows.read(where)[:, j]
    return out


@dataclass(frozen=True)
class ArrayRows:
    """Records in memory. A : (n, p)."""

    A: Array

    def __post_init__(self) -> None:
        # One layout, for sums in one order wherever a block goes.
        object.__setattr__(self, "A", np.ascontiguousarray(self.A))

    @property
    def n(self) -> int:
        return len(self.A)

    @property
    def p(self) -> int:
        return self.A.shape[1]

    def read(self, rows: slice) -> Array:
        """See Rows."""
        return self.A[rows]


class Scratch:
    """Records kept on disk as they are in memory, in a file that has no name: the system removes it with the process.

    p : columns; folder : where there is room for 8 p bytes a record, None for the system's temporary folder.
    Append or write first, then read, from any thread.
    """

    def __init__(self, p: int, folder: str | None = None) -> None:
        self.n, self.p = 0, p
        self._folder = folder or tempfile.gettempdir()
        with writing(self._folder, SCRATCH):
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - closed with the object

    def append(self, A: Array) -> None:
        """Records (b, p) after those there are."""
        self.write(self.n, A)

    def write(self, first: int, A: Array) -> None:
        """Records (b, p) from the place `first` on, from 0."""
        left = np.ascontiguousarray(A, dtype=np.float64).data.cast("B") if A.size else memoryview(b"")
        at = first * self.p * 8
        with writing(self._folder, SCRATCH):
            while left:
                done = os.pwrite(self._file.fileno(), left, at)
                left, at = left[done:], at + done
        self.n = max(self.n, first + len(A))

    def read(self, rows: slice) -> Array:
        """See Rows."""
        A = np.empty((rows.stop - rows.start, self.p))
        if not A.size:
            return A
        left, at = A.data.cast("B"), rows.start * self.p * 8
        while left:
            got = os.preadv(self._file.fileno(), [left], at)
            if got == 0:
                raise OSError("the scratch file ended early")
            left, at = left[got:], at + got
        return A

    def close(self) -> None:
        """Give the disk back."""
        self._file.close()
