"""Writing columns of a frame in its own library, where narwhals would change their types: nullable integers, categories."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..files.parquet import trimmed
from ..types import Array, Mask

# The version from which on a file of polars has the levels of its cells; before, of all columns of the process.
POLARS_LEVELS = (1, 36)
OLD_POLARS = "must be 1.36 or newer for a categorical column: an older one writes levels that no released cell has"


class Pandas:
    """Writing of pandas columns; the other libraries have the same methods.

    Memory shared with the original can hold values that no cell has: levels, cells that were emptied, records that were
    left out. Pickles and Arrow files would contain them, unless `bare` builds the column anew.
    """

    def filled(self, column: pd.Series, values: Array, rows: Mask, as_float: bool) -> pd.Series:
        """The column with `values` (n,) at `rows` (n,), in its own type or a floating one."""
        column = column.copy()
        if as_float:
            column = column.astype("Float64" if hasattr(column.dtype, "numpy_dtype") else "float64")
        new: Any = pd.array(values[rows], dtype="float64")
        if column.dtype == object and pd.api.types.infer_dtype(column) == "integer" and (new % 1 == 0).all():
            new = new.astype("int64")  # cells that are Python's integers stay integers
        column.iloc[np.flatnonzero(rows)] = new.astype(column.dtype)
        return column

    def category(self, labels: NDArray[np.object_], order: Sequence[str]) -> pd.Series:
        """Ordered categories of labels (n,), None for missing."""
        return pd.Series(pd.Categorical(labels, categories=list(order), ordered=True))

    def emptied(self, column: pd.Series, gap: Mask) -> pd.Series:
        """The column without the cells `gap` (n,)."""
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iub":  # numpy's whole numbers have no gap
            column = column.convert_dtypes()  # Int64 and boolean have
        return column.mask(gap)

    def text(self, column: pd.Series, texts: Sequence[str | None]) -> pd.Series:
        """Texts (n,) in the type of a column of text, or as categories where the column has these."""
        is_category = isinstance(column.dtype, pd.CategoricalDtype)
        return pd.Series(texts, dtype="category" if is_category else column.dtype)

    def cells(self, column: pd.Series, cells: NDArray[np.object_]) -> pd.Series:
        """Other cells (n,) in the type of a column."""
        dtype = column.dtype
        if isinstance(dtype, pd.CategoricalDtype):
            return pd.Series(pd.Categorical(cells), index=column.index)
        return pd.Series(list(cells), index=column.index, dtype=object).astype(dtype)

    def bare(self, column: pd.Series) -> pd.Series:
        """The column built anew from its cells, in its type."""
        dtype = column.dtype
        if isinstance(dtype, np.dtype | pd.SparseDtype):  # columns of these types hold their cells alone
            return column
        if isinstance(dtype, pd.ArrowDtype):
            cells = Arrow().bare(pa.chunked_array([pa.array(column.array)]))
            return pd.Series(pd.arrays.ArrowExtensionArray(cells), index=column.index)
        # A nullable array keeps a value in the place of a missing one, which -1 clears.
        places = np.where(column.isna(), -1, np.arange(len(column)))
        bare = pd.Series(column.array.take(places, allow_fill=True), index=column.index)
        return bare.cat.remove_unused_categories() if isinstance(dtype, pd.CategoricalDtype) else bare


class Polars:
    """Writing of polars columns, with the methods of Pandas."""

    def filled(self, column: Any, values: Array, rows: Mask, as_float: bool) -> Any:
        import polars as pl

        if as_float:
            column = column.cast(pl.Float64)
        return pl.Series(np.where(rows, values, 0.0)).cast(column.dtype).zip_with(pl.Series(rows), column)

    def category(self, labels: NDArray[np.object_], order: Sequence[str]) -> Any:
        import polars as pl

        return pl.Series(labels.tolist(), dtype=pl.Enum(list(order)))

    def emptied(self, column: Any, gap: Mask) -> Any:
        import polars as pl

        return column.to_frame().select(pl.when(pl.Series(~gap)).then(pl.all())).to_series()

    def text(self, column: Any, texts: Sequence[str | None]) -> Any:
        import polars as pl

        return pl.Series(texts, dtype=pl.String if column.dtype == pl.String else pl.Categorical)

    def cells(self, column: Any, cells: NDArray[np.object_]) -> Any:
        import polars as pl

        if isinstance(column.dtype, pl.Enum):
            return pl.Series(
                column.name, list(cells), dtype=pl.Enum(sorted({cell for cell in cells if cell is not None}))
            )
        return pl.Series(column.name, list(cells), dtype=column.dtype)

    def bare(self, column: Any) -> Any:
        import polars as pl

        dtype = column.dtype
        if dtype == pl.Object:
            return column
        if dtype == pl.Categorical and tuple(map(int, pl.__version__.split(".")[:2])) < POLARS_LEVELS:
            raise InvalidInput("polars", OLD_POLARS, pl.__version__)
        if isinstance(dtype, pl.Enum):
            used = {*column.unique().to_list()}
            dtype = pl.Enum([level for level in dtype.categories.to_list() if level in used])
        if isinstance(dtype, pl.Enum) or dtype in (pl.String, pl.Binary) or dtype.is_nested():
            # Filtered or emptied texts stay in the buffers that these columns share.
            return pl.Series(column.name, column.to_list(), dtype=dtype)
        return column.gather(pl.Series(places_of(column.is_null().to_numpy())))


class Arrow:
    """Writing of Arrow columns, with the methods of Pandas."""

    def filled(self, column: Any, values: Array, rows: Mask, as_float: bool) -> Any:
        if as_float:
            column = pc.cast(column, pa.float64(), safe=False)
        filled = pc.cast(pa.array(np.where(rows, values, 0.0)), column.type, safe=False)
        return pc.if_else(pa.array(rows), filled, column)

    def category(self, labels: NDArray[np.object_], order: Sequence[str]) -> Any:
        codes = pd.Categorical(labels, categories=list(order)).codes.astype(np.int32)
        cells = pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(order), ordered=True)
        return pa.chunked_array([cells])

    def emptied(self, column: Any, gap: Mask) -> Any:
        return column.take(places_of(gap))

    def text(self, column: Any, texts: Sequence[str | None]) -> Any:
        cells = pa.chunked_array([pa.array(texts, pa.string())])
        return cells.dictionary_encode() if pa.types.is_dictionary(column.type) else cells.cast(column.type)

    def cells(self, column: Any, cells: NDArray[np.object_]) -> Any:
        if pa.types.is_dictionary(column.type):
            return pa.chunked_array([pa.array(list(cells), column.type.value_type)]).dictionary_encode()
        return pa.chunked_array([pa.array(list(cells), column.type)])

    def bare(self, column: Any) -> Any:
        if pa.types.is_dictionary(column.type):
            return pa.chunked_array([trimmed(column)])
        if pa.types.is_string_view(column.type) or pa.types.is_binary_view(column.type):  # Arrow's take() lacks views
            return pa.chunked_array([pa.array(column.to_pylist(), column.type)])
        return column.take(places_of(column.is_null().to_numpy()))


def places_of(missing: Mask) -> Any:
    """Positions (n,) of all cells, missing where the cell is.

    A column taken by them has nothing in the place of a missing cell.
    """
    return pa.array(np.arange(len(missing)), mask=missing)
