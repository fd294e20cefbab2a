"""Checked numeric columns of an opened frame as records: in memory, or on disk if the file is read by columns or by
blocks. All of them, or the complete ones."""

from collections.abc import Sequence

import numpy as np

from ..errors import Note
from ..progress import Progress, report_progress
from ..types import Mask
from .check import ValueRules, check_missing, checked_columns, refuse_equal, require_exact, require_numeric
from .frame import Frame
from .records import Records
from .source import read_blocks


def load(owner: str, frame: Frame, names: Sequence[str], progress: Progress | None = None) -> Records:
    """The columns (n, p) of all records, NaN for missing, checked as by data.check.checked.

    Read a column at a time; on disk where the frame is read by columns.
    """
    on_disk = frame.source is not None
    table = Records.empty(frame.records, len(names), on_disk=on_disk)
    for j, values in enumerate(checked_columns(owner, frame, names)):
        table.A[:, j] = values
        if on_disk:
            report_progress(progress, j + 1, len(names), "reading")
    return table


def load_complete(
    owner: str,
    frame: Frame,
    names: Sequence[str],
    missing: str,
    *,
    also: Sequence[str] = (),
    folder: str | None = None,
    progress: Progress | None = None,
) -> tuple[Records, list[Note]]:
    """The complete records (k, p) of some columns, read once, with every check, and a note on the others.

    also : further columns that must exist; missing : as in protect(); folder : for the scratch file, of 8 bytes a value,
    where the frame is read by blocks. Raises InvalidInput, for the values of all records.
    """
    require_numeric(owner, frame, names, also)
    by_blocks = frame.source is not None
    table = Records.empty(frame.records, len(names), on_disk=by_blocks, folder=folder)
    rules, gaps, seen, complete = ValueRules(names), np.zeros(len(names), dtype=np.int64), 0, 0
    low, high = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    for part in read_blocks(owner, frame, names):
        A = part.matrix(names)
        require_exact(owner, part, names, A)
        for j, values in enumerate(A.T):
            rules.examine(j, values, seen)
        empty = np.isnan(A)
        gaps += empty.sum(axis=0)
        A = A[~empty.any(axis=1)]
        table.A[complete : complete + len(A)] = A
        low, high = np.minimum(low, A.min(axis=0, initial=np.inf)), np.maximum(high, A.max(axis=0, initial=-np.inf))
        seen, complete = seen + part.records, complete + len(A)
        if by_blocks:
            report_progress(progress, seen, frame.records, "reading")
    rules.refuse(owner)
    notes = check_missing(owner, frame.stored(names), gaps, complete, seen, missing=missing)
    if complete > 1:
        refuse_equal(owner, low, high, names)
    return table.first(complete), notes


def complete_rows(frame: Frame, names: Sequence[str]) -> Mask:
    """(n,) the records in which no value of these columns is missing."""
    complete: Mask = np.ones(frame.records, dtype=bool)
    for name in names:
        complete &= ~np.isnan(frame.values(name))
    return complete
