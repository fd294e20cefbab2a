"""The records of a file that are audited."""

from __future__ import annotations

import numpy as np

from ..rstream import RStream
from ..types import Codes, Integers, Mask, Rows

SAMPLE = 5000  # records at most, or units: a random sample of a larger file


def one_of_each(units: Codes, complete: Mask) -> Mask:
    """(n,) one record of each unit: the first that is complete, else the first."""
    order, first = np.lexsort((~complete, units)), np.zeros(len(units), dtype=bool)
    first[order[np.flatnonzero(np.diff(units[order], prepend=-2))]] = True
    return first


def sampled_records(protected: Mask, codes: Integers, units: Codes | None, stream: RStream) -> Rows:
    """The protected records, or those of a sample of them, or of their units, where they are many.

    codes (n,) : of the strata. Draws: a uniform for each, or none.
    """
    if units is None:
        return _sample(np.flatnonzero(protected), codes, stream)
    rows = _sample(np.flatnonzero(protected & one_of_each(units, protected)), codes, stream)
    return np.flatnonzero(protected & np.isin(units, units[rows]))


def _sample(rows: Rows, codes: Integers, stream: RStream) -> Rows:
    """At most SAMPLE of the rows, ascending, at random and in proportion to strata. Draws: a uniform a row, or none."""
    if len(rows) <= SAMPLE:
        return rows
    order = np.lexsort((stream.runif(len(rows)), codes[rows]))
    return np.sort(rows[order[np.arange(SAMPLE) * len(rows) // SAMPLE]])
