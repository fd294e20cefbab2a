"""Rounding: a column whose type is integer stays integer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .door import Opened

Array = NDArray[np.float64]


def rounded(door: Opened, names: Sequence[str], Z: Array, notes: list[str]) -> Array:
    """Z (n, p) with the columns of integer type rounded half to even, and kept within what their type can hold."""
    integer = [j for j, name in enumerate(names) if door.kind(name) == "integer"]
    if not integer:
        return Z
    Z = Z.copy()
    Z[:, integer] = np.rint(Z[:, integer])
    notes.append("rounded, being integer columns: " + ", ".join(names[j] for j in integer))
    for j in integer:
        low, high = door.limits(names[j])
        outside = int(np.sum((Z[:, j] < low) | (Z[:, j] > high)))
        if outside:
            # The largest int64 is no float64; the float64 below it is.
            Z[:, j] = np.clip(Z[:, j], low, np.nextafter(high, low) if high > 2**53 else high)
            notes.append(f"{outside} values of {names[j]} did not fit its integer type and were cut at its limits")
    return Z
