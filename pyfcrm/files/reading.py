"""How a file is read: the marks of text, missing values as words, the sheet of a workbook."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..arguments import choice, items
from ..errors import InvalidParameter

DECIMALS = (".", ",")
THOUSANDS = (",", ".", " ", "'")
_NO_SEPARATORS = '"\r\n.+-_\0'


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a file is read; what is None is detected."""

    separator: str | None = None
    """One character between the cells of a CSV file."""
    decimal: str | None = None
    """The decimal mark of a CSV file, "." or ","."""
    thousands: str | None = None
    """What separates thousands in a CSV file; None for nothing."""
    encoding: str | None = None
    """The encoding of a CSV file, as Python names it."""
    missing_marks: tuple[str, ...] | None = None
    """Words that mean missing in CSV and Excel, besides those that are known; None also reads "NA" so where numbers have it."""
    sheet: str | int | None = None
    """The sheet of a workbook, by its name or its number from 1; None for the first."""

    @property
    def marks(self) -> frozenset[str]:
        """The words that mean missing."""
        return frozenset(self.missing_marks or ())

    def table(self) -> dict[str, Any]:
        """The fields that are given, by name, in types of TOML."""
        fields = {name: value for name, value in vars(self).items() if value is not None}
        if self.missing_marks is not None:
            fields["missing_marks"] = list(self.missing_marks)
        return fields


AS_DETECTED = Reading()


def reading_of(
    owner: str,
    *,
    separator: Any = None,
    decimal: Any = None,
    thousands: Any = None,
    encoding: Any = None,
    missing_marks: Any = None,
    sheet: Any = None,
) -> Reading:
    """How a file is read, by arguments of a caller. Raises InvalidParameter."""
    if decimal is not None:
        choice(owner, "decimal", decimal, DECIMALS)
    if thousands is not None:
        choice(owner, "thousands", thousands, THOUSANDS)
        if thousands == decimal:
            raise InvalidParameter(owner, "thousands", "must differ from the decimal mark", thousands)
    return Reading(
        separator=_separator(owner, separator),
        decimal=decimal,
        thousands=thousands,
        encoding=_encoding(owner, encoding),
        missing_marks=_missing_marks(owner, missing_marks),
        sheet=_sheet(owner, sheet),
    )


def _separator(owner: str, separator: Any) -> str | None:
    if separator is None:
        return None
    if (
        isinstance(separator, str)
        and len(separator) == 1
        and separator.isascii()
        and not separator.isalnum()
        and separator not in _NO_SEPARATORS
    ):
        return separator
    rule = "must be one ASCII character, such as ',', ';', a tab or '|'"
    raise InvalidParameter(owner, "separator", rule, separator)


def _encoding(owner: str, encoding: Any) -> str | None:
    if encoding is None:
        return None
    try:
        "a".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, TypeError, UnicodeError) as error:
        raise InvalidParameter(owner, "encoding", "must be one that Python knows, such as latin-1", encoding) from error


def _missing_marks(owner: str, marks: Any) -> tuple[str, ...] | None:
    if marks is None:
        return None
    several: Iterable[Any] | None = (marks,) if isinstance(marks, str) else items(marks)
    if several is None or not all(isinstance(mark, str) and mark.strip() for mark in several):
        rule = 'must be a list of words that mean missing, such as [":", ".."]'
        raise InvalidParameter(owner, "missing_marks", rule, marks)
    return tuple(dict.fromkeys(mark.strip() for mark in several))


def _sheet(owner: str, sheet: Any) -> str | int | None:
    if isinstance(sheet, float) and sheet.is_integer():  # R's whole numbers
        sheet = int(sheet)
    if sheet is None or (isinstance(sheet, str) and sheet):
        return sheet
    if isinstance(sheet, int) and not isinstance(sheet, bool) and sheet >= 1:
        return sheet
    raise InvalidParameter(owner, "sheet", "must be the name of a sheet, or its number from 1", sheet)
