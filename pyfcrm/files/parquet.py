"""Parquet through pyarrow: columns and their types, and no metadata of the source."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    import pandas as pd


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra(what, "files", "pyarrow") from error
    return pyarrow


def read_arrow(path: str) -> Any:
    """The file as a pyarrow Table, without metadata of the file or of a field."""
    pa = _pyarrow("reading Parquet")
    from ..table.arrow_bare import bare_table

    try:
        return bare_table(pa.parquet.ParquetFile(path).read())
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InvalidInput(path, "the file must be readable as Parquet", reason) from error


def to_frame(arrow: Any) -> pd.DataFrame:
    """A pandas frame of it, every stored column a column; integers of which some are missing stay integers."""
    import pandas as pd

    pa = _pyarrow("reading Parquet")
    frame: pd.DataFrame = arrow.to_pandas(ignore_metadata=True)
    for name in arrow.column_names:
        column = arrow.column(name)
        if pa.types.is_integer(column.type) and column.null_count:
            dtype = str(column.type).replace("int", "Int").replace("uI", "UI")
            frame[name] = column.to_pandas(types_mapper=lambda _, dtype=dtype: pd.api.types.pandas_dtype(dtype))
    return frame


def parquet_bytes(frame: pd.DataFrame, source: Any, positions: Any, kept: Iterable[str]) -> bytes:
    """The frame as a Parquet file in memory.

    source : the pyarrow Table it came from, or None; positions : the rows of `source` that the frame's rows
    are, or None for all; kept : columns to copy from `source`. Other columns keep their type in `source`
    where their values allow it. The file holds the Arrow types, and nothing else about its origin.
    """
    pa = _pyarrow("writing Parquet")
    from ..table.arrow_bare import bare_table

    kept = set(kept)
    arrays = []
    for name in frame.columns:
        known = source is not None and name in source.column_names
        if name in kept and known:
            column = source.column(name)
            array = column if positions is None else column.take(pa.array(positions))
        else:
            array = _array(pa, frame[name], source.schema.field(name).type if known else None)
        arrays.append(trimmed(pa, array))
    table = pa.Table.from_arrays(arrays, names=[str(name) for name in frame.columns])
    buffer = io.BytesIO()
    pa.parquet.write_table(bare_table(table), buffer)
    return buffer.getvalue()


def _array(pa: Any, column: pd.Series, wanted: Any) -> Any:
    if wanted is not None:
        try:
            return pa.array(column, type=wanted, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            pass  # a whole-number column released with fractions: let the values decide
    return pa.array(column, from_pandas=True)


def trimmed(pa: Any, array: Any) -> Any:
    """A dictionary, or those inside a nested column, with the values in use only: the others would tell of records
    that are not there."""
    if not pa.types.is_dictionary(array.type):
        return _trimmed_inside(pa, array)
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
        array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    codes = array.indices
    used = pa.compute.unique(codes.drop_null()).sort()
    places = pa.compute.index_in(codes, value_set=used)
    return pa.DictionaryArray.from_arrays(places, array.dictionary.take(used), ordered=array.type.ordered)


def _trimmed_inside(pa: Any, array: Any) -> Any:
    from ..table.arrow_bare import bare_type

    bare, plain = bare_type(array.type), bare_type(array.type, plain=True)
    if not pa.types.is_nested(array.type) or plain.equals(bare):
        return array
    array = array.cast(plain)
    try:
        return array.cast(bare)
    except pa.ArrowException:  # what arrow cannot encode again leaves as plain values
        return array
