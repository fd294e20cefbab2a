"""Records that a release leaves with every confidential value unchanged: counted by blocks, refused where they are many."""

from collections.abc import Sequence

import numpy as np

from ..data.blocks import Records
from ..data.strata import Strata
from ..errors import Count, InvalidInput, Note
from ..methods.donors import Donors
from ..numerics.chance import beyond_chance
from ..numerics.location import evenly
from ..rstream import RStream
from ..types import Array, Mask

TOLERANCE = 1e-3  # standard deviations of the original column, within which a value is unchanged
POINT_MASS = (10, 0.02)  # records, and share of the records, that share a value
MAX_SHARE = 0.05  # of the records
MIN_STRATUM = 15  # records
SAMPLE = 5000  # records in which the number expected by chance is found
NEIGHBOURS = 5  # records near in the predictors, one of which gives its values
DRAWS = 20
SEED = 1  # of a stream of its own, so that no draw of a release depends on it
KEPT = "{count:,} of {total:,} records {count:keeps|keep} every confidential value, {expected:,.1f} expected by chance"
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
        width = np.empty(len(names))
        self._masses = list[Array]()
        for j in range(len(names)):
            y = table.column(s + j)[:, 0]
            values, counts = np.unique(y, return_counts=True)
            width[j] = TOLERANCE * y.std()
            self._masses.append(values[counts >= max(POINT_MASS[0], POINT_MASS[1] * table.n)])
        self._width = width  # (t,) of an unchanged cell
        self._table = table
        self._predictors = s
        self._sample = evenly(table.n, SAMPLE)
        self._sampled = list[Array]()  # original values (b, t) of the sample in each block
        self.records = self.rare = self.total = 0

    def add(self, Y: Array, Z: Array) -> None:
        """The next records: original and released values, (b, t), NaN for missing."""
        there = ~np.isnan(Y)
        kept = np.flatnonzero(_unchanged(Y, Z, self._width))
        masses = zip(Y[kept].T, self._masses, strict=True)
        common = np.column_stack([np.isin(y, values) for y, values in masses]) | ~there[kept]
        self.records += len(kept)
        self.rare += int((~common.all(axis=1)).sum())
        places = self._sample - self.total
        inside = (places >= 0) & (places < len(Y))
        self._sampled.append(Y[places[inside]])
        self.total += len(Y)

    def expected(self) -> float:
        """How many records chance would leave unchanged: if each had the values of another one near it in the predictors."""
        n = len(self._sample)
        if n < 2:
            return 0.0
        A = self._table.taken(self._sample).read()
        X = A[:, : self._predictors]
        values = A[:, self._predictors :]
        Y = np.vstack(self._sampled)
        donors = Donors(X, NEIGHBOURS)
        stream = RStream(SEED)
        count = sum(int(_unchanged(Y, values[donors.draw(stream)], self._width).sum()) for _ in range(DRAWS))
        # A count of 0 in all draws does not show that none is expected.
        return self.total / n * max(count, 1) / DRAWS

    def notes(self, *, allowed: bool) -> list[Note]:
        """How many records are unchanged, a warning if chance does not explain them.

        Raises InvalidInput where more than 5 per cent are unchanged and rare.
        """
        if self.rare > MAX_SHARE * self.total and not allowed:
            value = f"{self.rare:,} of {self.total:,} records with all values unchanged"
            raise InvalidInput("protect", TOO_MANY, value)
        if not self.records:
            return []
        expected = self.expected()
        severity = "warning" if beyond_chance(self.records, expected) > 0 else "info"
        note = Note.of(
            "unprotected",
            KEPT,
            self.names,
            count=self.records,
            total=self.total,
            severity=severity,
            expected=expected,
        )
        return [note]


def _unchanged(Y: Array, Z: Array, width: Array) -> Mask:
    """(n,) the records that have an observed cell in Y (n, t) and none that differs in Z by more than its width (t,)."""
    there = ~np.isnan(Y)
    same = there & (np.abs(Z - Y) <= width)
    unchanged: Mask = (same == there).all(axis=1) & there.any(axis=1)
    return unchanged


def refuse_small_strata(strata: Strata, s: int) -> None:
    """Raises InvalidInput where a stratum has too few records for s independent columns."""
    fewest, sizes = max(MIN_STRATUM, 3 * (s + 1)), [len(rows) for rows in strata.rows]
    small = Count(sum(size < fewest for size in sizes))
    if small:
        value = f"{small} of {len(sizes)} strata with fewer, the smallest {min(sizes)}"
        raise InvalidInput("protect", TOO_SMALL.format(fewest=fewest), value)
