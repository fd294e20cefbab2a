"""Data frames of polars."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ..types import Array
from .codes import distinct
from .frame import FromFile, beyond_floats, decimal_limits, integer_limits, type_limits


class PolarsFrame(FromFile):
    """See data.frame.Frame. Records are paired by position: polars has no index."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame
        self.names = list(frame.columns)
        self.records = frame.height

    def kind(self, name: str) -> str:
        dtype = self.frame.schema[name]
        if dtype.is_integer():
            return "integer"
        if dtype.is_float() or dtype.is_decimal():
            return "float"
        if dtype.is_temporal():
            return "date"
        named = {"String": "text", "Boolean": "boolean", "Categorical": "category", "Enum": "category"}
        return named.get(type(dtype).__name__ if not isinstance(dtype, type) else dtype.__name__, "other")

    def limits(self, name: str) -> tuple[float, float]:
        dtype: Any = self.frame.schema[name]
        if dtype.is_decimal():
            return decimal_limits(dtype.precision or 38, dtype.scale)
        if dtype.is_integer():
            return integer_limits(int(re.sub(r"\D", "", str(dtype))), dtype.is_signed_integer())
        return type_limits(pl.Series([], dtype=dtype).to_numpy().dtype)

    def places(self, name: str) -> int | None:
        dtype: Any = self.frame.schema[name]
        return int(dtype.scale) if dtype.is_decimal() else None

    def values(self, name: str) -> Array:
        column = self.frame[name].cast(pl.Float64).fill_null(float("nan"))
        return np.array(column.to_numpy(), dtype=np.float64)

    def beyond_floats(self, name: str) -> NDArray[np.bool_]:
        if not self.frame.schema[name].is_integer():
            return np.zeros(self.records, dtype=bool)
        return beyond_floats(_integers(self.frame[name].fill_null(0)))

    def replaced(self, columns: Mapping[str, Array], rows: NDArray[np.bool_], drop: Iterable[str], floats: bool) -> Any:
        new = []
        for name, values in columns.items():
            column = self.frame[name]
            put = rows & ~np.isnan(values) & ~(self.beyond_floats(name) & (values == self.values(name)))
            if floats and self.kind(name) == "integer":
                column = column.cast(pl.Float64)
            filled = pl.Series(name, np.where(put, values, 0.0)).cast(column.dtype)
            new.append(filled.zip_with(pl.Series(put), column).alias(name))
        return self.frame.with_columns(new).drop(list(drop))

    def cells(self, name: str) -> NDArray[np.object_]:
        cells = np.empty(self.records, dtype=object)
        cells[:] = self.frame[name].to_list()
        return cells

    def codes(self, name: str) -> NDArray[np.int64]:
        column = self.frame[name]
        if column.dtype.is_float():
            column = column.fill_nan(None)
        if column.dtype == pl.Object or column.dtype.is_nested():  # objects make polars panic, lists have no rank
            cells = [None if cell is None else repr(cell) for cell in column.to_list()]
            column = pl.Series(name, cells, dtype=pl.String)
        codes = column.to_physical().rank("dense").cast(pl.Int64) - 1
        return np.array(codes.fill_null(-1).to_numpy(), dtype=np.int64)

    def distinct(self, name: str) -> tuple[NDArray[np.int64], list[Any]]:
        return distinct(self.frame[name].to_list())

    def reshaped(self, categories: Any, gaps: Mapping[str, NDArray[np.bool_]], rows: NDArray[np.intp] | None) -> Any:
        frame = self.frame
        for name, (labels, order) in categories.items():
            frame = frame.with_columns(pl.Series(name, labels.tolist(), dtype=pl.Enum(order)))
        for name, gap in gaps.items():
            kept = pl.Series(~gap)
            frame = frame.with_columns(pl.when(kept).then(pl.col(name)).otherwise(None).alias(name))
        return frame if rows is None else frame[rows.tolist()]

    def index(self) -> Any:
        return None


def _integers(column: pl.Series) -> NDArray[Any]:
    """(n,) integers; those of 128 bits as Python's."""
    if "128" not in str(column.dtype):
        return np.asarray(column.to_numpy())
    return np.array(column.to_list(), dtype=object)
