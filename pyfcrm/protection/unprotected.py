"""Records that a release leaves with every confidential value unchanged: counted by blocks, refused where they are many."""

from collections.abc import Sequence

import numpy as np

from ..data.blocks import Records
from ..data.strata import Strata
from ..errors import Count, InvalidInput, Note
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
        self._sd, self._masses = np.empty(len(names)), list[Array]()
        for j in range(len(names)):
            y = table.column(s + j)[:, 0]
            values, counts = np.unique(y, return_counts=True)
            self._sd[j] = y.std()
            self._masses.append(values[counts >= max(POINT_MASS[0], POINT_MASS[1] * table.n)])
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

    def notes(self, *, allowed: bool) -> list[Note]:
        """The warning, where there are such records. Raises InvalidInput where more than 5 per cent are unchanged and rare."""
        if self.rare > MAX_SHARE * self.total and not allowed:
            value = f"{self.rare:,} of {self.total:,} records with all values unchanged"
            raise InvalidInput("protect", TOO_MANY, value)
        note = Note.of("unprotected", KEPT, self.names, count=self.records, total=self.total)
        return [note] if self.records else []


def refuse_small_strata(strata: Strata, s: int) -> None:
    """Raises InvalidInput where a stratum has too few records for s independent columns."""
    fewest, sizes = max(MIN_STRATUM, 3 * (s + 1)), [len(rows) for rows in strata.rows]
    small = Count(sum(size < fewest for size in sizes))
    if small:
        value = f"{small} of {len(sizes)} strata with fewer, the smallest {min(sizes)}"
        raise InvalidInput("protect", TOO_SMALL.format(fewest=fewest), value)
