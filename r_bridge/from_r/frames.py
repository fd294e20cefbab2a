"""Columns of R as a pandas frame, and columns of a frame for R.

R passes only the columns that a call needs. This conversion preserves equality and missing values; `r_bridge.frames` is lossless.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfcrm.data import open_frame
from pyfcrm.data.cell_forms import seconds_in_day
from pyfcrm.errors import unknown_name

from ..columns import EXACT_INTEGERS, NA_INTEGER, NA_REAL, Buffer, Column, Packed, from_bytes, to_bytes, unpack
from ..frames import column_of

if TYPE_CHECKING:
    import pandas as pd

PER_UNIT = {"Date": 86_400_000_000, "POSIXct": 1_000_000}  # microseconds
PER_DURATION = {
    "secs": 1_000_000,
    "mins": 60_000_000,
    "hours": 3_600_000_000,
    "days": 86_400_000_000,
    "weeks": 604_800_000_000,
    "hms": 1_000_000,
}
"""Microseconds of each unit of R's difftime; times of day of package hms are in seconds."""
DAY = PER_DURATION["days"]
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
    column_labels: Mapping[str, str]
    """By column with a label, the label."""
    durations: Mapping[str, str]
    """By difftime, its unit, see PER_DURATION."""
    missing_codes: Mapping[str, Sequence[Any]]
    """By column, the values that mean missing; such cells are NA here."""
    missing_ends: Mapping[str, Sequence[float]]
    """By column, the two ends of the range of values that mean missing."""

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
    packed; "records" : n; "labels" : a packed column, or None. For some columns, after their positions among "columns" from 1:
    "values" : the values with labels, and these packed; "titles" : the label, packed; "durations" : the unit; "missing" : the
    values that mean missing, numbers or packed text, and the ends of their range.
    """
    names = unpacked(plain["names"])
    columns = [from_bytes([name, *packed[1:]]) for name, packed in zip(names, plain["columns"], strict=True)]
    labels = plain.get("labels")
    values = {
        names[int(place) - 1]: dict(zip(np.atleast_1d(codes).tolist(), unpacked(texts), strict=True))
        for place, codes, texts in plain.get("values", ())
    }
    missing_codes = dict[str, Sequence[Any]]()
    missing_ends = dict[str, Sequence[float]]()
    for place, codes, ends in plain.get("missing", ()):
        name = names[int(place) - 1]
        is_text = isinstance(codes, bytes | bytearray | memoryview)
        missing_codes[name] = unpacked(codes) if is_text else np.atleast_1d(codes).tolist()
        missing_ends[name] = np.atleast_1d(ends).tolist()
    row_names = None if labels is None else from_bytes(labels)
    return RTable(
        columns=tuple(columns),
        names=tuple(unpacked(plain["all"])),
        records=int(plain["records"]),
        labels=row_names,
        values=values,
        column_labels={names[int(place) - 1]: unpacked(text)[0] for place, text in plain.get("titles", ())},
        durations={names[int(place) - 1]: str(unit) for place, unit in plain.get("durations", ())},
        missing_codes=missing_codes,
        missing_ends=missing_ends,
    )


def kinds_of(plain: Mapping[str, Any]) -> dict[str, str]:
    """By column of such a dictionary, its kind in R, or the unit of a difftime."""
    names = unpacked(plain["names"])
    kinds = {name: str(packed[1]) for name, packed in zip(names, plain["columns"], strict=True)}
    return kinds | {names[int(place) - 1]: str(unit) for place, unit in plain.get("durations", ())}


def unpacked(data: Buffer) -> list[str]:
    """Packed strings, an NA among them as "NA"."""
    return ["NA" if text is None else text for text in unpack(data)]


def frame_of(table: RTable, dropped: Iterable[str] = ()) -> pd.DataFrame:
    """A pandas frame of the columns; R's row names are its index, factors are categories in the order of their levels.

    dropped : columns of zeros to add, unless the table has them.
    """
    import pandas as pd

    values = {column.name: _series(column, table.durations.get(column.name)) for column in table.columns}
    values |= {name: np.zeros(table.records, dtype=np.int8) for name in dropped if name not in values}
    index = pd.RangeIndex(table.records) if table.labels is None else _index(table.labels)
    frame = pd.DataFrame(values, index=pd.RangeIndex(table.records)).set_axis(index)
    frame.attrs["variable_value_labels"] = dict(table.values)
    frame.attrs["column_labels"] = dict(table.column_labels)
    frame.attrs |= _missing_attributes(table)
    return frame


def _missing_attributes(table: RTable) -> dict[str, Any]:
    """The values that mean missing, as pandas' frames of SPSS and Stata files have them."""
    user_values = dict[str, list[Any]]()
    ranges = dict[str, list[dict[str, Any]]]()
    for name, codes in table.missing_codes.items():
        if table.missing_ends[name] or not _are_tags(codes, table, name):
            ends = [(code, code) for code in codes]
            if table.missing_ends[name]:
                low, high = table.missing_ends[name]
                ends.append((low, high))
            ranges[name] = [{"lo": low, "hi": high} for low, high in ends]
        else:
            user_values[name] = list(codes)
    further = {"missing_ranges": ranges, "missing_user_values": user_values}
    return {key: by_column for key, by_column in further.items() if by_column}


