"""A table as it was read: its frame, and what its file was like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput, Note
from ..types import Index
from .labelled import Labels

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class CsvOrigin:
    """A CSV file.

    newline : its line ends; encoding : "utf-8", "utf-8-sig" with its mark, "cp1252" or "latin-1"; header : the names in the
    file, by name; texts : the cells in the file, by name, as pyarrow arrays of text.
    """

    path: str
    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    newline: str = "\n"
    header: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class ArrowOrigin:
    """A Parquet file. arrow : its pyarrow Table."""

    path: str
    arrow: Any = field(repr=False)


@dataclass(frozen=True, eq=False)
class SheetOrigin:
    """An Excel workbook, whose first sheet was read."""

    path: str


@dataclass(frozen=True, eq=False)
class LabelledOrigin:
    """An SPSS, Stata or SAS file, and its labels."""

    path: str
    labels: Labels


@dataclass(frozen=True, eq=False)
class Table:
    """A frame of typed columns, and where it came from.

    origin : None for a frame that was never in a file; notes : what the reader had to guess.
    """

    frame: pd.DataFrame
    origin: CsvOrigin | ArrowOrigin | SheetOrigin | LabelledOrigin | None = None
    notes: tuple[Note, ...] = ()

    @property
    def path(self) -> str | None:
        """The file it was read from."""
        return None if self.origin is None else self.origin.path

    @property
    def labels(self) -> Labels | None:
        """What an SPSS, Stata or SAS file says of its columns."""
        return self.origin.labels if isinstance(self.origin, LabelledOrigin) else None


def check_names(path: str, names: list[str]) -> None:
    """Raises InvalidInput for a column without a name, or two of one name."""
    for position, name in enumerate(names, 1):
        if not name.strip():
            hint = " (R's row names? write with row.names = FALSE)" if position == 1 else ""
            raise InvalidInput(path, "every column must have a name", f"a blank one in column {position}{hint}")
    seen: dict[str, int] = {}
    for position, name in enumerate(names, 1):
        if name in seen:
            raise InvalidInput(path, "column names must differ", f"{name!r} in columns {seen[name]} and {position}")
        seen[name] = position
    if not names:
        raise InvalidInput(path, "the file has no columns")


def positions(frame: pd.DataFrame, like: Table) -> Index | None:
    """The row of `like` that each row of the frame is, by index; None if the index cannot say."""
    index = frame.index.to_numpy()
    n = len(like.frame)
    if index.dtype.kind not in "iu" or len(index) > n or not frame.index.is_unique:
        return None
    return index.astype(np.int64) if not len(index) or (index.min() >= 0 and index.max() < n) else None
