"""Whether two files that pair by position seem to hold the same records in another order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..errors import Note
from ..types import Codes
from .column_facts import MOST_UNIQUE, crossed, unique_records
from .frame import Frame
from .open import is_numeric
from .pairs import unchanged_columns

LOOKED_AT, MOST = 4, 200_000  # columns that are crossed, those with the most values; records, above which none is
TURNED = (
    "the release seems to stand in another order than the original: {columns} hold the same values together, in other "
    "records. Records pair by position here, so linkage, interval disclosure and what leaves as it came mean nothing: "
    "give both files in one order"
)


def turned_note(before: Frame, after: Frame) -> list[Note]:
    """What to say of two files in different orders; none where nothing points to it."""
    return [Note.of("unreliable", TURNED, found)] if (found := turned_columns(before, after)) else []


def turned_columns(before: Frame, after: Frame) -> tuple[str, ...]:
    """Columns whose values stand together alike in both files, though in no column each record has its own.

    Looked for in memory, where position pairs the records. Columns that a method permutes one by one do not have this;
    columns that are another one in other values, and such as tell hardly any record from others, show nothing.
    """
    whole = before.source is None and after.source is None and before.records == after.records
    if not whole or before.records > MOST or before.index() is not None or after.index() is not None:
        return ()
    names = [name for name in before.names if name in after.names]
    if any(unchanged_columns(before, after, [name]) for name in names):
        return ()
    n, found = before.records, dict[str, Codes]()
    for name in names:
        codes = _in_both(before, after, name)
        if codes is not None and _alike(codes, n):
            found[name] = codes
    most = sorted(found, key=lambda name: -int(found[name].max(initial=0)))
    every = [name for name in most if found[name].max(initial=0) + 1 == n]  # two such columns say no more than one
    looked = [name for name in most if name not in every[1:]][:LOOKED_AT]
    return _together(looked, found, n)


def _together(names: Sequence[str], found: Mapping[str, Codes], n: int) -> tuple[str, ...]:
    """The columns whose values stand beside the first one's in both files alike; none where that tells hardly a record."""
    best: tuple[str, ...] = ()
    for k, name in enumerate(names):
        joined, codes = [name], found[name]
        for other in names[k + 1 :]:
            both = crossed(codes, found[other])
            # The same: the other one by another name.
            same = len({len(np.unique(one)) for one in (codes, found[other], both)}) == 1
            if not same and _alike(both, n):
                joined, codes = [*joined, other], both
        if len(joined) > max(1, len(best)) and unique_records(codes[:n]) > MOST_UNIQUE * n:
            best = tuple(joined)
    return best


def _in_both(before: Frame, after: Frame, name: str) -> Codes | None:
    """A column's codes (2 n,), equal where values are, original first; None where it cannot be compared."""
    import pandas as pd

    numeric = is_numeric(before, name)
    if numeric != is_numeric(after, name):
        return None
    parts = [door.values(name) if numeric else door.cells(name) for door in (before, after)]
    try:
        return np.asarray(pd.factorize(np.concatenate(parts))[0], dtype=np.int64)
    except (TypeError, ValueError):  # cells that are arrays
        return None


def _alike(codes: Codes, n: int) -> bool:
    """Whether the first n codes and the others are the same, in whatever order."""
    return bool((np.sort(codes[:n]) == np.sort(codes[n:])).all())
