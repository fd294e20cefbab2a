"""Methods for a frame in memory that do more than replace numbers. They give fewer records, categories, empty cells, or
a new file from a generator, which gets the original without identifiers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data import Frame, checked, complete_records, is_numeric, open_frame, require_columns
from ..data.generated import conformed, to_library, training_frame
from ..data.roles import refuse_identifiers
from ..errors import InvalidParameter, Note
from ..methods.work import CellRelease, CellWork, FileWork, Run
from ..progress import ProgressTracker
from .release import ReleaseRules, complete_values, released_frame
from .request import ProtectRequest
from .strata import release_strata

NEW = "all columns are new, those that are independent too: {columns}"
OF_COMPLETE = (
    "{count} of {total} records {count:has|have} missing values: the generator sees the others, and gives as many"
)


def protect_cells(request: ProtectRequest, work: CellWork, frame: Frame, notes: list[Note]) -> Any:
    """The release of the cells of some columns. Raises InvalidInput or InvalidParameter."""
    numbers = number_columns(work, frame)
    objects = [name for name in work.columns if name not in numbers]
    refuse_identifiers(type(request.method).__name__, "keys", objects, request.roles)
    require_columns("protect", frame, [*objects, *request.named, *request.columns])
    A, rows = complete_values(frame, numbers, request.missing, notes)
    if not rows.all():
        frame = frame.block(open_frame("protect", frame.taken(np.flatnonzero(rows))))
    columns: dict[str, Any] = {name: A[:, j] for j, name in enumerate(numbers)}
    columns |= {name: frame.cells(name) for name in objects}
    if request.strata:
        result = release_strata(work, request, frame, columns, notes)
    else:
        result = work.release(columns, frame.records, Run(request.stream, notes.append))
    return _assembled(request, frame, result, numbers, notes)


def number_columns(work: CellWork, frame: Frame) -> list[str]:
    """The columns that a work on cells gets as numbers. Raises InvalidInput for one that is missing."""
    if work.takes == "objects":
        return []
    require_columns("protect", frame, work.columns)
    if work.takes == "numbers":
        return list(work.columns)
    return [name for name in work.columns if is_numeric(frame, name)]


def _assembled(
    request: ProtectRequest, frame: Frame, result: CellRelease, complete: Sequence[str], notes: list[Note]
) -> Any:
    """The released frame. complete : the columns without a gap."""
    names = list(result.numbers)
    every = np.ones(frame.records, dtype=bool)
    for one in request.constraints:
        for name in (name for name in one.columns if name in result.categories):
            rule = f"must not be about column `{name}`, which this method releases as categories"
            raise InvalidParameter("protect", "constraints", rule, one.text)
    rules = ReleaseRules(request, frame, names, fixed=[], complete=complete)
    Z = np.column_stack([np.empty((frame.records, 0)), *result.numbers.values()])
    released = released_frame(request, frame, names, rules.applied(frame, Z, every), every)
    notes += rules.notes()
    released = open_frame("protect", released).moved(result.moved)
    for name in result.categories.keys() & frame.gaps.keys():
        result.categories[name][0][frame.gaps[name]] = None
    return open_frame("protect", released).reshaped(result.categories, result.gaps, result.rows)


def protect_generated(request: ProtectRequest, work: FileWork, frame: Frame, notes: list[Note]) -> Any:
    """A whole new file. Raises InvalidInput or InvalidParameter."""
    options = {"strata": request.strata, "constraints": request.constraints, "copies": request.options.copies > 1}
    for name, value in options.items():
        if value:
            rule = f"must be left out for {request.method}, a third-party synthesizer, which does not follow it"
            raise InvalidParameter("protect", name, rule, name)
    require_columns("protect", frame, [*request.named, *request.columns])
    A = checked("protect", frame, request.columns)
    rows, _ = complete_records("protect", np.isnan(A), request.columns, request.missing)
    if not rows.all():
        notes.append(Note.of("left_out", OF_COMPLETE, count=int((~rows).sum()), total=len(rows)))
    visible = training_frame(frame, rows, request.roles.identifiers)
    notes.append(Note.of("remark", NEW, [str(name) for name in visible.columns]))
    name = str(request.method)
    run = Run(request.stream, notes.append, ProgressTracker(name, progress=request.progress))
    generated = work.release(visible, len(visible), run)
    return to_library(frame, conformed(name, generated, visible, notes))
