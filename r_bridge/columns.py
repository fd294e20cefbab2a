"""Columns as bytes: the only format in which they pass between Python and R, in both directions.

The R side is `r_scripts/fcrm/R/bytes.R`. A column is five plain objects: name, kind, data, labels, extra. All numbers are
little-endian. A string vector is packed: int32 count, that many int32 byte lengths (-1 is NA), then the UTF-8 bytes.
This module does not use data frames or R objects.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pyfcrm.errors import InvalidInput

Buffer = bytes | bytearray | memoryview
Packed = list[Any]  # name, kind, data, labels, extra: strings and bytes
Kind = Literal["double", "integer", "logical", "character", "factor", "ordered", "Date", "POSIXct"]

NA_INTEGER = -(2**31)
NA_LOW_WORD = 1954  # the lower 32 bits of R's NA_real_, and of no other NaN of R
# R's NA_real_: a signalling NaN. Arithmetic sets its quiet bit, 0x7FF80000000007A2, and it is still NA.
NA_REAL = np.uint64(0x7FF00000000007A2).view(np.float64)
NO_ZONE = "\1"  # the extra of a POSIXct without a tz attribute
EXACT_INTEGERS = 2**53  # up to which every whole number is a double
_STORED: dict[str, str] = {"double": "<f8", "Date": "<f8", "POSIXct": "<f8"}  # else int32
_KINDS = get_args(Kind)


@dataclass(frozen=True, eq=False)
class Column:
    """One column, exactly as in R."""

    name: str
    """Its name."""
    kind: Kind
    """Its type in R."""
    values: NDArray[Any] | list[str | None]
    """Values (n,): float64 for double, Date (days) and POSIXct (seconds since 1970 UTC), with the bits of NaN as in R, see
    `is_na`; int32 for integer, logical (0 and 1), factor and ordered (codes from 1), where NA_INTEGER is NA; a list of strings
    and None for character."""
    levels: list[str | None] | None = None
    """The labels of a factor; None for another type."""
    extra: str = ""
    """The text "integer" for a Date that R stores as integers; a POSIXct's time zone, or NO_ZONE; else empty."""


@dataclass(frozen=True, eq=False)
class Columns:
    """A data frame."""

    columns: tuple[Column, ...]
    """Its columns, in order."""
    n: int
    """Number of records, which a table without columns has too."""


def is_na(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mask (n,) of the doubles that are R's NA, and not another NaN."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    return np.isnan(values) & ((bits & np.uint64(0xFFFFFFFF)) == NA_LOW_WORD)


def to_bytes(column: Column) -> Packed:
    """The column as bytes. Raises InvalidInput for a string with a zero byte, which R cannot hold."""
    labels = b"" if column.levels is None else pack(column.levels, column.name)
    if column.kind == "character":
        data: Buffer = pack(list(column.values), column.name)
    else:
        stored = np.ascontiguousarray(column.values, dtype=_STORED.get(column.kind, "<i4"))
        data = stored.view(np.uint8).data if stored.size else b""
    return [column.name, column.kind, data, labels, column.extra]


def from_bytes(packed: Packed) -> Column:
    """The column of these bytes. Its values can be changed if the data are a bytearray."""
    name, kind, data, labels, extra = packed
    if kind not in _KINDS:
        raise InvalidInput(f"column `{name}`", "must be of a kind that R and Python share", kind)
    if kind == "character":
        return Column(name, kind, unpack(data), None, extra)
    levels = unpack(labels) if kind in ("factor", "ordered") else None
    return Column(name, kind, np.frombuffer(data, dtype=_STORED.get(kind, "<i4")), levels, extra)


def pack(strings: Sequence[str | None], name: str = "value") -> bytes:
    """Strings, None for NA, as packed bytes: their count, their lengths, their UTF-8. name : of the column, for errors."""
    encoded = [None if text is None else _utf8(text, name) for text in strings]
    lengths = [-1 if text is None else len(text) for text in encoded]
    head = np.array([len(encoded), *lengths], dtype="<i4").tobytes()
    body = b"".join(text for text in encoded if text is not None)
    return head + body


def unpack(data: Buffer) -> list[str | None]:
    """The strings of packed bytes."""
    head = np.frombuffer(data, dtype="<i4", count=1)
    lengths = np.frombuffer(data, dtype="<i4", count=int(head[0]), offset=4)
    body = bytes(memoryview(data)[4 + 4 * len(lengths) :])
    ends = np.cumsum(np.maximum(lengths, 0)).tolist()
    starts = [0, *ends][:-1]
    is_text = (lengths >= 0).tolist()
    return [body[a:b].decode("utf-8") if text else None for a, b, text in zip(starts, ends, is_text, strict=True)]


def whole_numbers(name: str, values: NDArray[Any]) -> Column:
    """An integer array of any width as an R column: "integer" within int32, else "double" if that is exact.

    Raises InvalidInput for a value beyond 2^53.
    """
    if values.size and (values.max() > -NA_INTEGER - 1 or values.min() <= NA_INTEGER):
        if values.max() > EXACT_INTEGERS or values.min() < -EXACT_INTEGERS:
            worst = values[np.argmax((values > EXACT_INTEGERS) | (values < -EXACT_INTEGERS))]
            rule = "whole numbers must be at most 2^53 in magnitude: R has no wider integers"
            raise InvalidInput(f"column `{name}`", rule, worst)
        return Column(name, "double", values.astype(np.float64))
    return Column(name, "integer", values.astype(np.int32))


def _utf8(text: str, name: str) -> bytes:
    """A string as UTF-8. Raises InvalidInput for a string that R cannot hold."""
    if "\0" in text:
        raise InvalidInput(
            f"column `{name}`", "strings must be without zero bytes, which R cannot hold", repr(text[:40])
        )
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair
        raise InvalidInput(f"column `{name}`", "strings must be whole Unicode", repr(text[:40])) from None
