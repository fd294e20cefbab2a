"""Releases that are whole new files, from a generator that sees the original without its identifiers."""

from __future__ import annotations

import numpy as np

from ..data import Frame, checked, complete_records, require_columns
from ..data.generated import as_seen, like, seen
from ..errors import InvalidParameter, Note
from ..methods.external import External
from ..progress import Course, run_cancellable, tell
from .release import NoteTotals, Put
from .request import ProtectRequest

NEW = "all columns are new, those that are independent too: {columns}"
OF_COMPLETE = (
    "{count} of {total} records {count:has|have} missing values: the generator sees the others, and gives as many"
)


def protect_generated(asked: ProtectRequest, method: External, door: Frame, put: Put, notes: list[Note]) -> None:
    """Hand over what the generator gives. Raises InvalidInput or InvalidParameter."""
    _refuse(asked)
    require_columns("protect", door, [*asked.named, *asked.columns])
    A = checked("protect", door, asked.columns)
    rows = complete_records("protect", A, asked.columns, asked.missing)
    if not rows.all():
        notes.append(Note.of("left_out", OF_COMPLETE, count=int((~rows).sum()), total=len(rows)))
    frame = seen(door, rows, asked.roles.identifiers)
    notes.append(Note.of("said", NEW, [str(name) for name in frame.columns]))
    tell(asked.progress, 0, 1, str(method))
    course = Course(str(method), say=notes.append)
    made = run_cancellable(lambda: method.generate(frame, course), asked.progress, course)
    said, heard = NoteTotals([str(name) for name in frame.columns]), list[Note]()
    made = as_seen(str(method), made, frame, heard)
    said.hear(heard)
    notes += said.notes()
    tell(asked.progress, 1, 1, "done")
    put(like(door, made))


def _refuse(asked: ProtectRequest) -> None:
    """Raises InvalidParameter for what no generator from elsewhere is held to."""
    given = {
        "strata": asked.strata,
        "constraints": asked.limits.constraints,
        "copies": asked.copies if asked.copies > 1 else None,
    }
    for name, value in given.items():
        if value is not None and np.size(np.asarray(value, dtype=object)):
            rule = f"must be left out for {asked.method}, a generator from elsewhere, which is not held to it"
            raise InvalidParameter("protect", name, rule, name)
