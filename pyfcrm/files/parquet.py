"""Parquet through pyarrow: columns and their types, whole or some records at a time, and no other metadata."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, converting, refusing
from ..types import Mask, Rows
from .budget import UNLIMITED, Budget
from .paths import Path, parquet_files, path_text
from .table import Table, positions, require_records

if TYPE_CHECKING:
    import pandas as pd

RECORDS_AT_ONCE = 1 << 17
BUFFER = 1 << 22  # bytes of a compressed column read ahead
_FEWEST_AT_ONCE, _AT_ONCE = 256, 1 << 28  # records, and bytes, of a file whose values may be far larger than the file
# Extension types that a release keeps; any other is released as the type it is stored as.
_KNOWN = ("arrow.", "pandas.")
_FREE_TEXT = ("arrow.opaque",)  # its parameters are words of the file's author


def reading(path: str) -> AbstractContextManager[None]:
    """Errors in reading a file as InvalidInput."""
    return refusing(path, "the file must be readable as Parquet")


def _bytes_of_repeated_texts(table: Any) -> int:
    """Bytes of the texts of dictionary columns, by record: the table itself has each text once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    size = 0
    for column in table.columns:
        dtype = column.type
        if not pa.types.is_dictionary(dtype):
            continue
        is_text = any(check(dtype.value_type) for check in (pa.types.is_string, pa.types.is_large_string))
        for chunk in column.chunks if is_text else ():
            lengths = pc.binary_length(chunk.dictionary)
            size += pc.sum(lengths.cast(pa.int64()).take(chunk.indices)).as_py() or 0
    return size


def _require_valid(path: str, batch: Any) -> None:
    """Raises InvalidInput for a column of damaged values: texts that are no UTF-8 would fail later, when a release is written already."""
    import pyarrow as pa

    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            raise InvalidInput(path, f"column `{name}` must have valid values", str(error)) from error


def require_flat(owner: str, schema: Any) -> None:
    """Raises InvalidInput for a column of lists, structures and the like: their fields have metadata of their own."""
    import pyarrow as pa

    for field in schema:
        dtype = field.type
        while isinstance(dtype, pa.BaseExtensionType) or pa.types.is_dictionary(dtype):
            dtype = dtype.value_type if pa.types.is_dictionary(dtype) else dtype.storage_type
        if dtype.num_fields:
            raise InvalidInput(
                owner, f"column `{field.name}` must not be nested, such as lists or structures", str(dtype)
            )


def bare_table(table: Any, owner: str = "release") -> Any:
    """The table without metadata of its schema and of its fields; values are shared. Raises InvalidInput for nested columns."""
    import pyarrow as pa

    require_flat(owner, table.schema)
    columns = [_stored(column) for column in table.columns]
    fields = [pa.field(f.name, c.type, f.nullable) for f, c in zip(table.schema, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(fields))


def _stored(column: Any) -> Any:
    import pyarrow as pa

    dtype = column.type
    if not isinstance(dtype, pa.BaseExtensionType):
        return column
    if dtype.extension_name.startswith(_KNOWN) and dtype.extension_name not in _FREE_TEXT:
        return column
    return column.cast(dtype.storage_type)


def to_frame(arrow: Any, owner: str = "frame") -> pd.DataFrame:
    """A pandas frame of it, every stored column a column; integers of which some are missing stay integers.

    Raises InvalidInput for a column whose values pandas and Python cannot hold.
    """
    import pandas as pd
    import pyarrow as pa

    columns = {}
    for place, name in enumerate(arrow.column_names):
        column = arrow.column(place)
        mapper = None
        if pa.types.is_integer(column.type) and column.null_count:
            dtype = pd.api.types.pandas_dtype(str(column.type).replace("int", "Int").replace("uI", "UI"))
            mapper = {column.type: dtype}.get
        with converting(owner, name):
            try:
                columns[place] = column.to_pandas(types_mapper=mapper)
            except (ValueError, OverflowError):  # Python has no such dates and times: they are text
                columns[place] = column.cast(pa.string()).to_pandas()
    frame = pd.DataFrame(columns, index=range(arrow.num_rows))
    return frame.set_axis(arrow.column_names, axis=1)


def parquet_bytes(
    path: str, frame: pd.DataFrame, like: Table | None, unmodified: Mapping[str, Mask], disarm: bool
) -> bytes:
    """The frame as a Parquet file in memory, with Arrow's types and nothing else about its origin.

    like, unmodified : see csv_bytes. Columns that are unmodified in all records are those of the file; others keep their type
    there where their values allow it.
    """
    import pyarrow as pa

    source: Any = None if like is None else like.arrow
    arrays = list[Any]()
    rows = positions(frame, like) if like is not None and unmodified else None
    for name in frame.columns:
        known = source is not None and name in source.column_names
        if known and str(name) in unmodified and unmodified[str(name)].all():
            arrays.append(source.column(name).take(pa.array(rows)))
        else:
            arrays.append(_array(frame[name], source.schema.field(name).type if known else None))
    buffer = io.BytesIO()
    with ParquetWriter(buffer) as writer:
        writer.write(pa.Table.from_arrays(arrays, names=[str(name) for name in frame.columns]))
    return buffer.getvalue()


class ParquetWriter:
    """A Parquet file written some records at a time, a row group each: Arrow's types, and no metadata of a source.

    where : a path or a file; it is there once something was written.
    """

    def __init__(self, where: Any) -> None:
        self._where = where
        self._writer: Any = None

    def __enter__(self) -> ParquetWriter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, table: Any) -> None:
        """More records, as an arrow table."""
        import pyarrow as pa
        from pyarrow import parquet

        arrays = [trimmed(column) for column in table.columns]
        fields = [field.with_type(array.type) for field, array in zip(table.schema, arrays, strict=True)]
        bare = bare_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields))).combine_chunks()
        if self._writer is None:
            # Protected numbers hardly ever repeat, and trying a dictionary takes most of the time.
            repeating = [field.name for field in bare.schema if not pa.types.is_floating(field.type)]
            self._writer = parquet.ParquetWriter(self._where, bare.schema, use_dictionary=repeating)
        self._writer.write_table(bare)


