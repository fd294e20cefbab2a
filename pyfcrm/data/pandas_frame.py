"""Data frames of pandas."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from ..types import Array
from .codes import distinct
from .frame import FromFile, beyond_floats, type_limits


class PandasFrame(FromFile):
    """See data.frame.Frame."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self.names = [str(c) for c in frame.columns]
        self.records = len(frame)
        # By position: labels may be 0, None, dates or tuples, and 1 and True are one label to pandas.
        self._place = {name: place for place, name in enumerate(self.names)}

    def _column(self, name: str) -> pd.Series:
        column: Any = self.frame.iloc[:, self._place[name]]
        dense: pd.Series = column.sparse.to_dense() if isinstance(column.dtype, pd.SparseDtype) else column
        return dense

    def kind(self, name: str) -> str:
        dtype = self._column(name).dtype
        if isinstance(dtype, pd.CategoricalDtype):
            return "category"
        if types.is_bool_dtype(dtype):
            return "boolean"
        if types.is_integer_dtype(dtype):
            return "integer"
        if types.is_float_dtype(dtype):
            return "float"
        if types.is_datetime64_any_dtype(dtype) or types.is_timedelta64_dtype(dtype):
            return "date"
        if types.is_object_dtype(dtype):
            return _kind_of_objects(self._column(name))
        return "text" if types.is_string_dtype(dtype) else "other"

    def limits(self, name: str) -> tuple[float, float]:
        dtype: Any = self._column(name).dtype
        return type_limits(getattr(dtype, "numpy_dtype", dtype))

    def places(self, name: str) -> int | None:
        dtype = getattr(self._column(name).dtype, "pyarrow_dtype", None)
        return getattr(dtype, "scale", None)

    def values(self, name: str) -> Array:
        column = self._column(name)
        if types.is_object_dtype(column.dtype):
            return np.array([np.nan if pd.isna(v) else float(v) for v in column], dtype=np.float64)
        return np.array(column.to_numpy(dtype=np.float64, na_value=np.nan))

    def beyond_floats(self, name: str) -> NDArray[np.bool_]:
        column = self._column(name)
        dtype: Any = column.dtype
        if types.is_object_dtype(dtype):
            return beyond_floats(column.to_numpy())
        if not types.is_integer_dtype(dtype):
            return np.zeros(self.records, dtype=bool)
        if isinstance(dtype, np.dtype):
            return beyond_floats(column.to_numpy())
        return beyond_floats(np.asarray(column.to_numpy(dtype=dtype.numpy_dtype, na_value=0)))

    def replaced(self, columns: Mapping[str, Array], rows: NDArray[np.bool_], drop: Iterable[str], floats: bool) -> Any:
        frame = self.frame.copy()
        frame.attrs = {}  # a release carries nothing but its table
        for name, values in columns.items():
            column = self._column(name).copy()
            put = rows & ~np.isnan(values) & ~(self.beyond_floats(name) & (values == self.values(name)))
            if floats and self.kind(name) == "integer":
                column = column.astype("Float64" if hasattr(column.dtype, "numpy_dtype") else "float64")
            column.iloc[np.flatnonzero(put)] = _typed(values[put], column.dtype)
            frame.isetitem(self._place[name], self._as_sparse(name, column).array)
        left_out = {self._place[name] for name in drop}
        return frame.iloc[:, [j for j in range(len(self.names)) if j not in left_out]]

    def _as_sparse(self, name: str, column: pd.Series) -> pd.Series:
        """The new column, sparse where the frame's is."""
        dtype = self.frame.dtypes.iloc[self._place[name]]
        if not isinstance(dtype, pd.SparseDtype):
            return column
        return column.astype(dtype if column.dtype == dtype.subtype else pd.SparseDtype(column.dtype))

    def cells(self, name: str) -> NDArray[np.object_]:
        column = self._column(name)
        objects = column.astype(object).to_numpy(dtype=object).copy()
        objects[column.isna().to_numpy()] = None
        return objects

    def codes(self, name: str) -> NDArray[np.int64]:
        column = self._column(name)
        try:
            codes = pd.factorize(column)[0]
        except (TypeError, ValueError):  # cells that are lists and the like
            codes = pd.factorize(column.map(repr, na_action="ignore"))[0]
        return np.asarray(codes, dtype=np.int64)

    def distinct(self, name: str) -> tuple[NDArray[np.int64], list[Any]]:
        column = self._column(name)
        if types.is_object_dtype(column.dtype):
            places, values = distinct(column.tolist())
            return places, PandasFrame(pd.DataFrame({name: pd.Series(values, dtype=object)})).cells(name).tolist()
        if not _has_plain_values(column.dtype):
            return distinct(self.cells(name).tolist())
        codes, found = pd.factorize(column)
        return np.asarray(codes, dtype=np.int64), list(found.astype(object))

    def reshaped(self, categories: Any, gaps: Mapping[str, NDArray[np.bool_]], rows: NDArray[np.intp] | None) -> Any:
        frame = self.frame.copy()
        frame.attrs = {}
        for name, (labels, order) in categories.items():
            cut = pd.Categorical(labels, categories=order, ordered=True)
            frame.isetitem(self._place[name], cut)
        for name, gap in gaps.items():
            if gap.any():
                frame.isetitem(self._place[name], _emptied(self._column(name), gap).array)
        return frame if rows is None else frame.iloc[rows]

    def index(self) -> Any:
        index = self.frame.index
        return None if index.equals(pd.RangeIndex(len(index))) else index


def _kind_of_objects(column: pd.Series) -> str:
    present = column[column.notna()].tolist()
    if any(isinstance(v, str) for v in present):
        return "text"
    real = all(isinstance(v, numbers.Real) and not isinstance(v, bool) for v in present)
    return "float" if present and real else "other"


def _has_plain_values(dtype: Any) -> bool:
    """Whether pandas finds equal values among such cells as Python does."""
    if isinstance(dtype, np.dtype):
        return dtype.kind in "iubmM" or (dtype.kind == "f" and dtype.itemsize in (4, 8))
    masked = getattr(dtype, "numpy_dtype", None) is not None and not hasattr(dtype, "pyarrow_dtype")
    return masked or isinstance(dtype, pd.StringDtype | pd.DatetimeTZDtype)


def _emptied(column: pd.Series, gap: NDArray[np.bool_]) -> pd.Series:
    """The column with gaps, of a type that can hold them: int64 becomes Int64, bool becomes boolean."""
    nullable = {"i": column.dtype.name.capitalize(), "u": column.dtype.name.replace("ui", "UI"), "b": "boolean"}
    plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in nullable
    return (column.astype(pd.api.types.pandas_dtype(nullable[column.dtype.kind])) if plain else column).mask(gap)


def _typed(values: Array, dtype: Any) -> Any:
    return pd.array(values, dtype="float64").astype(dtype)
