"""Tables of float64 numbers read a block of rows at a time, from memory or from a file without a name: as they
come, a column at a time, or in the order of their strata."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..engine import row_blocks
from ..files.atomic import writing
from ..files.parquet import RECORDS_AT_ONCE
from ..types import Array, Rows
from .strata import Strata

SCRATCH = "the temporary file of this work could not be written there"


class Records(Protocol):
    """n records of p numbers."""

    @property
    def n(self) -> int:
        """Records."""

    @property
    def p(self) -> int:
        """Columns."""

    def read(self, rows: slice) -> Array:
        """(b, p) the records of a slice with a start and a stop; not to be written to."""


def column(rows: Records, j: int) -> Array:
    """(n, 1) one column of a table, in memory."""
    if isinstance(rows, DiskColumns):
        return rows.column(j)
    out = np.empty((rows.n, 1))
    for where in row_blocks(rows.n):
        out[where, 0] = rows.read(where)[:, j]
    return out


@dataclass(frozen=True)
class MemoryRecords:
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
        """See Records."""
        return self.A[rows]

    def taken(self, rows: Rows, columns: Sequence[int] | None = None) -> MemoryRecords:
        """The records at these places, in this order. columns : None for all."""
        return MemoryRecords(self.A[rows] if columns is None else self.A[np.ix_(rows, np.asarray(columns))])

    def with_more(self, A: Array) -> MemoryRecords:
        """These records and (b, p) after them."""
        return MemoryRecords(np.concatenate([self.A, A]) if self.n else A)

    def by_strata(self, strata: Strata, folder: str | None = None) -> SortedMemoryRecords:
        """The same, a stratum at a time."""
        return SortedMemoryRecords(self, strata)

    def close(self) -> None:
        """Nothing to give back."""


class DiskRecords:
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

    def with_more(self, A: Array) -> DiskRecords:
        """These records, with (b, p) appended."""
        self.append(A)
        return self

    def by_strata(self, strata: Strata, folder: str | None = None) -> SortedDiskRecords:
        """The same, a stratum at a time. folder : where there is room for a copy."""
        return SortedDiskRecords(self, strata, folder)

    def write(self, first: int, A: Array) -> None:
        """Records (b, p) from the place `first` on, from 0."""
        with writing(self._folder, SCRATCH):
            _put(np.ascontiguousarray(A, dtype=np.float64), self._file, first * self.p * 8)
        self.n = max(self.n, first + len(A))

    def read(self, rows: slice) -> Array:
        """See Records."""
        A = np.empty((rows.stop - rows.start, self.p))
        _fill(A, self._file, rows.start * self.p * 8)
        return A

    def close(self) -> None:
        """Give the disk back."""
        self._file.close()


def _put(values: NDArray[np.generic], file: IO[bytes], at: int) -> None:
    """Write a contiguous array into the file, from byte `at` on."""
    left = _bytes(values)
    while left:
        done = os.pwrite(file.fileno(), left, at)
        left, at = left[done:], at + done


def _fill(values: NDArray[np.generic], file: IO[bytes], at: int) -> None:
    """Read a contiguous array from the file, from byte `at` on."""
    left = _bytes(values)
    while left:
        got = os.preadv(file.fileno(), [left], at)
        if got == 0:
            raise OSError("the scratch file ended early")
        left, at = left[got:], at + got


def _bytes(values: NDArray[np.generic]) -> memoryview:
    return values.data.cast("B") if values.size else memoryview(b"")


class DiskColumns:
    """p columns of n numbers in a file that has no name: the system removes it with the process. See data.records.Records.

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
        with writing(self._folder, SCRATCH):
            _put(np.ascontiguousarray(values, dtype=self.kind), self._file, j * self.n * self.kind.itemsize)

    def read(self, rows: slice) -> Array:
        """(b, p) the records of a slice with a start and a stop."""
        A = np.empty((rows.stop - rows.start, self.p))
        for j in range(self.p):
            A[:, j] = self._part(j, rows.start, len(A))
        return A

    def column(self, j: int) -> Array:
        """(n, 1) column j."""
        return self._part(j, 0, self.n).astype(np.float64, copy=False)[:, None]

    def taken(self, rows: Rows, columns: Sequence[int] | None = None) -> DiskColumns:
        """The records at these places, in this order: a new table, made a column at a time. columns : None for all."""
        places = range(self.p) if columns is None else columns
        made = DiskColumns(len(rows), len(places), kind=self.kind)
        for k, j in enumerate(places):
            made.write(k, self._part(j, 0, self.n)[rows])
        return made

    def _part(self, j: int, start: int, count: int) -> NDArray[np.generic]:
        part = np.empty(count, self.kind)
        _fill(part, self._file, (j * self.n + start) * self.kind.itemsize)
        return part

    def close(self) -> None:
        """Give the disk back."""
        self._file.close()


class MemoryColumns:
    """Records that come a column at a time, in memory."""

    def __init__(self, n: int, p: int) -> None:
        self.n, self.p, self._A = n, p, np.empty((n, p))

    def write(self, j: int, values: Array) -> None:
        """Column j: values (n,)."""
        self._A[:, j] = values

    def read(self, rows: slice) -> Array:
        """See Records."""
        return self._A[rows]


@dataclass(frozen=True)
class SideBySide:
    """The records of two tables of equal length: the columns of the first, then those of the second."""

    first: Records
    second: Records

    @property
    def n(self) -> int:
        return self.first.n

    @property
    def p(self) -> int:
        return self.first.p + self.second.p

    def read(self, rows: slice) -> Array:
        """See Records."""
        return np.hstack([self.first.read(rows), self.second.read(rows)])


class SortedMemoryRecords:
    """Records in memory, read a stratum at a time; releases take their places."""

    def __init__(self, rows: MemoryRecords, strata: Strata) -> None:
        self._A, self._strata = rows.A.copy(), strata

    def read(self, k: int) -> Array:
        """Stratum k's records (b, p)."""
        return self._A[self._strata.rows[k]]

    def write(self, k: int, Z: Array) -> None:
        """Its release (b, t), over its last t columns."""
        self._A[self._strata.rows[k], -Z.shape[1] :] = Z

    def in_order(self, t: int) -> Iterator[Array]:
        """The releases (b, t) in the order of the file."""
        yield self._A[:, -t:]


class SortedDiskRecords:
    """Records on disk, those of a stratum side by side, in a file without a name; releases take their places."""

    def __init__(self, rows: DiskRecords, strata: Strata, folder: str | None) -> None:
        size = rows.n * rows.p * 8
        with writing(folder or tempfile.gettempdir(), SCRATCH):
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - lives as long as what is mapped from it
            self._file.truncate(size)
            # A full disk is an error here; under a mapped page it would end the process.
            if hasattr(os, "posix_fallocate"):
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
