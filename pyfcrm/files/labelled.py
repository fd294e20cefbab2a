"""SPSS, Stata and SAS files through pyreadstat: columns with their labels, which a release keeps."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InvalidInput, Note, first_line
from ..types import WHOLE
from .budget import UNLIMITED, Budget
from .labelled_time import timeless
from .paths import extension
from .reading import AS_DETECTED, Reading
from .table import Labels, Table, with_whole_numbers

if TYPE_CHECKING:
    import pandas as pd

_MORE = 1 << 16
_NO_DECIMALS = re.compile(r"[FN]\d+(\.0)?")  # SPSS's print formats
PERIODS = re.compile(r"%t[mqwhy].*|(MOYR|QYR|WKYR)\d+")  # print formats of periods that stay numbers
_STORED_WHOLE = ("int8", "int16", "int32")
_ELAPSED = re.compile(r"DTIME.*")  # SPSS's print format of durations in days and hours
DAY_SECONDS = 86_400


class _Format(NamedTuple):
    """One extension. reader, writer : functions of pyreadstat; reasons : whether the reader gives why a value is missing."""

    reader: str
    writer: str
    family: str
    reasons: bool
    value_labels: bool


FORMATS = {
    "sav": _Format("read_sav", "write_sav", "spss", True, True),
    "zsav": _Format("read_sav", "write_sav", "spss", True, True),
    "por": _Format("read_por", "", "spss", False, True),
    "dta": _Format("read_dta", "write_dta", "stata", True, True),
    "xpt": _Format("read_xport", "write_xport", "sas", False, False),
    "sas7bdat": _Format("read_sas7bdat", "", "sas", True, False),
}
NO_REASONS = "{path}: values that a .por file declares missing are missing in {columns}, without their codes (a .sav file has them)"
_NOT_WRITTEN = "Unable to write data"  # pyreadstat's words where the disk is full
READABLE = "the file must be readable as .{}"
NO_PLACE = "{what} labels are not written: a .{kind_of_file} file has no place for them"


def written_bytes(path: str) -> bytes:
    """The file's bytes. Raises OSError where the disk is full, which the SAS writer does not report."""
    with open(path, "r+b") as file:
        data = file.read()
        file.write(b"\0" * _MORE)
        file.flush()
        os.fsync(file.fileno())
    return data


def _with_integers(frame: pd.DataFrame, formats: Mapping[str, Any], stored: Mapping[str, str]) -> pd.DataFrame:
    """The frame with int64 (Int64 where some are missing) for columns that are meant to be whole, and are.

    formats : SPSS's print formats by column; stored : the types in the file.
    """
    columns = dict[str, "pd.Series"]()
    for name in map(str, frame.columns):
        whole = stored.get(name) in _STORED_WHOLE or _NO_DECIMALS.fullmatch(str(formats.get(name)))
        columns[name] = with_whole_numbers(frame[name]) if whole and frame[name].dtype.kind == "f" else frame[name]
    return type(frame)(columns, index=frame.index)


def _durations(
    path: str, frame: pd.DataFrame, formats: Mapping[str, Any], *, user_missing: bool
) -> dict[str, pd.Series]:
    """The columns of durations: those in days and hours, and times of day beyond one day, whose days pyreadstat leaves out.

    frame : as pyreadstat reads the file; formats : print formats by column; user_missing : whether values that mean missing are read.
    """
    import pandas as pd
    import pyreadstat

    def is_time(name: str) -> bool:
        known = frame[name].dropna()
        return known.dtype == object and any(isinstance(value, time) for value in known)

    names = [name for name in map(str, frame.columns) if is_time(name)]
    if not names:
        return {}
    reader = getattr(pyreadstat, FORMATS[extension(path)].reader)
    options = {"user_missing": True} if user_missing else {}
    seconds = reader(path, usecols=names, disable_datetime_conversion=True, **options)[0]
    columns = dict[str, "pd.Series"]()
    for name in names:
        numbers = pd.to_numeric(seconds[name], errors="coerce")
        within_day = numbers.dropna().between(0, DAY_SECONDS, inclusive="left").all()
        if _ELAPSED.fullmatch(str(formats.get(name))) or not within_day:
            microseconds = (numbers * 1e6).round()
            columns[name] = pd.to_timedelta(microseconds, unit="us").astype("timedelta64[us]")
    return columns


