"""Opened data: frames of pandas, polars and arrow, and files of any format, by one interface.

Frames are read through narwhals and written in their own library. Files are read whole, or by columns and blocks.
"""

from __future__ import annotations

import numbers
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.dependencies import is_pandas_dataframe, is_pyarrow_table
from numpy.typing import NDArray

from ..errors import InvalidInput, Note, converting
from ..files.formats import open_table, require_file
from ..files.manifest import stamp
from ..files.parquet import Source, bare_table, source_of
from ..files.paths import PARQUET, extension, path_text
from ..files.reading import AS_DETECTED, Reading
from ..files.table import Table
from ..types import Array, Codes, Mask, Rows
from .blocks import COPIES, memory
from .codes import factorized, single_values

Categories = Mapping[str, tuple[NDArray[np.object_], list[str]]]
KINDS = {nw.String: "text", nw.Boolean: "boolean", nw.Categorical: "category", nw.Enum: "category"}
TIME_TYPES = {nw.Datetime: "datetime", nw.Time: "time", nw.Duration: "duration"}
BY_BLOCKS = "{count:,} records are too many for the memory of this machine: the file is read by blocks"
LIBRARIES = {
    nw.Implementation.PANDAS: "Pandas",
    nw.Implementation.POLARS: "Polars",
    nw.Implementation.PYARROW: "Arrow",
}


