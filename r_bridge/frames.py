"""Pandas frames to Columns and back. The index is not passed.

| R | pandas, as a result | also accepted |
| --- | --- | --- |
| double | float64 with the same bits, so that NA (see columns.is_na) differs from NaN | float32; Float64, whose NA is R's |
| integer | int32, or Int32 with an NA | any integer type, see columns.whole_numbers |
| logical | bool, or boolean with an NA | |
| character | string, NA as pandas' NA | object columns of str and missing |
| factor, ordered | category | |
| Date | period[D]; NA and NaN are both NaT | object columns of datetime.date and missing |
| POSIXct | datetime64[ns], in its zone, naive without one; NA and NaN are both NaT | any unit; naive times are UTC |

Values that pandas cannot hold (an infinite date, a time beyond the year 2262) are refused.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfcrm.errors import InvalidInput

from .columns import NA_INTEGER, NA_REAL, NO_ZONE, Column, Columns, whole_numbers

if TYPE_CHECKING:
    import pandas as pd

EPOCH = datetime.date(1970, 1, 1).toordinal()
NOT_A_TIME = np.iinfo(np.int64).min
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def from_frame(frame: pd.DataFrame) -> Columns:
    """The frame's columns. Raises InvalidInput for a column of a type that R does not have."""
    for name in frame.columns:
        if not isinstance(name, str):
            raise InvalidInput("r_bridge", "column names must be text", repr(name))
    # By position: two columns may have one name.
    columns = [column_of(name, frame.iloc[:, k]) for k, name in enumerate(frame.columns)]
    return Columns(tuple(columns), len(frame))


def to_frame(table: Columns) -> pd.DataFrame:
    """The columns as a frame with an index from 0. Raises InvalidInput for values that pandas cannot hold."""
    import pandas as pd

    series = [pd.Series(_values(column)) for column in table.columns]
    frame = pd.concat(series, axis=1) if series else pd.DataFrame(index=range(table.n))
    frame.columns = pd.Index([column.name for column in table.columns], dtype=object)
    return frame


def column_of(name: str, s: pd.Series) -> Column:
    """A series as a Column. Raises InvalidInput for a type that R does not have."""
    import pandas as pd

    dtype = s.dtype
    missing = s.isna().to_numpy(dtype=bool)
    if isinstance(dtype, pd.CategoricalDtype):
        return _factor(name, s)
    if isinstance(dtype, pd.DatetimeTZDtype) or dtype.kind == "M":
        return _time(name, s, missing)
    if str(dtype) == "period[D]":
        ordinals = s.array.asi8
        return Column(name, "Date", np.where(missing, NA_REAL, ordinals.astype(np.float64)))
    if pd.api.types.is_bool_dtype(dtype):
        flags = (s.fillna(False) if missing.any() else s).to_numpy(dtype=bool)
        return Column(name, "logical", np.where(missing, NA_INTEGER, flags).astype(np.int32))
    if pd.api.types.is_integer_dtype(dtype):
        return _integer(name, s, missing)
    if pd.api.types.is_float_dtype(dtype):
        if isinstance(dtype, np.dtype):  # NaN is NaN in R too
            return Column(name, "double", s.to_numpy(dtype=np.float64))
        return Column(name, "double", s.array.to_numpy(dtype=np.float64, na_value=NA_REAL))
    return _object(name, s, missing)


def _integer(name: str, s: pd.Series, missing: np.ndarray) -> Column:
    """A series of integers, whose missing values are R's NA."""
    unsigned = s.dtype.kind == "u"
    values = (s.fillna(0) if missing.any() else s).to_numpy(dtype=np.uint64 if unsigned else np.int64)
    column = whole_numbers(name, values)
    stored: Any = column.values
    stored[missing] = NA_INTEGER if column.kind == "integer" else NA_REAL
    return column


def _factor(name: str, s: pd.Series) -> Column:
    """A series of categories: R's codes count from 1."""
    levels = list(s.cat.categories)
    if not all(isinstance(level, str) for level in levels):
        raise InvalidInput(f"column `{name}`", "categories must be text, as the levels of R's factors are", levels[:3])
    codes = s.cat.codes.to_numpy(dtype=np.int64)
    values = np.where(codes < 0, NA_INTEGER, codes + 1).astype(np.int32)
    return Column(name, "ordered" if s.cat.ordered else "factor", values, levels)