def _writable(column: pd.Series) -> pd.Series:
    """The column in a type that every writer accepts: numbers, text or dates; durations in seconds."""
    import pandas as pd

    dtype = column.dtype
    if dtype.kind == "m":
        return column.dt.total_seconds()
    if isinstance(dtype, pd.CategoricalDtype):
        return _writable(column.astype(dtype.categories.dtype))
    if dtype.kind in "bu" or (pd.api.types.is_extension_array_dtype(dtype) and pd.api.types.is_numeric_dtype(dtype)):
        whole = dtype.kind in "biu" and not column.isna().any()
        return column.astype("int64" if whole else "float64")
    return column


def _with_reasons(column: pd.Series, source: pd.Series, unmodified: Any) -> pd.Series:
    """The column with the reasons why values are missing put back into unmodified cells.

    source : the column as the file has it, (N,) by the row numbers that the column's index holds; unmodified : (n,) or None.
    """
    if unmodified is None:
        return _writable(column)
    codes = source.take(column.index.to_numpy()).set_axis(column.index)
    return codes.where(unmodified & column.isna() & codes.notna(), _writable(column))


def read_labelled(path: str, reading: Reading = AS_DETECTED, budget: Budget = UNLIMITED) -> Table:
    """The file's columns, their labels, and notes. reading : says nothing about such files.

    Values that the file declares missing (SPSS's user-missing ranges, Stata's .a to .z) are missing. A column that is
    stored, or printed without decimals, as whole numbers is an integer column.
    Raises InvalidInput for a file beyond the budget, and pyreadstat's own errors.
    """
    import pyreadstat

    kind, codes = extension(path), dict[str, "pd.Series"]()
    reader = getattr(pyreadstat, FORMATS[kind].reader)
    _check_size(path, reader, budget)
    frame, metadata = reader(path)
    durations = _durations(path, frame, metadata.original_variable_types, user_missing=False)
    frame = frame.assign(**durations)
    if FORMATS[kind].reasons:
        raw, metadata = reader(path, user_missing=True)
        if durations:
            of_raw = _durations(path, raw, metadata.original_variable_types, user_missing=True)
            raw = raw.assign(**{name: of_raw.get(name, column) for name, column in durations.items()})
        codes = {name: raw[name] for name in frame.columns if (frame[name].isna() & raw[name].notna()).any()}
    frame = _with_integers(frame, metadata.original_variable_types, metadata.readstat_variable_types)
    notes, name = list[Note](), os.path.basename(path)
    if codes:
        text = "{path}: declared missing values were taken as missing in {columns}"
        notes.append(Note.of("read_as", text, codes, path=name))
    if kind == "por":
        gaps = [name for name in frame.columns if frame[name].isna().any()]
        if gaps:
            notes.append(Note.of("read_as", NO_REASONS, gaps, path=name))
    if metadata.notes:
        text = "{path}: the notes stored in the file are not written into a release"
        notes.append(Note.of("not_written", text, path=name))
    columns = {name: text for name, text in metadata.column_names_to_labels.items() if text}
    frame.attrs = {"column_labels": columns, "variable_value_labels": metadata.variable_value_labels}
    # What the numbers alone do not show: that they are periods, and which values mean missing.
    of_periods = {name: text for name, text in metadata.original_variable_types.items() if PERIODS.fullmatch(str(text))}
    further = {
        "variable_format": of_periods,
        "missing_ranges": metadata.missing_ranges,
        "missing_user_values": metadata.missing_user_values,
    }
    frame.attrs |= {name: by_column for name, by_column in further.items() if by_column}
    return Table(frame, path, tuple(notes), labels=Labels(kind, metadata, codes))


