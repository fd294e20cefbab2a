"""Columns that R sent as a pandas frame, and columns for R out of one. Used by `calls`; knows no method or measure.

Only columns that have a part to play cross, each kept recognisable; `frames` is the conversion that loses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfcrm.data import open_frame
from pyfcrm.errors import unknown_name

from ..columns import NA_INTEGER, NA_REAL, Buffer, Column, Crossing, from_bytes, to_bytes, unpack
from ..frames import column_of

if TYPE_CHECKING:
    import pandas as pd

Five = list[Any]  # name, kind, data, labels, extra
PER_UNIT = {"Date": 86_400_000_000, "POSIXct": 1_000_000}  # microseconds
FAR = 2.0**62  # microseconds


@dataclass(frozen=True, eq=False)
class Sent:
    """What R sent of a frame: the columns that play a part, the names of all, the number of records, the row names.

    labels : R's row names where they say more than position; whole numbers count from 1; values : by column, the label of each
    value of a labelled one.
    """

    columns: tuple[Column, ...]
    names: tuple[str, ...]
    records: int
    labels: Column | None
    values: Mapping[str, Mapping[float, str]]

    def require(self, owner: str, names: Iterable[str]) -> None:
        """Raises InvalidInput for a frame with two columns of one name or no record, or for a name it has not."""
        import pandas as pd

        empty = pd.DataFrame(np.zeros((min(self.records, 1), len(self.names))), columns=list(self.names))
        open_frame(owner.partition(",")[0], empty)
        for name in names:
            if name not in self.names:
                raise unknown_name(owner, "column", name, self.names)


def as_sent(sent: Mapping[str, Any]) -> Sent:
    """The Sent of {"columns": fives, "names": their names packed, "all": all names packed, "records": n, "labels", "values": for
    each labelled column its place from 1, the values and their labels packed}."""
    names = unpacked(sent["names"])
    columns = [from_bytes(Crossing(name, *five[1:])) for name, five in zip(names, sent["columns"], strict=True)]
    labels = sent.get("labels")
    row = None if labels is None else from_bytes(Crossing(*labels))
    values = {
        names[int(place) - 1]: dict(zip(np.atleast_1d(codes).tolist(), unpacked(texts), strict=True))
        for place, codes, texts in sent.get("values", ())
    }
    return Sent(tuple(columns), tuple(unpacked(sent["all"])), int(sent["records"]), row, values)


def unpacked(data: Buffer) -> list[str]:
    """Packed strings, an NA among them as "NA"."""
    return ["NA" if text is None else text for text in unpack(data)]


def frame_of(sent: Sent, dropped: Iterable[str] = ()) -> pd.DataFrame:
    """A pandas frame of the columns sent; R's row names are its index, factors are categories in the order of their levels.

    dropped : columns to stand in empty where they are not sent.
    """
    import pandas as pd

    values = {c.name: _series(c) for c in sent.columns}
    values |= {name: np.zeros(sent.records, dtype=np.int8) for name in dropped if name not in values}
    index = pd.RangeIndex(sent.records) if sent.labels is None else _index(sent.labels)
    frame = pd.DataFrame(values, index=pd.RangeIndex(sent.records)).set_axis(index)
    frame.attrs["variable_value_labels"] = dict(sent.values)
    return frame


def released_columns(frame: pd.DataFrame, names: Sequence[str]) -> list[Five]:
    """Those of the columns `names` that hold numbers, text, truth values or categories."""
    import pandas as pd

    columns = []
    for name in names:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            column = column.cat.rename_categories(str)
        elif pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype):
            column = column.map(str, na_action="ignore")
        if isinstance(column.dtype, pd.CategoricalDtype) or column.dtype.kind in "biufO":
            columns.append(column_of(name, column))
    return [five(column) for column in columns]


def gaps(before: pd.DataFrame, after: pd.DataFrame) -> tuple[bytearray, list[bytearray]]:
    """The columns of both that lost cells, by position from 1 in `before`, and which records of `after`, from 1."""
    places, records = [], []
    for k, name in enumerate(before.columns):
        if name in after.columns:
            lost = after[name].isna().to_numpy() & before[name].loc[after.index].notna().to_numpy()
            if lost.any():
                places.append(k + 1)
                records.append(_whole_bytes(np.flatnonzero(lost) + 1))
    return _whole_bytes(np.array(places)), records


def rows_of(frame: pd.DataFrame, records: int) -> bytearray | None:
    """Which of the records that came in, from 1, are in the release; None for all. The index must count from 0."""
    return None if len(frame) == records else _whole_bytes(frame.index.to_numpy() + 1)


def table_of(rows: Sequence[Mapping[str, Any]]) -> list[Five]:
    """Rows of words, flags and numbers (None is NA), all with the same keys, as columns that cross."""
    return [five(_column(key, [row[key] for row in rows])) for key in rows[0]]


def _column(name: str, values: list[Any]) -> Column:
    if all(isinstance(v, str) for v in values):
        return Column(name, "character", values)
    if all(isinstance(v, bool) for v in values):
        return Column(name, "logical", np.array(values, dtype=np.int32))
    numbers = np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    numbers[[v is None for v in values]] = NA_REAL
    return Column(name, "double", numbers)


def five(column: Column) -> Five:
    """The column as R takes it."""
    crossing = to_bytes(column)
    # reticulate makes a raw vector of a bytearray in every version, of bytes in none before 1.29
    return [crossing.name, crossing.kind, bytearray(crossing.data), bytearray(crossing.labels), crossing.extra]


def _whole_bytes(values: Any) -> bytearray:
    return bytearray(np.asarray(values).astype("<i4").tobytes())


def _index(labels: Column) -> pd.Index:
    import pandas as pd

    if labels.kind == "integer":
        return pd.Index(np.asarray(labels.values, dtype=np.int64) - 1)
    return pd.Index(np.asarray(labels.values, dtype=object))


def _series(column: Column) -> Any:
    """A pandas array: numbers in their own types, the rest so that equal stays equal and missing missing."""
    import pandas as pd

    values: Any = column.values
    if column.kind == "double":
        return np.array(values, dtype=np.float64)
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


def _times(values: Any, per: int) -> Any:
    """Days or seconds as microseconds; NaT for what is no time, and for times no calendar has."""
    far = ~(np.abs(values) < FAR / per)
    whole = np.rint(np.where(far, 0.0, values) * per).astype(np.int64)
    return np.where(far, np.datetime64("NaT", "us"), whole.view("M8[us]"))
