"""A column of a CSV file as text: a list of str, or an array of Arrow, which does the same by the block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from .arrow_numbers import Undecided, quick_numbers
from .cells import MISSING, numbers, typed

if TYPE_CHECKING:
    import pandas as pd

_DECIMAL_COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_AT_ONCE = 10_000


class Column(Protocol):
    """The cells of a column as text, in their order."""

    def tolist(self) -> list[str]:
        """The cells."""

    def series(self) -> pd.Series:
        """The cells as pandas has text."""

    def typed(self, decimal: str) -> Any:
        """See cells.typed."""

    def present(self) -> Iterator[str]:
        """The cells that are not missing, without blanks around them; perhaps each different one once."""

    def is_numeric(self, decimal: str) -> bool:
        """Whether all present cells are numbers."""

    def holds(self, mark: str) -> bool:
        """Whether a present cell has the mark, "." or ",", in it."""


class PlainColumn:
    """See Column. cells : a list of str."""

    def __init__(self, cells: list[str]) -> None:
        self._cells = cells

    def tolist(self) -> list[str]:
        return self._cells

    def series(self) -> pd.Series:
        import pandas as pd

        return pd.Series(self._cells)

    def typed(self, decimal: str) -> Any:
        return typed(self._cells, decimal)

    def present(self) -> Iterator[str]:
        return (value for cell in self._cells if (value := cell.strip(" \t")) not in MISSING)

    def is_numeric(self, decimal: str) -> bool:
        return numbers(list(self.present()), decimal) is not None

    def holds(self, mark: str) -> bool:
        return any(mark in value for value in self.present())


class ArrowColumn:
    """See Column. cells : a pyarrow LargeStringArray without nulls.

    What quick_numbers cannot say of the column, the rules for lists say of its different cells: whether cells are
    numbers, and of which type, does not depend on how often each stands.
    """

    def __init__(self, cells: Any) -> None:
        self._cells = cells
        self._quick: dict[str, Any] = {}

    def tolist(self) -> list[str]:
        return self._cells.to_pylist()

    def series(self) -> pd.Series:
        import pandas as pd

        series = self._cells.to_pandas()
        return series if series.dtype == pd.Series([""]).dtype else pd.Series(self.tolist())

    def typed(self, decimal: str) -> Any:
        quick = self._quickly(decimal)
        if quick is not Undecided:
            return quick
        coded = self._cells.dictionary_encode()
        found = typed(coded.dictionary.to_pylist(), decimal)
        return None if found is None else found[coded.indices.to_numpy()]

    def present(self) -> Iterator[str]:
        for start in range(0, len(self._cells), _AT_ONCE):
            yield from PlainColumn(self._cells.slice(start, _AT_ONCE).to_pylist()).present()

    def is_numeric(self, decimal: str) -> bool:
        quick = self._quickly(decimal)
        if quick is not Undecided:
            return quick is not None
        return PlainColumn(self._cells.unique().to_pylist()).is_numeric(decimal)

    def holds(self, mark: str) -> bool:
        import pyarrow.compute as pc

        marked = self._cells.filter(pc.match_substring(self._cells, mark))
        return any(mark in value for value in ArrowColumn(marked).present())

    def _quickly(self, decimal: str) -> Any:
        if decimal not in self._quick:
            try:
                self._quick[decimal] = quick_numbers(self._cells, decimal)
            except Undecided:
                self._quick[decimal] = Undecided
        return self._quick[decimal]


def find_decimal(columns: Iterable[Column], separator: str) -> tuple[str, str | None]:
    """The decimal mark, "." or ",", and a note where the evidence is thin.

    A comma only where the separator is another mark, a column is numeric with it, and no column is with a point.
    """
    if separator == ",":
        return ".", None
    first, grouped = None, True
    for column in columns:
        if column.holds(".") and column.is_numeric("."):
            return ".", None
        if column.holds(",") and column.is_numeric(","):
            for value in filter(_DECIMAL_COMMA.fullmatch, column.present()):
                first, grouped = first or value, grouped and _GROUPED.fullmatch(value) is not None
                if not grouped:
                    break
    if first is None:
        return ".", None
    if grouped:
        return ",", f"commas were read as decimal marks, as in {first}; with decimal='.' they would be text"
    return ",", None
