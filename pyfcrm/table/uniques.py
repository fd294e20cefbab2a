"""Records that no other shares its values with: by one column, by several together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
NARROW = 1 << 16, 8  # combined codes up to here, and so many times the records, are counted without hashing


def unique_records(codes: Codes) -> int:
    """How many records have a code that no other has; codes (n,) from -1, which is missing.

    Missing is a value like another here, shared by all the records that miss it.
    """
    return int((np.bincount(codes + 1) == 1).sum())


def distinct_values(codes: Codes) -> int:
    """How many values a column has, a missing one not counted; codes (n,)."""
    return int((np.bincount(codes + 1)[1:] > 0).sum())


def crossed(codes: Codes, others: Codes) -> Codes:
    """(n,) codes from 0 of the pairs of values of two columns."""
    width = int(others.max(initial=-1)) + 2
    joined: Codes = (codes + 1) * width + (others + 1)
    if int(joined.max(initial=0)) <= NARROW[0] + NARROW[1] * len(joined):
        return joined
    import pandas as pd

    return np.asarray(pd.factorize(joined)[0], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Combination:
    """Some columns taken together.

    records : n; rows : (k,) the records that share their combination with another one; groups : (k,) which combination
    each of these has, from 0. A unique record stays unique whatever column is added, so it is not looked at again.
    """

    records: int
    rows: NDArray[np.intp]
    groups: Codes

    @classmethod
    def of_none(cls, records: int) -> Combination:
        """No column yet: all records are alike."""
        rows = np.arange(records if records > 1 else 0)
        return cls(records, rows, np.zeros(len(rows), dtype=np.int64))

    @property
    def unique(self) -> int:
        """How many records are unique."""
        return self.records - len(self.rows)

    def with_column(self, codes: Codes) -> Combination:
        """These columns and one more; codes (n,)."""
        groups = crossed(self.groups, codes[self.rows])
        shared = np.bincount(groups)[groups] > 1
        return Combination(self.records, self.rows[shared], groups[shared])