def _time(name: str, s: pd.Series, missing: np.ndarray) -> Column:
    """A series of times, in seconds since 1970 UTC, and the name of their zone."""
    tz = getattr(s.dtype, "tz", None)
    zone = NO_ZONE
    if tz is not None:
        # zoneinfo names a zone by `key`, pytz by `zone`; a fixed offset has no name that R knows.
        zone = getattr(tz, "key", None) or getattr(tz, "zone", None) or "UTC"
        s = s.dt.tz_convert("UTC").dt.tz_localize(None)
    stored = s.to_numpy()
    per = PER_SECOND[np.datetime_data(stored.dtype)[0]]
    whole, rest = np.divmod(stored.view(np.int64), per)
    # Whole seconds and fractions separately: a count of nanoseconds has more digits than a double.
    return Column(name, "POSIXct", np.where(missing, NA_REAL, whole + rest / per), None, zone)


def _object(name: str, s: pd.Series, missing: np.ndarray) -> Column:
    """A series of objects: all text, or all dates."""
    values = [None if absent else value for value, absent in zip(s, missing, strict=True)]
    present = [v for v in values if v is not None]
    if all(isinstance(v, str) for v in present):
        return Column(name, "character", values)
    if all(isinstance(v, datetime.date) and not isinstance(v, datetime.datetime) for v in present):
        days = [NA_REAL if v is None else float(v.toordinal() - EPOCH) for v in values]
        return Column(name, "Date", np.array(days))
    other = next(v for v in present if not isinstance(v, str))
    raise InvalidInput(f"column `{name}`", "must hold numbers, text, categories, dates or times", type(other).__name__)


def _values(column: Column) -> Any:
    """The values as a pandas array or series, by the table at the head of this file."""
    import pandas as pd

    values: Any = column.values
    if column.kind == "double":
        return values
    if column.kind == "character":
        return pd.array([pd.NA if v is None else v for v in values], dtype="string")
    if column.kind == "Date":
        return pd.arrays.PeriodArray(_counts(column, 1), dtype=pd.PeriodDtype("D"))
    if column.kind == "POSIXct":
        times = pd.Series(_counts(column, 10**9).view("M8[ns]"))
        return times if column.extra in (NO_ZONE, "") else times.dt.tz_localize("UTC").dt.tz_convert(column.extra)
    missing = values == NA_INTEGER
    if column.kind in ("factor", "ordered"):
        levels = [level for level in column.levels or [] if level is not None]
        if len(levels) < len(column.levels or []):
            raise InvalidInput(
                f"column `{column.name}`", "pandas' categories must not be missing", "a level that is NA"
            )
        codes = np.where(missing, -1, values - 1)
        return pd.Categorical.from_codes(codes, categories=pd.Index(levels), ordered=column.kind == "ordered")
    if column.kind == "logical":
        values = values == 1
    return _masked(values, missing) if missing.any() else values


def _masked(values: np.ndarray, missing: np.ndarray) -> Any:
    """Integers or truth values (n,) with a mask of missing ones, as pandas' extension array."""
    import pandas as pd

    kind = pd.arrays.BooleanArray if values.dtype == np.bool_ else pd.arrays.IntegerArray
    return kind(values.copy(), missing)


def _counts(column: Column, per: int) -> np.ndarray:
    """Days (per = 1), or seconds as nanoseconds (per = 10^9), as int64; missing as NOT_A_TIME.

    Raises InvalidInput for values that the conversion would change: fractions of a day, or times beyond 64 bits.
    """
    values = np.asarray(column.values, dtype=np.float64)
    missing = np.isnan(values)
    filled = np.where(missing, 0.0, values)
    largest = 9.2e18 / per if per > 1 else 9.2e12  # int64 holds 9.22e18
    far = ~(np.abs(filled) < largest)
    near = np.where(far, 0.0, filled)
    whole = np.floor(near)
    rest = np.rint((near - whole) * per)
    changed = far | (whole + rest / per != filled)
    if changed.any():
        worst = filled[np.argmax(changed)]
        what = "whole days" if per == 1 else "times from 1678 to 2261"
        raise InvalidInput(f"column `{column.name}`", f"pandas holds {what} only", f"{worst!r}")
    return np.where(missing, NOT_A_TIME, whole.astype(np.int64) * per + rest.astype(np.int64))
