"""Fitting released values into what their columns hold: bounds, decimals, whole numbers, and the limits of types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import Note
from ..types import Array, Mask
from .blocks import Records
from .frame import Frame

Bounds = str | Mapping[str, tuple[float, float]] | None
Decimals = str | Mapping[str, int] | None
FINEST = 6  # decimals that are looked for
ROUNDED = "rounded, being integer columns: {columns}"
DECIMALS = "rounded to decimals, the original's or the declared ones: {columns}"
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
        return [
            *(Note.of("rounded", wording, names) for wording, names in ((ROUNDED, whole), (DECIMALS, exact)) if names),
            *(
                Note.of("cut_at_limits", wording, [name], count=count[wording])
                for name, count in counts
                for wording in (BOUNDED, CUT)
                if count[wording]
            ),
        ]


@dataclass(frozen=True)
class BoundsAndDecimals:
    """Rules for the released values of some columns.

    names : of the columns; ends : by column the bounds, infinite or absent where there is none; places : the decimals of columns that
    are rounded.
    """

    names: Sequence[str]
    ends: Mapping[str, tuple[float, float]]
    places: Mapping[str, int]

    @classmethod
    def of(
        cls, frame: Frame, names: Sequence[str], table: Records, bounds: Bounds, decimals: Decimals
    ) -> BoundsAndDecimals:
        """Those of the last columns of the original's complete records. Integer columns are rounded later."""
        ends = dict(bounds) if isinstance(bounds, Mapping) else {}
        places = dict(decimals) if isinstance(decimals, Mapping) else {}
        for j, name in enumerate(names, table.p - len(names)):
            y = table.column(j)[:, 0]
            if bounds == "sign":
                ends[name] = 0.0 if y.min() >= 0 else -np.inf, 0.0 if y.max() <= 0 else np.inf
            if decimals == "original" and frame.kind(name) != "integer":
                digits = next((d for d in range(FINEST + 1) if (np.round(y, d) == y).all()), None)
                places |= {} if digits is None else {name: digits}
        return cls(names, ends, places)

    def applied(self, Z: Array, fits: FitNotes) -> Array:
        """Z (n, t) within the bounds and rounded."""
        new = Z.copy()
        for j, name in enumerate(self.names):
            new[:, j] = np.clip(Z[:, j], *self.ends.get(name, (-np.inf, np.inf)))
            fits.counts[name][BOUNDED] += int((new[:, j] != Z[:, j]).sum())
            if name in self.places:
                rounded = np.round(new[:, j], self.places[name])
                fits.counts[name][DECIMALS] |= bool((rounded != new[:, j]).any())
                new[:, j] = rounded
        return new


def in_column_types(
    frame: Frame, names: Sequence[str], Z: Array, rows: Mask, fits: FitNotes, *, round_integers: bool = True
) -> Array:
    """Z (k, p) of the records `rows` (n,) as the types of the columns hold it.

    Columns of integers are rounded half to even; a value beyond the limits of a type is replaced by these, unless it is the
    original's. round_integers : False where columns of integers become floats, and are not rounded.
    """
    Z = Z.copy()
    for j, name in enumerate(names):
        integer = frame.kind(name) == "integer"
        if integer and not round_integers:
            continue
        if integer and (np.rint(Z[:, j]) != Z[:, j]).any():
            Z[:, j] = np.rint(Z[:, j])
            fits.counts[name][ROUNDED] = 1
        cut = np.clip(Z[:, j], *frame.limits(name))
        if (outside := cut != Z[:, j]).any():
            outside &= Z[:, j] != frame.values(name)[rows]
            Z[outside, j] = cut[outside]
            fits.counts[name][CUT] += int(outside.sum())
    return Z
