"""The numeric columns of a Parquet source, checked, as float64 records on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InvalidInput
from ..files.parquet import Source
from ..progress import Progress
from ..types import Array
from .open import checked, open_frame, refuse_gaps
from .records import DiskRecords


@dataclass(frozen=True)
class CompleteRecords:
    """rows : the complete records; records : how many there are in all."""

    rows: DiskRecords
    records: int


def load_complete_records(
    owner: str,
    source: Source,
    wanted: Sequence[str],
    also: Sequence[str],
    missing: str,
    folder: str,
    progress: Progress | None = None,
    varying: bool = True,
) -> CompleteRecords:
    """Read the columns `wanted` once, with the checks that a frame in memory gets, and keep the complete records.

    also : further columns that must be there; missing : "refuse" or "complete"; folder : where there is room for
    8 bytes a value; varying : whether a column of one value is refused. Raises InvalidInput.
    """
    checked(owner, open_frame(owner, source.first()), wanted, also)
    scratch = DiskRecords(len(wanted), folder)
    gaps, seen = np.zeros(len(wanted), dtype=np.int64), 0
    low, high = np.full(len(wanted), np.inf), np.full(len(wanted), -np.inf)
    try:
        for table in source.tables(list(dict.fromkeys(wanted))):
            A = checked(owner, open_frame(owner, table), wanted, first=seen)
            empty = np.isnan(A)
            gaps += empty.sum(axis=0)
            A = A[~empty.any(axis=1)] if empty.any() else A
            scratch.append(A)
            low, high = np.minimum(low, A.min(axis=0, initial=np.inf)), np.maximum(high, A.max(axis=0, initial=-np.inf))
            seen += table.num_rows
            if progress is not None:
                progress(seen, source.n, "reading")
        refuse_gaps(owner, wanted, gaps, scratch.n, missing)
        if varying and scratch.n > 1:
            _refuse_constant(owner, wanted, low, high)
    except BaseException:
        scratch.close()
        raise
    return CompleteRecords(scratch, seen)


def _refuse_constant(owner: str, wanted: Sequence[str], low: Array, high: Array) -> None:
    for name, least, most in zip(wanted, low, high, strict=True):
        if least == most:
            rule = f"column `{name}` must vary (leave it out of the roles)"
            raise InvalidInput(owner, rule, f"{least:g} in every record")
