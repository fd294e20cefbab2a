"""Columns of SPSS, Stata and SAS files: which hold whole numbers, and what a writer can take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_NO_DECIMALS = re.compile(r"[FN]\d+(\.0)?")  # SPSS's print format
_STORED_WHOLE = ("int8", "int16", "int32")
_MOST = 2.0**53


def with_integers(frame: pd.DataFrame, formats: Mapping[str, Any], stored: Mapping[str, str]) -> pd.DataFrame:
    """The frame with int64 (Int64 where some are missing) for columns that are meant to be whole, and are.

    formats : SPSS's print formats by column; stored : the types in the file.
    """
    columns = {}
    for name in frame.columns:
        meant = stored.get(name) in _STORED_WHOLE or _NO_DECIMALS.fullmatch(str(formats.get(name)))
        columns[name] = _integers(frame[name]) if meant else frame[name]
    return type(frame)(columns, index=frame.index)


def _integers(column: pd.Series) -> pd.Series:
    if column.dtype.kind != "f":
        return column
    known = column.dropna()
    if not len(known) or (known % 1 != 0).any() or (known.abs() >= _MOST).any():
        return column
    return column.astype("int64" if len(known) == len(column) else "Int64")


def plain(column: pd.Series) -> pd.Series:
    """The column in a type that every writer takes: numbers, text or dates."""
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return plain(column.astype(dtype.categories.dtype))
    if pd.api.types.is_bool_dtype(dtype):
        return plain(column.astype("Int64"))
    if pd.api.types.is_extension_array_dtype(dtype) and pd.api.types.is_numeric_dtype(dtype):
        whole = pd.api.types.is_integer_dtype(dtype) and not column.isna().any()
        return column.astype("int64" if whole else "float64")
    if dtype.kind == "u":
        return column.astype("int64")
    return column


def beyond_doubles(column: pd.Series) -> int:
    """How many of a column's values are whole numbers above 2^53: numbers in these files are doubles."""
    import pandas as pd

    if not pd.api.types.is_integer_dtype(column.dtype):
        return 0
    known = column.dropna()
    return int(((known > int(_MOST)) | (known < -int(_MOST))).sum())


def with_codes(column: pd.Series, codes: pd.Series, kept: Any) -> pd.Series:
    """The column with the reasons why values are missing put back where cells leave as they came.

    codes : the column as the file has it, (N,) by the row numbers that the column's index holds; kept : (n,) or None.
    """
    import pandas as pd

    numbers = plain(column)
    if kept is None:
        return numbers
    came = codes.to_numpy()[column.index.to_numpy()]
    reasons = np.asarray(kept, dtype=bool) & column.isna().to_numpy() & ~pd.isna(came)
    if codes.dtype.kind == "f":
        return pd.Series(np.where(reasons, came, numbers.to_numpy(dtype=np.float64)), index=column.index)
    values = numbers.to_numpy(dtype=object)
    values[reasons] = came[reasons]
    return pd.Series(values, index=column.index, dtype=object)
