"""Columns of R as a pandas frame, and columns of a frame for R.

R passes only the columns that a call needs. This conversion preserves equality and missing values; `r_bridge.frames` is lossless.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfcrm.data import open_frame
from pyfcrm.errors import unknown_name

from ..columns import EXACT_INTEGERS, NA_INTEGER, NA_REAL, Buffer, Column, Packed, from_bytes, to_bytes, unpack
from ..frames import column_of

if TYPE_CHECKING:
    import pandas as pd

PER_UNIT = {"Date": 86_400_000_000, "POSIXct": 1_000_000}  # microseconds
MAX_TIME = 2.0**62  # microseconds


@dataclass(frozen=True, eq=False)
class RTable:
    """The part of an R data frame that a call needs."""

    columns: tuple[Column, ...]
    """The columns that the call needs."""
    names: tuple[str, ...]
    """The names of all columns of the data frame."""
    records: int
    """Number of records."""
    labels: Column | None
    """R's row names, whole numbers counting from 1; None if they only count the records."""
    values: Mapping[str, Mapping[float, str]]
    """By labelled column, the label of each value."""

    def require(self, owner: str, names: Iterable[str]) -> None:
        """Raises InvalidInput for two columns of one name, for no records, and for a name without a column."""
        import pandas as pd

        empty = pd.DataFrame(np.zeros((min(self.records, 1), len(self.names))), columns=list(self.names))
        open_frame(owner.partition(",")[0], empty)
        for name in names:
            if name not in self.names:
                raise unknown_name(owner, "column", name, self.names)


def table_of(plain: Mapping[str, Any]) -> RTable:
    """The table of a dictionary from R.

    "columns" : packed columns, with positions as names; "names" : their names, packed; "all" : the names of all columns,
    packed; "records" : n; "labels" : a packed column, or None; "values" : for each labelled column its position among
    "columns" from 1, the values, and their labels packed.
    """
    names = unpacked(plain["names"])
    columns = [from_bytes([name, *packed[1:]]) for name, packed in zip(names, plain["columns"], strict=True)]
    labels = plain.get("labels")
    values = {
        names[int(place) - 1]: dict(zip(np.atleast_1d(codes).tolist(), unpacked(texts), strict=True))
        for place, codes, texts in plain.get("values", ())
    }
    row_names = None if labels is None else from_bytes(labels)
    return RTable(
        columns=tuple(columns),
        names=tuple(unpacked(plain["all"])),
        records=int(plain["records"]),
        labels=row_names,
        values=values,
    )


def unpacked(data: Buffer) -> list[str]:
    """Packed strings, an NA among them as "NA"."""
    return ["NA" if text is None else text for text in unpack(data)]


def frame_of(table: RTable, dropped: Iterable[str] = ()) -> pd.DataFrame:
    """A pandas frame of the columns; R's row names are its index, factors are categories in the order of their levels.

    dropped : columns of zeros to add, unless the table has them.
    """
    import pandas as pd

    values = {column.name: _series(column) for column in table.columns}
    values |= {name: np.zeros(table.records, dtype=np.int8) for name in dropped if name not in values}
    index = pd.RangeIndex(table.records) if table.labels is None else _index(table.labels)
    frame = pd.DataFrame(values, index=pd.RangeIndex(table.records)).set_axis(index)
    frame.attrs["variable_value_labels"] = dict(table.values)
    return frame


def columns_to_r(frame: pd.DataFrame, names: Sequence[str], kinds: Mapping[str, str] | None = None) -> list[Packed]:
    """The columns `names` for R, without those of other types than numbers, text, truth values and categories.

    kinds : of the columns that came from R. Dates and times among them go back as the numbers of their class.
    """
    import pandas as pd

    per_unit = {name: PER_UNIT[kind] for name, kind in (kinds or {}).items() if kind in PER_UNIT}
    columns = []
    for name in names:
        column = frame[name]
        if name in per_unit:
            columns.append(Column(name, "double", _times_as_numbers(column, per_unit[name])))
            continue
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.cat.rename_categories(str)
        elif pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype):
            column = column.map(str, na_action="ignore")
        if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype.kind in "biufO":
            columns.append(column_of(name, column))
    return [packed(column) for column in columns]


