"""Methods that do more than replace numbers, of a frame in memory: fewer records, categories and empty cells, or a whole
new file from a generator that sees the original without its identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ..constraints import constraint_enforcer
from ..data import Frame, checked, complete_records, open_frame, require_columns
from ..data.generated import conformed, to_library, training_frame
from ..data.load import Complete
from ..data.records import Records
from ..data.roles import refuse_identifier
from ..errors import InvalidInput, InvalidParameter, Note
from ..methods.external import External
from ..methods.frame_method import FrameMethod, FrameRelease
from ..progress import ProgressTracker, report_progress
from .release import NoteTotals, Put, fitted, spread
from .request import ProtectRequest
from .strata import release_strata, strata_of

NEW = "all columns are new, those that are independent too: {columns}"
OF_COMPLETE = (
    "{count} of {total} records {count:has|have} missing values: the generator sees the others, and gives as many"
)


def protect_cells(asked: ProtectRequest, method: FrameMethod, door: Frame, put: Put, notes: list[Note]) -> None:
    """Hand over what the method makes of a frame, by which it may be asked for more than numbers.

    Raises InvalidInput or InvalidParameter.
    """
    roles, needed = asked.roles, method.needs(asked.roles.dependent)
    numbers, keys = (needed, ()) if method.needs_numbers else ((), needed)
    asked.limits.require(door, roles)
    for name in keys:
        refuse_identifier(type(method).__name__, "keys", name, roles)
    require_columns("protect", door, [*keys, *asked.named, *asked.columns])
    A = checked("protect", door, numbers)
    rows = complete_records("protect", A, numbers, asked.missing)
    if not rows.all():
        notes += Complete(Records(A[rows]), len(A), np.isnan(A).sum(axis=0)).notes(numbers)
        door, A = open_frame("protect", door.reshaped({}, {}, np.flatnonzero(rows))), A[rows]
    constraint_enforcer(asked.limits, door, [], [], numbers)  # for what it refuses, before any work is done
    cells: dict[str, Any] = {name: A[:, j] for j, name in enumerate(numbers)}
    cells |= {name: door.cells(name) for name in keys}
    strata = strata_of(asked, door, ())
    if strata is None:
        report_progress(asked.progress, 0, 1, str(method))
        result = method.release(cells, door.records, asked.stream, notes.append)
        report_progress(asked.progress, 1, 1, "done")
    else:
        result = release_strata(method, asked, strata, cells, door.records, notes)
    put(_assembled(asked, door, result, numbers, notes))


def _assembled(
    asked: ProtectRequest, door: Frame, result: FrameRelease, complete: Sequence[str], notes: list[Note]
) -> Any:
    """The released frame. complete : the columns without a gap."""
    names, roles, every = list(result.numbers), asked.roles, np.ones(door.records, dtype=bool)
    _refuse_categories(asked, result)
    beside = _usable(door, roles.independent)
    keep, said = constraint_enforcer(asked.limits, door, names, beside, complete), NoteTotals(names)
    Z = np.empty((door.records, len(names)))
    for j, name in enumerate(names):
        Z[:, j] = result.numbers[name]
    Z = fitted(asked, door, names, Z, every, keep=keep, said=said)
    notes += [*keep.notes(), *said.notes()]
    frame = door.replaced(spread(names, Z, every), every, roles.identifiers, floats=not asked.round_integers)
    for name in result.categories.keys() & door.gaps.keys():
        result.categories[name][0][door.gaps[name]] = None
    return open_frame("protect", frame).reshaped(result.categories, result.gaps, result.rows)


def _usable(door: Frame, independent: tuple[str, ...]) -> list[str]:
    """The independent columns whose relations can be spoken of: these methods take any, and use none."""
    usable = []
    for name in independent:
        with suppress(InvalidInput):
            usable += [] if np.isnan(checked("protect", door, [name])).any() else [name]
    return usable


def _refuse_categories(asked: ProtectRequest, result: FrameRelease) -> None:
    for one in asked.limits.constraints:
        for name in one.columns:
            if name in result.categories:
                rule = f"must not be about column `{name}`, which this method releases as categories"
                raise InvalidParameter("protect", "constraints", rule, one.text)


def protect_generated(asked: ProtectRequest, method: External, door: Frame, put: Put, notes: list[Note]) -> None:
    """Hand over what the generator gives. Raises InvalidInput or InvalidParameter."""
    _refuse(asked)
    require_columns("protect", door, [*asked.named, *asked.columns])
    A = checked("protect", door, asked.columns)
    rows = complete_records("protect", A, asked.columns, asked.missing)
    if not rows.all():
        notes.append(Note.of("left_out", OF_COMPLETE, count=int((~rows).sum()), total=len(rows)))
    frame = training_frame(door, rows, asked.roles.identifiers)
    notes.append(Note.of("said", NEW, [str(name) for name in frame.columns]))
    report_progress(asked.progress, 0, 1, str(method))
    made = method.generate(frame, ProgressTracker(str(method), note=notes.append, progress=asked.progress))
    said, heard = NoteTotals([str(name) for name in frame.columns]), list[Note]()
    made = conformed(str(method), made, frame, heard)
    said.hear(heard)
    notes += said.notes()
    report_progress(asked.progress, 1, 1, "done")
    put(to_library(door, made))


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
