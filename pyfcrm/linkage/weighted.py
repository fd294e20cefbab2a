"""Linkage by a weighted mean of squared differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..engine import Engine
from ..errors import InvalidParameter
from .distance import nearest_share, standardise

Array = NDArray[np.float64]


def weighted_share(X: Array, Z: Array, w: Array, engine: Engine | None = None) -> Array:
    """1/t where an original's own record is among the t protected ones of least weighted distance, else 0; (n,).

    X, Z : (n, p) paired by position; each is standardised by its own mean and sd (n - 1).
    w : (p,) weights of the squared differences, at least 0, not all 0; only their proportions matter; engine : as in
    nearest_share.
    Raises InvalidParameter for other weights. Equal weights give distance-based record linkage exactly.
    Source: Abril, Navarro-Arribas and Torra (2012).
    """
    w = np.asarray(w, dtype=np.float64)
    if w.shape != (X.shape[1],) or not np.isfinite(w).all() or (w < 0).any() or not w.any():
        rule = f"must be {X.shape[1]} numbers of at least 0, not all 0"
        raise InvalidParameter("weighted_share", "w", rule, w.tolist())
    root = np.sqrt(w / w.max())  # over the largest, so that equal weights change no bit
    return nearest_share(standardise(X) * root, standardise(Z) * root, engine=engine)
