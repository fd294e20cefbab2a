"""CSV files as tables: pyarrow cuts the records into text, and `csv_text.numbers` finds the columns of numbers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..engine.engines import side_by_side
from ..errors import InvalidInput, Note
from .budget import UNLIMITED, Budget
from .csv_text import NA, NA_MISSING, SEPARATORS, dates, missing, numbers, trimmed
from .paths import NOT_READ, extension
from .reading import Reading
from .table import Table, check_names

if TYPE_CHECKING:
    import pyarrow as pa

AS_DECIMALS = (
    "{path}: commas were read as decimal marks, as if 1,500 were one and a half; with decimal='.' they would be text"
)
_MARK = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_NAMED_SEPARATOR = re.compile(rb"\A\"?sep=(.)\"?\r?(?=\n)", re.IGNORECASE)  # Excel's first line
_LONE_RETURN = re.compile(rb"\r(?!\n|\r*\Z)")
_SAMPLE_RECORDS, _SAMPLE_BYTES = 200, 1_000_000  # from which the separator is found
_RECORD_MB = 4  # the longest record
_BETWEEN_LOOKS = 1 << 16  # records
_THOUSANDS = r"^[+-]?[1-9]\d{0,2},\d{3}$"


def read_csv(path: str, reading: Reading, budget: Budget = UNLIMITED) -> Table:
    """See formats.read_table. Records are counted while they are read. Raises InvalidInput beyond the budget."""
    import pandas as pd

    content, encoding, notes = _content(path, reading.encoding)
    content, named = _without_named_separator(content)
    separator = reading.separator or named or ("\t" if extension(path) == "tsv" else find_separator(content))
    header, columns = _columns(path, content, separator, budget)
    names = [name.strip() for name in header]
    check_names(path, names)
    decimal = reading.decimal
    thousands = reading.thousands or ""
    marks = reading.marks
    if decimal is None and thousands in (",", "."):
        decimal = "." if thousands == "," else ","
    elif decimal is None:
        decimal, may_be_thousands = _find_decimal(columns, separator, thousands, marks)
        notes += [Note.of("read_as", AS_DECIMALS, path=path)] if may_be_thousands else []
    values = side_by_side(lambda j: numbers(columns[j], decimal, thousands, marks), len(columns), len(columns[0]))
    words = frozenset({"", *marks})
    if reading.missing_marks is None:
        is_text = [column is None for column in values]
        if any(_has(cells, NA) for cells, text in zip(columns, is_text, strict=True) if not text):
            words |= {NA}
            with_na = [
                name for name, cells, text in zip(names, columns, is_text, strict=True) if text and _has(cells, NA)
            ]
            notes += [Note.of("read_as", NA_MISSING, with_na, path=path)] if with_na else []
    frame = {
        name: _text(cells, words) if column is None else column
        for name, cells, column in zip(names, columns, values, strict=True)
    }
    newline = "\r\n" if content[content.rfind(b"\n") - 1 :].startswith(b"\r\n") else "\n"
    texts, written = dict(zip(names, columns, strict=True)), dict(zip(names, header, strict=True))
    return Table(
        frame=pd.DataFrame(frame),
        path=path,
        notes=tuple(notes),
        separator=separator,
        decimal=decimal,
        encoding=encoding,
        newline=newline,
        names_separator=named is not None,
        thousands=thousands,
        missing_marks=words - {""},
        header=written,
        texts=texts,
    )


def _content(path: str, stated: str | None) -> tuple[bytes, str, list[Note]]:
    """The file's text in UTF-8 without a byte order mark, its encoding, and a note if the encoding was a guess.

    stated : the encoding, None where it is to be found.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise InvalidInput(path, NOT_READ, error.strerror) from error
    if not data.strip(_MARK + b" \t\r\n"):
        raise InvalidInput(path, "the file is empty")
    if data.startswith(_UTF_16) and (stated is None or stated.startswith("utf-16")):
        stated = "utf-16"
    if stated is not None:
        return _in_encoding(path, data, stated)
    if b"\0" in data:
        raise InvalidInput(
            path,
            "the file must be text in UTF-8 with separators (state another `encoding`, such as utf-16-le)",
            f"a zero byte at byte {data.index(0) + 1}",
        )
    encoding, notes = "utf-8-sig" if data.startswith(_MARK) else "utf-8", list[Note]()
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        text, encoding = _decoded(data)
        if not set(text).isdisjoint(map(chr, {*range(32)} - {*b"\t\r\n"})):
            value = f"byte {error.start + 1} that is not UTF-8, and control characters"
            raise InvalidInput(path, "the file must be text in UTF-8 or Latin-1", value) from None
        data = text.encode()
        notes = [Note.of("read_as", "{path}: not UTF-8, so it was read as {encoding}", path=path, encoding=encoding)]
    return data.removeprefix(_MARK), encoding, notes


def _in_encoding(path: str, data: bytes, encoding: str) -> tuple[bytes, str, list[Note]]:
    """See _content, of a known encoding."""
    rule = f"the file must be text in {encoding}"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InvalidInput(path, rule, f"byte {error.start + 1}") from error
    if "\0" in text:
        raise InvalidInput(path, rule, "a zero character")
    if encoding == "utf-8" and data.startswith(_MARK):
        encoding = "utf-8-sig"
    return text.removeprefix("\ufeff").encode(), encoding, []


def _without_named_separator(content: bytes) -> tuple[bytes, str | None]:
    """The file with an empty line for one such as sep=; at its start, and the separator that this line names, if any."""
    found = _NAMED_SEPARATOR.match(content)
    if found is None:
        return content, None
    return content[found.end() :], found[1].decode("ascii", "replace")


