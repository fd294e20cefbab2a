"""Records that a release leaves with every confidential value unchanged: counted by blocks, refused where they are many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.records import Records
from ..data.strata import Strata
from ..engine import row_blocks
from ..errors import Count, InvalidInput, Note
from ..numerics.location import Spread
from ..types import Array

TOLERANCE = 1e-3  # standard deviations of the original column, within which a value is unchanged
POINT_MASS = (10, 0.02)  # records, and share of the records, that share a value
MAX_SHARE = 0.05  # of the records
MIN_STRATUM = 15  # records
KEPT = "{count:,} of {total:,} records {count:keeps|keep} every confidential value"
TOO_MANY = (
    "a release must change a confidential value of at least 95 % of the records, point masses aside (choose another method, "
    "stronger parameters, or allow_unprotected=True)"
)
TOO_SMALL = (
    "each stratum must have at least {fewest} records, max(15, 3 (s + 1)) with s independent columns (merge or omit small "
    "strata, or give allow_unprotected=True)"
)


class UnprotectedCounter:
    """Counts records whose observed confidential cells are all unchanged, a block after the other.

    table : the records, whose columns from s on are the confidential ones, called `names`. records : how many; rare : how
    many of these have a cell that is no point mass; total : the records released.
    """

    def __init__(self, table: Records, s: int, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._sd, self._masses = _spread(table, s).sd, _point_masses(table, s)
        self.records = self.rare = self.total = 0

    def add(self, Y: Array, Z: Array) -> None:
        """The next records: original and released values, (b, t), NaN for missing."""
        there = ~np.isnan(Y)
        same = there & (np.abs(Z - Y) <= TOLERANCE * self._sd)
        kept = np.flatnonzero((same == there).all(axis=1) & there.any(axis=1))
        masses = zip(Y[kept].T, self._masses, strict=True)
        common = np.column_stack([np.isin(y, values) for y, values in masses]) | ~there[kept]
        self.records += len(kept)
        self.rare += int((~common.all(axis=1)).sum())
        self.total += len(Y)

    def refuse(self) -> None:
        """Raises InvalidInput where more than 5 per cent of the records are unchanged and rare."""
        if self.rare > MAX_SHARE * self.total:
            value = f"{self.rare:,} of {self.total:,} records with all values unchanged"
            raise InvalidInput("protect", TOO_MANY, value)

    def notes(self) -> list[Note]:
        """The warning, where there are such records."""
        note = Note.of("unprotected", KEPT, self.names, count=self.records, total=self.total)
        return [note] if self.records else []


def refuse_small_strata(strata: Strata, s: int) -> None:
    """Raises InvalidInput where a stratum has too few records for s independent columns."""
    fewest, sizes = max(MIN_STRATUM, 3 * (s + 1)), [len(rows) for rows in strata.rows]
    small = Count(sum(size < fewest for size in sizes))
    if small:
        value = f"{small} of {len(sizes)} strata with fewer, the smallest {min(sizes)}"
        raise InvalidInput("protect", TOO_SMALL.format(fewest=fewest), value)


def _spread(table: Records, s: int) -> Spread:
    """Of the columns from s on, in one pass."""
    centre = table.read(slice(0, 1))[0, s:]
    spread = Spread(0, np.zeros(len(centre)), np.zeros(len(centre)))
    for where in row_blocks(table.n):
        spread += Spread.of(table.read(where)[:, s:], centre)
    return spread


def _point_masses(table: Records, s: int) -> list[Array]:
    """By column from s on, the values that many records share. Such a value is as frequent in at least one block."""
    blocks = row_blocks(table.n)
    fewest = max(POINT_MASS[0], POINT_MASS[1] * table.n)
    candidates = [np.empty(0) for _ in range(s, table.p)]
    for where in blocks:
        A = table.read(where)
        for j, some in enumerate(candidates):
            values, counts = np.unique(A[:, s + j], return_counts=True)
            candidates[j] = np.union1d(some, values[counts * table.n >= fewest * len(A)])
    totals = [np.zeros(len(some), dtype=np.int64) for some in candidates]
    for where in blocks:
        A = table.read(where)
        for j, some in enumerate(candidates):
            values, counts = np.unique(A[:, s + j], return_counts=True)
            _, ours, found = np.intersect1d(some, values, assume_unique=True, return_indices=True)
            totals[j][ours] += counts[found]
    return [some[total >= fewest] for some, total in zip(candidates, totals, strict=True)]
