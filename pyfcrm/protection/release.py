"""Writes the release of a frame or file in blocks of records: constraints, rounding and limits of types, with their notes."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, NamedTuple, cast

import numpy as np

from ..constraints import ConstraintEnforcer
from ..constraints.strict import decimals_of_release
from ..data import Frame, checked, is_numeric, open_frame
from ..data.check import complete_records, require_exact
from ..data.fitting import FitNotes, in_column_types, permitted_values
from ..data.preserved_totals import PreservedTotals, totals_note
from ..data.roles import Roles
from ..errors import Note, refusing
from ..files import write_table
from ..files.atomic import Pending
from ..files.parquet import ParquetWriter, to_frame
from ..files.paths import PARQUET, extension
from ..progress import report_progress
from ..types import Array, Mask
from .preserve import PreservedSums
from .request import ProtectRequest
from .unprotected import UnprotectedCounter

UNTOUCHED = "columns that are not numbers are released unchanged: {columns}"


class ReleaseRules:
    """What released values keep: what the variables may have, constraints, and the limits of types, in this order.

    names : the columns with released values; fixed : others of constraints; complete : columns without a gap in these records;
    original : whether the frame has the original's values.
    """

    def __init__(
        self,
        request: ProtectRequest,
        frame: Frame,
        names: Sequence[str],
        *,
        fixed: Sequence[str],
        complete: Sequence[str],
        original: bool = True,
    ) -> None:
        self.names = names
        self.fits = FitNotes(names)
        self.enforcer: ConstraintEnforcer | None = None
        if request.constraints:
            self.enforcer = ConstraintEnforcer(
                request.constraints,
                frame,
                names,
                fixed,
                complete,
                progress=request.progress,
                missing=request.missing,
                original=original,
                digits={name: decimals_of_release(frame, name) for name in names},
            )

    def applied(self, part: Frame, Z: Array, rows: Mask) -> Array:
        """The values Z (k, p) of the k records `rows` (n,) of a part of the frame, as the rules allow them."""
        constrained = () if self.enforcer is None else self.enforcer.columns
        Z = permitted_values(part, self.names, Z, self.fits, constrained)
        if self.enforcer is not None:
            Z = self.enforcer.kept(part, Z, rows)
        return in_column_types(part, self.names, Z, rows, self.fits)

    def notes(self) -> list[Note]:
        """What the rules changed, after the last block."""
        return [*(() if self.enforcer is None else self.enforcer.notes()), *self.fits.notes()]


class Checks(NamedTuple):
    """What is counted in released values: preserved totals, unprotected records, and sums preserved by group, if any."""

    totals: PreservedTotals
    unprotected: UnprotectedCounter
    sums: PreservedSums | None


def released_blocks(
    request: ProtectRequest,
    frame: Frame,
    values: Iterator[Array],
    *,
    rules: ReleaseRules,
    checks: Checks,
    notes: list[Note],
) -> Iterator[Any]:
    """The records with the protected values, in the blocks of the frame.

    values : (b, t) in blocks of any length, of the complete records in order; the others are omitted. Identifiers are
    dropped, other columns pass through, types stay. notes : on rounding, limits, unprotected records, and totals that
    disclose a contribution before constraints and rounding. Raises InvalidInput where these are refused.
    """
    names, done, (totals, unprotected, sums) = request.roles.dependent, 0, checks
    released, row_type = chain.from_iterable(values), np.dtype((np.float64, (len(names),)))
    for part in frame.parts():
        A = part.matrix(request.columns)
        rows: Mask = np.logical_not(np.isnan(A).any(axis=1))
        X, Y = np.split(A[rows], [len(request.roles.independent)], axis=1)
        Z: Array = np.fromiter(islice(released, len(Y)), cast(Any, row_type), len(Y))
        without = [name in request.categories or not _has_totals(part, name) for name in names]
        counted = np.where(without, np.nan, Z)  # levels and dates have no totals
        totals.add(X if sums is None else np.hstack([X, sums.indicators(len(X))[0]]), Y, counted)
        Z = rules.applied(part, Z, rows)
        if sums is not None:  # all records are one block then
            keeps = request.facts.keeps
            notes.append(sums.deviations(X, Y, Z, keeps=keeps, by_strata=bool(request.strata)))
        unprotected.add(part.observed(names)[rows], Z)
        yield released_frame(request, part, names, Z, rows)
        done += part.records
        if frame.source is not None:
            report_progress(request.progress, done, frame.records, "writing")
    notes += totals_note(totals.checked()[1], request.options.strict_totals)
    notes += [*totals.notes(), *rules.notes()]
    notes += unprotected.notes(allowed=request.options.allow_unprotected)


def _has_totals(frame: Frame, name: str) -> bool:
    """Whether sums of a column mean anything."""
    encoding = frame.encoding(name)
    return encoding is None or encoding.has_totals


def complete_values(
    frame: Frame, names: Sequence[str], missing: str, notes: list[Note], also: Sequence[str] = ()
) -> tuple[Array, Mask]:
    """Numeric columns (k, p) of the complete records, and which these are (n,); the others are noted, or refused.

    also : further columns that must exist.
    """
    A = checked("protect", frame, names, also)
    require_exact("protect", frame, names, A)
    rows, left_out = complete_records("protect", np.isnan(A), frame.stored(names), missing)
    notes += left_out
    return A[rows], rows


def released_frame(request: ProtectRequest, frame: Frame, names: Sequence[str], Z: Array, rows: Mask) -> Any:
    """The release of the k records `rows` (n,) of a frame: with values Z (k, p) in columns `names`, and without identifiers."""
    whole = np.full((len(rows), len(names)), np.nan)
    whole[rows] = Z
    columns = dict(zip(names, whole.T, strict=True))
    for name in columns.keys() & frame.gaps.keys():
        columns[name][frame.gaps[name]] = np.nan
    released = frame.replaced(columns, rows, request.roles.identifiers)
    return released if rows.all() else open_frame("protect", released).taken(np.flatnonzero(rows))


@contextmanager
def file_sink(frame: Frame, roles: Roles, pending: Pending, disarm: bool) -> Iterator[Callable[[Any], None]]:
    """Writes the release of `frame`, or one block after the other, to a file. disarm : see Destination."""
    table = frame.table
    with refusing(pending.name):
        if table is not None:
            replaced = (*roles.dependent, *roles.ids)
            yield lambda released: write_table(released, pending, table, replaced, disarm=disarm)
        elif extension(pending.name) not in PARQUET:
            yield lambda released: write_table(to_frame(released), pending, disarm=disarm)
        else:
            with ParquetWriter(pending.temporary) as writer:
                yield writer.write


def untouched_text_columns(request: ProtectRequest, frame: Frame) -> list[Note]:
    """The note on columns that are not numeric and have no role: they are released unchanged."""
    roles = request.roles
    with_role = {*roles.independent, *roles.dependent, *roles.identifiers, *roles.ids}
    others = [name for name in frame.names if name not in with_role and not is_numeric(frame, name)]
    return [Note.of("left_as_is", UNTOUCHED, others)] if others and not request.method.makes_new_file() else []
