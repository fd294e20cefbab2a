"""Linkage of randomised categories by their transition probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...types import Array, Codes
from .base import DOUBT, Attack, Scores


@dataclass(frozen=True)
class TransitionLikelihood(Attack):
    """Categories that change by a known matrix: the released record to which the transitions of all columns are likeliest.

    Codes for categories, from 0; NaN for missing, which tells nothing. The shares of the transitions themselves stand for
    the matrix.
    """

    @property
    def words(self) -> str:
        """See Attack.words."""
        return "by transition probabilities"

    def scores(self, X: Array, Y: Array, Z: Array) -> Scores:
        """See Attack.scores."""
        known = [(y, z, _log_transitions(y, z)) for y, z in zip(_codes(Y).T, _codes(Z).T, strict=True)]

        def block(rows: slice) -> Array:
            return np.sum([L[y[rows]][:, z] for y, z, L in known], axis=0)

        return Scores(block, float(DOUBT))


def _codes(A: Array) -> Codes:
    """Codes (n, q) from 1, 0 for missing."""
    return np.nan_to_num(A + 1.0).astype(np.int64)


def _log_transitions(y: Codes, z: Codes) -> Array:
    """(k, k) logarithms of the shares of z (n,) within each y (n,), 0 where one is missing."""
    size = int(max(y.max(), z.max())) + 1
    table = np.zeros((size, size))
    np.add.at(table, (y, z), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        log = np.log(table / table.sum(axis=1, keepdims=True))
    log[np.isnan(log)] = -np.inf
    log[0], log[:, 0] = 0.0, 0.0
    return log
