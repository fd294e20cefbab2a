"""Writing columns of a frame in its own library, which narwhals would change: nullable integers, ordered categories."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..files.parquet import bare_table
from ..types import Array, Mask


class Pandas:
    """How pandas writes; columns are its own, and the other libraries have the same methods.

    floats : a numeric column as (n,) float64, NaN for missing; filled : the column with `values` (n,) at `rows`, in its
    own type or a floating one; category : ordered categories, None for missing; emptied : the column without the cells
    `gap` (n,); taken : the cells of these records; text : texts in the type of a column of text, or as categories; frame :
    with new columns at these positions, then the selected columns and rows, None for all rows.
    """

    def floats(self, column: pd.Series) -> Array:
        if column.dtype == object:
            return np.array([np.nan if pd.isna(v) else float(v) for v in column], dtype=np.float64)
        return np.array(column.to_numpy(dtype=np.float64, na_value=np.nan))

    def filled(self, column: pd.Series, values: Array, rows: Mask, as_float: bool) -> pd.Series:
        column = column.copy()
        if as_float:
            column = column.astype("Float64" if hasattr(column.dtype, "numpy_dtype") else "float64")
        filled: Any = pd.array(values[rows], dtype="float64").astype(column.dtype)
        column.iloc[np.flatnonzero(rows)] = filled
        return column

    def category(self, labels: NDArray[np.object_], order: Sequence[str]) -> pd.Series:
        return pd.Series(pd.Categorical(labels, categories=list(order), ordered=True))

    def emptied(self, column: pd.Series, gap: Mask) -> pd.Series:
        dtype: Any = column.dtype
        if isinstance(dtype, np.dtype) and dtype.kind in "iub":  # which cannot hold a gap: Int64 and boolean can
            dtype = {"i": dtype.name.capitalize(), "u": dtype.name.replace("ui", "UI"), "b": "boolean"}[dtype.kind]
        return column.astype(dtype).mask(gap)

    def taken(self, column: pd.Series, records: NDArray[np.intp]) -> pd.Series:
        return column.iloc[records]

    def text(self, column: pd.Series, texts: Sequence[str | None]) -> pd.Series:
        return pd.Series(texts, dtype="category" if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype)

    def frame(
        self, frame: Any, columns: Mapping[int, Any], selected: Sequence[int], rows: NDArray[np.intp] | None
    ) -> pd.DataFrame:
        frame = frame.copy()
        frame.attrs = {}  # a release carries nothing but its table
        for place, column in columns.items():
            old = frame.dtypes.iloc[place]
            if isinstance(old, pd.SparseDtype) and isinstance(column.dtype, np.dtype):
                column = column.astype(old if column.dtype == old.subtype else pd.SparseDtype(column.dtype))
            frame.isetitem(place, column.array)
        return frame.iloc[slice(None) if rows is None else rows, list(selected)]


class Polars:
    """See Pandas."""

    def floats(self, column: Any) -> Array:
        import polars as pl

        return np.array(column.cast(pl.Float64).fill_null(float("nan")).to_numpy(), dtype=np.float64)

    def filled(self, column: Any, values: Array, rows: Mask, as_float: bool) -> Any:
        import polars as pl

        column = column.cast(pl.Float64) if as_float else column
        return pl.Series(np.where(rows, values, 0.0)).cast(column.dtype).zip_with(pl.Series(rows), column)

    def category(self, labels: NDArray[np.object_], order: Sequence[str]) -> Any:
        import polars as pl

        return pl.Series(labels.tolist(), dtype=pl.Enum(list(order)))

    def emptied(self, column: Any, gap: Mask) -> Any:
        import polars as pl

        return column.to_frame().select(pl.when(pl.Series(~gap)).then(pl.all())).to_series()

    def taken(self, column: Any, records: NDArray[np.intp]) -> Any:
        return column.gather(records)

    def text(self, column: Any, texts: Sequence[str | None]) -> Any:
        import polars as pl

        return pl.Series(texts, dtype=pl.String if column.dtype == pl.String else pl.Categorical)

    def frame(
        self, frame: Any, columns: Mapping[int, Any], selected: Sequence[int], rows: NDArray[np.intp] | None
    ) -> Any:
        frame = frame.with_columns([column.alias(frame.columns[place]) for place, column in columns.items()])
        frame = frame[:, list(selected)]
        return frame if rows is None else frame[rows.tolist()]


class Arrow:
    """See Pandas."""

    def floats(self, column: Any) -> Array:
        column = pc.fill_null(pc.cast(column, pa.float64(), safe=False), float("nan"))
        return np.array(column.to_numpy(), dtype=np.float64)

    def filled(self, column: Any, values: Array, rows: Mask, as_float: bool) -> Any:
        column = pc.cast(column, pa.float64(), safe=False) if as_float else column
        filled = pc.cast(pa.array(np.where(rows, values, 0.0)), column.type, safe=False)
        return pc.if_else(pa.array(rows), filled, column.combine_chunks())

    def category(self, labels: NDArray[np.object_], order: Sequence[str]) -> Any:
        codes = pd.Categorical(labels, categories=list(order)).codes.astype(np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(order), ordered=True)

    def emptied(self, column: Any, gap: Mask) -> Any:
        # Taken by positions of which some are missing: of every type, extension types too.
        return column.combine_chunks().take(pa.array(np.arange(len(gap)), mask=gap))

    def taken(self, column: Any, records: NDArray[np.intp]) -> Any:
        return column.combine_chunks().take(pa.array(records))

    def text(self, column: Any, texts: Sequence[str | None]) -> Any:
        cells = pa.array(texts, pa.string())
        return cells.dictionary_encode() if pa.types.is_dictionary(column.type) else cells.cast(column.type)

    def frame(
        self, frame: Any, columns: Mapping[int, Any], selected: Sequence[int], rows: NDArray[np.intp] | None
    ) -> Any:
        for place, column in columns.items():
            frame = frame.set_column(place, pa.field(frame.column_names[place], column.type), column)
        frame = frame.select(list(selected))
        return bare_table(frame if rows is None else frame.take(pa.array(rows)))
