"""The release of a frame or file, some records at a time: constraints kept, whole numbers in integer columns, nothing beyond
the columns' types; and what is said of that, once for all records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from ..constraints import ConstraintEnforcer
from ..data import Frame, is_numeric, open_frame, rounded, within_types
from ..data.blocks import Rebatched
from ..data.preserved_totals import PreservedTotals, totals_note
from ..data.roles import Roles
from ..data.source import read_blocks
from ..errors import Note
from ..progress import report_progress
from ..types import Array, Mask
from .answers import Answers
from .request import ProtectRequest
from .unprotected import UnprotectedCounter

Put = Callable[[Any], None]
"""Takes released records: all of them, or those of one block after the other."""
UNTOUCHED = "columns that are not numbers pass through untouched: {columns}"
KINDS = ("rounded", "cut_at_limits", "inexact")  # of notes of blocks, in the order in which they are told


def release_blocks(
    asked: ProtectRequest,
    door: Frame,
    values: Iterator[Array],
    keep: ConstraintEnforcer,
    put: Put,
    notes: list[Note],
    *,
    totals: PreservedTotals,
    unprotected: UnprotectedCounter,
    answers: Answers | None = None,
) -> None:
    """Hand over the records with the protected values put in.

    values : (b, t) in blocks of any length, of the complete records in order; the others are left out. Identifiers are
    dropped, other columns pass through, types stay. notes : told what was rounded or cut, how many records are
    unprotected, and which totals, before constraints and rounding, give a contribution away: InvalidInput where that is
    refused.
    """
    first = list(islice(values, 1))  # the work is done before records are read again
    names, flow = asked.roles.dependent, Rebatched(chain(first, values), len(asked.roles.dependent))
    said, done = NoteTotals(names), 0
    for part in read_blocks("protect", door):
        A = part.matrix(asked.columns)
        rows: Mask = np.logical_not(np.isnan(A).any(axis=1))
        X, Y = np.split(A[rows], [len(asked.roles.independent)], axis=1)
        Z = flow.take(len(Y))
        totals.add(X if answers is None else np.hstack([X, answers.indicators()[0]]), Y, Z)
        Z = fitted(asked, part, names, Z, rows, keep=keep, said=said)
        if answers is not None:  # all records are one block then
            notes.append(answers.measured(X, Y, Z, asked.method))
        unprotected.add(part.observed(names)[rows], Z)
        frame = part.replaced(spread(names, Z, rows), rows, asked.roles.identifiers, floats=not asked.round_integers)
        put(frame if rows.all() else open_frame("protect", frame).reshaped({}, {}, np.flatnonzero(rows)))
        done += part.records
        if door.source is not None:
            report_progress(asked.progress, done, door.records, "writing")
    if door.source is None:
        report_progress(asked.progress, 1, 1, "done")
    notes += [*totals_note(totals.checked().unsafe, asked.strict_totals), *keep.notes(), *said.notes()]
    counts = unprotected.result()
    if not asked.allow_unprotected:
        counts.refuse()
    notes += counts.notes()


def fitted(
    asked: ProtectRequest,
    part: Frame,
    names: Sequence[str],
    Z: Array,
    rows: Mask,
    *,
    keep: ConstraintEnforcer,
    said: NoteTotals,
) -> Array:
    """The values Z (k, p) of columns `names`, in the k records `rows` (n,), as they can stand there."""
    heard: list[Note] = []
    Z = keep.kept(part, Z, rows, heard)
    Z = rounded(part, names, Z, heard) if asked.round_integers else Z
    Z = within_types(part, names, Z, rows, heard, floats=not asked.round_integers)
    said.hear(heard)
    return Z


def spread(names: Sequence[str], Z: Array, rows: Mask) -> dict[str, Array]:
    """The columns of Z (k, p) by name, at the places of the k records `rows` among all (n,); NaN elsewhere."""
    whole = np.full((len(rows), len(names)), np.nan)
    whole[rows] = Z
    return {name: whole[:, j] for j, name in enumerate(names)}


class NoteTotals:
    """Notes of many blocks as those of one file: of a kind and wording one, or one a column where they count.

    names : the columns in their order.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._place: dict[str | int, int] = {name: j for j, name in enumerate(names)}
        self._heard = dict[tuple[str, str, tuple[Any, ...]], Note]()

    def hear(self, notes: Iterable[Note]) -> None:
        """The notes of one block, each of the columns of this file."""
        for note in notes:
            key = (note.kind, note.wording, () if note.count is None else note.columns)
            self._heard[key] = self._heard[key].plus(note) if key in self._heard else note

    def notes(self) -> list[Note]:
        """The totals, by kind, then by column."""
        by_column = (note.about(sorted(note.columns, key=self._place.__getitem__)) for note in self._heard.values())
        return sorted(by_column, key=lambda note: (KINDS.index(note.kind), self._place[note.columns[0]]))


def untouched_text_columns(door: Frame, roles: Roles) -> list[Note]:
    """What is said of the columns that are no numbers and have no role: they leave as they came."""
    given = {*roles.independent, *roles.dependent, *roles.identifiers}
    others = [name for name in door.names if name not in given and not is_numeric(door, name)]
    return [Note.of("left_as_is", UNTOUCHED, others)] if others else []