class Frame:
    """An opened frame. Its columns have their labels, as text, for names.

    frame : the caller's; names, records : its columns, and how many records; source : Parquet files, of which a column
    is read when it is needed; column_labels, value_labels : by column, its label, and those of its values, as read_table()
    leaves them with a pandas frame; formats, missing_ranges, missing_values : by column, a print format of periods, and what the
    file declares missing, from the same place; path, stamp, table : its file, and as what it was read; notes : on the reading; gaps :
    by column, the missing cells for which `values` has others (see protection.completed); rows : of a release, the position
    in the original of each record, None where it is not known.
    """

    def __init__(self, frame: Any, table: nw.DataFrame[Any], source: Source | None = None) -> None:
        self.frame, self._table, self.source = frame, table, source
        from . import native

        self._library: Any = getattr(native, LIBRARIES[table.implementation])()
        self.names: list[str] = table.columns
        self.records = len(table) if source is None else source.n
        labels: Mapping[str, Any] = getattr(frame, "attrs", {})
        self.column_labels: Mapping[str, str] = labels.get("column_labels", {})
        self.value_labels: Mapping[str, Mapping[Any, str]] = labels.get("variable_value_labels", {})
        self.formats: Mapping[str, str] = labels.get("variable_format", {})
        self.missing_ranges: Mapping[str, Sequence[Mapping[str, Any]]] = labels.get("missing_ranges", {})
        self.missing_values: Mapping[str, Sequence[Any]] = labels.get("missing_user_values", {})
        self.path: str | None = None
        self.table: Table | None = None
        self.stamp: object = None
        self.notes: tuple[Note, ...] = ()
        self.gaps: Mapping[str, Mask] = {}
        self.rows: Rows | None = None
        self._kinds: dict[str, str] = {}
        self._columns: dict[str, nw.Series[Any]] = {}

    def _column(self, name: str) -> Any:
        """A column of the frame's library."""
        if self.source is not None:
            return self.source.table([name]).column(0)
        return self._table[name].to_native()

    def _series(self, name: str) -> nw.Series[Any]:
        if self.source is not None:
            return _series(self._column(name))
        if name not in self._columns:
            self._columns[name] = self._table[name]
        return self._columns[name]

    def _dtype(self, name: str) -> Any:
        """The type of a column, as narwhals names it."""
        return self._table[name].dtype

    def kind(self, name: str) -> str:
        """One of "float", "integer", "text", "boolean", "date", "category", "sparse", "other"."""
        if name not in self._kinds:
            self._kinds[name] = self._kind(name)
        return self._kinds[name]

    def _kind(self, name: str) -> str:
        dtype = self._dtype(name)
        if dtype == nw.Object:
            cells = self._series(name).drop_nulls().to_list()
            if any(isinstance(cell, str) for cell in cells):
                return "text"
            if cells and all(isinstance(cell, date) for cell in cells):
                return "date"
            if cells and all(isinstance(cell, bool | np.bool_) for cell in cells):
                return "boolean"
            real = all(isinstance(cell, numbers.Real) and not isinstance(cell, bool) for cell in cells)
            return "float" if cells and real else "other"
        if dtype.is_numeric():
            return "integer" if dtype.is_integer() else "float"
        if dtype == nw.Unknown and hasattr(self._column(name), "sparse"):
            return "sparse"
        return "date" if dtype.is_temporal() else KINDS.get(dtype.base_type(), "other")

    def time_type(self, name: str) -> str:
        """Of a column of kind "date" one of "date", "datetime", "time", "duration"."""
        dtype = self._dtype(name)
        return next((word for kind, word in TIME_TYPES.items() if dtype.base_type() == kind), "date")

    def type_of_cells(self, name: str) -> str:
        """The type of a column that has no other name, such as "Decimal", "complex128" or "period[M]"."""
        if self._dtype(name) != nw.Object:
            return str(getattr(self._column(name), "dtype", None) or self._column(name).type)
        cells = self._series(name).drop_nulls()
        return type(cells[0]).__name__ if len(cells) else "object"

    def limits(self, name: str) -> tuple[float, float]:
        """The smallest and largest float64 that a numeric column can hold; decimals safely inside."""
        dtype = self._dtype(name)
        if dtype.is_decimal():
            largest = 10.0 ** (dtype.precision - dtype.scale) * (1 - 1e-15) - 10.0**-dtype.scale
            return -largest, largest
        if not dtype.is_numeric():  # numbers among Python objects
            return -np.inf, np.inf
        bits = int(re.sub(r"\D", "", str(dtype)))
        if not dtype.is_integer():
            largest = float(np.finfo(f"float{bits}").max)
            return -largest, largest
        signed = dtype.is_signed_integer()
        top = 2.0 ** (bits - signed)
        # The largest whole float64 below `top`: above 53 bits the largest integer is none, and the nearest one is too large.
        return -top * signed, float(np.floor(np.nextafter(top, 0.0)))

    def decimal_places(self, name: str) -> int | None:
        """Digits after the point in a column of decimals; None for any other column."""
        dtype = self._dtype(name)
        return int(dtype.scale) if dtype.is_decimal() else None

    def values(self, name: str) -> Array:
        """A numeric column as (n,) float64; a missing value is numpy's NaN.

        R's NA is a NaN with the bit of a signalling one: arithmetic on it is an invalid operation, about which numpy warns.
        """
        values = self._floats(name)
        values[np.isnan(values)] = np.nan
        return values

    def _floats(self, name: str) -> Array:
        series = self._series(name)
        if series.dtype == nw.Object:
            return np.array([np.nan if cell is None else float(cell) for cell in self.cells(name)], dtype=np.float64)
        # What narwhals does not do with whole numbers beyond 2^53.
        if series.implementation.is_pandas():
            return np.array(series.to_native().to_numpy(dtype=np.float64, na_value=np.nan))
        if series.implementation.is_pyarrow():
            series = _series(series.to_native().cast("float64", safe=False))
        return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)

    def matrix(self, names: Sequence[str]) -> Array:
        """Numeric columns as (n, p), NaN for missing."""
        return np.column_stack([np.empty((self.records, 0)), *map(self.values, names)])

    def observed(self, names: Sequence[str]) -> Array:
        """Numeric columns as (n, p), NaN for what is missing in the original."""
        A = self.matrix(names)
        for name in self.gaps.keys() & {*names}:
            A[self.gaps[name], names.index(name)] = np.nan
        return A

    def cells(self, name: str) -> NDArray[np.object_]:
        """A column of any kind as (n,) Python objects; a missing value is None."""
        series = self._series(name)
        with converting("frame", name):
            cells = np.fromiter(series.to_list(), dtype=object, count=self.records)
        cells[series.is_null().to_numpy()] = None
        return cells

    def codes(self, name: str) -> Codes:
        """A column of any kind as (n,) integers from 0: equal cells have equal codes; a missing one has -1."""
        try:
            return self._factorized(name)[0]
        except (TypeError, ValueError, NotImplementedError):  # cells that are lists and the like
            cells = [None if cell is None else repr(cell) for cell in self.cells(name)]
            return factorized(np.array(cells, dtype=object))[0]

    def distinct(self, name: str, owner: str = "frame") -> tuple[Codes, list[Any]]:
        """The positions (n,) of a column's cells among its values, -1 for missing, and these values by first appearance.

        1, 1.0 and True are equal, 1 and "1" are not; None, NaN and NaT are missing. Raises InvalidInput for cells that are
        lists and the like.
        """
        with converting(owner, name), single_values(owner, name):
            codes, values = self._factorized(name)
            return codes, list(values.astype(object))

    def _factorized(self, name: str) -> tuple[Codes, Any]:
        """The codes (n,) of a column, and its values in pandas."""
        dtype = self._dtype(name)
        if dtype.is_float():  # -0 equals 0, and NaN is missing
            return factorized(self._floats(name))
        if dtype == nw.Object:
            return factorized(self.cells(name))
        series = self._series(name)
        return factorized(series.to_native() if series.implementation.is_pandas() else series.to_arrow())

    def categories(self, name: str) -> list[Any]:
        """The levels of a column of categories, in their order."""
        categories: list[Any] = self._series(name).cat.get_categories().to_list()
        return categories

    def days(self, name: str) -> Array:
        """A column of dates or times as (n,) days since 1970-01-01; NaN for missing."""
        if self._dtype(name) == nw.Object:
            moments = self.cells(name).astype("datetime64[us]")
            return np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / 86_400e6)
        series = self._series(name)
        with converting("frame", name):
            days = series.dt.timestamp("us").cast(nw.Float64).to_numpy() / 86_400e6
        return np.where(series.is_null().to_numpy(), np.nan, days)

    def with_labels_of(self, frame: Frame) -> Frame:
        """This frame, with the labels and the file of another one."""
        self.table, self.column_labels, self.value_labels = frame.table, frame.column_labels, frame.value_labels
        return self

    def of_rows(self, rows: Rows | None) -> Frame:
        """This frame as a release of these records of the original (see `rows`)."""
        self.rows = rows
        return self

    def stored(self, columns: Sequence[str]) -> list[str]:
        """The columns of the file that hold these."""
        return list(columns)

    def block(self, part: Frame) -> Frame:
        """Some of the records, read from the file, as this frame has them."""
        return part

    def parts(self, columns: Sequence[str] | None = None) -> Iterator[Frame]:
        """The records in order, as opened frames: all at once, or in blocks from a file that is read by blocks.

        columns : which are read of such a file, None for all.
        """
        if self.source is None:
            yield self
            return
        for table in self.source.tables(None if columns is None else list(dict.fromkeys(self.stored(columns)))):
            yield self.block(open_frame("frame", table))

    def encoding(self, name: str) -> Any:
        """The Encoding of a column in an encoded frame; None for a column that is not encoded."""
        return None

    def missing_codes(self, name: str) -> tuple[Any, ...]:
        """The cells of a column that mean missing, and are not empty."""
        return ()

    def distinct_with_codes(self, name: str) -> tuple[Codes, list[Any]]:
        """As distinct(), where each code of missing values is a value of its own."""
        return self.distinct(name)

    def unreadable(self, name: str) -> Mask:
        """(n,) the cells of a column that are not missing, but cannot be read as what the column has."""
        return np.zeros(self.records, dtype=bool)

    def column_with(self, name: str, values: Array, rows: Mask, *, as_float: bool) -> Any:
        """A column of the library with numbers (n,) at `rows`, in its own type; as_float : of integers as floats."""
        return self._library.filled(self._column(name), values, rows, as_float and self.kind(name) == "integer")

    def column_of_cells(self, name: str, cells: NDArray[np.object_]) -> Any:
        """A column of the library in the type of one of this frame, of cells (n,); None is missing."""
        return self._library.cells(self._column(name), cells)

    def replaced(
        self, columns: Mapping[str, Array], rows: Mask, drop: Iterable[str], floats: Collection[str] = ()
    ) -> Any:
        """A new frame of the same library: `columns` put in at `rows` in their types, `drop` left out.

        NaN puts nothing in.
        floats : the columns of integers that become floating columns (values of others are whole).
        """
        written = {}
        for name, values in columns.items():
            changed = rows & ~np.isnan(values)
            written[name] = self.column_with(name, values, changed, as_float=name in floats)
        return self.with_columns(written, drop)

    def with_columns(self, columns: Mapping[str, Any], drop: Iterable[str] = ()) -> Any:
        """A new frame with these columns of the library in place of its own, and without columns `drop`."""
        return self._with(columns, drop=set(drop))

    def _with(self, columns: Mapping[str, Any], rows: Rows | None = None, drop: Collection[str] = ()) -> Any:
        """A new frame with these columns of its library, the records `rows`, None for all, and without columns `drop`."""
        names = self._table.columns
        selected = [j for j, name in enumerate(names) if name not in drop]
        table = self._table.with_columns(_series(column).alias(name) for name, column in columns.items())
        table = table.select(names[j] for j in selected)
        released = (table if rows is None else table[rows]).to_native()
        return released.set_axis(self.frame.columns[selected], axis=1) if is_pandas_dataframe(released) else released

    def stacked(self, more: Sequence[Frame], records: int) -> Any:
        """A new frame of the library with the first so many records of this one and of others with its columns and types, in order."""
        table = nw.concat([self._table, *(frame._table for frame in more)]).head(records)
        released = table.to_native()
        if not is_pandas_dataframe(released):
            return released
        return released.set_axis(self.frame.columns, axis=1).reset_index(drop=True)

    def reshaped(self, categories: Categories, gaps: Mapping[str, Mask], rows: Rows | None) -> Any:
        """A new frame: columns that become ordered categories (labels and their order), cells emptied, rows kept."""
        written = {name: self._library.category(*cells) for name, cells in categories.items()}
        for name, gap in gaps.items():
            if gap.any():
                written[name] = self._library.emptied(self._column(name), gap)
        return self._with(written, rows)

    def taken(self, rows: Rows) -> Any:
        """A new frame of some of the records."""
        return self._with({}, rows)

    def moved(self, holders: Mapping[str, Rows]) -> Any:
        """A new frame in which each record has the cell of another record. holders : by column, their positions (n,)."""
        return self._with({name: self._series(name)[records].to_native() for name, records in holders.items()})

    def gathered(self, rows: Rows, holders: Mapping[str, Rows]) -> Any:
        """A new frame of some records (N,), one or more times, where some columns have the cells of other records (N,)."""
        records = open_frame("frame", self.taken(rows))
        return records._with({name: self._series(name)[places].to_native() for name, places in holders.items()})

    def with_text(self, name: str, texts: Sequence[str | None]) -> Any:
        """A new frame with other texts (n,) in a column of text or categories; None is missing."""
        return self._with({name: self._library.text(self._column(name), texts)})

    def bare(self) -> Any:
        """A new frame of the cells alone, as it leaves: no level that no cell has, no memory shared with another frame, and a
        pandas index from 0."""
        bare = self._with({name: self._library.bare(self._column(name)) for name in self.names})
        if is_pyarrow_table(bare):  # with fields that may not be missing
            return type(bare).from_arrays(bare.columns, schema=self._table.to_native().schema)
        if not is_pandas_dataframe(bare):
            return bare
        return bare.set_axis(_used_labels(bare.columns), axis=1).reset_index(drop=True)

    def index(self) -> Any:
        """The labels that pair records (a pandas index that differs from positions), or None."""
        index = nw.maybe_get_index(self._table)
        if index is None:
            return None
        import pandas as pd

        return None if index.equals(pd.RangeIndex(len(index))) else index


