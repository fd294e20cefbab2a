"""Linkage by an intruder who knows the first few attributes only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine
from .distance import nearest_share, standardise

Array = NDArray[np.float64]


def first_attributes_shares(X: Array, Z: Array, most: int, engine: Engine | None = None) -> Array:
    """Share of originals whose nearest protected record is their own, by the first 1, 2, ... `most` attributes.

    X, Z : (n, p) paired by position; each standardised by its own mean and sd (n - 1); engine : as in nearest_share.
    Returns (min(most, p),), shares from 0 to 1, a tie of t counting 1/t.
    Source: Domingo-Ferrer and Torra (2001).
    """
    x, z = standardise(X), standardise(Z)
    known = range(1, min(most, X.shape[1]) + 1)
    return np.array([nearest_share(x[:, :q], z[:, :q], engine=engine).mean() for q in known])
