"""SPSS, Stata and SAS files through pyreadstat: columns with their labels, kept in the round trip."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput, Note
from .child import first_line, in_child
from .labelled_time import timeless
from .paths import extension

if TYPE_CHECKING:
    import pandas as pd

_MORE = 1 << 16
_NO_DECIMALS = re.compile(r"[FN]\d+(\.0)?")  # SPSS's print format
_STORED_WHOLE = ("int8", "int16", "int32")
_MOST = 2.0**53
READERS = {
    "sav": "read_sav",
    "zsav": "read_sav",
    "por": "read_por",
    "dta": "read_dta",
    "xpt": "read_xport",
    "sas7bdat": "read_sas7bdat",
}
WRITERS = {"sav": "write_sav", "zsav": "write_sav", "por": "write_por", "dta": "write_dta", "xpt": "write_xport"}
WITH_CODES = ("sav", "zsav", "dta", "sas7bdat")  # formats whose reader tells why a value is missing
WITH_VALUE_LABELS = ("sav", "zsav", "dta")
COUNTED = 25_000_000
READABLE = "the file must be readable as .{}"
NO_PLACE = "{what} labels are not written: a .{kind_of_file} file has no place for them"


@contextmanager
def scratch_path() -> Iterator[str]:
    """A path that may be written to and read from; nothing of it is left, however the process ends where it is memory."""
    if hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd"):
        handle = os.memfd_create("pyfcrm")
        try:
            yield f"/proc/self/fd/{handle}"
        finally:
            os.close(handle)
        return
    with tempfile.TemporaryDirectory(prefix="pyfcrm-") as folder:
        yield os.path.join(folder, "release")


def whole(path: str) -> bytes:
    """What was written there. Raises OSError where the disk is full: the SAS writer does not tell."""
    with open(path, "r+b") as file:
        data = file.read()
        file.write(b"\0" * _MORE)
        file.flush()
        os.fsync(file.fileno())
    return data


def with_integers(frame: pd.DataFrame, formats: Mapping[str, Any], stored: Mapping[str, str]) -> pd.DataFrame:
    """The frame with int64 (Int64 where some are missing) for columns that are meant to be whole, and are.

    formats : SPSS's print formats by column; stored : the types in the file.
    """
    columns = {}
    for name in frame.columns:
        meant = stored.get(name) in _STORED_WHOLE or _NO_DECIMALS.fullmatch(str(formats.get(name)))
        columns[name] = _integers(frame[name]) if meant else frame[name]
    return type(frame)(columns, index=frame.index)


def _integers(column: pd.Series) -> pd.Series:
    if column.dtype.kind != "f":
        return column
    known = column.dropna()
    if not len(known) or (known % 1 != 0).any() or (known.abs() >= _MOST).any():
        return column
    return column.astype("int64" if len(known) == len(column) else "Int64")


def plain(column: pd.Series) -> pd.Series:
    """The column in a type that every writer takes: numbers, text or dates."""
    import pandas as pd

    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return plain(column.astype(dtype.categories.dtype))
    if pd.api.types.is_bool_dtype(dtype):
        return plain(column.astype("Int64"))
    if pd.api.types.is_extension_array_dtype(dtype) and pd.api.types.is_numeric_dtype(dtype):
        whole = pd.api.types.is_integer_dtype(dtype) and not column.isna().any()
        return column.astype("int64" if whole else "float64")
    if dtype.kind == "u":
        return column.astype("int64")
    return column


def beyond_doubles(column: pd.Series) -> int:
    """How many of a column's values are whole numbers above 2^53: numbers in these files are doubles."""
    import pandas as pd

    if not pd.api.types.is_integer_dtype(column.dtype):
        return 0
    known = column.dropna()
    return int(((known > int(_MOST)) | (known < -int(_MOST))).sum())


