"""Wide files: one record for each unit, and a column for every variable and period."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..files.table import with_whole_numbers
from ..rstream import RStream
from ..types import Rows
from .check import is_numeric
from .codes import MISSING
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


def holders_of(frame: Frame, name: str, cells: Iterable[Any], stream: RStream) -> Rows:
    """Records of the file (k,) that have these released cells (k,): the first one, of a missing cell see `missing_holders`."""
    first = dict(zip(frame.cells(name)[::-1], range(frame.records)[::-1], strict=True))
    holders = np.array([MISSING if cell is None else first[cell] for cell in cells], dtype=np.intp)
    missing = np.flatnonzero(holders == MISSING)
    holders[missing] = missing_holders(frame, name, len(missing), stream)
    return holders


def missing_holders(frame: Frame, name: str, count: int, stream: RStream) -> Rows:
    """Records of the file (count,) whose cell is missing, for cells of a release that are.

    A record's own cell may be observed, and is never taken for a missing one. Where no cell is missing, as absent records of units
    count as missing, any record may be taken. Draws: a sample, unless all missing cells are equal.
    """
    candidates = np.flatnonzero(frame.codes(name) == MISSING)
    if len(candidates) == 0:
        candidates = np.arange(frame.records)
    kinds = frame.distinct_with_codes(name)[0][candidates]
    if count == 0 or (kinds == kinds[0]).all():
        return np.full(count, candidates[0])
    return candidates[stream.sample_int(len(candidates), count, replace=True) - 1]


def wide_frame(columns: Mapping[str, Any]) -> Frame:
    """A wide file of these columns (N,)."""
    import pandas as pd

    return open_frame("protect", pd.DataFrame(dict(columns)))
