"""Numbers for numbers: the complete records of a frame or a file, what a method makes of them, and the release, all at once
or some records at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from ..constraints import constraint_enforcer
from ..data import Frame
from ..data.blocks import Sample, pieces, require_room
from ..data.load import complete_rows, load_complete
from ..data.preserved_totals import PreservedTotals
from ..data.records import Grouped, Records
from ..data.strata import NoteSummary, Strata
from ..engine import Local, one_blas_thread
from ..engine.threads import Watched
from ..errors import InvalidInput, Note
from ..methods import Method
from ..methods.method import SummedMethod, finite, protected
from ..progress import ProgressTracker, Reporter, report_progress, within
from ..types import Array
from .answers import Answers, promised
from .release import Put, release_blocks
from .request import ProtectRequest
from .strata import strata_of, unseeded
from .unprotected import UnprotectedCounter, refuse_small_strata


def protect_numbers(asked: ProtectRequest, door: Frame, put: Put, notes: list[Note], folder: str | None = None) -> None:
    """Protect the complete records, and hand over the released ones, in blocks where the frame is read so.

    notes : told what had to be done; folder : where there is room for 8 bytes a value, and as much again by strata, of a
    frame that is read by blocks. Raises InvalidInput or InvalidParameter.
    """
    asked.limits.require(door, asked.roles)
    loaded = load_complete(
        "protect", door, asked.columns, asked.missing, also=asked.named, folder=folder, progress=asked.progress
    )
    try:
        notes += loaded.notes(asked.columns)
        strata = strata_of(asked, door, asked.columns)
        roles = asked.roles
        if strata is not None and not asked.allow_unprotected:
            refuse_small_strata(strata, len({*roles.independent} - {*asked.strata}))
        keep = constraint_enforcer(
            asked.limits, door, roles.dependent, roles.independent, asked.columns, asked.progress
        )
        answers = None
        if asked.answers:
            answers = Answers.of(asked.answers, door, roles, complete_rows(door, asked.columns))
            notes += promised(asked.answers, asked.method, roles)
        totals = _totals(asked, loaded.table, strata, answers)
        unprotected = UnprotectedCounter(loaded.table, len(roles.independent), roles.dependent)
        # With another number of threads sums come in another order, and one seed must give one file.
        with one_blas_thread():
            if strata is None:
                values = _whole(asked, loaded.table, notes, folder, answers)
            else:
                values = _by_strata(asked, loaded.table, strata, notes, folder, answers=answers)
            release_blocks(
                asked, door, values, keep, put, notes, totals=totals, unprotected=unprotected, answers=answers
            )
    finally:
        loaded.table.close()


def _totals(asked: ProtectRequest, table: Records, strata: Strata | None, answers: Answers | None) -> PreservedTotals:
    """The totals that are watched: of the levels that are to be preserved too."""
    roles, rows = asked.roles, None if strata is None else strata.rows
    if answers is None:
        return PreservedTotals(table, roles.dependent, roles.independent, rows)
    D, labels = answers.indicators()
    A = table.read(slice(0, table.n))[:, : len(roles.independent)]
    return PreservedTotals(Records(np.hstack([A, D])), roles.dependent, roles.independent, rows, levels=labels)


def _whole(
    asked: ProtectRequest, table: Records, notes: list[Note], folder: str | None, answers: Answers | None
) -> Iterator[Array]:
    """The release (b, t) of all records, in blocks. Adds to the notes."""
    roles, s = asked.roles, len(asked.roles.independent)
    bound = asked.method.bound(roles.independent, roles.dependent)
    report_progress(asked.progress, 0, 1, str(asked.method))

    def note(text: Note) -> None:
        notes.append(named(text, roles.dependent))

    if answers is not None:
        bound = answers.kept_by(bound, table.read(slice(0, table.n))[:, :s], len(roles.dependent), note)
    yield from released_values(asked, bound, table, s, note, folder)


def _by_strata(
    asked: ProtectRequest,
    table: Records,
    strata: Strata,
    notes: list[Note],
    folder: str | None,
    *,
    answers: Answers | None,
) -> Iterator[Array]:
    """The same, each stratum protected by itself."""
    if table.on_disk:
        require_room("protect", strata, table.p)
    rows = Grouped(table, strata.rows, folder)
    table.close()
    notes += run_strata(asked, strata, rows.read, rows.write, answers)
    return rows.in_order(len(asked.roles.dependent))


def released_values(
    asked: ProtectRequest, bound: Method, table: Records, s: int, note: Reporter, folder: str | None = None
) -> Iterator[Array]:
    """A bound method's release (b, t) of a table's columns from s on, given those before, in blocks one after another.

    note : told with columns by position. Raises InvalidInput where it is not finite.
    """
    engine, passes = asked.engine, bound.passes(table.p - s)
    tracker = ProgressTracker(str(bound), 0, passes or 1, note, asked.progress)
    if passes:
        engine = Watched(engine, tracker, passes)
    if bound.by_blocks:
        sample = Sample(engine, pieces(table, engine), table, s, table.p - s, folder)
        made = cast(SummedMethod, bound).fit(sample, asked.stream, note)
        yield from made.blocks(pieces(table, Local()))
        return
    A = table.read(slice(0, table.n))
    X, Y = A[:, :s].copy(), A[:, s:].copy()
    Z = protected(bound, X, Y, asked.stream, note if passes else tracker, engine)
    yield finite(Z, Y.shape)


def run_strata(
    asked: ProtectRequest,
    strata: Strata,
    read: Callable[[int], Array],
    write: Callable[[int, Array], None],
    answers: Answers | None = None,
) -> list[Note]:
    """Protect stratum by stratum, in their order; the notes.

    read : stratum k's records (b, s + t), the independent columns and then the dependent ones; write : takes its
    release (b, t). A column with one value in a stratum (two records or more) has no part in it: an independent one
    explains nothing there, a dependent one leaves as it is, with a note. Raises InvalidInput that tells the stratum.
    """
    roles, heard = asked.roles, NoteSummary(len(strata))
    # What is wrong in every stratum is not the first one's fault.
    asked.method.bound(roles.independent, roles.dependent)
    with unseeded(asked.stream):
        for k in range(len(strata)):
            report_progress(asked.progress, k, len(strata), f"stratum {k + 1}")
            with strata.naming("protect", k):
                here = replace(asked, progress=within(asked.progress, k, len(strata), f"stratum {k + 1}"))
                given = None if answers is None else answers.taken(strata.rows[k])
                write(k, _one(here, strata.columns, read(k), partial(heard.note, k), given))
    report_progress(asked.progress, len(strata), len(strata), "done")
    return [strata.said("protected"), *heard.texts()]


def _one(asked: ProtectRequest, by: Sequence[str], A: Array, note: Reporter, answers: Answers | None) -> Array:
    """The release (b, t) of a stratum's records A (b, s + t). by : the columns that make strata."""
    roles, s = asked.roles, len(asked.roles.independent)
    varies = np.any(A[:1] != A, axis=0) if len(A) > 1 else np.ones(A.shape[1], dtype=bool)
    independent = [name for name, part in zip(roles.independent, varies[:s], strict=True) if part]
    dependent = [name for name, part in zip(roles.dependent, varies[s:], strict=True) if part]
    for name, part in zip(asked.columns, varies, strict=True):
        if not part and name not in by:
            what = "leaves as it is" if name in roles.dependent else "explains nothing"
            note(Note.of("constant", f"column `{{columns}}` has one value only there, and {what}", [name]))
    Z = A[:, s:].copy()
    if dependent:
        bound, part = _bound(asked.method, independent, dependent), Records(A[:, varies])

        def said(text: Note) -> None:
            note(named(text, dependent))

        if answers is not None:
            bound = answers.kept_by(bound, part.A[:, : len(independent)], len(dependent), said)
        Z[:, varies[s:]] = np.vstack(list(released_values(asked, bound, part, len(independent), said)))
    return Z


def _bound(method: Method, independent: list[str], dependent: list[str]) -> Method:
    try:
        return method.bound(independent, dependent)
    except InvalidInput as error:  # it names a column that has no part in this stratum
        raise InvalidInput(str(method), "names a column that has one value only in this stratum") from error


def named(note: Note, dependent: Sequence[str]) -> Note:
    """A method's note with attributes called by name: it sees arrays, and knows them by position."""
    return Note.taken(note).named(dependent)
