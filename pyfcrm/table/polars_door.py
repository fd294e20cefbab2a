"""Data frames of polars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from .codes import distinct
from .rounding import decimal_limits, type_limits

Array = NDArray[np.float64]


class PolarsDoor:
    """See table.door.Opened. Records are paired by position: polars has no index."""

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
        return type_limits(pl.Series([], dtype=dtype).to_numpy().dtype)

    def places(self, name: str) -> int | None:
        dtype: Any = self.frame.schema[name]
        return int(dtype.scale) if dtype.is_decimal() else None

    def values(self, name: str) -> Array:
        column = self.frame[name].cast(pl.Float64).fill_null(float("nan"))
        return np.array(column.to_numpy(), dtype=np.float64)

    def replaced(self, columns: Mapping[str, Array], rows: NDArray[np.bool_], drop: Iterable[str], floats: bool) -> Any:
        mask = pl.Series(rows)
        new = []
        for name, values in columns.items():
            column = self.frame[name]
            if floats and self.kind(name) == "integer":
                column = column.cast(pl.Float64)
            filled = pl.Series(name, np.where(rows, values, 0.0)).cast(column.dtype)
            new.append(filled.zip_with(mask, column).alias(name))
        return self.frame.with_columns(new).drop(list(drop))

    def cells(self, name: str) -> NDArray[np.object_]:
        cells = np.empty(self.records, dtype=object)
        cells[:] = self.frame[name].to_list()
        return cells

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
