"""IL1 and IL1s: how far the values have moved, record by record, summed."""

import math

import numpy as np

from ..errors import Note
from ..numerics.location import location
from ..types import Array
from .measure import Part, Parts, arrays_measure

OF_NOTHING = "il1: {count} changed {count:cell|cells} whose original is 0 {count:has|have} no relative change and {count:is|are} left out"
OF_CONSTANTS = "il1s: {count} changed {count:cell|cells} of attributes constant in the original {count:is|are} left out"


@arrays_measure(
    key="il1",
    title="IL1, sum of relative changes, per cent of each original value",
    reading="Sum of the changes relative to each original value, zeros left out; the smallest values weigh most.",
    kind="loss",
    identity=0.0,
    paired=True,
    source="Mateo-Sanz, Sebe and Domingo-Ferrer (2004); sdcMicro dUtility",
    upper=math.inf,
    gaps="cells",
)
def il1(X: Array, Z: Array) -> Parts:
    """IL1 = sum over all cells of 100 |x - z| / |x|: a sum, so it grows with the file.

    Parameters
    ----------
    X, Z : ndarray, shape (n, p)
        Paired by position.

    Returns
    -------
    Parts
        The sum. Parts: each attribute's sum; and the mean over the cells that count.

    Notes
    -----
    A cell whose original is 0 has no relative change. It is left out, as in sdcMicro; a note counts such cells that
    changed.

    References
    ----------
    Mateo-Sanz, Sebe and Domingo-Ferrer (2004), as sdcMicro's dUtility computes it.
    """
    known = (X != 0) & ~np.isnan(X)  # cells that have a relative change
    moved = np.where(known, 100 * np.abs(X - Z) / np.where(known, np.abs(X), 1.0), 0.0)
    changed = int(((Z != 0) & (X == 0)).sum())
    return _summed(moved, int(known.sum()), changed, OF_NOTHING)


@arrays_measure(
    key="il1s",
    title="IL1s, sum of changes in units of the standard deviation",
    reading="Sum of the changes in units of each attribute's standard deviation, over the root of 2.",
    kind="loss",
    identity=0.0,
    paired=True,
    source="Yancey, Winkler and Creecy (2002); sdcMicro dUtility",
    upper=math.inf,
    gaps="cells",
)
def il1s(X: Array, Z: Array) -> Parts:
    """IL1s = sum over all cells of |x - z| / (sqrt(2) sd(x)), sd with n - 1: a sum, so it grows with the file.

    Parameters
    ----------
    X, Z : ndarray, shape (n, p)
        Paired by position.

    Returns
    -------
    Parts
        The sum. Parts: each attribute's sum; and the mean over the cells that count.

    Notes
    -----
    Cells of an attribute that is constant in the original have no unit: they are left out, and a note counts those
    that changed.

    References
    ----------
    Yancey, Winkler and Creecy (2002); sdcMicro's dUtility.
    """
    sd = location(X).sd
    observed = ~np.isnan(X)
    known = observed & (sd > 0)  # cells that have a unit
    moved = np.where(known, np.abs(X - Z) / np.where(sd > 0, math.sqrt(2) * sd, 1.0), 0.0)
    changed = int(((X != Z) & observed & ~known).sum())
    return _summed(moved, int(known.sum()), changed, OF_CONSTANTS)


def _summed(moved: Array, cells: int, left_out: int, wording: str) -> Parts:
    """The sum of changes (n, p), its parts and its note.

    cells : number of cells that count; left_out : changed cells that do not; wording : of the note on these.
    """
    total = float(moved.sum())
    parts = [Part("mean over cells", total / max(cells, 1))]
    parts += [Part("sum", float(column), attribute=j) for j, column in enumerate(moved.sum(axis=0))]
    notes = (Note.of("left_out", wording, count=left_out),) if left_out else ()
    return Parts(total, tuple(parts), notes=notes)
