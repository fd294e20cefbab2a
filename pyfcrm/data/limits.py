"""The numbers that a column's type can hold, and fitting values into it: integers stay integers, nothing overflows."""

from __future__ import annotations

import numbers
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Note
from ..types import Array, Mask

if TYPE_CHECKING:
    from .frame import Frame

ROUNDED = "rounded, being integer columns: {columns}"
CUT = "{count} {count:value|values} of {columns} did not fit its type and {count:was|were} cut at its limits"
LOST = "{count} {count:value|values} of {columns} {count:is a whole number|are whole numbers} above 2^53 that float64 cannot carry: "
ROUNDED_CHANGED = LOST + "those that are changed are rounded, the others leave as they came"
ROUNDED_ALL = LOST + "as {count:a floating-point number it is|floating-point numbers they are} rounded"


def rounded(frame: Frame, names: Sequence[str], Z: Array, notes: list[Note]) -> Array:
    """Z (n, p) with the columns of integer type rounded half to even."""
    integer = [
        j for j, name in enumerate(names) if frame.kind(name) == "integer" and (np.rint(Z[:, j]) != Z[:, j]).any()
    ]
    if not integer:
        return Z
    Z = Z.copy()
    Z[:, integer] = np.rint(Z[:, integer])
    notes.append(Note.of("rounded", ROUNDED, [names[j] for j in integer]))
    return Z


def within_types(frame: Frame, names: Sequence[str], Z: Array, rows: Mask, notes: list[Note], *, floats: bool) -> Array:
    """Z (k, p) of the records `rows` (n,), values that a column's type cannot hold replaced by its limits.

    An original value is not cut. floats : integer columns become floating columns. Counts go to `notes`, with the
    number of original integers that no float64 equals.
    """
    Z = cut_at_limits(frame, [n for n in names if not (floats and frame.kind(n) == "integer")], names, Z, rows, notes)
    for name in names:
        lost = int((frame.beyond_floats(name) & rows).sum())
        if lost:
            wording = ROUNDED_ALL if floats and frame.kind(name) == "integer" else ROUNDED_CHANGED
            notes.append(Note.of("inexact", wording, [name], count=lost))
    return Z


def cut_at_limits(
    frame: Frame, limited: Sequence[str], names: Sequence[str], Z: Array, rows: Mask, notes: list[Note]
) -> Array:
    """As within_types, for the columns `limited` among `names`, without the note on large integers."""
    Z = Z.copy()
    for j, name in enumerate(names):
        outside = outside_type(frame, name, Z[:, j], rows) if name in limited else np.zeros(len(Z), dtype=bool)
        if outside.any():
            Z[outside, j] = np.clip(Z[outside, j], *frame.limits(name))
            notes.append(Note.of("cut_at_limits", CUT, [name], count=int(outside.sum())))
    return Z


def outside_type(frame: Frame, name: str, z: Array, rows: Mask) -> Mask:
    """(k,) where the column's type cannot hold z (k,), unless it is the original value; rows (n,) : its k records."""
    low, high = frame.limits(name)
    outside: Mask = (z < low) | (z > high)
    return outside & (z != frame.values(name)[rows]) if outside.any() else outside


def beyond_floats(integers: NDArray[Any]) -> Mask:
    """(n,) where the value is an integer that no float64 equals; integers : (n,) of an integer type, or any objects."""
    if integers.dtype.kind == "O":
        return np.array([_is_beyond_floats(value) for value in integers.tolist()], dtype=bool)
    if not len(integers) or max(-int(integers.min()), int(integers.max())) <= 2**53:
        return np.zeros(len(integers), dtype=bool)
    high, low = integers >> 32, integers & 0xFFFFFFFF
    # Both halves are floats, and so is what the rounded number has beyond the upper one.
    return np.asarray(integers.astype(np.float64) - high.astype(np.float64) * 2.0**32 != low.astype(np.float64))


def _is_beyond_floats(value: object) -> bool:
    if not isinstance(value, numbers.Integral) or abs(int(value)) <= 2**53:
        return False
    try:
        return int(float(value)) != value
    except OverflowError:
        return True


def type_limits(dtype: Any) -> tuple[float, float]:
    """The smallest and largest float64 that a type of narwhals can hold; decimals safely inside."""
    if dtype.is_decimal():
        largest = 10.0 ** (dtype.precision - dtype.scale) * (1 - 1e-15) - 10.0**-dtype.scale
        return -largest, largest
    if not dtype.is_numeric():  # numbers among Python objects
        return -np.inf, np.inf
    bits = re.sub(r"\D", "", str(dtype))
    if dtype.is_integer():
        return integer_limits(int(bits), dtype.is_signed_integer())
    info = np.finfo(f"float{bits}")
    return float(info.min), float(info.max)


def integer_limits(bits: int, signed: bool) -> tuple[float, float]:
    """The smallest and largest float64 among integers of this many bits.

    Above 53 bits the largest integer is no float64, and the nearest one is too large: the one below it is the limit.
    """
    top = 2.0 ** (bits - signed)
    return -top * signed, top - 1 if bits - signed <= 53 else float(np.nextafter(top, 0.0))