def _decoded(data: bytes) -> tuple[str, str]:
    try:
        return data.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _columns(path: str, content: bytes, separator: str, budget: Budget) -> tuple[list[str], list[pa.LargeStringArray]]:
    """The header and the columns as text. Blank lines are skipped, except inside a file of one column.

    Raises InvalidInput for misplaced quotes, lone carriage returns, records of another length than the header, and beyond
    the budget.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    _check_quotes(path, content, separator, budget)
    try:
        (_, header), *others = islice(_records(content, separator), 2)
    except csv.Error as error:
        raise InvalidInput(path, "a cell must not be very long", str(error)) from error
    if not others:
        raise InvalidInput(path, "the file has a header but no records")
    codes = list(map(str, range(len(header))))
    reading = arrow_csv.ReadOptions(column_names=codes, skip_rows_after_names=1, block_size=_RECORD_MB * 1024**2)
    parsing = arrow_csv.ParseOptions(
        delimiter=separator, newlines_in_values=b'"' in content, ignore_empty_lines=len(header) > 1
    )
    converting = arrow_csv.ConvertOptions(
        check_utf8=False, strings_can_be_null=False, column_types=dict.fromkeys(codes, pa.large_string())
    )
    budget.require_cells(path, 1, len(header))
    batches, records = list[pa.RecordBatch](), 0
    try:
        with arrow_csv.open_csv(pa.BufferReader(content.strip(b"\r\n")), reading, parsing, converting) as blocks:
            for batch in blocks:
                records += batch.num_rows
                budget.require_cells(path, records, len(header))
                batches.append(batch)
    except pa.ArrowInvalid as error:
        rule, line = f"every line must have as many cells as the header, {len(header)}", ""
        with suppress(csv.Error):
            for line_number, cells in _records(content, separator):
                if len(cells) != len(header):
                    line = f"{len(cells)} cell{'s' * (len(cells) != 1)} on line {line_number}"
                    break
        if not line:
            rule = f"{rule}, and at most {_RECORD_MB} MB"
        raise InvalidInput(path, rule, line or "another line") from error
    return header, [column.combine_chunks() for column in pa.Table.from_batches(batches).columns]


def _records(content: bytes, separator: str, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Each record's last line number and its cells. Raises csv.Error for a cell above the limit of the csv module."""
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", errors="ignore", newline="")
    reader = csv.reader(text, delimiter=separator, strict=strict)
    return ((reader.line_num, cells) for cells in reader if cells)


def _check_quotes(path: str, content: bytes, separator: str, budget: Budget) -> None:
    """Raises InvalidInput where pyarrow would join or cut cells: misplaced quotes, and carriage returns alone.

    Raises it beyond the budget, too, as this takes longer than reading.
    """
    if b'"' in content:
        line = 0
        try:
            for count, (line, cells) in enumerate(_records(content, separator, strict=True), 1):  # noqa: B007
                if not count % _BETWEEN_LOOKS:
                    budget.require_cells(path, count, len(cells))
        except csv.Error as error:
            rule = "a quoted cell must end with a quote just before the next separator"
            raise InvalidInput(path, rule, f"{error} on line {line + 1}") from error
        if _LONE_RETURN.search(content):  # perhaps in quotes, where it may stand
            content = re.sub(rb'"[^"]*"', lambda cell: b"\n" * cell[0].count(b"\n"), content)
    if lone := _LONE_RETURN.search(content):
        line = content.count(b"\n", 0, lone.start()) + 1
        raise InvalidInput(
            path, "lines must end with a line feed, not a carriage return", f"one that does not on line {line}"
        )


def find_separator(content: bytes) -> str:
    """The candidate that cuts the header, and cuts most of the first records into as many cells; else a comma."""
    sample = content[:_SAMPLE_BYTES].strip(b"\r\n")
    best, best_score = ",", (0.0, 0)
    for candidate in SEPARATORS:
        widths = list[int]()
        with suppress(csv.Error):
            widths.extend(len(cells) for _, cells in islice(_records(sample, candidate, strict=True), _SAMPLE_RECORDS))
        if not widths or widths[0] == 1:
            continue
        score = (widths.count(widths[0]) / len(widths), widths[0])
        if score > best_score:
            best, best_score = candidate, score
    return best


def _find_decimal(
    columns: Sequence[pa.LargeStringArray], separator: str, thousands: str, marks: frozenset[str]
) -> tuple[str, bool]:
    """The decimal mark, and whether each comma may as well separate thousands.

    A comma only if the separator is another mark, a column is numeric with it, and no column is with a point.
    thousands, marks : what separates thousands, and words that mean missing.
    """
    import pyarrow.compute as pc

    as_thousands = list[bool]()
    for column in columns if separator != "," else ():
        cells = trimmed(column)
        for mark in (".", ","):
            marked = cells.filter(pc.and_(pc.match_substring(cells, mark), pc.not_equal(cells, ".")))
            if len(marked) and numbers(cells, mark, thousands, marks) is not None:
                if mark == ".":
                    return ".", False
                as_thousands.append(pc.all(pc.match_substring_regex(marked, _THOUSANDS)).as_py())
    return "," if as_thousands else ".", bool(as_thousands) and all(as_thousands)


def _has(cells: pa.LargeStringArray, word: str) -> bool:
    """Whether a cell is a word, apart from blanks around it."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.equal(trimmed(cells), word)).as_py())


def _text(cells: pa.LargeStringArray, words: frozenset[str]) -> Any:
    """Cells of dates, or of text, as pandas reads them. words : those that mean missing, "" among them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    days = dates(cells, words)
    if days is not None:
        return days
    # A blank is text, as it is in pandas.
    is_missing = pc.or_(pc.equal(cells, ""), missing(trimmed(cells), words - {""}))
    return pc.if_else(is_missing, pa.scalar(None, cells.type), cells).to_pandas()
