"""Writing a table: new values, and the unmodified cells as in the file that was read."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidInput
from ..types import Mask
from .atomic import write_bytes
from .formats import WRITERS, check_output
from .paths import Path, extension
from .table import Table, positions

if TYPE_CHECKING:
    import pandas as pd


def write_table(
    frame: pd.DataFrame,
    path: Path,
    like: Table | None = None,
    replaced: Collection[str] = (),
    *,
    disarm: bool = False,
) -> None:
    """Write a frame as CSV, Parquet, SPSS, Stata or SAS (.xpt), by the extension, whole or not at all; no index is written.

    like : the table the frame came from; the frame's index must then hold its row numbers. Cells that are not
    replaced stay unmodified: CSV with its separator, decimal mark, encoding and line ending, Parquet with its column
    types, the others with their labels, print formats and reasons for missing values. Columns of `like` that the frame
    lacks are dropped.
    replaced : columns with new values, but for cells that stay missing; disarm : in CSV, text that begins
    with = + - @ gets an apostrophe in front, so that no spreadsheet runs it (numbers never do).
    Raises InvalidInput for a path that cannot be written, or is the file `like` was read from.
    """
    text = check_output(path, [like.path] if like else [])
    if not frame.columns.is_unique:
        raise InvalidInput(text, "column names must differ", list(frame.columns))
    unmodified = {} if like is None else _unmodified(frame, like, replaced)
    write_bytes(path, WRITERS[extension(text)](text, frame, like, unmodified, disarm))


def _unmodified(frame: pd.DataFrame, like: Table, replaced: Collection[str]) -> dict[str, Mask]:
    """By column, (n,) True where the cell is not replaced or is missing, and still has the value that was read."""
    rows = positions(frame, like)
    if rows is None:
        return {}
    unmodified = {}
    for name in frame.columns:
        if name in like.frame.columns:
            same = _same(frame[name], like.frame[name].iloc[rows])
            if name in replaced:
                same &= frame[name].isna().to_numpy()
            unmodified[str(name)] = same
    return unmodified


def _same(now: pd.Series, before: pd.Series) -> Mask:
    """Where two columns agree, two missing values agreeing too."""
    if now.dtype == before.dtype and isinstance(now.dtype, np.dtype) and now.dtype.kind in "iufb":
        a, b = now.to_numpy(), before.to_numpy()
        return (a == b) | ((a != a) & (b != b))
    a, b = now.astype(object).to_numpy(), before.astype(object).to_numpy()
    missing = now.isna().to_numpy() & before.isna().to_numpy()
    # A comparison may give NA or an array; only a plain yes counts.
    agree = [x is y or (isinstance(e := x == y, bool | np.bool_) and bool(e)) for x, y in zip(a, b, strict=True)]
    return missing | np.array(agree, dtype=bool)
