"""Records on disk in the order of their strata, with the way back to the order of the file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files.atomic import writing
from ..strata import Strata
from .parquet import RECORDS_AT_ONCE
from .rows import SCRATCH, Scratch

Array = NDArray[np.float64]


class SortedRows:
    """Records on disk, those of a stratum side by side, in a file without a name; releases take their places."""

    def __init__(self, rows: Scratch, strata: Strata, folder: str) -> None:
        size = rows.n * rows.p * 8
        with writing(folder, SCRATCH):
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - lives as long as what is mapped from it
            self._file.truncate(size)
            if hasattr(
                os, "posix_fallocate"
            ):  # a full disk is an error here; under a mapped page it would end the process
                os.posix_fallocate(self._file.fileno(), 0, size)
        self._A: Any = np.memmap(self._file, np.float64, "r+", shape=(rows.n, rows.p))
        self._place = np.empty(rows.n, dtype=np.int64)
        self._place[np.concatenate(strata.rows)] = np.arange(rows.n)
        self._start = np.cumsum([0, *(len(part) for part in strata.rows)])
        for at in range(0, rows.n, RECORDS_AT_ONCE):
            block = slice(at, min(at + RECORDS_AT_ONCE, rows.n))
            self._A[self._place[block]] = rows.read(block)

    def read(self, k: int) -> Array:
        """Stratum k's records (b, p)."""
        return np.array(self._A[self._start[k] : self._start[k + 1]])

    def write(self, k: int, Z: Array) -> None:
        """Its release (b, t), over its last t columns."""
        self._A[self._start[k] : self._start[k + 1], -Z.shape[1] :] = Z

    def in_order(self, t: int) -> Iterator[Array]:
        """The releases (b, t) in the order of the file."""
        for at in range(0, len(self._place), RECORDS_AT_ONCE):
            yield np.array(self._A[self._place[at : at + RECORDS_AT_ONCE], -t:])
