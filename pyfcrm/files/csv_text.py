"""Text of CSV files: separators, missing values, which columns are numbers, and how numbers are written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATORS = (",", ";", "\t", "|")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # a spreadsheet runs a cell that begins with one of these
NA_MISSING = "{path}: NA is missing in columns of numbers, and was read so in the text of {columns} (missing_marks=[] reads it as text)"
NA = "NA"
MISSING = frozenset(["", "NA", "NaN", "nan", "null", "NULL", "N/A", "."])
HARD_BLANKS = ("\u00a0", "\u2009", "\u202f")  # that do not break a line
_SIGNED_DIGITS = b"0123456789+-"
_OF_NUMBERS = _SIGNED_DIGITS + b".eEinfatyINFATY"
_HEAD = 100  # cells that are converted first, since a failure among many is slow
_CODE = r"^[+-]?0\d+$"


def trimmed(cells: pa.LargeStringArray) -> pa.LargeStringArray:
    """The cells without surrounding blanks and tabs."""
    import pyarrow.compute as pc

    body = cells.buffers()[2].to_pybytes()
    return pc.ascii_trim(cells, " \t") if b" " in body or b"\t" in body else cells


def numbers(cells: pa.LargeStringArray, decimal: str, thousands: str = "", marks: frozenset[str] = frozenset()) -> Any:
    """A column of text as numbers; None if it is text. marks : further words that mean missing.

    (n,) int64, or pandas's Int64 where cells are missing, if all others are whole numbers; else float64, missing as NaN.
    A whole number with leading zeros is a code: its column is text, as is one of whole numbers beyond int64, or without numbers.
    """
    import pandas as pd

    cells = trimmed(cells)
    body = cells.buffers()[2].to_pybytes()
    # Without n and N there is no NaN, and the conversion fails at any other missing cell.
    if not marks and b"n" not in body and b"N" not in body:
        values = _converted(cells, decimal, thousands)
        if values is not None:
            return values
    gaps = missing(cells, MISSING | marks).to_numpy(zero_copy_only=False)
    known = _converted(cells.filter(~gaps), decimal, thousands)
    if known is None or not gaps.any():
        return known
    dtype = "Int64" if known.dtype.kind == "i" else "float64"
    return pd.Series(known, np.flatnonzero(~gaps), dtype).reindex(range(len(gaps)))


def dates(cells: pa.LargeStringArray, marks: frozenset[str] = frozenset()) -> Any:
    """A column of text as datetime.date if all of its cells but the missing ones are dates such as 2024-03-31; else None.

    marks : further words that mean missing.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pc.if_else(missing(cells, MISSING | marks), pa.scalar(None, cells.type), cells)
    try:
        known[:_HEAD].cast("date32")
        days = known.cast("date32")
    except pa.ArrowInvalid:
        return None
    return days.to_pandas() if days.null_count < len(days) else None


def missing(cells: pa.LargeStringArray, words: frozenset[str]) -> pa.BooleanArray:
    """(n,) whether each cell is one of the words that mean missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.is_in(cells, value_set=pa.array(sorted(words), cells.type))


def with_thousands(text: str, thousands: str, decimal: str) -> str:
    """The text of a number with its thousands separated."""
    whole, mark, behind = text.partition(decimal)
    sign = "-" if whole.startswith("-") else ""
    digits = whole.removeprefix("-")
    if not digits.isdigit():  # empty, or with an exponent
        return text
    return f"{sign}{int(digits):,}".replace(",", thousands) + mark + behind


def _without_thousands(cells: pa.LargeStringArray, thousands: str, decimal: str) -> pa.LargeStringArray | None:
    """The cells without the separator of thousands; None where it stands elsewhere in one."""
    import pyarrow.compute as pc

    if thousands == " ":
        for blank in HARD_BLANKS:
            cells = pc.replace_substring(cells, blank, " ")
    separated = cells.filter(pc.match_substring(cells, thousands))
    mark = re.escape(thousands)
    pattern = rf"^[+-]?[1-9]\d{{0,2}}({mark}\d{{3}})+({re.escape(decimal)}\d+)?$"
    if len(separated) and not pc.all(pc.match_substring_regex(separated, pattern)).as_py():
        return None
    return pc.replace_substring(cells, thousands, "")


def _converted(cells: pa.LargeStringArray, decimal: str, thousands: str) -> NDArray[Any] | None:
    """Cells without gaps as int64 or float64; None where one is no number or is a code."""
    import pyarrow.compute as pc

    if not len(cells):
        return None
    if thousands:
        cells = _without_thousands(cells, thousands, decimal)
        if cells is None:
            return None
    if decimal == ",":
        if pc.any(pc.match_substring(cells, ".")).as_py():
            return None
        cells = pc.replace_substring(cells, ",", ".")
    body = cells.buffers()[2].to_pybytes()
    if body.translate(None, _OF_NUMBERS):
        return None
    for start in ("0", "-0", "+0"):
        codes = cells.filter(pc.starts_with(cells, start)) if start.encode() in body else []
        if len(codes) and pc.any(pc.match_substring_regex(codes, _CODE)).as_py():
            return None
    if b"+" in body:
        cells = pc.replace_substring_regex(cells, r"^\+(\d)", r"\1")
    kind = "float64" if body.translate(None, _SIGNED_DIGITS) else "int64"
    try:
        cells[:_HEAD].cast(kind)
        values: NDArray[Any] = cells.cast(kind).to_numpy()
    except ValueError:  # no numbers, or whole numbers beyond int64
        return None
    return values


def number_texts(values: NDArray[np.generic], decimal: str, whole: bool) -> list[str]:
    """Each number in its shortest form that reads back the same; NaN is empty.

    values : (n,) integers or floats; whole : write a float that is a whole number without ".0".
    """
    if values.dtype.kind in "iu":
        return list(map(str, values.tolist()))
    # str() of a float32 is its own shortest form, which tolist() would lose.
    texts = list(map(repr, values.tolist())) if values.dtype == np.float64 else [str(value) for value in values]
    if whole:
        texts = ["0" if text == "-0.0" else text.removesuffix(".0") for text in texts]
    if decimal == ",":
        texts = [text.replace(".", ",") for text in texts]
    return ["" if text == "nan" else text for text in texts]
