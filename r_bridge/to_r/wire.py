"""Any argument or result of an R function as nested lists of strings, bytes and whole numbers.

Each is a list that starts with its tag: ["nothing"], ["vector", column], ["array", column, dims], ["frame", columns, n],
["list", names, items]. The R side is `to_plain` and `from_plain` in `r_scripts/bridge.R`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pyfcrm.errors import InvalidInput

from ..columns import NA_INTEGER, Column, Columns, from_bytes, to_bytes, whole_numbers

Plain = list[Any]  # of str, int, buffers and Plain


def to_plain(value: object) -> Plain:
    """The plain form of a Python value.

    None is NULL; a number, text or a truth value is a vector of length one; a list of text (None is NA) is a character vector;
    an array is a vector, or with more dimensions an array; Columns are a data frame; a mapping or a tuple is a list.
    """
    if value is None:
        return ["nothing"]
    if isinstance(value, Columns):
        return ["frame", [to_bytes(column) for column in value.columns], int(value.n)]
    if isinstance(value, Mapping):
        return ["list", list(value), [to_plain(item) for item in value.values()]]
    if isinstance(value, tuple):
        return ["list", [], [to_plain(item) for item in value]]
    if isinstance(value, str):
        value = [value]
    if isinstance(value, list) and all(item is None or isinstance(item, str) for item in value):
        return ["vector", to_bytes(Column("value", "character", value))]
    if hasattr(value, "columns") and hasattr(value, "iloc"):
        raise InvalidInput(
            "r_bridge", "a frame must be passed as from_frame(frame); to_frame converts back", "a DataFrame"
        )
    return _array(np.asarray(value))


def from_plain(plain: Plain) -> Any:
    """The Python value: arrays for vectors and arrays, lists of strings, Columns for a data frame, a dict or a list.

    A vector of length one is an array of length one. Integers and logicals with an NA are int32, NA as NA_INTEGER; factors,
    dates and times are a Column.
    """
    tag = plain[0]
    if tag == "nothing":
        return None
    if tag == "frame":
        return Columns(tuple(from_bytes(packed) for packed in plain[1]), _whole(plain[2]))
    if tag == "list":
        names = plain[1]
        items = [from_plain(item) for item in plain[2]]
        return dict(zip(names, items, strict=True)) if names else items
    column = from_bytes(plain[1])
    if column.kind == "character":
        return column.values
    if column.kind not in ("double", "integer", "logical"):
        return column
    values: Any = column.values
    if column.kind == "logical" and not (values == NA_INTEGER).any():
        values = values.astype(np.bool_)
    return values.reshape(plain[2], order="F") if tag == "array" else values


def _array(A: np.ndarray) -> Plain:
    """The plain form of an array of numbers or truth values, by columns as in R."""
    flat = A.ravel(order="F")
    if A.dtype.kind == "b":
        column = Column("value", "logical", flat.astype(np.int32))
    elif A.dtype.kind in "iu":
        column = whole_numbers("value", flat)
    elif A.dtype.kind == "f":
        column = Column("value", "double", flat.astype(np.float64, copy=False))
    else:
        raise InvalidInput("r_bridge", "a value for R must be numbers, text, Columns or a list of such", A.dtype)
    return ["array", to_bytes(column), list(A.shape)] if A.ndim > 1 else ["vector", to_bytes(column)]


def _whole(value: Any) -> int:
    """A whole number, which R returns as a vector of length one."""
    return int(value[0] if isinstance(value, list) else value)
