"""A table with the file it was read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput, Note
from ..types import WHOLE, Index

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels and other metadata of a statistical package's file."""

    kind: str
    """The file's extension."""
    metadata: Any
    """Metadata of pyreadstat, by column name: labels, value labels, print formats, measurement levels, and which values mean missing."""
    codes: Mapping[str, pd.Series]
    """The columns with values that mean missing, with these in place."""


@dataclass(frozen=True, eq=False)
class Table:
    """A frame of typed columns with the file from which it was read; what belongs to another format is empty."""

    frame: pd.DataFrame
    """The typed columns."""
    path: str | None = None
    """The file; None for a frame that was never in a file."""
    notes: tuple[Note, ...] = ()
    """Notes on what the reader had to guess."""
    separator: str = ","
    """The separator of a CSV file."""
    decimal: str = "."
    """The decimal mark of a CSV file."""
    encoding: str = "utf-8"
    """The encoding of a CSV file: "utf-8-sig" where it starts with a byte order mark."""
    newline: str = "\n"
    """The line end of a CSV file."""
    names_separator: bool = False
    """Whether the first line of a CSV file is such as sep=; (for Excel)."""
    thousands: str = ""
    """What separates thousands in a CSV file; "" for nothing."""
    missing_marks: frozenset[str] = frozenset()
    """Further words that mean missing in the file."""
    header: Mapping[str, str] = field(default_factory=dict)
    """The names of columns as written in a CSV file, by name."""
    texts: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The cells as written in a CSV file, pyarrow arrays of text, by name; of a workbook those of columns with missing_marks."""
    arrow: Any = field(default=None, repr=False)
    """The pyarrow Table of a Parquet file."""
    labels: Labels | None = None
    """The labels of an SPSS, Stata or SAS file."""


def check_names(path: str, names: list[str]) -> None:
    """Raises InvalidInput for a column without a name, or two of one name."""
    if not names:
        raise InvalidInput(path, "the file has no columns")
    for position, name in enumerate(names, 1):
        if not name.strip():
            hint = " (R's row names? write with row.names = FALSE)" if position == 1 else ""
            raise InvalidInput(path, "every column must have a name", f"a blank one in column {position}{hint}")
        if (first := names.index(name) + 1) < position:
            raise InvalidInput(path, "column names must differ", f"{name!r} in columns {first} and {position}")


def require_records(path: str, records: int, remedy: str = "") -> None:
    """Raises InvalidInput for a file without records. remedy : ends the sentence."""
    if not records:
        raise InvalidInput(path, f"the file has columns but no records{remedy}")


def with_whole_numbers(column: pd.Series) -> pd.Series:
    """A column of floats as int64 (Int64 where some are missing) if all of its numbers are whole and exact, else itself."""
    known = column.dropna()
    if not len(known) or (known % 1 != 0).any() or (known.abs() >= WHOLE).any():
        return column
    return column.astype("int64" if len(known) == len(column) else "Int64")


def positions(frame: pd.DataFrame, like: Table) -> Index | None:
    """The row of `like` of each row of the frame, by index; None if the index has no row numbers."""
    index = frame.index.to_numpy()
    if index.dtype.kind not in "iu" or not frame.index.is_unique:
        return None
    return index.astype(np.int64) if ((index >= 0) & (index < len(like.frame))).all() else None
