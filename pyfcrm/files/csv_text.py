"""CSV as text: records into cells and back, when a column of text is a column of numbers, and how a number is written.

A token is a cell as the file has it, quotes included; a cell is what the token says. Keeping tokens is
what lets an untouched cell leave as it came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput

SEPARATORS = (",", ";", "\t", "|")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_SAMPLE = 200  # records looked at to find the separator
SAMPLE = 1_000_000  # characters
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_LINE = re.compile(r'((?:"[^"]*+"|[^"\r\n])*+)(\r\n|\n|\r|\Z)')  # line ends in quotes are not its end
_PLAIN_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
MISSING = frozenset(["", "NA", "NaN", "nan", "null", "NULL", "N/A", "."])
# Python's int() and float() also take 1_000, other scripts' digits and any white space; a file's numbers do not.
_OF_NUMBERS = re.compile(r"[0-9+\-.eEinfatyINFATY]*")
FIRST_INEXACT = 2.0**53  # whole numbers above it may have no float64
_WHOLE = re.compile(r"[+-]?\d+")
Numbers = NDArray[np.int64] | NDArray[np.float64]


def first_line(text: str) -> tuple[str, str]:
    """The first line that is not blank, and the line ending after it: CR LF, LF or CR; LF where there is none."""
    text = text.lstrip("\r\n")
    found = _LINE.match(text) or _PLAIN_LINE.match(text)
    return (found.group(1), found.group(2) or "\n") if found else (text, "\n")


def opening(content: bytes) -> str:
    """The first characters of a text in UTF-8, as many as are looked at."""
    return content[: 4 * SAMPLE].decode(errors="ignore")[:SAMPLE]


def first_line_of(content: bytes) -> tuple[str, str]:
    """See first_line, of a text in UTF-8."""
    text = opening(content).lstrip("\r\n")
    line, end = first_line(text)
    ends_here = '"' not in line and len(line) + len(end) < len(text)
    return (line, end) if ends_here else first_line(content.decode())


def records(owner: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Each record's first line number, from 1, and its tokens. Blank lines come as one empty token.

    Raises InvalidInput for a quote that is not closed.
    """
    end = first_line(text)[1][-1]
    lines = text.split(end)
    if lines[-1] == "":
        lines.pop()
    if '"' not in text:
        for number, line in enumerate(lines, 1):
            yield number, line.removesuffix("\r").split(separator)
        return
    pattern = _token_pattern(separator, end)
    start = 0
    while start < len(lines):
        used, tokens = _quoted_record(owner, lines, start, end, separator, pattern)
        yield start + 1, tokens
        start += used


def _token_pattern(separator: str, end: str) -> re.Pattern[str]:
    s = re.escape(separator)
    return re.compile(rf'(?:^|{s})("[^"]*+(?:""[^"]*+)*+"(?={s}|\Z)|[^"{s}{end}][^{s}{end}]*|)')


def _quoted_record(
    owner: str, lines: list[str], start: int, end: str, separator: str, pattern: re.Pattern[str]
) -> tuple[int, list[str]]:
    """How many lines the record at `start` takes (quoted cells may hold line ends), and its tokens."""
    quotes = 0
    for stop in range(start, len(lines)):
        quotes += lines[stop].count('"')
        if quotes % 2 and stop > start:
            continue  # a quote is still open
        record = end.join(lines[start : stop + 1]).removesuffix("\r")
        tokens = record.split(separator) if quotes == 0 else pattern.findall(record)
        if separator.join(tokens) == record:
            return stop - start + 1, tokens
        if quotes % 2 == 0:
            break
    rule = "a quoted cell must end with a quote just before the next separator"
    raise InvalidInput(owner, rule, f"one that does not on line {start + 1}")


def unquoted(token: str) -> str:
    """What a token says."""
    return token[1:-1].replace('""', '"') if token[:1] == '"' else token


def quoting_marks(separator: str, columns: int) -> frozenset[str]:
    """The characters a cell must be in quotes for, so that the file is read as it was meant.

    The header, and a file of one column (`csv_columns` 1), are where a reader looks for the separator: there no
    other candidate may stand bare.
    """
    return frozenset(['"', "\r", "\n", separator, *(SEPARATORS if columns == 1 else ())])


def quoted(cell: str, marks: frozenset[str]) -> str:
    """The token of a cell, in quotes only where one of the marks is in it."""
    return cell if marks.isdisjoint(cell) else '"' + cell.replace('"', '""') + '"'


def disarmed(tokens: Sequence[str], marks: frozenset[str]) -> list[str]:
    """Tokens of text of which none starts a formula in a spreadsheet: those that would get an apostrophe in front.

    A spreadsheet runs a cell that begins with = + - @, or with a tab or a line end before one.
    """
    return [
        quoted("'" + unquoted(token), marks) if unquoted(token).startswith(FORMULA_STARTS) else token
        for token in tokens
    ]


def find_separator(text: str, *, tabs_first: bool = False) -> str:
    """The candidate that cuts the header, and cuts most of the first records into as many cells as it.

    tabs_first : a tab is expected, as in a .tsv file, and is taken wherever the text allows it.
    """
    text = text[:SAMPLE]
    header = first_line(text)[0]
    if tabs_first and "\t" in header:
        return "\t"
    best, best_score = "", (0.0, 0)
    for candidate in SEPARATORS:
        if candidate not in header:
            continue
        counts = _cell_counts(text, candidate)
        if counts and counts[0] > 1:
            score = (sum(count == counts[0] for count in counts) / len(counts), counts[0])
            if score > best_score:
                best, best_score = candidate, score
    return best or ("\t" if tabs_first else _separator_of_one_column(text))


