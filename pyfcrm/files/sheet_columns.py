"""The cells of a sheet as columns of one type each: numbers, dates, truth values or text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput
from .csv_text import MISSING, integers
from .sheet import Cell, Clock, Days, Sheet

if TYPE_CHECKING:
    import pandas as pd

MOST_CELLS = 200_000_000  # of numbers of 8 bytes: 1.6 GB
MOST_TEXT = 1_000_000_000
ORIGIN, SINCE_1904, UNREAL = "1899-12-30", "1904-01-01", 61  # Excel's 29 February 1900 is day 60
LAST_DAY = 2_958_466  # 10000-01-01
WHOLE = 2.0**53


def columns_of(path: str, sheet: Sheet, since_1904: bool) -> tuple[pd.DataFrame, list[str], list[str]]:
    """The frame; its columns that mix numbers or dates with text; its columns of times of day.

    Raises InvalidInput where a column has no name, where there are no records, or too many cells.
    """
    import pandas as pd

    if not sheet.header:
        raise InvalidInput(path, "the first sheet must have a table", "an empty one")
    known = sheet.header.keys() | sheet.cells.keys()
    positions = range(min(known), max(known) + 1)
    if sheet.rows * len(positions) > MOST_CELLS or sheet.bytes > MOST_TEXT:
        rule = f"a sheet must have at most {MOST_CELLS:,} cells, records times columns, and 1 GB of text"
        raise InvalidInput(path, rule, f"{sheet.rows:,} records of {len(positions):,} columns")
    names = [shown(sheet.header.get(j, ""), since_1904).strip() for j in positions]
    made: dict[int, Any] = {}
    mixed, clock = list[str](), list[str]()
    for j, name in zip(positions, names, strict=True):
        places, values = sheet.cells.pop(j, ([], []))
        made[j], is_mixed = typed(np.array(places, dtype=np.int64), values, sheet.rows, since_1904)
        mixed += [name] if is_mixed else []
        clock += [name] if not is_mixed and Clock in set(map(type, values)) else []
    frame = pd.DataFrame(made, index=range(sheet.rows))
    frame.columns = pd.Index(names)
    return frame, mixed, clock


def typed(places: Any, values: list[Cell], n: int, since_1904: bool) -> tuple[Any, bool]:
    """A column of n cells, the values at their places; whether text stands beside other values."""
    import pandas as pd

    kinds = set(map(type, values))
    if str in kinds and len(kinds) > 1:  # the gaps of a column of numbers, written as text
        there = np.array([not isinstance(value, str) or value.strip() not in MISSING for value in values])
        present = [value for value, is_there in zip(values, there, strict=True) if is_there]
        if str not in set(map(type, present)):
            places, values, kinds = places[there], present, set(map(type, present))
    if kinds == {bool}:
        return _spread(pd.array(np.array(values, dtype=bool), dtype="boolean"), places, n), False
    if kinds == {Days}:
        dates = as_dates(np.array(values, dtype=np.float64), since_1904)
        if dates is not None:
            return pd.Series(dates, index=places).reindex(range(n)), False
    if kinds <= {float, Clock} or kinds == {Days}:
        return _numbers(np.array(values, dtype=np.float64), places, n), False
    text = pd.Series([shown(value, since_1904) for value in values], index=places)
    return text.reindex(range(n)), kinds != {str}


def _numbers(known: Any, places: Any, n: int) -> Any:
    values, gaps = np.full(n, np.nan), np.ones(n, dtype=bool)
    values[places], gaps[places] = known, False
    if len(known) and (known % 1 == 0).all() and (np.abs(known) < WHOLE).all():
        values[gaps] = 0
        return integers(values.astype(np.int64), gaps) if gaps.any() else values.astype(np.int64)
    return values


def _spread(known: Any, places: Any, n: int) -> Any:
    import pandas as pd

    spread = pd.Series(known, index=places).reindex(range(n))
    return spread.astype("bool") if len(places) == n else spread


def as_dates(days: Any, since_1904: bool) -> Any:
    """The days as datetime64, to the millisecond; None where one of them is no date."""
    import pandas as pd

    if (days < 0).any() or (days >= LAST_DAY).any():
        return None
    late = days if since_1904 else np.where(days < UNREAL - 1, days + 1, days)
    milliseconds = np.rint(late * 86_400_000).astype("timedelta64[ms]")
    dates = np.datetime64(SINCE_1904 if since_1904 else ORIGIN, "ms") + milliseconds
    return pd.DatetimeIndex(dates).as_unit("ns") if (days < 106_000).all() else pd.DatetimeIndex(dates)


def shown(value: Cell, since_1904: bool) -> str:
    """A value as text, where it stands beside text or is a name: whole numbers without a point, dates as ISO 8601 has them."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    dates = as_dates(np.array([float(value)]), since_1904) if isinstance(value, Days) else None
    if dates is not None:
        return str(dates[0].isoformat()).removesuffix("T00:00:00")
    return str(int(value)) if float(value).is_integer() and abs(value) < WHOLE else repr(float(value))
