"""Numeric columns of an opened frame as records, checked: in memory, or on disk where the file is read by columns or by
blocks; all of them, or the complete ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import Note
from ..progress import Progress, report_progress
from ..types import Array, Mask
from .frame import Frame
from .open import ValueRules, checked_columns, refuse_equal, refuse_missing, require_numeric
from .records import DiskColumns, DiskRecords, MemoryRecords
from .source import read_blocks

Table = MemoryRecords | DiskColumns
INCOMPLETE = "{count:,} of {total:,} records {count:has|have} missing values in {columns} and {count:is|are} left out of the release"


def load(owner: str, door: Frame, wanted: Sequence[str], progress: Progress | None = None) -> Table:
    """(n, p) the columns `wanted` of all records, NaN for missing, checked as by data.open.checked.

    A column at a time: so one is in memory beside the table, which is on disk where the frame is read by columns.
    """
    n, p = door.records, len(wanted)
    table: Table = MemoryRecords(np.empty((n, p))) if door.source is None else DiskColumns(n, p)
    try:
        for j, values in enumerate(checked_columns(owner, door, wanted)):
            put(table, j, values)
            if door.source is not None:
                report_progress(progress, j + 1, p, "reading")
    except BaseException:
        table.close()
        raise
    return table


def put(table: Table, j: int, values: Array) -> None:
    """Write column j: values (n,)."""
    if isinstance(table, MemoryRecords):
        table.A[:, j] = values
    else:
        table.write(j, values)


@dataclass(frozen=True)
class Complete:
    """The complete records of some columns.

    table : (k, p); records : how many there are in all; gaps : (p,) how many values are missing.
    """

    table: MemoryRecords | DiskRecords
    records: int
    gaps: NDArray[np.int64]

    def notes(self, wanted: Sequence[str]) -> list[Note]:
        """What is said of the other records. wanted : the columns' names."""
        left = self.records - self.table.n
        missing = [name for name, many in zip(wanted, self.gaps, strict=True) if many]
        return [Note.of("left_out", INCOMPLETE, missing, count=left, total=self.records)] if left else []


def load_complete(
    owner: str,
    door: Frame,
    wanted: Sequence[str],
    missing: str,
    *,
    also: Sequence[str] = (),
    folder: str | None = None,
    progress: Progress | None = None,
) -> Complete:
    """The complete records of the columns `wanted`, read once, with every check.

    also : further columns that must be there; missing : as protect() has it; folder : where there is room for 8 bytes a value,
    of a file that is read by blocks.
    Raises InvalidInput, for the values of all records, in the same words however they are read.
    """
    require_numeric(owner, door, wanted, also)
    gathered: MemoryRecords | DiskRecords = MemoryRecords(np.empty((0, len(wanted))))
    if door.source is not None:
        gathered = DiskRecords(len(wanted), folder)
    rules, seen, gaps = ValueRules(wanted), 0, np.zeros(len(wanted), dtype=np.int64)
    low, high = np.full(len(wanted), np.inf), np.full(len(wanted), -np.inf)
    try:
        for part in read_blocks(owner, door, wanted):
            A = matrix(part, wanted)
            for j, values in enumerate(A.T):
                rules.look(j, values, seen)
            empty = np.isnan(A)
            gaps += empty.sum(axis=0)
            A = A[~empty.any(axis=1)] if empty.any() else A
            gathered = gathered.with_more(A)
            low, high = np.minimum(low, A.min(axis=0, initial=np.inf)), np.maximum(high, A.max(axis=0, initial=-np.inf))
            seen += part.records
            if door.source is not None:
                report_progress(progress, seen, door.records, "reading")
        rules.refuse(owner)
        refuse_missing(owner, wanted, gaps, gathered.n, seen, missing=missing)
        if gathered.n > 1:
            refuse_equal(owner, low, high, wanted)
    except BaseException:
        gathered.close()
        raise
    return Complete(gathered, seen, gaps)


def matrix(door: Frame, wanted: Sequence[str]) -> Array:
    """Numeric columns as (n, p), NaN for missing; nothing is checked."""
    A = np.empty((door.records, len(wanted)))
    for j, name in enumerate(wanted):
        A[:, j] = door.values(name)
    return A


def complete_rows(door: Frame, wanted: Sequence[str]) -> Mask:
    """(n,) the records in which no value of these columns is missing."""
    complete: Mask = np.ones(door.records, dtype=bool)
    for name in wanted:
        complete &= ~np.isnan(door.values(name))
    return complete
