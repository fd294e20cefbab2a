"""Fitting values into the types of their columns: integers stay integers, and nothing overflows."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ..errors import Note
from ..types import Array, Mask
from .frame import Frame

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


def rounded(frame: Frame, names: Sequence[str], Z: Array, fits: FitNotes) -> Array:
    """Z (n, p) with the columns of integer type rounded half to even."""
    Z = Z.copy()
    for j, name in enumerate(names):
        if frame.kind(name) == "integer" and (np.rint(Z[:, j]) != Z[:, j]).any():
            Z[:, j] = np.rint(Z[:, j])
            fits.counts[name][ROUNDED] = 1
    return Z


def cut_at_limits(
    frame: Frame, limited: Sequence[str], names: Sequence[str], Z: Array, rows: Mask, fits: FitNotes
) -> Array:
    """Z (k, p) of the records `rows` (n,), values that the type of a `limited` column cannot hold replaced by its limits.

    An original value is not cut.
    """
    Z = Z.copy()
    for j, name in enumerate(names):
        if name in limited and (outside := outside_type(frame, name, Z[:, j], rows)).any():
            Z[outside, j] = np.clip(Z[outside, j], *frame.limits(name))
            fits.counts[name][CUT] += int(outside.sum())
    return Z


def outside_type(frame: Frame, name: str, z: Array, rows: Mask) -> Mask:
    """(k,) where the column's type cannot hold z (k,), unless it is the original value; rows (n,) : its k records."""
    low, high = frame.limits(name)
    outside: Mask = (z < low) | (z > high)
    return outside & (z != frame.values(name)[rows]) if outside.any() else outside
