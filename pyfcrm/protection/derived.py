"""Columns that follow from others: the method releases the other columns, and these are computed from the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..constraints.accepted import Accepted, totals_of, zero_together
from ..constraints.bounds import bounds_of
from ..constraints.identities import unit_of
from ..constraints.reporting import reported
from ..errors import Note
from ..methods.work import Run
from ..numerics.decimals import decimals
from ..rstream import RStream
from ..types import Array, Integers
from .request import ProtectRequest

Columns = dict[str, Array]

DERIVED = "{columns} derived from other columns of the release, with the margin that follows"
REPORTED = "{count} values of {columns} became round numbers, or equal to another column, as often as in the original"
MOVED = "{count} values of {columns} changed places, or became zero, so that the columns are zero together"


def protect_derived(request: ProtectRequest, accepted: Accepted, X: Array, Y: Array, run: Run) -> Array:
    """The release (n, t) of the dependent columns, of which the method gives the free ones."""
    independent = request.roles.independent
    dependent = request.roles.dependent
    Z = Y.copy()
    names = [name for name in dependent if name not in accepted.derived]
    free = [dependent.index(name) for name in names]
    own_run = _run_of_free(request, accepted, X, Y, run)
    Z[:, free] = request.numbers.release(X, np.ascontiguousarray(Y[:, free]), own_run)
    # Views: what changes a column changes the release.
    kept = dict(zip(independent, X.T, strict=True))
    columns = {**kept, **dict(zip(dependent, Z.T, strict=True))}
    original = {**kept, **dict(zip(dependent, Y.T, strict=True))}
    for group in accepted.together:
        moved = zero_together(columns[group[0]], [columns[name] for name in group[1:]], group[0] in independent)
        if moved:
            run.note(Note.of("constraints", MOVED, group, count=moved))
    habits = accepted.habits
    if habits:
        count = reported(habits, original, columns, request.stream)
        run.note(Note.of("constraints", REPORTED, sorted({one.columns[0] for one in habits}), count=count))
    _derive(accepted, original, columns, request.stream)
    if accepted.derived:
        run.note(Note.of("constraints", DERIVED, sorted(accepted.derived)))
    return Z


def _run_of_free(request: ProtectRequest, accepted: Accepted, X: Array, Y: Array, run: Run) -> Run:
    """The run of the method, which releases the columns that are not derived."""
    derived = accepted.derived
    independent = request.roles.independent
    dependent = request.roles.dependent
    names = [name for name in dependent if name not in derived]
    own_run = replace(run, note=lambda note: run.note(note.named(names)), names=tuple(names))
    if not request.facts.swaps:
        return own_run
    values = Y[:, [dependent.index(name) for name in derived]]
    bounds = bounds_of(request.constraints, derived, independent, names)
    return replace(own_run, bounds=bounds, totals=totals_of(derived, independent, names, X, values))


def _derive(accepted: Accepted, original: Columns, columns: Columns, stream: RStream) -> None:
    """Compute the derived columns of the release from its other `columns`. Draws: n uniforms where sums are rounded."""
    if not accepted.derived:
        return
    n = len(next(iter(columns.values())))
    drawn = (stream.runif(n) * n).astype(np.intp) if accepted.off else None
    for name, parts in accepted.derived.items():
        columns[name][:] = _total([(c, columns[part]) for part, c in parts.items()], original[name])
        if drawn is not None:
            own = np.asarray(sum(c * original[part] for part, c in parts.items()))
            columns[name][:] = _as_rounded(columns[name], own, original[name], drawn, accepted.off)


def _as_rounded(total: Array, own: Array, y: Array, drawn: Integers, off_by: float) -> Array:
    """A derived total (n,) in the units of the original's y, as far off as that of the records `drawn` (n,).

    own (n,) : the sums of the original's parts.
    """
    unit = unit_of(y)
    whole = own
    if unit:
        whole = np.rint(own / unit) * unit
        total = np.rint(total / unit) * unit
    off = np.where(np.abs(y - own) <= off_by * (1 + 1e-9), y - whole, 0.0)
    return np.asarray(total + off[drawn])


def _total(parts: Sequence[tuple[float, Array]], original: Array) -> Array:
    """The sum of columns (n,) times their coefficients; of amounts in cents it is one, where the original's was."""
    total = np.asarray(sum(c * column for c, column in parts))
    digits = [decimals(column) for column in (original, *(column for _, column in parts))]
    known = [count for count in digits if count is not None]
    rounded = len(known) == len(digits) and max(known) > 0 and all(c == round(c) for c, _ in parts)
    return np.asarray(np.round(total, max(known))) if rounded else total
