"""Numeric columns of an opened frame as records: in memory, or on disk where the file is read by columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..progress import Progress, tell
from ..types import Array, Mask, Rows
from .frame import Frame
from .open import checked_columns
from .records import DiskColumns, MemoryRecords

Table = MemoryRecords | DiskColumns


@dataclass(frozen=True)
class Loaded:
    """Columns of all records of a frame.

    table : (n, p), NaN for missing; complete : (n,) where nothing is missing; gaps : (p,) how many values are.
    """

    table: Table
    complete: Mask
    gaps: NDArray[np.int64]


def load(
    owner: str, door: Frame, wanted: Sequence[str], rows: Rows | None = None, progress: Progress | None = None
) -> Loaded:
    """The columns `wanted`, checked as by data.open.checked, a column at a time: so one is in memory beside the table.

    rows : which records' gaps are counted, None for all. The table is on disk where the frame is read by columns.
    """
    n, p = door.records, len(wanted)
    A = np.empty((n, p)) if door.source is None else np.empty((0, p))
    table: Table = MemoryRecords(A) if door.source is None else DiskColumns(n, p)
    complete, gaps = np.ones(n, dtype=bool), np.zeros(p, dtype=np.int64)
    try:
        for j, values in enumerate(checked_columns(owner, door, wanted)):
            missing = np.isnan(values)
            if missing.any():
                complete &= ~missing
                gaps[j] = missing.sum() if rows is None else missing[rows].sum()
            _put(table, j, values)
            if door.source is not None:
                tell(progress, j + 1, p, "reading")
    except BaseException:
        table.close()
        raise
    return Loaded(table, complete, gaps)


def _put(table: Table, j: int, values: Array) -> None:
    if isinstance(table, MemoryRecords):
        table.A[:, j] = values
    else:
        table.write(j, values)
