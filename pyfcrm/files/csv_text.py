"""CSV as text: records into cells and back, nothing interpreted.

A token is a cell as the file has it, quotes included; a cell is what the token says. Keeping tokens is
what lets an untouched cell leave as it came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

from ..errors import InvalidInput

SEPARATORS = (",", ";", "\t", "|")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
_SAMPLE = 200  # records looked at to find the separator
SAMPLE = 1_000_000  # characters
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_LINE = re.compile(r'((?:"[^"]*+"|[^"\r\n])*+)(\r\n|\n|\r|\Z)')  # line ends in quotes are not its end
_PLAIN_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")


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

    The header, and a file of one column (`columns` 1), are where a reader looks for the separator: there no
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
