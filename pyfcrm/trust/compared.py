"""Two files compared cell by cell: which columns differ, in how many records, by how much at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data import Frame
from ..data.open import is_numeric
from ..data.source import open_data
from ..errors import Count, InvalidInput


@dataclass(frozen=True)
class Difference:
    """One column that is not the same in both files.

    Parameters
    ----------
    column : str
        Its name.
    records : int
        How many records differ in it; all of them where only one file has the column.
    largest : float or None
        The largest difference of two numbers, in the column's unit; None where no two numbers differ.
    record : int
        The first record, counted from 1, that differs by so much; or that differs, where there are no numbers.
    """

    column: str
    records: int
    largest: float | None
    record: int

    def __str__(self) -> str:
        where = f"`{self.column}` differs in {self.records} {Count(self.records):record|records}"
        if self.largest is None:
            return f"{where}, first in record {self.record}"
        return f"{where}, by {self.largest:.6g} at most, in record {self.record}"


def compared(owner: str, one: str, other: str) -> list[Difference]:
    """The columns in which two files differ, in order. Raises InvalidInput where they have not as many records."""
    a, b = open_data(f"{owner}, {one}", one), open_data(f"{owner}, {other}", other)
    if a.records != b.records:
        raise InvalidInput(owner, f"there are {b.records} records where there should be {a.records}")
    found = [_alone(name, a.records) for name in (*a.names, *b.names) if (name in a.names) != (name in b.names)]
    shared = [_column(name, a, b) for name in a.names if name in b.names]
    return [*found, *(one for one in shared if one is not None)]


def _alone(name: str, records: int) -> Difference:
    return Difference(name, records, None, 1)


def _column(name: str, a: Frame, b: Frame) -> Difference | None:
    if not (is_numeric(a, name) and is_numeric(b, name)):
        cells = [np.array([_text(cell) for cell in door.cells(name)], dtype=object) for door in (a, b)]
        apart = np.asarray(cells[0] != cells[1], dtype=bool)
        return Difference(name, int(apart.sum()), None, int(apart.argmax()) + 1) if apart.any() else None
    x, y = a.values(name), b.values(name)
    differ = ~((x == y) | (np.isnan(x) & np.isnan(y)))
    if not differ.any():
        return None
    with np.errstate(invalid="ignore"):
        size = np.where(differ, np.abs(x - y), 0.0)
    known = np.isfinite(size) & differ
    if not known.any():
        return Difference(name, int(differ.sum()), None, int(differ.argmax()) + 1)
    place = int(np.where(known, size, -1.0).argmax())
    return Difference(name, int(differ.sum()), float(size[place]), place + 1)


def _text(cell: object) -> str:
    return "" if cell is None or cell != cell else str(cell)