def with_codes(column: pd.Series, codes: pd.Series, kept: Any) -> pd.Series:
    """The column with the reasons why values are missing put back where cells leave as they came.

    codes : the column as the file has it, (N,) by the row numbers that the column's index holds; kept : (n,) or None.
    """
    import pandas as pd

    numbers = plain(column)
    if kept is None:
        return numbers
    came = codes.to_numpy()[column.index.to_numpy()]
    reasons = np.asarray(kept, dtype=bool) & column.isna().to_numpy() & ~pd.isna(came)
    if codes.dtype.kind == "f":
        return pd.Series(np.where(reasons, came, numbers.to_numpy(dtype=np.float64)), index=column.index)
    values = numbers.to_numpy(dtype=object)
    values[reasons] = came[reasons]
    return pd.Series(values, index=column.index, dtype=object)


@dataclass(frozen=True, eq=False)
class Labels:
    """What a statistical package's file says of its columns, by column name.

    kind : the extension it came with; columns : variable labels; values : value labels; formats, measures, ranges :
    SPSS's and Stata's print formats, measurement levels, ranges of values that mean missing; letters : Stata's missing
    values with a reason; file : the file's own label; codes : the columns that have such values, with them in place.
    """

    kind: str
    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, list[Any]] = field(default_factory=dict)
    letters: Mapping[str, list[str]] = field(default_factory=dict)
    file: str | None = None
    codes: Mapping[str, pd.Series] = field(default_factory=dict)


def read_labelled(path: str) -> tuple[pd.DataFrame, Labels, list[Note]]:
    """The file's columns, what it says of them, and notes, read in a process of its own.

    Values that the file declares missing (SPSS's user-missing ranges, Stata's .a to .z) are missing. A column that is
    stored, or printed without decimals, as whole numbers is an integer column.
    Raises InvalidInput for a file that cannot be read.
    """
    return in_child(path, READABLE.format(extension(path)), _read)


def _read(path: str) -> tuple[pd.DataFrame, Labels, list[Note]]:
    kind = extension(path)
    reader = getattr(pyreadstat(), READERS[kind])
    frame, about = reader(path)
    codes: dict[str, pd.Series] = {}
    if kind in WITH_CODES:
        raw, about = reader(path, user_missing=True)
        codes = {name: raw[name] for name in frame.columns if (frame[name].isna() & raw[name].notna()).any()}
    frame = with_integers(frame, about.original_variable_types, about.readstat_variable_types)
    labels = Labels(
        kind,
        {name: text for name, text in about.column_names_to_labels.items() if text},
        dict(about.variable_value_labels),
        {name: text for name, text in about.original_variable_types.items() if text},
        {name: text for name, text in about.variable_measure.items() if text != "unknown"},
        dict(about.missing_ranges),
        dict(about.missing_user_values),
        about.file_label or None,
        codes,
    )
    notes, name = list[Note](), os.path.basename(path)
    if codes:
        text = "{path}: declared missing values were taken as missing in {columns}"
        notes.append(Note.of("read_as", text, codes, path=name))
    if about.notes:
        text = "{path}: the notes stored in the file are not written into a release"
        notes.append(Note.of("not_written", text, path=name))
    return frame, labels, notes


def dimensions(path: str) -> tuple[int, int]:
    """Records and columns: the header's numbers, or a count up to `COUNTED` records where it has none."""
    return in_child(path, READABLE.format(extension(path)), _dimensions)


def _dimensions(path: str) -> tuple[int, int]:
    reader = getattr(pyreadstat(), READERS[extension(path)])
    _, about = reader(path, metadataonly=True)
    rows = about.number_rows
    if rows is None or rows < 0:
        rows = len(reader(path, usecols=about.column_names[:1], row_limit=COUNTED)[0])
    return rows, about.number_columns


