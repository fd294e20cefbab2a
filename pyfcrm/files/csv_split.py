"""A CSV file's text into its header and its columns: by Arrow where it cuts as csv_text does, else by csv_text."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..errors import InvalidInput
from .csv_columns import ArrowColumn, Column, PlainColumn
from .csv_text import first_line, first_line_of, records, unquoted

Quotes = Literal["none", "within lines", "across lines", "unclear"]
_QUOTE, _LINE_FEED, _RETURN = b'"\n\r'


def split(owner: str, content: bytes, separator: str, *, as_written: bool = False) -> tuple[list[str], list[Column]]:
    """The header's tokens, and the columns. Blank lines are skipped, except inside a file of one column.

    content : the file in UTF-8, without a byte order mark; as_written : the cells' tokens, with their quotes.
    Raises InvalidInput for quotes that are not closed, records of another length than the header, or no records.
    """
    return _by_arrow(content, separator, as_written) or _by_hand(owner, content.decode(), separator, as_written)


def _by_hand(owner: str, text: str, separator: str, as_written: bool) -> tuple[list[str], list[Column]]:
    cut = None if '"' in text else _tokens_of_lines(text, separator)
    header, columns = cut or _tokens(owner, text, separator)
    if as_written or '"' not in text:
        return header, [PlainColumn(column) for column in columns]
    return header, [PlainColumn(list(map(unquoted, column))) for column in columns]


def _tokens_of_lines(text: str, separator: str) -> tuple[list[str], list[list[str]]] | None:
    """See _tokens, of a text without quotes: all records in one cut. None if something is wrong with them."""
    end = first_line(text)[1][-1]
    lines = [line.removesuffix("\r") for line in text.split(end)]
    while lines[-1] == "":
        lines.pop()
    start = next(i for i, line in enumerate(lines) if line)
    header = lines[start].split(separator)
    rows = lines[start + 1 :] if len(header) == 1 else list(filter(None, lines[start + 1 :]))
    if not rows or any(line.count(separator) != len(header) - 1 for line in rows):
        return None
    cells = separator.join(rows).split(separator)
    return header, [cells[j :: len(header)] for j in range(len(header))]


def _tokens(owner: str, text: str, separator: str) -> tuple[list[str], list[list[str]]]:
    """The header's tokens and each column's."""
    numbered = list(records(owner, text, separator))
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
        raise InvalidInput(owner, f"every line must have as many cells as the header, {width}", cells)
    if not rows:
        raise InvalidInput(owner, "the file has a header but no records")
    return header, [list(column) for column in zip(*rows, strict=True)]


def _by_arrow(content: bytes, separator: str, as_written: bool) -> tuple[list[str], list[Column]] | None:
    """See split(); None where Arrow is not there, or might cut in another way, or finds something wrong."""
    line, end = first_line_of(content)
    lone_returns = b"\r" in content and content.count(b"\r") != content.count(b"\r\n")
    if end == "\r" or lone_returns or not separator.isascii():
        return None
    lead = next(i for i, byte in enumerate(content) if byte not in b"\r\n")
    stop = next(i for i in range(len(content), 0, -1) if content[i - 1] not in b"\r\n")
    quotes = _quotes(memoryview(content)[lead:stop], separator) if b'"' in content else "none"
    body = memoryview(content)[lead + len((line + end).encode()) : stop]
    if not len(body) or bytes(body[:3]) == b"\xef\xbb\xbf":  # a second mark, which Arrow would skip
        return None
    if quotes == "unclear" or (as_written and quotes == "across lines"):
        return None
    _, header = next(records("", line, separator))
    columns = _arrow_columns(body, separator, len(header), "none" if as_written else quotes)
    return None if columns is None else (header, columns)


def _arrow_columns(body: memoryview, separator: str, width: int, quotes: Quotes) -> list[Column] | None:
    try:
        import pyarrow as pa
        import pyarrow.csv as csv
    except ImportError:
        return None
    names = [str(j) for j in range(width)]
    parsing = csv.ParseOptions(
        delimiter=separator,
        quote_char=False if quotes == "none" else '"',
        newlines_in_values=quotes == "across lines",
        ignore_empty_lines=width > 1,
    )
    converting = csv.ConvertOptions(
        check_utf8=False, strings_can_be_null=False, column_types=dict.fromkeys(names, pa.large_string())
    )
    reading = csv.ReadOptions(column_names=names)
    try:
        table = csv.read_csv(pa.BufferReader(pa.py_buffer(body)), reading, parsing, converting)
    except pa.ArrowInvalid:  # records of different lengths, or one longer than a block
        return None
    return [ArrowColumn(column.combine_chunks()) for column in table.columns]


def _quotes(text: memoryview, separator: str) -> Quotes:
    """Where the quotes of a file are; "unclear" if one neither opens nor closes a cell, nor is doubled inside one."""
    B = np.frombuffer(text, dtype=np.uint8)
    at = np.flatnonzero(B == _QUOTE)
    if len(at) % 2:
        return "unclear"
    opening, closing = at[::2], at[1::2]
    edge = np.zeros(256, dtype=bool)
    edge[[ord(separator), _LINE_FEED]] = True
    opens = edge[B[opening - 1]] | (opening == 0)
    edge[_RETURN] = True
    closes = edge[B[(closing + 1) % len(B)]] | (closing == len(B) - 1)
    doubled = closing[:-1] + 1 == opening[1:]
    opens[1:] |= doubled
    closes[:-1] |= doubled
    if not (opens.all() and closes.all()):
        return "unclear"
    inside = np.searchsorted(at, np.flatnonzero(B == _LINE_FEED)) % 2
    return "across lines" if inside.any() else "within lines"