def _are_tags(codes: Sequence[Any], table: RTable, name: str) -> bool:
    """Whether codes are letters of a column of numbers, as Stata and SAS have them."""
    kind = next(column.kind for column in table.columns if column.name == name)
    return kind == "double" and all(isinstance(code, str) for code in codes)


def columns_to_r(frame: pd.DataFrame, names: Sequence[str], kinds: Mapping[str, str] | None = None) -> list[Packed]:
    """The columns `names` for R, without those of other types than numbers, text, truth values and categories.

    kinds : of the columns that came from R, see kinds_of(). Dates, times and durations among them go back as the numbers of their
    class.
    """
    import pandas as pd

    units = PER_UNIT | PER_DURATION
    per_unit = {name: units[kind] for name, kind in (kinds or {}).items() if kind in units}
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


def _series(column: Column, duration: str | None = None) -> Any:
    """A pandas array: numbers in their own types; other types with the same equality and missing values.

    duration : the unit of a difftime.
    """
    import pandas as pd

    values: Any = column.values
    if duration is not None:
        return _durations(column, duration)
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


def _durations(column: Column, unit: str) -> Any:
    """Numbers of a unit (n,) as numpy's durations in microseconds; those of hms within one day as times of day."""
    values = np.asarray(column.values, dtype=np.float64)
    if column.kind == "integer":
        values = np.where(column.values == NA_INTEGER, np.nan, values)
    # As numpy's times: counts of microseconds, with NaT for missing.
    durations = _times(values, PER_DURATION[unit]) - np.datetime64(0, "us")
    known = durations[~np.isnat(durations)].view(np.int64)
    if unit != "hms" or ((known < 0) | (known >= DAY)).any():
        return durations
    midnight = datetime.datetime(1970, 1, 1)
    times = [None if gap is None else (midnight + gap).time() for gap in durations.tolist()]
    return np.array(times, dtype=object)


def durations_to_r(frame: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """A frame with durations and times of day in seconds; by such a column, "difftime" or "hms"."""
    kinds = dict[str, str]()
    for name in frame.columns:
        known = frame[name].dropna()
        if known.dtype.kind == "m":
            kinds[name] = "difftime"
        elif known.dtype == object and len(known) and all(isinstance(cell, datetime.time) for cell in known):
            kinds[name] = "hms"
    seconds = {name: _times_as_numbers(frame[name], PER_DURATION["secs"]) for name in kinds}
    return frame.assign(**seconds), kinds


def _times_as_numbers(times: pd.Series, per: int) -> np.ndarray:
    """Numbers (n,) of numpy's times and durations, and of times of day, `per` microseconds each; R's NA for what is missing."""
    if times.dtype.kind == "m":
        microseconds = times.to_numpy(dtype="m8[us]").view(np.int64)
    elif times.dtype.kind == "O":
        seconds = [0.0 if gap else seconds_in_day(cell) for cell, gap in zip(times, times.isna(), strict=True)]
        microseconds = np.rint(np.array(seconds) * 1e6)
    else:
        microseconds = times.to_numpy(dtype="M8[us]").view(np.int64)
    return np.where(times.isna(), NA_REAL, microseconds / per)


def _times(values: Any, per: int) -> Any:
    """Days or seconds (n,) as numpy's times in microseconds, `per` each; NaT for NaN and for times beyond the calendar."""
    far = ~(np.abs(values) < MAX_TIME / per)
    whole = np.rint(np.where(far, 0.0, values) * per).astype(np.int64)
    return np.where(far, np.datetime64("NaT", "us"), whole.view("M8[us]"))
