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
from ..rstream import RStream
from ..types import Rows
from .release import ReleaseRules, complete_values, released_frame
from .request import ProtectRequest
from .strata import release_strata

NEW = "all columns are new, those that are independent too: {columns}"
OF_COMPLETE = (
    "{count} of {total} records {count:has|have} missing values: the generator sees the others, and gives as many"
)


def protect_cells(request: ProtectRequest, work: CellWork, frame: Frame, notes: list[Note]) -> tuple[Any, Rows]:
    """The release of the cells of some columns, and the positions (N,) of its records. Raises InvalidInput or InvalidParameter."""
    numbers = number_columns(work, frame)
    objects = [name for name in work.columns if name not in numbers]
    refuse_identifiers(type(request.method).__name__, "keys", objects, request.roles)
    require_columns("protect", frame, [*objects, *work.read, *request.named, *request.columns])
    A, complete = complete_values(frame, numbers, request.missing, notes)
    rows = np.flatnonzero(complete)
    if not complete.all():
        frame = frame.block(open_frame("protect", frame.taken(rows)))
    columns: dict[str, Any] = {name: A[:, j] for j, name in enumerate(numbers)}
    columns |= {name: frame.cells(name) for name in (*objects, *work.read)}
    if request.strata:
        result = release_strata(work, request, frame, columns, notes)
    else:
        result = work.release(columns, frame.records, Run(request.stream, notes.append))
    released = _assembled(request, frame, result, numbers, notes)
    return released, rows if result.rows is None else rows[result.rows]


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
    types = visible.dtypes
    coded = _without_codes(frame, visible)
    notes.append(Note.of("remark", NEW, [str(name) for name in visible.columns]))
    name = str(request.method)
    run = Run(request.stream, notes.append, ProgressTracker(name, progress=request.progress))
    generated = work.release(visible, len(visible), run)
    records = conformed(name, generated, visible, notes)
    for label, cells in coded.items():
        records[label] = _with_codes(records[label], cells, types[label], request.stream)
    return to_library(frame, records)


def _without_codes(frame: Frame, visible: Any) -> dict[Any, list[Any]]:
    """The gaps of the columns with codes of missing values, as cells, by column; the codes become gaps of `visible`, a pandas frame."""
    gaps = dict[Any, list[Any]]()
    for label in visible.columns:
        is_code = visible[label].isin(frame.missing_codes(str(label)))
        if is_code.any():
            gaps[label] = visible[label][is_code | visible[label].isna()].tolist()
            visible[label] = visible[label].mask(is_code)
    return gaps


def _with_codes(column: Any, cells: Sequence[Any], dtype: Any, stream: RStream) -> Any:
    """A generated column of pandas with cells of the original's gaps in its own gaps: drawn, unless all of them are equal."""
    gaps = column.isna().to_numpy()
    count = int(gaps.sum())
    places = np.zeros(count, dtype=np.int64)
    if count and len(set(cells)) > 1:
        places = np.asarray(stream.sample_int(len(cells), count, replace=True)) - 1
    new = column.astype(object)
    new[gaps] = [cells[place] for place in places.tolist()]
    return new.astype(dtype)
