"""Reading a table: the text as it is, and the numbers in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..arguments import choice
from ..errors import InvalidInput, InvalidParameter
from .cells import Numbers, find_decimal, integers_with_gaps, numbers, rounded_in_reading
from .csv_text import find_separator, first_line, records, unquoted
from .labelled import Labels, read_labelled
from .parquet import read_arrow, to_frame
from .paths import Path, extension, format_of, path_text

if TYPE_CHECKING:
    import pandas as pd

_NO_SEPARATORS = '"\r\n.+-_\ufeff\0'
_SIGNATURES = {
    b"PK\x03\x04": "a zip or Excel file",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip file",
    b"%PDF": "a PDF",
    b"\xff\xfe": "UTF-16 text (save it as UTF-8)",
    b"\xfe\xff": "UTF-16 text (save it as UTF-8)",
}


@dataclass(frozen=True, eq=False)
class Table:
    """A file as it was read.

    frame : typed columns; raw : the same cells as text, of a CSV file; tokens : the cells of CSV columns that
    have quotes, as written; header : the names as written; arrow : the pyarrow Table of a Parquet file; labels :
    of an SPSS, Stata or SAS file; newline and encoding ("utf-8", "utf-8-sig" with its mark, "cp1252", "latin-1") :
    of a CSV file; notes : what the reader had to guess.
    """

    frame: pd.DataFrame
    raw: pd.DataFrame | None
    format: Literal["csv", "parquet", "labelled"]
    separator: str
    decimal: str
    encoding: str
    path: str
    newline: str = "\n"
    header: Mapping[str, str] = field(default_factory=dict)
    tokens: Mapping[str, pd.Series] = field(default_factory=dict)
    arrow: Any = None
    labels: Labels | None = None
    notes: tuple[str, ...] = ()


def read_table(path: Path, separator: str | None = None, decimal: str | None = None) -> Table:
    """Read a CSV (.csv, .txt, .tsv), Parquet (.parquet, .pq), SPSS (.sav, .zsav, .por), Stata (.dta) or SAS (.sas7bdat,
    .xpt) file.

    separator : one character, decimal : "." or ",", both of CSV; None finds them. In a CSV file a column is int64
    if every cell is a plain integer (Int64 where some are missing), float64 if every cell is a number or missing,
    and text otherwise, as it stands.
    Raises InvalidInput, in one sentence that says what and where, for a file that is not a table;
    InvalidParameter for the arguments; MissingExtra for Parquet without pyarrow, and for the last three without pyreadstat.
    """
    text = path_text("read_table", path)
    _check_arguments(separator, decimal)
    if os.path.isdir(text):
        raise InvalidInput(text, "must be a file, and this is a folder")
    kind = format_of(text)
    if not os.path.exists(text):
        raise InvalidInput(text, "there is no such file")
    if not os.path.isfile(text):
        raise InvalidInput(text, "must be an ordinary file, not a device or a pipe")
    if kind == "labelled":
        return _read_labelled(text)
    return _read_parquet(text) if kind == "parquet" else _read_csv(text, separator, decimal)


def _check_arguments(separator: str | None, decimal: str | None) -> None:
    if decimal is not None:
        choice("read_table", "decimal", decimal, (".", ","))
    if separator is None:
        return
    is_character = isinstance(separator, str) and len(separator) == 1
    if not is_character or separator.isalnum() or separator in _NO_SEPARATORS:
        rule = "must be one character, such as ',', ';', a tab or '|'"
        raise InvalidParameter("read_table", "separator", rule, separator)


def _read_parquet(path: str) -> Table:
    if os.path.getsize(path) == 0:
        raise InvalidInput(path, "the file is empty")
    arrow = read_arrow(path)
    _check_names(path, [str(name) for name in arrow.column_names])
    if arrow.num_rows == 0:
        raise InvalidInput(path, "the file has columns but no records")
    return Table(to_frame(arrow), None, "parquet", ",", ".", "utf-8", path, arrow=arrow)


def _read_labelled(path: str) -> Table:
    if os.path.getsize(path) == 0:
        raise InvalidInput(path, "the file is empty")
    frame, labels, notes = read_labelled(path)
    _check_names(path, [str(name) for name in frame.columns])
    if not len(frame):
        raise InvalidInput(path, "the file has columns but no records")
    return Table(frame, None, "labelled", ",", ".", "utf-8", path, labels=labels, notes=tuple(notes))


def _read_csv(path: str, separator: str | None, decimal: str | None) -> Table:
    import pandas as pd

    text, encoding, notes = _text(path)
    if separator is None:
        separator = find_separator(text, tabs_first=extension(path) == "tsv")
    header, columns = _columns(path, text, separator)
    names = [unquoted(token).strip() for token in header]
    _check_names(path, names)
    cells = [list(map(unquoted, column)) if '"' in "".join(column) else column for column in columns]
    if decimal is None:
        decimal, note = find_decimal(cells, separator)
        notes += [f"{path}: {note}"] if note else []
    raw = pd.DataFrame({name: pd.Series(column) for name, column in zip(names, cells, strict=True)})
    typed = {}
    for name, column in zip(names, cells, strict=True):
        values = numbers(column, decimal)
        typed[name] = raw[name] if values is None else _with_gaps(values, column)
        rounded = 0 if values is None or typed[name] is not values else int(rounded_in_reading(values, column).sum())
        if rounded:
            notes.append(f"{path}: {rounded} values of {name} are whole numbers above 2^53 that float64 cannot carry")
    tokens = {n: pd.Series(t) for n, c, t in zip(names, cells, columns, strict=True) if c is not t}
    return Table(
        pd.DataFrame(typed), raw, "csv", separator, decimal, encoding, path,
        newline=first_line(text)[1], header=dict(zip(names, header, strict=True)), tokens=tokens, notes=tuple(notes),
    )  # fmt: skip


def _with_gaps(values: Numbers, cells: list[str]) -> Any:
    """A column of integers of which some are missing as pandas's Int64, so that it leaves as integers too."""
    import pandas as pd

    found = integers_with_gaps(cells) if values.dtype.kind == "f" and np.isnan(values).any() else None
    return values if found is None else pd.arrays.IntegerArray(*found)