def _check_size(path: str, reader: Callable[..., Any], budget: Budget) -> None:
    """Raises InvalidInput beyond the budget, by the file's own account; where it has none, by the records that it still has."""
    if budget == UNLIMITED:
        return
    _, metadata = reader(path, metadataonly=True)
    columns = metadata.number_columns
    records = metadata.number_rows
    budget.require_cells(path, records or 1, columns)
    if records is None:
        beyond, _ = reader(path, usecols=metadata.column_names[:1], row_limit=budget.cells // columns + 1)
        budget.require_cells(path, len(beyond), columns)


def labelled_bytes(
    path: str, frame: pd.DataFrame, like: Table | None, unmodified: Mapping[str, Any], disarm: bool
) -> bytes:
    """The frame as such a file in memory, by the extension of `path`; its time of writing is always 1 January 1970.

    like : see csv_bytes; unmodified : by column, (n,) True where a missing cell keeps its reason.
    Raises InvalidInput for names or values that the format cannot hold.
    """
    import pandas as pd
    import pyreadstat

    kind, columns, labels = extension(path), {}, None if like is None else like.labels
    codes = labels.codes if labels is not None and FORMATS[kind].family == FORMATS[labels.kind].family else {}
    for name in map(str, frame.columns):
        column = frame[name]
        if pd.api.types.is_integer_dtype(column.dtype):
            large = ~column.dropna().between(-int(WHOLE), int(WHOLE))
            if large.any():
                rule = f"whole numbers in a .{kind} file must be at most 2^53 in magnitude, which its numbers can carry"
                raise InvalidInput(path, rule, f"{int(large.sum())} larger ones in column `{name}`")
        is_coded = name in codes
        columns[name] = _with_reasons(column, codes[name], unmodified.get(name)) if is_coded else _writable(column)
    ready = pd.DataFrame(columns, index=frame.index).reset_index(drop=True)
    with tempfile.TemporaryDirectory(prefix="pyfcrm-") as folder:
        scratch = os.path.join(folder, "release")
        try:
            getattr(pyreadstat, FORMATS[kind].writer)(ready, scratch, **_metadata(kind, ready, labels))
        except Exception as error:  # the package's own kinds, and whatever a column of odd objects leads to
            if str(error) == _NOT_WRITTEN:
                raise _no_room(path) from error
            rule = f"every column's name and values must be such that a .{kind} file can hold them"
            raise InvalidInput(path, rule, first_line(error)) from error
        if kind == "xpt" and len(_first_column(scratch, ready)) < len(ready):  # which pyreadstat does not see
            raise _no_room(path)
        return timeless(path, kind, written_bytes(scratch))


def _no_room(path: str) -> InvalidInput:
    return InvalidInput(path, f"there must be room for a copy of the file in the folder {tempfile.gettempdir()}")


def _first_column(scratch: str, ready: pd.DataFrame) -> pd.DataFrame:
    """The first column of a SAS file as it was written."""
    import pyreadstat

    column: pd.DataFrame = pyreadstat.read_xport(scratch, usecols=[str(ready.columns[0])])[0]
    return column


def loses(kind: str, labels: Labels | None) -> list[Note]:
    """Notes on the labels that a release in a format of this extension cannot keep."""
    if labels is None:
        return []
    format = FORMATS.get(kind)
    lost = [
        ("value", labels.metadata.variable_value_labels and not (format and format.value_labels)),
        ("variable", any(labels.metadata.column_names_to_labels.values()) and not format),
    ]
    return [Note.of("not_written", NO_PLACE, what=what, kind_of_file=kind) for what, is_lost in lost if is_lost]


def _metadata(kind: str, ready: pd.DataFrame, labels: Labels | None) -> dict[str, Any]:
    """The writer's arguments, of the columns that are released."""
    arguments: dict[str, Any] = {"compress": True} if kind == "zsav" else {}
    if labels is None:
        return arguments

    def released(property: str) -> dict[str, Any]:
        of_columns = getattr(labels.metadata, property).items()
        return {name: value for name, value in of_columns if value and name in ready.columns}

    # The title of the file is not released, nor what belongs to values that no released cell has.
    arguments["column_labels"] = released("column_names_to_labels")
    if FORMATS[kind].value_labels:
        values = released("variable_value_labels").items()
        arguments["variable_value_labels"] = {name: _in_use(ready[name], texts) for name, texts in values}
    if FORMATS[kind].family == FORMATS[labels.kind].family:
        arguments["variable_format"] = {
            name: text
            for name, text in released("original_variable_types").items()
            if ready[name].dtype.kind != "f"
            or not _NO_DECIMALS.fullmatch(text)
            or (ready[name].dropna() % 1 == 0).all()
        }
        if kind in ("sav", "zsav"):
            arguments["variable_measure"] = released("variable_measure")
            ranges = released("missing_ranges").items()
            arguments["missing_ranges"] = {name: _missing_in_use(ready[name], of_column) for name, of_column in ranges}
        if kind == "dta":
            letters = released("missing_user_values").items()
            arguments["missing_user_values"] = {name: texts for name, texts in letters if name in labels.codes}
    return arguments


def _in_use(column: pd.Series, labels: Mapping[Any, str]) -> dict[Any, str]:
    """The labels of values that the column has; the values in its own type, as Stata wants them."""
    number = {"i": int, "u": int, "f": float}.get(column.dtype.kind)

    def own(value: Any) -> Any:
        return value if number is None or isinstance(value, str) or number(value) != value else number(value)

    used = {*column.dropna().tolist()}
    return {own(value): text for value, text in labels.items() if value in used}


def _missing_in_use(column: pd.Series, ranges: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The values and ranges that mean missing, without single values that the column has not."""
    used = {*column.dropna().tolist()}
    return [ends for ends in ranges if ends["lo"] != ends["hi"] or ends["lo"] in used]