def new_gaps(original: pd.DataFrame, released: pd.DataFrame) -> tuple[bytearray, list[bytearray]]:
    """Positions from 1 of columns with cells that are missing only in `released`, and the records of these cells.

    original : the same records, in the same order.
    """
    places = []
    records = []
    for k, name in enumerate(original.columns, 1):
        if name in released.columns:
            lost = released[name].isna().to_numpy() & original[name].notna().to_numpy()
            if lost.any():
                places.append(k)
                records.append(whole_bytes(np.flatnonzero(lost) + 1))
    return whole_bytes(np.array(places)), records


def table_to_r(rows: pd.DataFrame | Sequence[Mapping[Any, Any]]) -> list[Packed]:
    """Rows of text, truth values and numbers (None or NaN is NA), all with the same keys, as columns for R; [] without rows."""
    if not isinstance(rows, Sequence):
        rows = rows.astype(object).where(rows.notna(), None).to_dict("records")
    if not rows:
        return []
    return [packed(_column(str(key), [row[key] for row in rows])) for key in rows[0]]


def _column(name: str, values: list[Any]) -> Column:
    """A column of text, of truth values, or else of numbers, in which None is R's NA."""
    if all(isinstance(v, str) for v in values):
        return Column(name, "character", values)
    if all(isinstance(v, bool) for v in values):
        return Column(name, "logical", np.array(values, dtype=np.int32))
    numbers = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    numbers[[v is None for v in values]] = NA_REAL
    return Column(name, "double", numbers)


def packed(column: Column) -> Packed:
    """The column as reticulate passes it: a raw vector comes from a bytearray in every version, from bytes since 1.29 only."""
    return [bytearray(part) if isinstance(part, bytes | memoryview) else part for part in to_bytes(column)]


def whole_bytes(values: Any) -> bytearray:
    """Whole numbers for R."""
    return bytearray(np.asarray(values).astype("<i4").tobytes())


def _index(labels: Column) -> pd.Index:
    """Row names as a pandas index; whole numbers count from 0 there."""
    import pandas as pd

    if labels.kind == "integer":
        return pd.Index(np.asarray(labels.values, dtype=np.int64) - 1)
    return pd.Index(np.asarray(labels.values, dtype=object))


def _series(column: Column) -> Any:
    """A pandas array: numbers in their own types; other types with the same equality and missing values."""
    import pandas as pd

    values: Any = column.values
    if column.kind == "double":
        return _numbers(np.array(values, dtype=np.float64))
    if column.kind == "character":
        return np.array(values, dtype=object)
    if column.kind in PER_UNIT:
        return _times(values, PER_UNIT[column.kind])
    absent = values == NA_INTEGER
    if column.kind == "integer":
        whole = np.array(values, dtype=np.int32)
        return pd.arrays.IntegerArray(whole, absent) if absent.any() else whole
    if column.kind == "logical":
        return pd.arrays.BooleanArray(values == 1, absent)
    assert column.levels is not None
    labels = pd.Index([f"level {k}" if label is None else label for k, label in enumerate(column.levels, 1)])
    codes = np.where(absent, -1, np.asarray(values) - 1)
    return pd.Categorical.from_codes(codes, labels, ordered=column.kind == "ordered")


def _numbers(values: np.ndarray) -> Any:
    """Doubles (n,). Whole numbers beyond R's integers, which R can hold as doubles only, become whole numbers.

    So they are equal to those that Python reads from the same file.
    """
    import pandas as pd

    absent = np.isnan(values)
    known = values[~absent]
    largest = np.abs(known).max(initial=0)
    if not -NA_INTEGER <= largest <= EXACT_INTEGERS or (known != np.floor(known)).any():
        return values
    whole = np.where(absent, 0, values).astype(np.int64)
    return pd.arrays.IntegerArray(whole, absent) if absent.any() else whole


def _times_as_numbers(times: pd.Series, per: int) -> np.ndarray:
    """Days or seconds (n,) of numpy's times, `per` microseconds each; R's NA for NaT."""
    microseconds = times.to_numpy(dtype="M8[us]").view(np.int64)
    return np.where(times.isna(), NA_REAL, microseconds / per)


def _times(values: Any, per: int) -> Any:
    """Days or seconds (n,) as numpy's times in microseconds, `per` each; NaT for NaN and for times beyond the calendar."""
    far = ~(np.abs(values) < MAX_TIME / per)
    whole = np.rint(np.where(far, 0.0, values) * per).astype(np.int64)
    return np.where(far, np.datetime64("NaT", "us"), whole.view("M8[us]"))
