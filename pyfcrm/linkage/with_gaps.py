"""Linkage by distance of records with missing cells: each by the columns it has, among the protected records that have them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..engine import Engine
from ..numerics.location import standardise
from ..types import Array, Rows
from .nearest import nearest_share


@dataclass(frozen=True)
class Group:
    """Records that have the same columns: rows (k,); columns : which; candidates (m,): the records that have all of these."""

    rows: Rows
    columns: Rows
    candidates: Rows

    @property
    def own(self) -> Rows:
        """(k,) where each stands among the candidates."""
        return np.searchsorted(self.candidates, self.rows)

    def of(self, X: Array, Z: Array) -> tuple[Array, Array]:
        """Its originals and the candidates, in its columns."""
        return X[np.ix_(self.rows, self.columns)], Z[np.ix_(self.candidates, self.columns)]


def groups(X: Array) -> Iterator[Group]:
    """The records of X (n, p), NaN for missing, by the columns they have."""
    known = ~np.isnan(X)
    kinds, of_record = np.unique(known, axis=0, return_inverse=True)
    for k, has in enumerate(kinds):
        rows, candidates = np.flatnonzero(of_record.ravel() == k), np.flatnonzero(known[:, has].all(axis=1))
        yield Group(rows, np.flatnonzero(has), candidates)


def share_with_gaps(X: Array, Z: Array, engine: Engine | None = None) -> Array:
    """(n,) nearest_share of files with missing cells, standardised: a record is linked by the columns that it has, among the
    protected records that have all of them.

    X, Z : (n, p) paired by position, NaN for missing in the same places; engine : as in nearest_share.
    """
    result, share = list(groups(X)), np.empty(len(X))
    X, Z = standardise(X), standardise(Z)
    for group in result:
        share[group.rows] = nearest_share(*group.of(X, Z), group.own, engine=engine)
    return share