def _array(column: pd.Series, dtype: Any) -> Any:
    import pyarrow as pa

    if dtype is not None:
        try:
            return pa.array(column, type=dtype, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            pass  # a whole-number column released with fractions: let the values decide
    return pa.array(column, from_pandas=True)


def trimmed(column: Any) -> Any:
    """A column; of a dictionary the values in use only: the others would disclose records that are not there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        return column
    array = column.unify_dictionaries().combine_chunks()
    used = pc.unique(array.indices.drop_null()).sort()
    codes = pc.index_in(array.indices, value_set=used).cast(array.type.index_type)
    return pa.DictionaryArray.from_arrays(codes, array.dictionary.take(used), ordered=array.type.ordered)


@dataclass(frozen=True)
class Source:
    """Parquet files of one schema, one after the other."""

    name: str
    """The name in messages."""
    paths: tuple[str, ...]
    """The files, in order."""
    schema: Any
    """The schema without metadata."""
    n: int
    """Number of records."""
    size: int
    """Bytes of the records in memory by the files' own account, at least 8 for each value."""
    largest: int = 0
    """The most bytes that the texts of one record may have: those of all texts of a group of records."""

    def tables(self, columns: list[str] | None = None, most: int = RECORDS_AT_ONCE) -> Iterator[Any]:
        """The records in order, as arrow tables of at most so many; columns : which, None for all."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        for path in self.paths:
            with reading(path), pq.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False) as file:
                for batch in file.iter_batches(most, columns=columns):
                    _require_valid(path, batch)
                    yield pa.Table.from_batches([batch]).replace_schema_metadata(None)

    def within(self, budget: Budget) -> Any:
        """All records as one arrow table. Raises InvalidInput beyond the budget.

        A text that many records share is once in the file and many times in memory: so few records are read at once that
        the budget is not passed by far.
        """
        import pyarrow as pa

        budget.require_cells(self.name, self.n, len(self.schema.names))
        budget.require_values(self.name, self.size)
        most = RECORDS_AT_ONCE
        if budget != UNLIMITED:
            most = min(max(_AT_ONCE // max(self.largest, 1), _FEWEST_AT_ONCE), most)
        tables, size = list[Any](), 0
        for table in self.tables(most=most):
            size += table.nbytes + _bytes_of_repeated_texts(table)
            budget.require_values(self.name, size)
            tables.append(table)
        return pa.concat_tables(tables)

    def table(self, columns: list[str] | None = None) -> Any:
        """All records as one arrow table; columns : which, None for all."""
        import pyarrow as pa

        return pa.concat_tables(list(self.tables(columns)))

    def taken(self, rows: Rows) -> Any:
        """Some records, at ascending positions, as one arrow table; of all others one block at a time is in memory."""
        import numpy as np
        import pyarrow as pa

        parts, start = [], 0
        for table in self.tables():
            first, last = np.searchsorted(rows, [start, start + table.num_rows])
            parts.append(table.take(rows[first:last] - start))
            start += table.num_rows
        return pa.concat_tables(parts).unify_dictionaries()


def source_of(owner: str, path: Path) -> Source:
    """The files behind a path: one Parquet file, or those directly in a folder by name, hidden ones left out.

    Raises InvalidInput where there are none, they cannot be read, their columns differ, or they hold no record.
    """
    import pyarrow.parquet as pq

    name = path_text(owner, path)
    paths = parquet_files(name)
    if not paths:
        raise InvalidInput(name, "a folder must hold .parquet files", "none")
    schema, n, unpacked, largest = None, 0, 0, 0
    for one in paths:
        with reading(one), pq.ParquetFile(one) as file:
            found, footer = file.schema_arrow.remove_metadata(), file.metadata
            groups = [footer.row_group(k) for k in range(footer.num_row_groups)]
        in_groups = sum(group.num_rows for group in groups)
        if in_groups != footer.num_rows:
            rule = f"must have the {footer.num_rows:,} records that it counts: write the file anew"
            raise InvalidInput(one, rule, f"{in_groups:,}")
        n += in_groups
        unpacked += sum(group.total_byte_size for group in groups)
        largest = max([largest, *map(_text_bytes, groups)])
        if schema is not None and not found.equals(schema):
            raise InvalidInput(one, f"must have the columns and types of {paths[0]}", found.names)
        schema = found
    require_records(name, n)
    require_flat(name, schema)
    size = max(unpacked, 8 * n * len(found.names))
    return Source(name=name, paths=tuple(paths), schema=schema, n=n, size=size, largest=largest)


def _text_bytes(group: Any) -> int:
    """Bytes of the texts of a group of records, each once if it is in a dictionary: no text is longer."""
    chunks = [group.column(k) for k in range(group.num_columns)]
    return sum(chunk.total_uncompressed_size for chunk in chunks if chunk.physical_type.endswith("BYTE_ARRAY"))