def _cell_counts(text: str, separator: str) -> list[int]:
    """Cells in each of the first records, up to the first that this separator cannot cut."""
    counts = []
    if '"' not in text:  # a record is a line
        end = first_line(text)[1][-1]
        text = end.join(text.split(end, _SAMPLE)[:_SAMPLE])
    with suppress(InvalidInput):
        for _, tokens in islice(records("", text, separator), _SAMPLE):
            if tokens != [""]:
                counts.append(len(tokens))
    return counts


def _separator_of_one_column(text: str) -> str:
    """A comma, unless the commas in the one column are decimal marks."""
    cells = [line.strip() for line in islice(re.split(r"[\r\n]+", text), 1, _SAMPLE) if "," in line]
    return ";" if cells and all(map(_DECIMAL_COMMA.fullmatch, cells)) else ","


def joined(columns: Sequence[Sequence[str]], header: Sequence[str], separator: str, end: str) -> str:
    """The text of a file: the header's tokens, then the columns' tokens record by record."""
    rows = [separator.join(row) for row in zip(*columns, strict=True)]
    if len(header) == 1:  # an empty line would be no record
        rows = [row or '""' for row in rows]
    return end.join([separator.join(header), *rows]) + end


def numbers(cells: Sequence[str], decimal: str) -> Numbers | None:
    """The column as int64 (plain integers only) or float64 (missing cells are NaN); None if it is text.

    A whole number with leading zeros is a code, and makes the column text; so does having no number at all.
    Integers beyond int64 give float64.
    """
    if decimal == "." and (quick := _numbers(cells, cells)) is not None:
        return quick
    values = [cell.strip(" \t") for cell in cells]
    present = [value for value in values if value not in MISSING]
    if not present:
        return None
    if decimal == ",":
        if any("." in value for value in present):
            return None
        values, present = [v.replace(",", ".") for v in values], [v.replace(",", ".") for v in present]
    return _numbers(values, present)


def _numbers(values: Sequence[str], present: Sequence[str]) -> Numbers | None:
    """The numbers in `values`, of which those not in `present` are missing; None if one is not a number."""
    if _OF_NUMBERS.fullmatch("".join(present)) is None:
        return None
    if any(_is_code(value) for value in present if value[:1] in ("0", "+", "-")):
        return None
    try:
        if len(present) == len(values):
            return np.array(list(map(int, values)), dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        if len(present) == len(values):
            return np.array(list(map(float, values)), dtype=np.float64)
        return np.array([np.nan if value in MISSING else float(value) for value in values], dtype=np.float64)
    except ValueError:
        return None


def typed(cells: Sequence[str], decimal: str) -> Any:
    """numbers() of the column, but pandas's Int64 where some of its integers are missing, so that it leaves as integers too."""
    values = numbers(cells, decimal)
    if values is None or values.dtype.kind != "f" or not np.isnan(values).any():
        return values
    found = integers_with_gaps(cells)
    return values if found is None else integers(*found)


def integers(values: NDArray[np.int64], gaps: NDArray[np.bool_]) -> Any:
    """pandas's Int64 of the values, missing where `gaps` is True."""
    import pandas as pd

    return pd.arrays.IntegerArray(values, gaps)


def integers_with_gaps(cells: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
    """Values and where they are missing, of a numeric column whose cells are plain integers or missing; else None."""
    values = [cell.strip(" \t") for cell in cells]
    gaps = [value in MISSING for value in values]
    try:
        whole = [0 if gap else int(value) for value, gap in zip(values, gaps, strict=True)]
        return np.array(whole, dtype=np.int64), np.array(gaps)
    except (ValueError, OverflowError):
        return None


def rounded_in_reading(values: Numbers, cells: Sequence[str]) -> NDArray[np.bool_]:
    """(n,) where the cell is a whole number that its float64 is not equal to; values : the cells as numbers."""
    rounded = np.zeros(len(values), dtype=bool)
    if values.dtype.kind == "f":
        for row in np.flatnonzero((np.abs(values) >= FIRST_INEXACT) & np.isfinite(values)).tolist():
            cell = cells[row].strip(" \t")
            rounded[row] = _WHOLE.fullmatch(cell) is not None and int(cell) != int(values[row])
    return rounded


def _is_code(value: str) -> bool:
    digits = value.lstrip("+-")
    return len(digits) > 1 and digits[0] == "0" and digits.isdigit()


def number_texts(values: NDArray[np.generic], decimal: str, whole: bool) -> list[str]:
    """Each number in its shortest form that reads back the same; NaN is empty.

    values : (n,) integers or floats; whole : write a float that is a whole number without ".0".
    """
    if values.dtype.kind in "iu":
        return list(map(str, values.tolist()))
    # str() of a float32 is its own shortest form, which tolist() would lose.
    texts = list(map(repr, values.tolist())) if values.dtype == np.float64 else [str(value) for value in values]
    if whole:
        texts = [_without_fraction(text) for text in texts]
    if decimal == ",":
        texts = [text.replace(".", ",") for text in texts]
    return ["" if text == "nan" else text for text in texts]


def _without_fraction(text: str) -> str:
    return "0" if text == "-0.0" else text.removesuffix(".0")
