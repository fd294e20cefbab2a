"""What the fits accept: finite float64 arrays of n records."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInput, InvalidParameter
from ..table.magnitude import LARGEST

Array = NDArray[np.float64]


def finite_matrix(owner: str, name: str, values: ArrayLike) -> Array:
    """`values` as a float64 (n, p) array; one dimension counts as one column. Raises InvalidInput otherwise."""
    try:
        if np.iscomplexobj(values):
            raise TypeError
        A = np.asarray(values, dtype=np.float64, order="C")  # one layout, for sums in one order
    except (TypeError, ValueError, OverflowError):  # 10**400 among them
        raise InvalidInput(owner, f"`{name}` must be numbers", type(values).__name__) from None
    if A.ndim == 1:
        A = A[:, None]
    if A.ndim != 2 or A.shape[0] == 0:
        raise InvalidInput(owner, f"`{name}` must have records in rows and at least one record", f"shape {A.shape}")
    if not np.isfinite(A).all():
        k, j = np.argwhere(~np.isfinite(A))[0]
        raise InvalidInput(owner, f"`{name}` must be finite", f"{A[k, j]} in record {k + 1}, column {j + 1}")
    if np.abs(A).max(initial=0.0) > LARGEST:
        raise InvalidInput(owner, f"`{name}` must not exceed {LARGEST:g} in magnitude", f"{np.abs(A).max():g}")
    return A


def usable_fuzzifier(owner: str, m: float, c: int) -> None:
    """Raises InvalidParameter when m is so large that u^m could vanish for every record of a cluster, u being 1/c."""
    if m * math.log10(c) > 300:
        raise InvalidParameter(owner, "m", f"must be at most {300 / math.log10(c):.4g} for {c} clusters", m)


def enough_records(owner: str, c: int, n: int) -> None:
    """Raises InvalidParameter when there are fewer records than clusters."""
    if c > n:
        raise InvalidParameter(owner, "c", f"must be at most the number of records, {n}", c)
