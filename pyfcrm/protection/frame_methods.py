"""protect() of a frame: numbers for numbers, or fewer records, categories and empty cells."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ..constraints import ConstraintEnforcer, constraint_enforcer
from ..data import (
    Frame,
    Roles,
    checked,
    complete_records,
    is_numeric,
    open_frame,
    refuse_constant,
    rounded,
    within_types,
)
from ..data.strata import Numbering, Strata
from ..errors import InvalidInput, InvalidParameter
from ..methods.method import FrameMethod, Release
from ..progress import Course, run_cancellable, tell
from ..types import Array, Mask
from .run import ProtectRequest, run
from .strata import release_strata, run_strata


def protect_frame(frame: Any, asked: ProtectRequest) -> tuple[Any, list[str]]:
    """The released frame and the notes. Raises InvalidInput or InvalidParameter."""
    door = open_frame("protect", frame)
    notes: list[str] = []
    keep = constraint_enforcer("protect", asked.limits, door, asked.roles, asked.missing, asked.round_integers)
    if isinstance(asked.method, FrameMethod):
        released = _release(asked.method, asked, door, notes, keep)
    else:
        released = _numbers(asked, door, notes, keep)
    return released, [*notes, *untouched_text_columns(door, asked.roles)]


def untouched_text_columns(door: Frame, roles: Roles) -> list[str]:
    """What is said of the columns that are no numbers and have no role: they leave as they came."""
    given = {*roles.independent, *roles.dependent, *roles.identifiers}
    others = [name for name in door.names if name not in given and not is_numeric(door, name)]
    return [f"columns that are not numbers pass through untouched: {', '.join(others)}"] if others else []


def _numbers(asked: ProtectRequest, door: Frame, notes: list[str], keep: ConstraintEnforcer) -> Any:
    roles, floats = asked.roles, not asked.round_integers
    X, Y, rows = _arrays(door, roles, asked.missing, notes)
    strata = _strata(asked, door, rows)
    Z = run(asked, X, Y, notes) if strata is None else _by_strata(asked, strata, np.hstack([X, Y]), notes)
    Z = keep.kept(roles.dependent, Z, rows, notes)
    Z = rounded(door, roles.dependent, Z, notes) if asked.round_integers else Z
    Z = within_types(door, roles.dependent, Z, rows, notes, floats=floats)
    _say_unchanged(Y, Z, notes)
    columns = {name: _spread(Z[:, j], rows) for j, name in enumerate(roles.dependent)}
    return door.replaced(columns, rows, roles.identifiers, floats=floats)


def _arrays(door: Frame, roles: Roles, missing: str, notes: list[str]) -> tuple[Array, Array, Mask]:
    wanted = [*roles.independent, *roles.dependent]
    A = checked("protect", door, wanted, also=(*roles.identifiers, *roles.unknown))
    rows = _complete(A, wanted, missing, notes)
    A = A[rows]
    refuse_constant("protect", A, wanted)
    s = len(roles.independent)
    return A[:, :s], A[:, s:], rows


def _complete(A: Array, wanted: list[str] | tuple[str, ...], missing: str, notes: list[str]) -> Mask:
    rows = complete_records("protect", A, wanted, missing)
    if not rows.all():
        notes.append(f"{int((~rows).sum())} of {len(rows)} records have missing values and are left as they are")
    return rows


def _strata(asked: ProtectRequest, door: Frame, rows: Mask) -> Strata | None:
    """The strata of the records `rows`, counted among these; None where none were asked for."""
    if not asked.strata:
        return None
    return Strata.of(asked.strata, Numbering("protect", asked.strata, asked.missing).codes(door)[rows])


def _by_strata(asked: ProtectRequest, strata: Strata, A: Array, notes: list[str]) -> Array:
    Z = np.empty((len(A), len(asked.roles.dependent)))

    def write(k: int, values: Array) -> None:
        Z[strata.rows[k]] = values

    notes += run_strata(asked, strata, lambda k: A[strata.rows[k]], write)
    return Z


def _say_unchanged(Y: Array, Z: Array, notes: list[str]) -> None:
    unchanged = int(np.all(np.isclose(Y, Z, rtol=1e-9, atol=0.0), axis=1).sum())
    if unchanged:
        notes.append(f"{unchanged} of {len(Y)} records leave with every dependent value as it was")


def _spread(values: Array, rows: Mask) -> Array:
    """Values of the protected records put at their places among all records; NaN elsewhere."""
    if rows.all():
        return values
    whole = np.full(len(rows), np.nan)
    whole[rows] = values
    return whole


def _release(
    method: FrameMethod, asked: ProtectRequest, door: Frame, notes: list[str], keep: ConstraintEnforcer
) -> Any:
    roles, wanted = asked.roles, method.needs(asked.roles.dependent)
    for name in wanted.cells:
        if name in roles.identifiers:
            raise InvalidParameter(type(method).__name__, "keys", "must not name an identifier, which is dropped", name)
    checked(
        "protect",
        door,
        [],
        also=(*wanted.cells, *roles.identifiers, *roles.unknown, *roles.independent, *roles.dependent),
    )
    A = checked("protect", door, wanted.numbers)
    rows = _complete(A, wanted.numbers, asked.missing, notes)
    keep = keep.beside_only(_usable(door, roles.independent, rows))
    cells: dict[str, Any] = {name: A[:, j] for j, name in enumerate(wanted.numbers)}
    cells |= {name: door.cells(name) for name in wanted.cells}
    strata = _strata(asked, door, np.ones(door.records, dtype=bool))
    if strata is None:
        tell(asked.progress, 0, 1, str(method))

        def work() -> Release:
            return method.release(cells, door.records, asked.stream, notes.append)

        result = run_cancellable(work, asked.progress, Course(str(method)))
        tell(asked.progress, 1, 1, "done")
    else:
        result = release_strata(method, asked, strata, cells, rows, notes)
    return _assembled(door, asked, result, rows, notes, keep)


def _usable(door: Frame, independent: tuple[str, ...], rows: Mask) -> list[str]:
    """The independent columns whose relations can be spoken of: these methods take any, and use none."""
    usable = []
    for name in independent:
        with suppress(InvalidInput):
            A = checked("protect", door, [name])
            usable += [] if np.isnan(A[rows]).any() else [name]
    return usable


def _assembled(
    door: Frame, asked: ProtectRequest, result: Release, rows: Mask, notes: list[str], keep: ConstraintEnforcer
) -> Any:
    names, floats = list(result.numbers), not asked.round_integers
    _refuse_categories(keep, result)
    numbers: dict[str, Array] = {}
    if names:
        Z = np.column_stack([result.numbers[name] for name in names])
        Z[rows] = keep.kept(names, Z[rows], rows, notes)
        Z = rounded(door, names, Z, notes) if asked.round_integers else Z
        Z[rows] = within_types(door, names, Z[rows], rows, notes, floats=floats)
        numbers = {name: Z[:, j] for j, name in enumerate(names)}
    else:
        keep.kept([], np.empty((int(rows.sum()), 0)), rows, notes)
    frame = door.replaced(numbers, rows, asked.roles.identifiers, floats=floats)
    return open_frame("protect", frame).reshaped(result.categories, result.gaps, result.rows)


def _refuse_categories(keep: ConstraintEnforcer, result: Release) -> None:
    for one in keep.constraints:
        for name in one.columns:
            if name in result.categories:
                rule = f"must not be about column `{name}`, which this method releases as categories"
                raise InvalidParameter("protect", "constraints", rule, one.text)
