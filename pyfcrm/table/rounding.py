"""Fitting values into the types of their columns: integers stay integers, and nothing overflows."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .door import Opened

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
ROUNDED_CHANGED = "those that are changed are rounded, the others leave as they came"
ROUNDED_ALL = "as floating-point numbers they are rounded"


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


def within_types(door: Opened, names: Sequence[str], Z: Array, rows: Mask, notes: list[str], *, floats: bool) -> Array:
    """Z (k, p) with values that a column's type cannot hold cut at its limits; rows (n,) : its k records; floats : integer
    columns become floats.

    A value that is the original's is not cut: the door leaves such a cell as it came, whatever floats make of it.
    notes : told how many were cut, and how many of the original's whole numbers no float64 is equal to.
    """
    Z = cut_at_limits(door, [n for n in names if not (floats and door.kind(n) == "integer")], names, Z, rows, notes)
    for name in names:
        lost = int((door.beyond_floats(name) & rows).sum())
        if lost:
            what = ROUNDED_ALL if floats and door.kind(name) == "integer" else ROUNDED_CHANGED
            notes.append(f"{lost} values of {name} are whole numbers above 2^53 that float64 cannot carry: {what}")
    return Z


def cut_at_limits(
    door: Opened, wanted: Sequence[str], names: Sequence[str], Z: Array, rows: Mask, notes: list[str]
) -> Array:
    """As within_types, of the columns `wanted` among `names` only, and of nothing but limits."""
    Z = Z.copy()
    for j, name in enumerate(names):
        outside = outside_type(door, name, Z[:, j], rows) if name in wanted else np.zeros(len(Z), dtype=bool)
        if outside.any():
            Z[outside, j] = np.clip(Z[outside, j], *door.limits(name))
            notes.append(f"{int(outside.sum())} values of {name} did not fit its type and were cut at its limits")
    return Z


def outside_type(door: Opened, name: str, z: Array, rows: Mask) -> Mask:
    """(k,) where the values z (k,) of the records `rows` are not the original's and the column's type cannot hold them."""
    low, high = door.limits(name)
    outside: Mask = (z < low) | (z > high)
    return outside & (z != door.values(name)[rows]) if outside.any() else outside


def beyond_floats(whole: NDArray[Any]) -> Mask:
    """(n,) where the value is a whole number that no float64 is equal to; whole : (n,) integers, or any objects."""
    if whole.dtype.kind == "O":
        return np.array([_is_beyond_floats(value) for value in whole.tolist()], dtype=bool)
    if not len(whole) or max(-int(whole.min()), int(whole.max())) <= 2**53:
        return np.zeros(len(whole), dtype=bool)
    high, low = whole >> 32, whole & 0xFFFFFFFF
    # Both halves are floats, and so is what the rounded number has beyond the upper one.
    return np.asarray(whole.astype(np.float64) - high.astype(np.float64) * 2.0**32 != low.astype(np.float64))


def _is_beyond_floats(value: object) -> bool:
    if not isinstance(value, numbers.Integral) or abs(int(value)) <= 2**53:
        return False
    try:
        return int(float(value)) != value
    except OverflowError:
        return True


def type_limits(dtype: Any) -> tuple[float, float]:
    """The smallest and largest float64 that a numpy type can hold; without limits for Python objects."""
    kind = np.dtype(dtype).kind
    if kind == "O":
        return -np.inf, np.inf
    if kind in "iu":
        return integer_limits(np.dtype(dtype).itemsize * 8, kind == "i")
    info = np.finfo(dtype)
    return float(info.min), float(info.max)


def integer_limits(bits: int, signed: bool) -> tuple[float, float]:
    """The smallest and largest float64 among the integers of so many bits.

    Above 53 bits the largest integer is no float64, and the nearest one is too large; the one below it is not.
    """
    top = 2.0 ** (bits - signed)
    return -top * signed, top - 1 if bits - signed <= 53 else float(np.nextafter(top, 0.0))


def decimal_limits(precision: int, scale: int) -> tuple[float, float]:
    """The smallest and largest decimal of so many digits, `scale` of them behind the point, safely inside."""
    largest = 10.0 ** (precision - scale) * (1 - 1e-15) - 10.0**-scale
    return -largest, largest