def labelled_bytes(path: str, frame: pd.DataFrame, labels: Labels | None, kept: Mapping[str, Any]) -> bytes:
    """The frame as such a file in memory, by the extension of `path`; its time of writing is always 1 January 1970.

    labels : of the file it came from; kept : by column, (n,) True where the cell leaves as it came, and so with the
    reason why it is missing. Raises InvalidInput for names or values that the format cannot hold.
    """
    kind = extension(path)
    same_family = labels is not None and _family(kind) == _family(labels.kind)
    columns = {}
    for name in frame.columns:
        if large := beyond_doubles(frame[name]):
            rule = f"whole numbers in a .{kind} file must be at most 2^53 in magnitude, which its numbers can carry"
            raise InvalidInput(path, rule, f"{large} larger ones in column `{name}`")
        codes = labels.codes.get(name) if labels is not None and same_family else None
        columns[name] = plain(frame[name]) if codes is None else with_codes(frame[name], codes, kept.get(name))
    import pandas as pd

    ready = pd.DataFrame(columns, index=frame.index).reset_index(drop=True)
    words = _words(kind, ready, labels, same_family)
    with scratch_path() as scratch:
        try:
            getattr(pyreadstat(), WRITERS[kind])(ready, scratch, **words)
        except Exception as error:  # the package's own kinds, and whatever a column of odd objects leads to
            rule = f"every column's name and values must be such that a .{kind} file can hold them"
            raise InvalidInput(path, rule, first_line(error)) from error
        return timeless(path, kind, whole(scratch))


def loses(kind: str, labels: Labels | None) -> list[Note]:
    """What a release in a format of this extension cannot keep of the labels, in words."""
    if labels is None:
        return []
    lost = list[Note]()
    if labels.values and kind not in WITH_VALUE_LABELS:
        lost.append(Note.of("not_written", NO_PLACE, what="value", kind_of_file=kind))
    if labels.columns and kind not in WRITERS:
        lost.append(Note.of("not_written", NO_PLACE, what="variable", kind_of_file=kind))
    return lost


def _words(kind: str, ready: pd.DataFrame, labels: Labels | None, same_family: bool) -> dict[str, Any]:
    """The writer's arguments, of the columns that are still there."""
    if labels is None:
        return {"compress": True} if kind == "zsav" else {}

    def here(mapping: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in mapping.items() if name in ready.columns}

    words: dict[str, Any] = {"column_labels": here(labels.columns), "file_label": labels.file or ""}
    if kind in WITH_VALUE_LABELS:
        words["variable_value_labels"] = {name: _as_column(ready[name], v) for name, v in here(labels.values).items()}
    if same_family:
        whole = re.compile(r"F\d+(\.0)?")
        shown = here(labels.formats)
        words["variable_format"] = {
            name: text for name, text in shown.items() if not (whole.fullmatch(text) and _has_fractions(ready[name]))
        }
    if same_family and kind in ("sav", "zsav"):
        words |= {"missing_ranges": here(labels.ranges), "variable_measure": here(labels.measures)}
    if same_family and kind == "dta":
        words["missing_user_values"] = {
            name: used for name, used in here(labels.letters).items() if name in labels.codes
        }
    return words | ({"compress": True} if kind == "zsav" else {})


def _as_column(column: pd.Series, values: Mapping[Any, str]) -> dict[Any, str]:
    """Value labels whose values have the column's own type, as Stata wants them."""
    if column.dtype.kind in "iu":
        return {int(v) if isinstance(v, float) and v.is_integer() else v: text for v, text in values.items()}
    return {float(v) if isinstance(v, int) and column.dtype.kind == "f" else v: text for v, text in values.items()}


def _has_fractions(column: pd.Series) -> bool:
    return column.dtype.kind == "f" and bool((column.dropna() % 1 != 0).any())


def _family(kind: str) -> str:
    return {"sav": "spss", "zsav": "spss", "por": "spss", "dta": "stata"}.get(kind, "sas")


def pyreadstat() -> Any:
    """The package, imported where it is needed."""
    import pyreadstat

    return pyreadstat
