"""Wide files: one record for each unit, and a column for every variable and period."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Mask, Rows
from .check import is_numeric
from .frame import Frame, open_frame
from .predictors import is_categorical


@dataclass(frozen=True)
class Group:
    """Units that are protected as one wide file.

    rows (N, T) : of the file, -1 where a unit has no such record; periods : the names of the T records of a unit; dated :
    whether all units have the same periods.
    """

    rows: Rows
    periods: tuple[str, ...]
    dated: bool

    def columns(self, name: str, constant: bool) -> list[str]:
        """The columns of a variable in the wide file."""
        return [name] if constant else [f"{name} {period}" for period in self.periods]

    def places(self, constant: bool) -> Iterator[Rows]:
        """The rows (N,) of the file of each of these columns."""
        yield from self.rows.T[:1] if constant else self.rows.T


def protected_as_cells(frame: Frame, name: str) -> bool:
    """Whether a column is protected as cells, not as numbers."""
    return is_categorical(frame, name) or not is_numeric(frame, name)


def missing_cells(frame: Frame, name: str) -> Mask:
    """(n,) the missing cells of a column of any kind."""
    return frame.codes(name) < 0


def wide_column(frame: Frame, name: str, rows: Rows) -> Any:
    """A column of a wide file: the cells of some rows of the file, none for -1."""
    import pandas as pd

    if frame.kind(name) == "date":
        return pd.Series(np.where(rows < 0, np.nan, frame.days(name)[rows]))
    if not protected_as_cells(frame, name):
        values = np.where(rows < 0, np.nan, frame.values(name)[rows])
        whole = frame.kind(name) == "integer"
        return pd.Series(values).astype(
            "Int64" if whole and np.isnan(values).any() else "int64" if whole else "float64"
        )
    cells = frame.cells(name)
    taken = [None if row < 0 else cells[row] for row in rows]
    if frame.kind(name) in ("text", "boolean"):
        return pd.Series(taken, dtype=object if frame.kind(name) == "text" else "boolean")
    levels = frame.categories(name) if frame.kind(name) == "category" else sorted({c for c in cells if c is not None})
    return pd.Series(pd.Categorical(taken, categories=levels))


def holders_of(frame: Frame, name: str, cells: Iterable[Any], rows: Rows) -> Rows:
    """Records of the file that have these cells; a missing cell stays with its own record."""
    first: dict[Any, int] = {}
    for row, cell in enumerate(frame.cells(name)):
        first.setdefault(cell, row)
    return np.array(
        [row if cell is None else first[cell] for cell, row in zip(cells, rows, strict=True)], dtype=np.intp
    )


def wide_frame(columns: Mapping[str, Any]) -> Frame:
    """A wide file of these columns (N,)."""
    import pandas as pd

    return open_frame("protect", pd.DataFrame(dict(columns)))
