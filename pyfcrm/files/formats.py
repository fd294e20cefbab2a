"""Tables in and out: the formats of files by extension. A new one is a new module and its entries here."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from ..progress import Progress
from ..types import Mask
from .atomic import write_bytes
from .budget import UNLIMITED, Budget
from .child import in_child
from .csv_read import read_csv
from .csv_write import csv_bytes
from .excel import UNREADABLE, read_xlsx
from .labelled import READABLE, labelled_bytes, read_labelled
from .parquet import parquet_bytes, source_of, to_frame
from .paths import PARQUET, Path, check_output, extension, path_text, require_extension
from .reading import AS_DETECTED, Reading, reading_of
from .table import Table, check_names, positions, require_records

if TYPE_CHECKING:
    import pandas as pd

CSV, LABELLED = ("csv", "txt", "tsv"), ("sav", "zsav", "dta", "xpt")


def _read_parquet(path: str, reading: Reading = AS_DETECTED, budget: Budget = UNLIMITED) -> Table:
    arrow = source_of("read_table", path).within(budget)
    return Table(to_frame(arrow, path), path, arrow=arrow)


READERS: Mapping[str, Callable[..., Table]] = {
    **dict.fromkeys(CSV, read_csv),
    **dict.fromkeys(PARQUET, _read_parquet),
    **dict.fromkeys((*LABELLED, "por", "sas7bdat"), read_labelled),
    "xlsx": read_xlsx,
}
"""By extension, what reads a path, with what is stated of the reading and the budget."""
IN_CHILD = (*LABELLED, "por", "sas7bdat", "xlsx")  # whose readers may crash
WRITERS: Mapping[str, Callable[..., bytes]] = {
    **dict.fromkeys(CSV, csv_bytes),
    **dict.fromkeys(PARQUET, parquet_bytes),
    **dict.fromkeys(LABELLED, labelled_bytes),
}
"""By extension, the bytes of a file, from a path, a frame, the table it came from or None, the unmodified cells by column, and
whether text is disarmed."""
RELEASED_AS = {"por": "sav", "sas7bdat": "xpt", "xlsx": "csv"}
"""By extension of what is only read, that of a release."""


def released_as(path: str) -> str:
    """The extension of a release of a file: its own where it can be written, csv where it has none."""
    kind = extension(path)
    return RELEASED_AS.get(kind, kind) or "csv"


def open_table(
    path: Path, reading: Reading = AS_DETECTED, budget: Budget | None = None, progress: Progress | None = None
) -> Table:
    """Table as read_table has it, with the file's own texts, types and labels, and notes on the reading.

    budget : the most that is read; files of every format are then read in a process of their own, others only where the
    reader may crash; progress : called while such a process reads, and an exception that it raises ends the process.
    """
    text = path_text("read_table", path)
    if os.path.isdir(text):
        raise InvalidInput(text, "must be a file, and this is a folder")
    require_file(text)
    kind = require_extension(text, "the", READERS)
    if budget is not None or kind in IN_CHILD:
        rule = UNREADABLE if kind == "xlsx" else READABLE.format(kind)
        reader = partial(READERS[kind], reading=reading, budget=budget or UNLIMITED)
        table = in_child(text, rule, reader, None if budget is None else budget.memory, progress)
    else:
        table = READERS[kind](text, reading)
    if budget is not None:
        budget.require_cells(text, *table.frame.shape)
    check_names(text, [str(name) for name in table.frame.columns])
    require_records(text, len(table.frame), "; name another one by `sheet`" if kind == "xlsx" else "")
    return table


def require_file(path: str) -> None:
    """Raises InvalidInput where there is no ordinary file, or an empty one."""
    if not os.path.exists(path):
        raise InvalidInput(path, "there is no such file")
    if not os.path.isfile(path):
        raise InvalidInput(path, "must be an ordinary file, not a device or a pipe")
    if os.path.getsize(path) == 0:
        raise InvalidInput(path, "the file is empty")


def read_table(
    path: Path,
    sheet: str | int | None = None,
    missing_marks: Collection[str] | None = None,
    *,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
) -> pd.DataFrame:
    """Read a file of any supported input format as a data frame.

    `protect_file` and the command line read a file in the same way, so the same method and seed give the same
    numbers. To write a release with its labels and unmodified cells, use `protect_file`.

    Parameters
    ----------
    path : str or path
        CSV (.csv, .txt, .tsv), Parquet (.parquet, .pq), Excel (.xlsx), SPSS (.sav, .zsav, .por), Stata (.dta) or SAS
        (.sas7bdat, .xpt).
    sheet : str or int, optional
        The sheet of an Excel file, by its name or its number from 1; the first by default.
    missing_marks : list of str, optional
        Words that mean missing in CSV and Excel, such as ":" or "..", besides an empty cell, and "NA", "NaN", "null",
        "N/A" and "." in columns of numbers. If it is left out, "NA" is missing in text too where a column of numbers
        has it, with a warning.
    decimal : {".", ","}, optional
        The decimal mark of a CSV file, detected by default.
    thousands : {",", ".", " ", "'"}, optional
        What separates thousands in a CSV file; without it such numbers are text.
    encoding : str, optional
        The encoding of a CSV file, such as "latin-1"; by default UTF-8, UTF-16 with its mark, or Windows-1252.
    separator : str, optional
        One character between the cells of a CSV file, detected by default.

    Returns
    -------
    pandas.DataFrame
        In a CSV file a column is int64 if every cell is a plain integer (Int64 where some are missing), float64 if
        every cell is a number or missing, and text otherwise; numbers with leading zeros are codes, and stay text. In text
        an empty cell is missing, as in pandas.
        Labels of SPSS, Stata and SAS files are in `frame.attrs`: "column_labels", by column, and
        "variable_value_labels", by column and value, named as pyreadstat's writers name them.

    Raises
    ------
    InvalidInput
        If the file is not a table; the message states the fault and its place.
    InvalidParameter
        If an argument is not valid.

    Warns
    -----
    UserWarning
        On guesses, such as commas that were read as decimal marks, and on what is not in the frame, such as
        the reasons why values are missing.

    Examples
    --------
    >>> frame = pf.read_table("people.csv")  # doctest: +SKIP
    """
    reading = reading_of(
        "read_table",
        separator=separator,
        decimal=decimal,
        thousands=thousands,
        encoding=encoding,
        missing_marks=missing_marks,
        sheet=sheet,
    )
    table = open_table(path, reading)
    for note in table.notes:
        warnings.warn(note, UserWarning, stacklevel=2)
    return table.frame


def write_table(
    frame: pd.DataFrame,
    path: Path,
    like: Table | None = None,
    replaced: Collection[str] = (),
    *,
    disarm: bool = False,
) -> None:
    """Write a frame as CSV, Parquet, SPSS, Stata or SAS (.xpt), by the extension, whole or not at all; no index is written.

    like : the table the frame came from; the frame's index must then hold its row numbers. Cells that are not
    replaced stay unmodified: CSV with its separator, decimal mark, encoding and line ending, Parquet with its column
    types, the others with their labels, print formats and reasons for missing values. Columns of `like` that the frame
    lacks are dropped.
    replaced : columns with new values, but for cells that stay missing; disarm : in CSV, text that begins
    with = + - @ gets an apostrophe in front, so that no spreadsheet runs it (numbers never do).
    Raises InvalidInput for a path that cannot be written, or is the file `like` was read from.
    """
    text = check_output(path, [like.path] if like else [], WRITERS)
    if not frame.columns.is_unique:
        raise InvalidInput(text, "column names must differ", list(frame.columns))
    unmodified = {} if like is None else _unmodified(frame, like, replaced)
    write_bytes(path, WRITERS[extension(text)](text, frame, like, unmodified, disarm))


def _unmodified(frame: pd.DataFrame, like: Table, replaced: Collection[str]) -> dict[str, Mask]:
    """Masks (n,) by column, True where the cell is not replaced or is missing, and still has the value that was read."""
    rows = positions(frame, like)
    if rows is None:
        return {}
    unmodified = {}
    for name in frame.columns:
        if name in like.frame.columns:
            same = _same(frame[name], like.frame[name].iloc[rows])
            if name in replaced:
                same &= frame[name].isna().to_numpy()
            unmodified[str(name)] = same
    return unmodified


def _same(now: pd.Series, before: pd.Series) -> Mask:
    """Mask (n,) of the cells in which two columns agree, two missing values agreeing too."""
    old, new = (column.astype(object).where(column.notna(), None).to_numpy() for column in (before, now))
    same: Mask = (old == new).astype(bool)
    return same