def _used_labels(columns: Any) -> Any:
    """The labels of pandas columns, without levels of columns that were dropped, and without names of the axis."""
    labels = columns.set_names([None] * columns.nlevels)
    if hasattr(labels, "remove_unused_levels"):
        return labels.remove_unused_levels()
    return labels.remove_unused_categories() if hasattr(labels, "remove_unused_categories") else labels


class FrameView(Frame):
    """A frame that has other values, or more columns, than the frame it was made from."""

    def __init__(self, original: Frame) -> None:
        vars(self).update(vars(original))
        self.original = original

    def kind(self, name: str) -> str:
        """See Frame.kind."""
        return self.original.kind(name)

    def categories(self, name: str) -> list[Any]:
        """See Frame.categories."""
        return self.original.categories(name)

    def limits(self, name: str) -> tuple[float, float]:
        """See Frame.limits."""
        return self.original.limits(name)

    def decimal_places(self, name: str) -> int | None:
        """See Frame.decimal_places."""
        return self.original.decimal_places(name)

    def encoding(self, name: str) -> Any:
        """See Frame.encoding."""
        return self.original.encoding(name)

    def missing_codes(self, name: str) -> tuple[Any, ...]:
        """See Frame.missing_codes."""
        return self.original.missing_codes(name)

    def distinct(self, name: str, owner: str = "frame") -> tuple[Codes, list[Any]]:
        """See Frame.distinct."""
        return self.original.distinct(name, owner)

    def distinct_with_codes(self, name: str) -> tuple[Codes, list[Any]]:
        """See Frame.distinct_with_codes."""
        return self.original.distinct_with_codes(name)

    def codes(self, name: str) -> Codes:
        """See Frame.codes."""
        return self.original.codes(name)

    def cells(self, name: str) -> NDArray[np.object_]:
        """See Frame.cells."""
        return self.original.cells(name)

    def unreadable(self, name: str) -> Mask:
        """See Frame.unreadable."""
        return self.original.unreadable(name)

    def replaced(
        self, columns: Mapping[str, Array], rows: Mask, drop: Iterable[str], floats: Collection[str] = ()
    ) -> Any:
        """See Frame.replaced."""
        return self.original.replaced(columns, rows, drop, floats)


