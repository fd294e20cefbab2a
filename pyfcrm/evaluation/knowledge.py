"""What an intruder who knows the method has: its attacks, and the columns of the release that leave as they came."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data import Frame, numeric_names
from ..data.load import load
from ..data.pairs import Knowledge, TwoFiles
from ..data.records import Records
from ..measures import informed
from ..methods import Method
from ..types import Array

OWNER = "evaluate, method"


def knowledge(
    before: Frame, after: Frame, both: TwoFiles, method: Method | None, known: Sequence[str] | None
) -> Knowledge | None:
    """Of the method that made a release, None where it is not told, or records do not pair.

    known : the columns that the method kept, None for all numeric ones that are equal in both files and not judged. A
    missing value counts as its column's mean. Raises InvalidInput or InvalidParameter where they do not suit the method.
    """
    if method is None or both.rows is None:
        return None
    if both.pair.n > informed.MOST_RECORDS:
        return Knowledge((), Records(np.empty((both.pair.n, 0))))
    wanted = _equal(before, after, both) if known is None else [name for name in known if name in after.names]
    X = _complete(after, both, wanted)
    return Knowledge(method.bound(wanted, both.columns).attacks, Records(X))


def _equal(before: Frame, after: Frame, both: TwoFiles) -> list[str]:
    """The numeric columns, not judged, that are equal in both files."""
    assert both.rows is not None
    there = {*numeric_names(after)} - {*both.columns}
    found = [name for name in numeric_names(before) if name in there]
    if not found:
        return []
    old, new = (
        load(OWNER, frame, found).taken(rows).read(slice(0, both.pair.n))
        for frame, rows in zip((before, after), both.rows, strict=True)
    )
    return [name for name, a, b in zip(found, old.T, new.T, strict=True) if np.array_equal(a, b, equal_nan=True)]


def _complete(after: Frame, both: TwoFiles, wanted: Sequence[str]) -> Array:
    """(n, s) these columns of the release, with means for missing values, without those that have none."""
    assert both.rows is not None
    if not wanted:
        return np.empty((both.pair.n, 0))
    X = load(OWNER, after, wanted).taken(both.rows[1]).read(slice(0, both.pair.n))
    X = X[:, ~np.isnan(X).all(axis=0)]
    gaps = np.isnan(X)
    return np.where(gaps, np.nanmean(X, axis=0), X) if gaps.any() else X