def _text(path: str) -> tuple[str, str, list[str]]:
    """The file's text, its encoding, and a note if the encoding was a guess."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InvalidInput(path, "the file could not be read", error.strerror) from error
    for signature, what in _SIGNATURES.items():
        if data.startswith(signature):
            raise InvalidInput(path, "the file must be text with separators", what)
    if not data.strip(b" \t\r\n\xef\xbb\xbf"):
        raise InvalidInput(path, "the file is empty")
    if b"\0" in data:
        raise InvalidInput(path, "the file must be text", f"a zero byte at byte {data.index(0) + 1}")
    encoding = "utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8"
    try:
        return data.decode(encoding), encoding, []
    except UnicodeDecodeError as error:
        return _older_text(path, data, error.start)


def _older_text(path: str, data: bytes, where: int) -> tuple[str, str, list[str]]:
    """Text from before UTF-8; control characters mean that it was never text."""
    try:
        text, encoding = data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        text, encoding = data.decode("latin-1"), "latin-1"
    if any(ord(c) < 32 and c not in "\t\r\n" for c in set(text)):
        given = f"byte {where + 1} that is not UTF-8, and control characters"
        raise InvalidInput(path, "the file must be text in UTF-8 or Latin-1", given)
    return text, encoding, [f"{path}: not UTF-8, so it was read as {encoding}"]


def _columns(path: str, text: str, separator: str) -> tuple[list[str], list[list[str]]]:
    """The header's tokens and each column's. Blank lines are skipped, except inside a file of one column."""
    numbered = list(records(path, text, separator))
    while numbered[-1][1] == [""]:
        numbered.pop()
    start = next(i for i, (_, tokens) in enumerate(numbered) if tokens != [""])
    header = numbered[start][1]
    width = len(header)
    rows = [tokens for _, tokens in numbered[start + 1 :] if len(tokens) == width and (width == 1 or tokens != [""])]
    ragged = next(((n, t) for n, t in numbered[start + 1 :] if len(t) != width and t != [""]), None)
    if ragged is not None:
        number, tokens = ragged
        cells = f"{len(tokens)} cell{'s' * (len(tokens) != 1)} on line {number}"
        raise InvalidInput(path, f"every line must have as many cells as the header, {width}", cells)
    if not rows:
        raise InvalidInput(path, "the file has a header but no records")
    return header, [list(column) for column in zip(*rows, strict=True)]


def _check_names(path: str, names: list[str]) -> None:
    for position, name in enumerate(names, 1):
        if not name.strip():
            hint = " (R's row names? write with row.names = FALSE)" if position == 1 else ""
            raise InvalidInput(path, "every column must have a name", f"a blank one in column {position}{hint}")
    seen: dict[str, int] = {}
    for position, name in enumerate(names, 1):
        if name in seen:
            raise InvalidInput(path, "column names must differ", f"{name!r} in columns {seen[name]} and {position}")
        seen[name] = position
    if not names:
        raise InvalidInput(path, "the file has no columns")
