"""Opening a frame: which kind it is, its columns by name, which records are complete, and which numbers can be worked
with: finite, and not so large or small that their powers are lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InvalidInput, unknown_name
from ..types import Array, Mask
from .frame import Frame

LARGEST, SMALLEST = 1e100, 1e-100  # squares, and the thesis's error floor of 1e-100, must stay in range


def open_frame(owner: str, frame: Any) -> Frame:
    """The door for this frame's library. Raises InvalidInput for what is no frame, or has two columns of one name."""
    library = type(frame).__module__.split(".", 1)[0]
    door: Frame
    if library == "pandas" and hasattr(frame, "columns"):
        from .pandas_frame import PandasFrame

        door = PandasFrame(frame)
    elif library == "polars" and hasattr(frame, "columns") and hasattr(frame, "height"):
        from .polars_frame import PolarsFrame

        door = PolarsFrame(frame)
    elif library == "pyarrow" and hasattr(frame, "column_names"):
        from .arrow_frame import ArrowFrame

        door = ArrowFrame(frame)
    else:
        raise InvalidInput(owner, "needs a data frame of pandas or polars, or an arrow table", type(frame).__name__)
    twice = sorted({n for n in door.names if door.names.count(n) > 1})
    if twice:
        raise InvalidInput(owner, "column names must differ; these stand more than once", ", ".join(map(repr, twice)))
    if door.records == 0:
        raise InvalidInput(owner, "needs at least one record", "none")
    return door


def require_columns(owner: str, door: Frame, wanted: Sequence[str]) -> None:
    """Raises InvalidInput, with the nearest names, for a name that is not a column."""
    for name in wanted:
        if name not in door.names:
            raise unknown_name(owner, "column", name, door.names)


def is_numeric(door: Frame, name: str) -> bool:
    """Whether a column holds numbers."""
    return door.kind(name) in ("float", "integer")


def numeric_names(door: Frame) -> list[str]:
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


def checked(owner: str, door: Frame, wanted: Sequence[str], also: Sequence[str] = (), first: int = 0) -> Array:
    """The columns `wanted` as (n, p) float64 with NaN for missing, or one sentence on what is wrong and where.

    also : further columns that must be there, whatever they hold; first : how many records come before this frame's.
    Raises InvalidInput for an unknown column, one that holds no numbers, an infinite value, or a value whose
    magnitude is above 1e100, or above 0 and below 1e-100.
    """
    require_columns(owner, door, [*wanted, *also])
    for name in wanted:
        if not is_numeric(door, name):
            kind = door.kind(name)
            raise refuse_kind(owner, name, kind, door.cells(name).tolist() if kind == "text" else ())
    A = np.column_stack([door.values(n) for n in wanted]) if wanted else np.empty((door.records, 0))
    size = np.abs(A)
    rules = (
        (np.isinf(A), "must be finite"),
        (size > LARGEST, f"must not exceed {LARGEST:g} in magnitude"),
        ((size > 0) & (size < SMALLEST), f"must be 0 or at least {SMALLEST:g} in magnitude"),
    )
    for broken, rule in rules:
        if broken.any():
            k, j = np.argwhere(broken)[0]
            more = f" ({int(broken.sum())} such values)" if broken.sum() > 1 else ""
            raise InvalidInput(
                owner, f"values of column `{wanted[j]}` {rule}", f"{A[k, j]:g} in record {first + k + 1}{more}"
            )
    return A


def refuse_constant(owner: str, A: Array, wanted: Sequence[str]) -> None:
    """Raises InvalidInput when a column of A (n, p) has one value only, where there are at least two records."""
    if len(A) < 2:
        return
    for j, name in enumerate(wanted):
        if (A[:, j] == A[0, j]).all():
            rule = f"column `{name}` must vary (leave it out of the roles)"
            raise InvalidInput(owner, rule, f"{A[0, j]:g} in every record")
