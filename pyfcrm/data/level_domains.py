"""Domains of a file: the records with either value of a column that has two, and which domains lie within others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import row_blocks
from ..types import Array, Codes, Index, Mask
from .blocks import Records
from .codes import groups_of

# Differences of two domains: in all strata together, and at least in each. Two categories of k levels have about k^2 of them.
MAX_DIFFERENCES = 100_000
MIN_DIFFERENCES = 1_000


@dataclass(frozen=True)
class Domains:
    """The k domains of one stratum, and their differences."""

    columns: Index
    """Position of the column of each domain (k,)."""
    values: Array
    """Value that the records of each domain have in that column (k,)."""
    differences: Index
    """Pairs (a, b) of domains of two columns where b lies within a and is smaller (d, 2), ordered."""
    left_out: int
    """Number of such pairs beyond the limit: those whose difference has most records."""

    def members(self, X: Array, a: int) -> Mask:
        """Whether each record of X (b, s) is in domain a (b,)."""
        return np.asarray(X[:, self.columns[a]] == self.values[a])

    def within(self, a: int) -> Index:
        """Numbers of the domains that are subtracted from domain a, ordered."""
        start, end = np.searchsorted(self.differences[:, 0], [a, a + 1])
        return self.differences[start:end, 1]


def domains_of(X: Records, columns: int, stratum: Codes) -> list[Domains]:
    """The domains of each stratum, by the first columns of X (n, s). stratum : (n,), numbers from 0."""
    groups = groups_of(stratum)
    places: list[list[int]] = [[] for _ in groups]
    values: list[list[float]] = [[] for _ in groups]
    for j in range(columns):
        column = X.column(j)[:, 0]
        for k, rows in enumerate(groups):
            different = np.unique(column[rows])
            if len(different) == 2:
                places[k] += [j, j]
                values[k] += different.tolist()
    common = [np.zeros((len(part), len(part))) for part in places]
    for block in row_blocks(X.n):
        A = X.read(block)
        codes = stratum[block]
        for rows in groups_of(codes):
            k = int(codes[rows[0]])
            D = (A[rows][:, places[k]] == values[k]).astype(np.float64)
            common[k] += D.T @ D
    limit = max(MIN_DIFFERENCES, MAX_DIFFERENCES // max(1, len(groups)))
    return [
        _with_differences(np.array(places[k], dtype=np.int64), np.array(values[k]), common[k], limit)
        for k in range(len(groups))
    ]


def _with_differences(columns: Index, values: Array, common: Array, limit: int) -> Domains:
    """Domains of one stratum with at most `limit` differences, those of fewest records.

    common : (k, k), the records that two domains share; on the diagonal those of each.
    """
    size = np.diag(common)
    inside = (common == size) & (size < size[:, None]) & (columns[:, None] != columns)
    pairs = np.argwhere(inside)
    records = size[pairs[:, 0]] - size[pairs[:, 1]]
    fewest = np.sort(np.argsort(records, kind="stable")[:limit])
    return Domains(columns=columns, values=values, differences=pairs[fewest], left_out=len(pairs) - len(fewest))
