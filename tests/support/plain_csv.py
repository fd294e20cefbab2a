"""A plain CSV reader: Python's csv module cuts the records, int() and float() decide each cell by itself."""

import csv
import io
import re

import numpy as np
import pandas as pd

MISSING = {"", "NA", "NaN", "nan", "null", "NULL", "N/A", "."}
_CELL = r'(?:"(?:[^"]|"")*"|[^"\r\n{s}][^\r\n{s}]*|)'
_WHOLE, _CODE = re.compile(r"[+-]?[0-9]+"), re.compile(r"[+-]?0[0-9]+")
_REAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)


class Refused(Exception):
    """The file is no table: misplaced quotes, lone carriage returns, lines of different lengths, no records."""


def plain_frame(text, separator, decimal):
    """The frame that read_table returns for a text with different names in its header."""
    cell, s = _CELL.replace("{s}", re.escape(separator)), re.escape(separator)
    if re.fullmatch(rf"(?:{cell}(?:{s}|\r?\n))*{cell}\r*", text) is None:
        raise Refused
    lines = list(csv.reader(io.StringIO(text.strip("\r\n"), newline=""), delimiter=separator))
    header, rows = lines[0], [line or [""] for line in lines[1:] if line or len(lines[0]) == 1]
    if not rows or any(len(row) != len(header) for row in rows):
        raise Refused
    texts = dict(zip(header, zip(*rows, strict=True), strict=True))
    columns = {name: _column(cells, decimal) for name, cells in texts.items()}
    numeric = [name for name, column in columns.items() if column.dtype.kind in "if"]
    if any(cell.strip(" \t") == "NA" for name in numeric for cell in texts[name]):
        for name in columns.keys() - {*numeric}:
            columns[name] = columns[name].mask(columns[name].str.strip(" \t") == "NA", np.nan)
    return pd.DataFrame(columns)


def _column(cells, decimal):
    values = [cell.strip(" \t") for cell in cells]
    present = [value for value in values if value not in MISSING]
    points = [value.replace(",", ".") if decimal == "," else value for value in present]
    is_real = all(_REAL.fullmatch(value) and not _CODE.fullmatch(value) for value in points)
    if not present or not is_real or (decimal == "," and any("." in value for value in present)):
        return pd.Series(cells).replace("", np.nan)
    if all(_WHOLE.fullmatch(value) for value in points):
        if not all(-(2**63) <= int(value) < 2**63 for value in points):
            return pd.Series(cells).replace("", np.nan)
        gaps = len(present) < len(values)
        whole = [None if value in MISSING else int(value) for value in values]
        return pd.array(whole, dtype="Int64") if gaps else np.array(whole, dtype=np.int64)
    known = iter(points)
    return np.array([np.nan if value in MISSING else float(next(known)) for value in values])
