"""Fitting released values into what their variables may have, and what the types of their columns hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from ..errors import Note
from ..types import Array, Mask
from .frame import Frame

HALF = 0.5  # a value that is nearer to its code was only rounded
ROUNDED = "rounded, being integer columns: {columns}"
DECIMALS = "rounded to decimals, the original's or the declared ones: {columns}"
DATES = "rounded to dates or times in the step of the column: {columns}"
RECODED = "{count} {count:value|values} of {columns} {count:was|were} no value of the variable and {count:is|are} at the nearest code"
BOUNDED = "{count} {count:value|values} of {columns} {count:was|were} outside of the bounds and {count:is|are} at {count:its|their} limit"
CUT = "{count} {count:value|values} of {columns} did not fit its type and {count:was|were} cut at its limits"


class FitNotes:
    """Counts of what fitting changed, over blocks of records. names : the columns in order."""

    def __init__(self, names: Iterable[str]) -> None:
        self.counts = {name: Counter[str]() for name in names}

    def notes(self) -> list[Note]:
        """One note on rounded columns; then one for each column with values that were cut."""
        counts = self.counts.items()
        whole = [name for name, count in counts if count[ROUNDED]]
        exact = [name for name, count in counts if count[DECIMALS] and not count[ROUNDED]]
        dates = [name for name, count in counts if count[DATES]]
        rounded = ((ROUNDED, whole), (DECIMALS, exact), (DATES, dates))
        recoded = [name for name, count in counts if count[RECODED]]
        codes = sum(count[RECODED] for _, count in counts)
        return [
            *(Note.of("rounded", wording, names) for wording, names in rounded if names),
            *([Note.of("cut_at_limits", RECODED, recoded, count=codes)] if recoded else []),
            *(
                Note.of("cut_at_limits", wording, [name], count=count[wording])
                for name, count in counts
                for wording in (BOUNDED, CUT)
                if count[wording]
            ),
        ]


def permitted_values(
    frame: Frame, names: Sequence[str], Z: Array, fits: FitNotes, constrained: Collection[str] = ()
) -> Array:
    """The nearest values to Z (n, t) that the variables of an encoded frame may have.

    constrained : columns of constraints; of these, whole numbers are rounded when the constraints are kept, and none become
    multiples, as sums of them would no longer hold.
    """
    new = Z.copy()
    for j, name in enumerate(names):
        encoding = frame.encoding(name)
        if encoding is None:
            continue
        low, high = encoding.domain.ends
        is_rounded_later = name in constrained and frame.kind(name) == "integer" and encoding.kind != "codes"
        if is_rounded_later:
            new[:, j] = np.clip(Z[:, j], low, high)
        elif name in constrained:
            new[:, j] = encoding.nearest(Z[:, j])
        else:
            new[:, j] = encoding.on_grid(Z[:, j])
        count = fits.counts[name]
        moved = new[:, j] != Z[:, j]
        outside = (Z[:, j] < low) | (Z[:, j] > high)
        if encoding.kind in ("date", "time", "duration"):
            count[DATES] |= bool(moved.any())
        elif encoding.kind == "codes":
            count[RECODED] += int((np.abs(new[:, j] - Z[:, j]) > HALF).sum())
            count[ROUNDED] |= bool(moved.any())
        else:
            count[BOUNDED] += int(outside.sum())
            is_rounded = bool((moved & ~outside).any())
            count[ROUNDED if frame.kind(name) == "integer" else DECIMALS] |= is_rounded
    return new


def in_column_types(frame: Frame, names: Sequence[str], Z: Array, rows: Mask, fits: FitNotes) -> Array:
    """Z (k, p) of the records `rows` (n,) as the types of the columns hold it.

    Columns of integers are rounded half to even; a value beyond the limits of a type is replaced by these, unless it is the
    original's.
    """
    Z = Z.copy()
    for j, name in enumerate(names):
        integer = frame.kind(name) == "integer"
        if integer and (np.rint(Z[:, j]) != Z[:, j]).any():
            Z[:, j] = np.rint(Z[:, j])
            fits.counts[name][ROUNDED] = 1
        cut = np.clip(Z[:, j], *frame.limits(name))
        if (outside := cut != Z[:, j]).any():
            outside &= Z[:, j] != frame.values(name)[rows]
            Z[outside, j] = cut[outside]
            fits.counts[name][CUT] += int(outside.sum())
    return Z
