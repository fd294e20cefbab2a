"""Methods for a frame in memory that do more than replace numbers. They give fewer records, categories, empty cells, or
a new file from a generator, which gets the original without identifiers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data import Frame, checked, complete_records, is_numeric, open_frame, require_columns
from ..data.generated import conformed, to_library, training_frame
from ..data.roles import refuse_identifiers
from ..errors import InvalidParameter, Note
from ..methods import Method
from ..methods.external import External
from ..methods.frame_method import FrameMethod, FrameRelease
from ..methods.method import Run
from ..progress import ProgressTracker
from .release import ReleaseRules, complete_values, released_frame
from .request import ProtectRequest
from .strata import release_strata

NEW = "all columns are new, those that are independent too: {columns}"
OF_COMPLETE = (
    "{count} of {total} records {count:has|have} missing values: the generator sees the others, and gives as many"
)


def protect_cells(request: ProtectRequest, method: FrameMethod, frame: Frame, notes: list[Note]) -> Any:
    """The release of a FrameMethod. Raises InvalidInput or InvalidParameter."""
    roles, needed = request.roles, method.needs(request.roles.dependent)
    numbers = number_columns(method, frame, roles.dependent)
    keys = [name for name in needed if name not in numbers]
    refuse_identifiers(type(method).__name__, "keys", keys, roles)
    require_columns("protect", frame, [*keys, *request.named, *request.columns])
    A, rows = complete_values(frame, numbers, request.missing, notes)
    if not rows.all():
        frame = open_frame("protect", frame.taken(np.flatnonzero(rows)))
    cells: dict[str, Any] = {name: A[:, j] for j, name in enumerate(numbers)}
    cells |= {name: frame.cells(name) for name in keys}
    if request.strata:
        result = release_strata(method, request, frame, cells, notes)
    else:
        result = method.release(cells, frame.records, request.stream, notes.append)
    return _assembled(request, frame, result, numbers, notes)


def number_columns(method: Method, frame: Frame, dependent: tuple[str, ...]) -> list[str]:
    """The columns that a method takes as numbers."""
    needed = method.needs(dependent) if method.needs_numbers else ()
    require_columns("protect", frame, needed)
    return [name for name in needed if not method.takes_categories or is_numeric(frame, name)]


def _assembled(
    request: ProtectRequest, frame: Frame, result: FrameRelease, complete: Sequence[str], notes: list[Note]
) -> Any:
    """The released frame. complete : the columns without a gap."""
    names, every = list(result.numbers), np.ones(frame.records, dtype=bool)
    for one in request.constraints:
        for name in (name for name in one.columns if name in result.categories):
            rule = f"must not be about column `{name}`, which this method releases as categories"
            raise InvalidParameter("protect", "constraints", rule, one.text)
    rules = ReleaseRules(request, frame, names, [], complete)
    Z = np.column_stack([np.empty((frame.records, 0)), *result.numbers.values()])
    released = released_frame(request, frame, names, rules.applied(frame, Z, every), every)
    notes += rules.notes()
    released = open_frame("protect", released).moved(result.moved)
    for name in result.categories.keys() & frame.gaps.keys():
        result.categories[name][0][frame.gaps[name]] = None
    return open_frame("protect", released).reshaped(result.categories, result.gaps, result.rows)


def protect_generated(request: ProtectRequest, method: External, frame: Frame, notes: list[Note]) -> Any:
    """The records of a generator. Raises InvalidInput or InvalidParameter."""
    options = {"strata": request.strata, "constraints": request.constraints, "copies": request.copies > 1}
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
    generated = method.generate(visible, Run(notes.append, ProgressTracker(str(method), progress=request.progress)))
    return to_library(frame, conformed(str(method), generated, visible, notes))
