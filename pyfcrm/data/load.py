"""Checked numeric columns of an opened frame as records: in memory, or on disk if the file is read by blocks."""

from collections.abc import Sequence

import numpy as np

from ..errors import Note
from ..progress import Progress, report_progress
from ..types import Mask
from .check import ValueRules, check_missing, refuse_equal, require_exact, require_numeric
from .frame import Frame
from .records import Records
from .source import read_blocks


def load(
    owner: str,
    frame: Frame,
    names: Sequence[str],
    missing: str = "",
    *,
    also: Sequence[str] = (),
    folder: str | None = None,
    progress: Progress | None = None,
) -> tuple[Records, list[Note]]:
    """Some columns (n, p), read once with every check; NaN for missing.

    missing : as in protect(), of which incomplete records are left out, with a note; "" keeps them, for measures, to which
    columns of one value and integers beyond 2^53 are no harm; also : further columns that must exist; folder : for the
    scratch file, of 8 bytes a value, where the frame is read by blocks. Raises InvalidInput, for the values of all records.
    """
    require_numeric(owner, frame, names, also)
    by_blocks = frame.source is not None
    table = Records.empty(frame.records, len(names), on_disk=by_blocks, folder=folder)
    rules, gaps, seen, loaded = ValueRules(names), np.zeros(len(names), dtype=np.int64), 0, 0
    for part in read_blocks(owner, frame, names):
        A = part.matrix(names)
        rules.examine(A, seen)
        if missing:
            require_exact(owner, part, names, A)
            empty = np.isnan(A)
            gaps += empty.sum(axis=0)
            A = A[~empty.any(axis=1)]
        table.A[loaded : loaded + len(A)] = A
        seen, loaded = seen + part.records, loaded + len(A)
        if by_blocks:
            report_progress(progress, seen, frame.records, "reading")
    rules.refuse(owner)
    if not missing:
        return table, []
    notes = check_missing(owner, frame.stored(names), gaps, loaded, seen, missing=missing)
    table = table.first(loaded)
    if loaded > 1:
        refuse_equal(owner, table.A, names)
    return table, notes


def complete_rows(frame: Frame, names: Sequence[str]) -> Mask:
    """(n,) the records in which no value of these columns is missing."""
    complete: Mask = np.ones(frame.records, dtype=bool)
    for name in names:
        complete &= ~np.isnan(frame.values(name))
    return complete
