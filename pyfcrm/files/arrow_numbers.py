"""A column of text as numbers by Arrow, where that gives exactly what cells.typed gives; elsewhere it says that it cannot say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cells import MISSING, integers

Bools = NDArray[np.bool_]

_NUMBERS = b"0123456789-.eE"  # what a number is written with, nearly always
_OTHERS = b"+infatyINFATY \t" + "".join(sorted(MISSING)).encode()  # in rarer numbers, or in missing cells
_ZERO, _NINE, _MINUS = b"09-"


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
    """What cells.typed gives for the column; None if it is text.

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
