"""What the package needs of a data frame, whatever its library, and fitting values into the types of its columns:
integers stay integers, and nothing overflows."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import Note
from ..files.parquet import Source
from ..files.table import Table
from ..types import Array, Codes, Mask

Categories = Mapping[str, tuple[NDArray[np.object_], list[str]]]
ROUNDED = "rounded, being integer columns: {columns}"
CUT = "{count} {count:value|values} of {columns} did not fit its type and {count:was|were} cut at its limits"
LOST = "{count} {count:value|values} of {columns} {count:is a whole number|are whole numbers} above 2^53 that float64 cannot carry: "
ROUNDED_CHANGED = LOST + "those that are changed are rounded, the others leave as they came"
ROUNDED_ALL = LOST + "as {count:a floating-point number it is|floating-point numbers they are} rounded"


class FromFile:
    """What is known of an opened frame that came from a file; see data.source.open_data."""

    path: str | None = None
    table: Table | None = None
    source: Source | None = None
    stamp: object = None
    notes: tuple[Note, ...] = ()
    gaps: Mapping[str, Mask] = MappingProxyType({})


class Frame(Protocol):
    """A frame of any library, opened: the few verbs the package needs of it."""

    frame: Any
    names: list[str]
    records: int
    # Of a file, see data.source.open_data; a frame has none of these.
    path: str | None
    table: Table | None
    source: Source | None
    stamp: object
    notes: tuple[Note, ...]
    gaps: Mapping[str, Mask]
    """By column, the missing cells in which `values` has others; see protection.completed."""

    def kind(self, name: str) -> str:
        """One of "float", "integer", "text", "boolean", "date", "category", "other"."""

    def limits(self, name: str) -> tuple[float, float]:
        """The smallest and largest value a numeric column can hold."""

    def places(self, name: str) -> int | None:
        """How many digits behind the point a column of decimals holds; None for any other column."""

    def values(self, name: str) -> Array:
        """A numeric column as (n,) float64; a missing value is NaN."""

    def beyond_floats(self, name: str) -> Mask:
        """(n,) where a numeric column holds a whole number that no float64 is equal to."""

    def replaced(self, columns: Mapping[str, Array], rows: Mask, drop: Iterable[str], floats: bool) -> Any:
        """A new frame of the same library: `columns` put in at `rows` in their own types, `drop` left out. NaN puts nothing in.

        A whole number that no float64 is equal to stays, to the last digit, where its new value is what `values` has.
        floats : integer columns may become floating columns (else values are whole and stay integer).
        """

    def cells(self, name: str) -> NDArray[np.object_]:
        """A column of any kind as (n,) Python objects; a missing value is None."""

    def codes(self, name: str) -> Codes:
        """A column of any kind as (n,) whole numbers from 0: equal cells have equal codes; a missing one is -1."""

    def distinct(self, name: str) -> tuple[NDArray[np.int64], list[Any]]:
        """A column of any kind as the places (n,) of its cells among its values, and these as they first appear.

        A missing value has the place -1, or is itself such a value; equal values may stand there twice.
        """

    def reshaped(self, categories: Categories, gaps: Mapping[str, Mask], rows: NDArray[np.intp] | None) -> Any:
        """A new frame: columns that become ordered categories (labels and their order), cells left empty, rows kept."""

    def index(self) -> Any:
        """The labels that pair records (a pandas index that says more than position), or None."""


def observed(door: Frame, names: Sequence[str]) -> Array:
    """Numeric columns as (n, p), NaN for what is missing in the original."""
    A = np.empty((door.records, len(names)))
    for j, name in enumerate(names):
        A[:, j] = np.where(door.gaps[name], np.nan, door.values(name)) if name in door.gaps else door.values(name)
    return A


def rounded(door: Frame, names: Sequence[str], Z: Array, notes: list[Note]) -> Array:
    """Z (n, p) with the columns of integer type rounded half to even."""
    integer = [
        j for j, name in enumerate(names) if door.kind(name) == "integer" and (np.rint(Z[:, j]) != Z[:, j]).any()
    ]
    if not integer:
        return Z
    Z = Z.copy()
    Z[:, integer] = np.rint(Z[:, integer])
    notes.append(Note.of("rounded", ROUNDED, [names[j] for j in integer]))
    return Z


def within_types(door: Frame, names: Sequence[str], Z: Array, rows: Mask, notes: list[Note], *, floats: bool) -> Array:
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
            notes.append(Note.of("inexact", what, [name], count=lost))
    return Z


def cut_at_limits(
    door: Frame, wanted: Sequence[str], names: Sequence[str], Z: Array, rows: Mask, notes: list[Note]
) -> Array:
    """As within_types, of the columns `wanted` among `names` only, and of nothing but limits."""
    Z = Z.copy()
    for j, name in enumerate(names):
        outside = outside_type(door, name, Z[:, j], rows) if name in wanted else np.zeros(len(Z), dtype=bool)
        if outside.any():
            Z[outside, j] = np.clip(Z[outside, j], *door.limits(name))
            notes.append(Note.of("cut_at_limits", CUT, [name], count=int(outside.sum())))
    return Z


def outside_type(door: Frame, name: str, z: Array, rows: Mask) -> Mask:
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
