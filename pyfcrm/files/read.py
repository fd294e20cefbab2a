"""Reading a table, whatever its format."""

from __future__ import annotations

import os

from ..arguments import choice
from ..errors import InvalidInput, InvalidParameter
from .formats import READERS, format_of
from .paths import Path, path_text
from .table import Table

_NO_SEPARATORS = '"\r\n.+-_\0'


def read_table(path: Path, separator: str | None = None, decimal: str | None = None) -> Table:
    """Read a CSV (.csv, .txt, .tsv), Parquet (.parquet, .pq), Excel (.xlsx), SPSS (.sav, .zsav), Stata (.dta) or SAS
    (.sas7bdat, .xpt) file.

    separator : one character, decimal : "." or ",", both of CSV; None finds them. In a CSV file a column is int64
    if every cell is a plain integer (Int64 where some are missing), float64 if every cell is a number or missing,
    and text otherwise, as it stands.
    Raises InvalidInput, with fault and place in one sentence, for a file that is not a table; InvalidParameter for the
    arguments. MissingExtra for Parquet without pyarrow, and for SPSS, Stata and SAS without pyreadstat.
    """
    text = path_text("read_table", path)
    check_reading("read_table", separator, decimal)
    if os.path.isdir(text):
        raise InvalidInput(text, "must be a file, and this is a folder")
    kind = format_of(text)
    require_file(text)
    return READERS[kind](text, separator, decimal)


def require_file(path: str) -> None:
    """Raises InvalidInput where there is no ordinary file, or an empty one."""
    if not os.path.exists(path):
        raise InvalidInput(path, "there is no such file")
    if not os.path.isfile(path):
        raise InvalidInput(path, "must be an ordinary file, not a device or a pipe")
    if os.path.getsize(path) == 0:
        raise InvalidInput(path, "the file is empty")


def check_reading(owner: str, separator: str | None, decimal: str | None) -> None:
    """Raises InvalidParameter for what can be no separator, or no decimal mark, of a text file."""
    if decimal is not None:
        choice(owner, "decimal", decimal, (".", ","))
    if separator is None:
        return
    is_character = isinstance(separator, str) and len(separator) == 1
    if not is_character or not separator.isascii() or separator.isalnum() or separator in _NO_SEPARATORS:
        rule = "must be one ASCII character, such as ',', ';', a tab or '|'"
        raise InvalidParameter(owner, "separator", rule, separator)
