"""A column of a CSV file as text, as a list of str or an array of Arrow, and as numbers by Arrow where that gives
exactly what cells give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import Note
from .csv_text import MISSING, integers, numbers, typed

if TYPE_CHECKING:
    import pandas as pd

Bools = NDArray[np.bool_]
_NUMBERS = b"0123456789-.eE"  # what a number is written with, nearly always
_OTHERS = b"+infatyINFATY \t" + "".join(sorted(MISSING)).encode()  # in rarer numbers, or in missing cells
_ZERO, _NINE, _MINUS = b"09-"
_DECIMAL_COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_AT_ONCE = 10_000
AS_DECIMALS = "commas were read as decimal marks, as if 1,500 were one and a half; with decimal='.' they would be text"


class Undecided(Exception):
    """Only the rules for single cells can say what this column is."""


class _Text:
    """cells : a pyarrow LargeStringArray without nulls; body : its bytes, one cell after the other; lengths : (n,);
    others : the bytes that numbers are seldom written with."""

    def __init__(self, cells: Any) -> None:
        _, offsets, data = cells.buffers()
        ends = np.frombuffer(offsets, dtype=np.int64)[cells.offset : cells.offset + len(cells) + 1]
        self.cells = cells
        self.lengths = ends[1:] - ends[:-1]
        self.body: bytes = b"" if data is None else data.slice(int(ends[0]), int(ends[-1] - ends[0])).to_pybytes()
        self.others = self.body.translate(None, _NUMBERS)
        self.starts = ends[:-1] - ends[0]

    def bytes_at(self, places: Any) -> NDArray[np.uint8]:
        """The bytes of the body at these places; at its end, a zero byte."""
        return np.frombuffer(self.body + b"\0\0", dtype=np.uint8)[places]

    def only(self, character: str) -> Bools:
        """(n,) True where the cell is this one character."""
        found = self.lengths == 1
        if found.any():
            found[found] = self.bytes_at(self.starts[found]) == ord(character)
        return np.asarray(found)


def quick_numbers(cells: Any, decimal: str) -> Any:
    """What files.csv_text.typed gives for the column; None if it is text.

    cells : a pyarrow LargeStringArray without nulls.
    Raises Undecided where Arrow may read otherwise (signs +, codes, inf and nan), or where it does not read.
    """
    import pyarrow.compute as pc

    text = _Text(cells)
    if text.others.translate(None, _OTHERS + (b"," if decimal == "," else b"")):
        return None  # a letter that stands in no number and in no missing cell
    if b" " in text.others or b"\t" in text.others:
        text = _Text(pc.ascii_trim(cells, characters=" \t"))
    if decimal == ",":
        text = _with_points(text)
    gaps = _gaps(text)
    if not gaps.any():
        return _numbers(text)
    if gaps.all():
        raise Undecided
    known = _numbers(_Text(text.cells.filter(~gaps)))
    return None if known is None else _spread(known, gaps)


def _with_points(text: _Text) -> _Text:
    """The cells with points for decimal commas."""
    import pyarrow as pa

    if b"." in text.body or text.only(",").any():
        raise Undecided
    ends = np.append(text.starts, len(text.body))
    pointed = text.body.replace(b",", b".")
    return _Text(pa.LargeStringArray.from_buffers(len(text.cells), pa.py_buffer(ends), pa.py_buffer(pointed)))


def _gaps(text: _Text) -> Bools:
    """(n,) True where the cell is missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if text.others:
        missing = pa.array(sorted(MISSING), type=pa.large_string())
        return np.asarray(pc.is_in(text.cells, value_set=missing).to_numpy(zero_copy_only=False))
    return np.asarray((text.lengths == 0) | text.only("."))


def _numbers(text: _Text) -> Any:
    """(n,) int64 or float64 of cells none of which is missing; None if they are text."""
    import pyarrow as pa

    if text.others:
        raise Undecided
    signed = text.bytes_at(text.starts) == _MINUS if b"-" in text.body else np.False_
    if _has_leading_zeros(text, signed):
        raise Undecided  # 007 makes the column text, 00.5 does not
    kinds = [pa.float64()]
    if not any(mark in text.body for mark in (b".", b"e", b"E")):
        if text.body.count(b"-") > np.count_nonzero(signed):
            return None  # such as a date
        kinds = [pa.int64(), pa.float64()]
    for kind in kinds:
        try:
            return text.cells.cast(kind).to_numpy()
        except pa.ArrowInvalid:
            continue  # integers beyond int64 are floats
    raise Undecided


def _has_leading_zeros(text: _Text, signed: Any) -> bool:
    """Whether a cell begins with a zero, behind a sign or not, and another digit."""
    firsts = text.starts + signed
    zeros = (text.bytes_at(firsts) == _ZERO) & (text.lengths > signed + 1)
    seconds = text.bytes_at(firsts[zeros] + 1)
    return bool(((seconds >= _ZERO) & (seconds <= _NINE)).any())


def _spread(known: Any, gaps: Bools) -> Any:
    """The numbers in their places, with gaps between them."""
    whole = known.dtype.kind == "i"
    values = np.zeros(len(gaps), dtype=np.int64) if whole else np.full(len(gaps), np.nan)
    values[~gaps] = known
    return integers(values, gaps) if whole else values


class Column(Protocol):
    """The cells of a column as text, in their order."""

    def tolist(self) -> list[str]:
        """The cells."""

    def series(self) -> pd.Series:
        """The cells as pandas has text; an empty one is missing."""

    def typed(self, decimal: str) -> Any:
        """See files.csv_text.typed."""

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

        text = pd.Series(self._cells)
        return text.mask(np.array([not cell for cell in self._cells])) if "" in self._cells else text

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
        return without_empty(series if series.dtype == pd.Series([""]).dtype else pd.Series(self.tolist()))

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


def without_empty(text: pd.Series) -> pd.Series:
    """Cells of text, the empty ones missing, as pandas reads them."""
    empty = text == ""
    return text.mask(empty) if empty.any() else text


def find_decimal(columns: Iterable[Column], separator: str) -> tuple[str, Note | None]:
    """The decimal mark, "." or ",", and a note where the evidence is thin.

    A comma only where the separator is another mark, a column is numeric with it, and no column is with a point.
    """
    if separator == ",":
        return ".", None
    found, grouped = False, True
    for column in columns:
        if column.holds(".") and column.is_numeric("."):
            return ".", None
        if column.holds(",") and column.is_numeric(","):
            for value in filter(_DECIMAL_COMMA.fullmatch, column.present()):
                found, grouped = True, grouped and _GROUPED.fullmatch(value) is not None
                if not grouped:
                    break
    if not found:
        return ".", None
    return ",", Note.of("read_as", AS_DECIMALS) if grouped else None
