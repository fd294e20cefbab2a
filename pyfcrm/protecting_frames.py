"""Releases that are not numbers for numbers: fewer records, categories, empty cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .constraints import Keeper
from .errors import InvalidParameter
from .methods.frame_method import FrameMethod, Release
from .rstream import RStream
from .table import Opened, Roles, checked, complete_records, open_frame, rounded, within_types

Array = NDArray[np.float64]


def release_frame(
    method: FrameMethod,
    door: Opened,
    roles: Roles,
    stream: RStream,
    notes: list[str],
    missing: str,
    round_integers: bool,
    keep: Keeper,
) -> Any:
    """The released frame of a FrameMethod. Raises InvalidInput or InvalidParameter; adds to the notes."""
    wanted = method.needs(roles.dependent)
    for name in wanted.cells:
        if name in roles.identifiers:
            raise InvalidParameter(type(method).__name__, "keys", "must not name an identifier, which is dropped", name)
    checked("protect", door, [], also=(*wanted.cells, *roles.identifiers, *roles.independent, *roles.dependent))
    A = checked("protect", door, wanted.numbers)
    rows = complete_records("protect", A, wanted.numbers, missing)
    if not rows.all():
        notes.append(f"{int((~rows).sum())} of {len(rows)} records have missing values and are left as they are")
    cells: dict[str, Any] = {name: A[:, j] for j, name in enumerate(wanted.numbers)}
    cells |= {name: door.cells(name) for name in wanted.cells}
    result = method.release(cells, door.records, stream, notes.append)
    return _assembled(door, roles, result, rows, notes, round_integers, keep)


def _assembled(
    door: Opened,
    roles: Roles,
    result: Release,
    rows: NDArray[np.bool_],
    notes: list[str],
    round_integers: bool,
    keep: Keeper,
) -> Any:
    names = list(result.numbers)
    _refuse_categories(keep, result)
    numbers: dict[str, Array] = {}
    if names:
        Z = np.column_stack([result.numbers[name] for name in names])
        Z[rows] = keep.kept(names, Z[rows], rows, notes)
        Z = rounded(door, names, Z, notes) if round_integers else Z
        Z = within_types(door, names, Z, notes, floats=not round_integers)
        numbers = {name: Z[:, j] for j, name in enumerate(names)}
    else:
        keep.kept([], np.empty((int(rows.sum()), 0)), rows, notes)
    frame = door.replaced(numbers, rows, roles.identifiers, floats=not round_integers)
    return open_frame("protect", frame).reshaped(result.categories, result.gaps, result.rows)


def _refuse_categories(keep: Keeper, result: Release) -> None:
    for one in keep.constraints:
        for name in one.columns:
            if name in result.categories:
                rule = f"must not be about column `{name}`, which this method releases as categories"
                raise InvalidParameter("protect", "constraints", rule, one.text)
