"""The numbers that a column's type can hold."""

from __future__ import annotations

import numbers
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Mask


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
