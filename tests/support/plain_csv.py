"""The plain twin of the CSV reader: each record cut by csv_text.records, each cell judged by itself, columns as lists."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from pyfcrm.files.csv_text import MISSING, find_separator, first_line, numbers, records, typed, unquoted

_DECIMAL_COMMA = re.compile(r"[+-]?(\d+,\d*|,\d+)([eE][+-]?\d+)?")
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


class Refused(Exception):
    """The file is no table: lines of different lengths, no records, a quote that is not closed."""


@dataclass
class PlainTable:
    """frame : typed columns; tokens, header : as written, by name; the rest as found."""

    frame: pd.DataFrame
    tokens: dict[str, list[str]]
    header: dict[str, str]
    separator: str
    decimal: str
    newline: str
    thin: bool


def plain_table(text: str, separator: str | None, decimal: str | None) -> PlainTable:
    """What read_table makes of a text with different names in its header."""
    separator = find_separator(text) if separator is None else separator
    header, columns = _columns(text, separator)
    names = [unquoted(token).strip() for token in header]
    cells = [list(map(unquoted, column)) for column in columns]
    found, thin = _decimal(cells, separator)
    decimal, thin = (found, thin) if decimal is None else (decimal, False)
    frame: dict[str, Any] = {}
    for name, column in zip(names, cells, strict=True):
        values = typed(column, decimal)
        frame[name] = pd.Series(column).replace("", np.nan) if values is None else values
    tokens = dict(zip(names, columns, strict=True))
    written = dict(zip(names, header, strict=True))
    return PlainTable(pd.DataFrame(frame), tokens, written, separator, decimal, first_line(text)[1], thin)


def _columns(text: str, separator: str) -> tuple[list[str], list[list[str]]]:
    lines = [tokens for _, tokens in records("", text, separator)]
    while lines and lines[0] == [""]:
        lines.pop(0)
    while lines and lines[-1] == [""]:
        lines.pop()
    if len(lines) < 2:
        raise Refused
    header, rows = lines[0], [line for line in lines[1:] if len(lines[0]) == 1 or line != [""]]
    if any(len(row) != len(header) for row in rows):
        raise Refused
    return header, [list(column) for column in zip(*rows, strict=True)]


def _decimal(columns: list[list[str]], separator: str) -> tuple[str, bool]:
    """The decimal mark, and whether it rests on cells that may be thousands."""
    commas: list[str] = []
    if separator == ",":
        return ".", False
    for cells in columns:
        present = [cell.strip(" \t") for cell in cells if cell.strip(" \t") not in MISSING]
        if "." in "".join(present) and numbers(present, ".") is not None:
            return ".", False
        if "," in "".join(present) and numbers(present, ",") is not None:
            commas += filter(_DECIMAL_COMMA.fullmatch, present)
    return ("," if commas else "."), bool(commas) and all(map(_GROUPED.fullmatch, commas))
