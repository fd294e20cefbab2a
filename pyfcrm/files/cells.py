"""Cells and values: when a column of text is a column of numbers, and how a number is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MISSING = frozenset(["", "NA", "NaN", "nan", "null", "NULL", "N/A", "."])
# Python's int() and float() also take 1_000, other scripts' digits and any white space; a file's numbers do not.
_OF_NUMBERS = re.compile(r"[0-9+\-.eEinfatyINFATY]*")
FIRST_INEXACT = 2.0**53  # whole numbers above it may have no float64
_WHOLE = re.compile(r"[+-]?\d+")

Numbers = NDArray[np.int64] | NDArray[np.float64]


def numbers(cells: Sequence[str], decimal: str) -> Numbers | None:
    """The column as int64 (plain integers only) or float64 (missing cells are NaN); None if it is text.

    A whole number with leading zeros is a code, and makes the column text; so does having no number at all.
    Integers beyond int64 give float64.
    """
    if decimal == "." and (quick := _numbers(cells, cells)) is not None:
        return quick
    values = [cell.strip(" \t") for cell in cells]
    present = [value for value in values if value not in MISSING]
    if not present:
        return None
    if decimal == ",":
        if any("." in value for value in present):
            return None
        values, present = [v.replace(",", ".") for v in values], [v.replace(",", ".") for v in present]
    return _numbers(values, present)


def _numbers(values: Sequence[str], present: Sequence[str]) -> Numbers | None:
    """The numbers in `values`, of which those not in `present` are missing; None if one is not a number."""
    if _OF_NUMBERS.fullmatch("".join(present)) is None:
        return None
    if any(_is_code(value) for value in present if value[:1] in ("0", "+", "-")):
        return None
    try:
        if len(present) == len(values):
            return np.array(list(map(int, values)), dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        if len(present) == len(values):
            return np.array(list(map(float, values)), dtype=np.float64)
        return np.array([np.nan if value in MISSING else float(value) for value in values], dtype=np.float64)
    except ValueError:
        return None


def typed(cells: Sequence[str], decimal: str) -> Any:
    """numbers() of the column, but pandas's Int64 where some of its integers are missing, so that it leaves as integers too."""
    values = numbers(cells, decimal)
    if values is None or values.dtype.kind != "f" or not np.isnan(values).any():
        return values
    found = integers_with_gaps(cells)
    return values if found is None else integers(*found)


def integers(values: NDArray[np.int64], gaps: NDArray[np.bool_]) -> Any:
    """pandas's Int64 of the values, missing where `gaps` is True."""
    import pandas as pd

    return pd.arrays.IntegerArray(values, gaps)


def integers_with_gaps(cells: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
    """Values and where they are missing, of a numeric column whose cells are plain integers or missing; else None."""
    values = [cell.strip(" \t") for cell in cells]
    gaps = [value in MISSING for value in values]
    try:
        whole = [0 if gap else int(value) for value, gap in zip(values, gaps, strict=True)]
        return np.array(whole, dtype=np.int64), np.array(gaps)
    except (ValueError, OverflowError):
        return None


def rounded_in_reading(values: Numbers, cells: Sequence[str]) -> NDArray[np.bool_]:
    """(n,) where the cell is a whole number that its float64 is not equal to; values : the cells as numbers."""
    rounded = np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "f":
        for row in np.flatnonzero((np.abs(values) >= FIRST_INEXACT) & np.isfinite(values)).tolist():
            cell = cells[row].strip(" \t")
            rounded[row] = _WHOLE.fullmatch(cell) is not None and int(cell) != int(values[row])
    return rounded


def _is_code(value: str) -> bool:
    digits = value.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits.isdigit()


def number_texts(values: NDArray[np.generic], decimal: str, whole: bool) -> list[str]:
    """Each number in its shortest form that reads back the same; NaN is empty.

    values : (n,) integers or floats; whole : write a float that is a whole number without ".0".
    """
    if values.dtype.kind in "iu":
        return list(map(str, values.tolist()))
    # str() of a float32 is its own shortest form, which tolist() would lose.
    texts = list(map(repr, values.tolist())) if values.dtype == np.float64 else [str(value) for value in values]
    if whole:
        texts = [_without_fraction(text) for text in texts]
    if decimal == ",":
        texts = [text.replace(".", ",") for text in texts]
    return ["" if text == "nan" else text for text in texts]


def _without_fraction(text: str) -> str:
    return "0" if text == "-0.0" else text.removesuffix(".0")
