"""A table as bytes: the one format in which columns cross between Python and R, both ways.

The R side is `r_scripts/fcrm/R/bytes.R`. A column crosses as five plain objects: name, kind, data, labels, extra.
All numbers are little-endian. A string vector is packed: int32 count, that many int32 byte lengths (-1 is NA), then
the UTF-8 bytes. Nothing here knows a data frame or an R object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyfcrm.errors import InvalidInput

Buffer = bytes | bytearray | memoryview
Kind = Literal["double", "integer", "logical", "character", "factor", "ordered", "Date", "POSIXct"]

NA_INTEGER = -(2**31)
NA_LOW_WORD = 1954  # R's NA_real_ is the NaN whose low word is this
NA_REAL = np.uint64(0x7FF00000000007A2).view(np.float64)
NO_ZONE = "\1"  # the extra of a POSIXct without a tz attribute
EXACT_INTEGERS = 2**53
_STORED: dict[str, str] = {"double": "<f8", "Date": "<f8", "POSIXct": "<f8"}  # else int32
_NAMED_KINDS = ("double", "integer", "logical", "character", "factor", "ordered", "Date", "POSIXct")


@dataclass(frozen=True, eq=False)
class Column:
    """One column, as exact as R has it.

    values : float64 (double, Date in days, POSIXct in seconds since 1970 UTC; NaN bits kept, see `is_na`), int32
    (integer; logical as 0 and 1; factor and ordered as codes from 1; NA_INTEGER is NA), or a list of strings and None.
    levels : the labels of a factor; extra : a Date's "integer" where R stores it so, a POSIXct's time zone or NO_ZONE.
    """

    name: str
    kind: Kind
    values: NDArray[Any] | list[str | None]
    levels: list[str | None] | None = None
    extra: str = ""


@dataclass(frozen=True, eq=False)
class Columns:
    """A table: its columns, all of n records; n counts where there is no column."""

    columns: tuple[Column, ...]
    n: int


@dataclass(frozen=True, eq=False)
class Crossing:
    """What really crosses of a column: strings and bytes."""

    name: str
    kind: str
    data: Buffer
    labels: Buffer
    extra: str


def is_na(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which doubles are R's NA, and not merely NaN; (n,)."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    return np.isnan(values) & ((bits & np.uint64(0xFFFFFFFF)) == NA_LOW_WORD)


def to_bytes(column: Column) -> Crossing:
    """The column as it crosses. Raises InvalidInput for a string with a zero byte, which R cannot hold."""
    labels = b"" if column.levels is None else pack(column.levels, column.name)
    if column.kind == "character":
        data: Buffer = pack(list(column.values), column.name)
    else:
        stored = np.ascontiguousarray(column.values, dtype=_STORED.get(column.kind, "<i4"))
        data = stored.view(np.uint8).data if stored.size else b""
    return Crossing(column.name, column.kind, data, labels, column.extra)


def from_bytes(crossing: Crossing) -> Column:
    """The column that crossed; its values are the caller's to change where the data came as a bytearray."""
    kind = crossing.kind
    if kind not in _NAMED_KINDS:
        raise InvalidInput(f"column `{crossing.name}`", "must be of a kind that can cross", kind)
    if kind == "character":
        return Column(crossing.name, "character", unpack(crossing.data), None, crossing.extra)
    values = np.frombuffer(crossing.data, dtype=_STORED.get(kind, "<i4"))
    levels = unpack(crossing.labels) if kind in ("factor", "ordered") else None
    return Column(crossing.name, kind, values, levels, crossing.extra)  # type: ignore[arg-type]


def pack(strings: Sequence[str | None], name: str = "value") -> bytes:
    """Strings, None for NA, as packed bytes."""
    encoded = [None if s is None else _utf8(s, name) for s in strings]
    lengths = np.fromiter((-1 if e is None else len(e) for e in encoded), dtype="<i4", count=len(encoded))
    return b"".join([np.int32(len(encoded)).astype("<i4").tobytes(), lengths.tobytes(), *(e for e in encoded if e)])


def unpack(data: Buffer) -> list[str | None]:
    """The strings of packed bytes."""
    head = np.frombuffer(data, dtype="<i4", count=1)
    lengths = np.frombuffer(data, dtype="<i4", count=int(head[0]), offset=4)
    body = bytes(memoryview(data)[4 + 4 * len(lengths) :])
    ends = np.cumsum(np.maximum(lengths, 0)).tolist()
    starts = [0, *ends][:-1]
    there = (lengths >= 0).tolist()
    return [body[a:b].decode("utf-8") if t else None for a, b, t in zip(starts, ends, there, strict=True)]


def whole_numbers(name: str, values: NDArray[Any]) -> Column:
    """An integer array of any width as R can hold it: "integer" within int32, else "double" where that is exact.

    Raises InvalidInput where a value beyond 2^53 could not be kept.
    """
    if values.size and (values.max() > -NA_INTEGER - 1 or values.min() <= NA_INTEGER):
        if values.max() > EXACT_INTEGERS or values.min() < -EXACT_INTEGERS:
            worst = values[np.argmax((values > EXACT_INTEGERS) | (values < -EXACT_INTEGERS))]
            rule = "whole numbers must be at most 2^53 in magnitude: R has no wider integers"
            raise InvalidInput(f"column `{name}`", rule, worst)
        return Column(name, "double", values.astype(np.float64))
    return Column(name, "integer", values.astype(np.int32))


def _utf8(text: str, name: str) -> bytes:
    if "\0" in text:
        raise InvalidInput(
            f"column `{name}`", "strings must be without zero bytes, which R cannot hold", repr(text[:40])
        )
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair
        raise InvalidInput(f"column `{name}`", "strings must be whole Unicode", repr(text[:40])) from None
