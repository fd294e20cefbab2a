"""Reading a CSV file: its encoding, its separator and decimal mark, and its columns with the numbers in them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..engine import Local
from ..engine.threads import side_by_side
from ..errors import InvalidInput, Note
from .csv_columns import Column, find_decimal
from .csv_split import split
from .csv_text import FIRST_INEXACT, find_separator, first_line_of, opening, rounded_in_reading, unquoted
from .paths import extension
from .table import CsvOrigin, Table, check_names

_SIGNATURES = {
    b"PK\x03\x04": "a zip or Excel file",
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip file",
    b"%PDF": "a PDF",
    **dict.fromkeys((b"\xff\xfe", b"\xfe\xff"), "UTF-16 text (save it as UTF-8)"),
}
INEXACT = (
    "{path}: {count} {count:value|values} of {columns} {count:is a whole number|are whole numbers} above 2^53 that float64 "
    "cannot carry"
)
_THREADS = 2
_MARK = b"\xef\xbb\xbf"
_SOMETHING = re.compile(rb"[^ \t\r\n\xef\xbb\xbf]")


def read_csv(path: str, separator: str | None, decimal: str | None) -> Table:
    """See files.read.read_table."""
    import pandas as pd

    content, encoding, notes = _content(path)
    if separator is None:
        separator = find_separator(opening(content), tabs_first=extension(path) == "tsv")
    header, columns = split(path, content, separator)
    names = [unquoted(token).strip() for token in header]
    check_names(path, names)
    if decimal is None:
        decimal, note = find_decimal(columns, separator)
        notes += [note.after("{path}: ", path=path)] if note else []
    found = side_by_side(lambda j: columns[j].typed(decimal), len(columns), len(content), Local(_THREADS))
    typed = {n: c.series() if values is None else values for n, c, values in zip(names, columns, found, strict=True)}
    for name, column, values in zip(names, columns, found, strict=True):
        if rounded := _rounded(column, values):
            notes.append(Note.of("inexact", INEXACT, [name], count=rounded, path=path))
    written = dict(zip(names, header, strict=True))
    origin = CsvOrigin(path, separator, decimal, encoding, first_line_of(content)[1], written, content)
    return Table(pd.DataFrame(typed), origin, tuple(notes))


def _rounded(column: Column, values: Any) -> int:
    """How many whole numbers of the column its float64 values are not equal to."""
    floats = isinstance(values, np.ndarray) and values.dtype.kind == "f"
    if not floats or not (np.abs(values) >= FIRST_INEXACT).any():
        return 0
    return int(rounded_in_reading(values, column.tolist()).sum())


def _content(path: str) -> tuple[bytes, str, list[Note]]:
    """The file's text in UTF-8, without its mark, its encoding, and a note if the encoding was a guess."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InvalidInput(path, "the file could not be read", error.strerror) from error
    for signature, what in _SIGNATURES.items():
        if data.startswith(signature):
            raise InvalidInput(path, "the file must be text with separators", what)
    if _SOMETHING.search(data) is None:
        raise InvalidInput(path, "the file is empty")
    if b"\0" in data:
        raise InvalidInput(path, "the file must be text", f"a zero byte at byte {data.index(0) + 1}")
    encoding = "utf-8-sig" if data.startswith(_MARK) else "utf-8"
    try:
        if not data.isascii():
            data.decode(encoding)
    except UnicodeDecodeError as error:
        return _older_text(path, data, error.start)
    return data.removeprefix(_MARK), encoding, []


def _older_text(path: str, data: bytes, where: int) -> tuple[bytes, str, list[Note]]:
    """Text from before UTF-8; control characters mean that it was never text."""
    try:
        text, encoding = data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        text, encoding = data.decode("latin-1"), "latin-1"
    if any(ord(c) < 32 and c not in "\t\r\n" for c in set(text)):
        given = f"byte {where + 1} that is not UTF-8, and control characters"
        raise InvalidInput(path, "the file must be text in UTF-8 or Latin-1", given)
    said = "{path}: not UTF-8, so it was read as {encoding}"
    return text.encode(), encoding, [Note.of("read_as", said, path=path, encoding=encoding)]
