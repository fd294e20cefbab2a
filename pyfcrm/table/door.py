"""Opening a frame: which kind it is, its columns as float64, and putting columns back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, unknown_name

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]
Categories = Mapping[str, tuple[NDArray[np.object_], list[str]]]


class Opened(Protocol):
    """A frame of any library, opened: the few verbs the package needs of it."""

    frame: Any
    names: list[str]
    records: int

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
        """A new frame of the same library: `columns` put in at `rows` in their own types, `drop` left out.

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


def open_frame(owner: str, frame: Any) -> Opened:
    """The door for this frame's library. Raises InvalidInput for what is no frame, or has two columns of one name."""
    library = type(frame).__module__.split(".", 1)[0]
    door: Opened
    if library == "pandas" and hasattr(frame, "columns"):
        from .pandas_door import PandasDoor

        door = PandasDoor(frame)
    elif library == "polars" and hasattr(frame, "columns") and hasattr(frame, "height"):
        from .polars_door import PolarsDoor

        door = PolarsDoor(frame)
    elif library == "pyarrow" and hasattr(frame, "column_names"):
        from .arrow_door import ArrowDoor

        door = ArrowDoor(frame)
    else:
        raise InvalidInput(owner, "needs a data frame of pandas or polars, or an arrow table", type(frame).__name__)
    twice = sorted({n for n in door.names if door.names.count(n) > 1})
    if twice:
        raise InvalidInput(owner, "column names must differ; these stand more than once", ", ".join(map(repr, twice)))
    if door.records == 0:
        raise InvalidInput(owner, "needs at least one record", "none")
    return door


def require_columns(owner: str, door: Opened, wanted: Sequence[str]) -> None:
    """Raises InvalidInput, with the nearest names, for a name that is not a column."""
    for name in wanted:
        if name not in door.names:
            raise unknown_name(owner, "column", name, door.names)


def is_numeric(door: Opened, name: str) -> bool:
    """Whether a column holds numbers."""
    return door.kind(name) in ("float", "integer")


def numeric_names(door: Opened) -> list[str]:
    """The columns that hold numbers, in their order."""
    return [n for n in door.names if is_numeric(door, n)]


def complete_records(owner: str, A: Array, wanted: Sequence[str], missing: str) -> Mask:
    """(n,) True where no value is missing. With missing="refuse" a gap is an InvalidInput that counts per column."""
    gaps = np.isnan(A)
    complete: Mask = np.logical_not(np.any(gaps, axis=1))
    if complete.all():
        return complete
    counts = ", ".join(f"`{n}` {k}" for n, k in zip(wanted, gaps.sum(axis=0), strict=True) if k)
    if missing == "refuse":
        raise InvalidInput(owner, 'values are missing (missing="complete" protects the complete records only)', counts)
    if not complete.any():
        raise InvalidInput(owner, "no record is complete; missing values by column", counts)
    return complete


def text_example(values: Sequence[object]) -> tuple[int, object] | None:
    """The first entry of a column that is text, with its record number from 1: rather one that reads as no number."""
    texts = [(k + 1, value) for k, value in enumerate(values) if isinstance(value, str)]
    return next((pair for pair in texts if not _reads_as_number(pair[1])), texts[0] if texts else None)


def _reads_as_number(text: str) -> bool:
    if text.strip().upper() in ("", ".", "NA", "N/A", "NULL"):
        return True  # in a file of text, what stands for a missing number
    try:
        float(text)
    except ValueError:
        return False
    return True


def refuse_kind(owner: str, name: str, kind: str, values: Sequence[object] = ()) -> InvalidInput:
    """The InvalidInput for a column that is not numeric."""
    found = text_example(values)
    other = "True and False" if kind == "boolean" else f"a {kind} column"
    where = f"{found[1]!r} in record {found[0]}" if found else other
    return InvalidInput(owner, f"column `{name}` must hold numbers", where)