def open_frame(owner: str, frame: Any, source: Source | None = None) -> Frame:
    """The frame, opened. Raises InvalidInput for what is no frame, has no record, or two columns of one name.

    source : files that have the records, where `frame` has only the columns.
    """
    names, view = list[str](), frame
    if is_pandas_dataframe(frame):
        # Names are texts, as labels may be None, dates or tuples, and 1 and True are one label in pandas.
        names = [str(label) for label in frame.columns]
        view = frame.set_axis(names, axis=1)
        view.attrs = {}  # a release carries nothing but its table
    elif is_pyarrow_table(frame):
        names, view = frame.column_names, bare_table(frame, owner)
    repeated = sorted(name for name, times in Counter(names).items() if times > 1)
    if repeated:
        rule = "column names must differ (rename them)"
        raise InvalidInput(owner, rule, ", ".join(map(repr, repeated)))
    table: Any = nw.from_native(view, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame) or table.implementation not in LIBRARIES:
        raise InvalidInput(owner, "needs a data frame of pandas or polars, or an arrow table", type(frame).__name__)
    if source is None and not len(table):
        raise InvalidInput(owner, "needs at least one record", "none")
    return Frame(frame, table, source)


def open_data(owner: str, data: Any, whole: bool | None = None, reading: Reading = AS_DETECTED) -> Frame:
    """A frame, or a file by its path, opened: the only function that distinguishes the two.

    Parameters
    ----------
    owner : str
        The caller's name, for messages: "evaluate, original".
    data : DataFrame, Table, str, path or Frame
        A frame of pandas, polars or arrow; the path of a CSV, Excel, Parquet, SPSS, Stata or SAS file, or of a folder of
        Parquet files; a Frame is returned unchanged.
    whole : bool, optional
        Whether a Parquet file is read whole, or a column or a block at a time. None decides by its size and the memory
        of this machine, and a note reports a file that is too large. Files of other formats are read whole.
    reading : Reading
        How a CSV or Excel file is read, as far as it is stated.

    Returns
    -------
    Frame
        `table` is the files.Table of a CSV, SPSS, Stata or SAS file; `source` is the Parquet files whose columns are read
        when they are needed, and whose records `parts` reads by blocks; both are None where they do not apply.
        `path` is the file's, None for a frame; `stamp` changes when the file does. `notes` : guesses and decisions.

    Raises
    ------
    InvalidInput
        For what is neither a frame nor a file that can be read.
    """
    if isinstance(data, Frame):
        return data
    if not is_path(data):
        return open_frame(owner, data)
    path = path_text(owner, data)
    before = stamp(path)
    if extension(path) in PARQUET or os.path.isdir(path):
        frame = _parquet(owner, path, whole)
    else:
        table = open_table(path, reading)
        frame = open_frame(owner, table.frame)
        frame.table, frame.notes = table, table.notes
    frame.path, frame.stamp = path, before
    return frame


def is_path(data: Any) -> bool:
    """Whether a caller's argument is the path of a file."""
    return isinstance(data, str | os.PathLike)


def _parquet(owner: str, path: str, whole: bool | None) -> Frame:
    if not os.path.isdir(path):
        require_file(path)
    data = source_of(owner, path)
    # Measures and methods need the records in memory several times over.
    if whole or (whole is None and COPIES * data.size <= memory() // 2):
        return open_frame(owner, data.table())
    frame = open_frame(owner, data.schema.empty_table(), data)
    if whole is None:
        frame.notes = (Note.of("by_blocks", BY_BLOCKS, count=data.n),)
    return frame


def _series(column: Any) -> nw.Series[Any]:
    return nw.from_native(column, series_only=True)
