"""Wide files: one record for each unit, and a column for every variable and period."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..files.table import with_whole_numbers
from ..types import Rows
from .check import is_numeric
from .frame import Frame, open_frame
from .predictors import is_categorical


@dataclass(frozen=True)
class Group:
    """Units that are protected as one wide file."""

    rows: Rows
    """Records (N, T) of the file, by unit; -1 where a unit has no such record."""
    periods: tuple[str, ...]
    """The names of the T records of a unit."""
    dated: bool
    """Whether all units have the same periods."""

    def cells(self, name: str, constant: bool) -> list[tuple[str, Rows]]:
        """The column of the wide file that has a variable's cells in each record of a unit, with the rows (N,) of these records."""
        return [
            (name if constant else f"{name} {period}", rows)
            for period, rows in zip(self.periods, self.rows.T, strict=True)
        ]


def protected_as_cells(frame: Frame, name: str) -> bool:
    """Whether a column is protected as cells, not as numbers."""
    return is_categorical(frame, name) or not is_numeric(frame, name)


def wide_column(frame: Frame, name: str, rows: Rows) -> Any:
    """A column of a wide file: the cells of some rows of the file, none for -1."""
    import pandas as pd

    kind = frame.kind(name)
    if kind == "date" or not protected_as_cells(frame, name):
        values = frame.days(name) if kind == "date" else frame.values(name)
        column = pd.Series(np.where(rows < 0, np.nan, values[rows]))
        return with_whole_numbers(column) if kind == "integer" else column
    cells = frame.cells(name)
    taken = [None if row < 0 else cells[row] for row in rows]
    if kind in ("text", "boolean"):
        return pd.Series(taken, dtype=object if kind == "text" else "boolean")
    levels = frame.categories(name) if kind == "category" else sorted({cell for cell in cells if cell is not None})
    return pd.Series(pd.Categorical(taken, categories=levels))


def holders_of(frame: Frame, name: str, cells: Iterable[Any], rows: Rows) -> Rows:
    """The first records of the file that have these cells; a missing cell stays with its own record."""
    first = dict(zip(frame.cells(name)[::-1], range(frame.records)[::-1], strict=True))
    holders = [row if cell is None else first[cell] for cell, row in zip(cells, rows, strict=True)]
    return np.array(holders, dtype=np.intp)


def wide_frame(columns: Mapping[str, Any]) -> Frame:
    """A wide file of these columns (N,)."""
    import pandas as pd

    return open_frame("protect", pd.DataFrame(dict(columns)))
