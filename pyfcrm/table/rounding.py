"""Fitting values into the types of their columns: integers stay integers, and nothing overflows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .door import Opened

Array = NDArray[np.float64]


def rounded(door: Opened, names: Sequence[str], Z: Array, notes: list[str]) -> Array:
    """Z (n, p) with the columns of integer type rounded half to even."""
    integer = [
        j for j, name in enumerate(names) if door.kind(name) == "integer" and (np.rint(Z[:, j]) != Z[:, j]).any()
    ]
    if not integer:
        return Z
    Z = Z.copy()
    Z[:, integer] = np.rint(Z[:, integer])
    notes.append("rounded, being integer columns: " + ", ".join(names[j] for j in integer))
    return Z


def within_types(door: Opened, names: Sequence[str], Z: Array, notes: list[str], floats: bool) -> Array:
    """Z (n, p) with values that a column's type cannot hold cut at its limits; floats : integer columns become floats."""
    Z = Z.copy()
    for j, name in enumerate(names):
        if floats and door.kind(name) == "integer":
            continue
        low, high = door.limits(name)
        outside = int(np.sum((Z[:, j] < low) | (Z[:, j] > high)))
        if outside:
            # The largest int64 is no float64; the float64 below it is.
            top = np.nextafter(high, low) if door.kind(name) == "integer" and high > 2**53 else high
            Z[:, j] = np.clip(Z[:, j], low, top)
            notes.append(f"{outside} values of {name} did not fit its type and were cut at its limits")
    return Z


def type_limits(dtype: Any) -> tuple[float, float]:
    """The smallest and largest number of a numpy type; without limits for Python objects."""
    kind = np.dtype(dtype).kind
    if kind == "O":
        return -np.inf, np.inf
    info = np.iinfo(dtype) if kind in "iu" else np.finfo(dtype)
    return float(info.min), float(info.max)


def decimal_limits(precision: int, scale: int) -> tuple[float, float]:
    """The smallest and largest decimal of so many digits, `scale` of them behind the point, safely inside."""
    largest = 10.0 ** (precision - scale) * (1 - 1e-15) - 10.0**-scale
    return -largest, largest
