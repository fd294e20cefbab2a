"""A frame as CSV: kept cells as they came, the others in their shortest exact form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InvalidInput
from ..types import Mask
from .csv_columns import Column
from .csv_text import MISSING, disarmed, joined, number_texts, quoted, quoting_marks, unquoted
from .paths import extension
from .table import CsvOrigin, Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Style:
    """How a CSV file is written. verbatim : tokens of the file that was read fit as they are."""

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    newline: str = "\n"
    columns: int = 2
    verbatim: bool = False

    @property
    def text_marks(self) -> frozenset[str]:
        """What text must be in quotes for."""
        return quoting_marks(self.separator, self.columns)

    @property
    def header_marks(self) -> frozenset[str]:
        """What a name must be in quotes for."""
        return quoting_marks(self.separator, 1)

    @property
    def number_marks(self) -> frozenset[str]:
        """What a number must be in quotes for; a decimal comma in a file of one column is not among it."""
        return quoting_marks(self.separator, 2)


def csv_bytes(
    path: str, frame: pd.DataFrame, like: Table | None, kept: Mapping[str, Mask], disarm: bool = False
) -> bytes:
    """The file in memory.

    like : the table the frame came from; kept : by column, (n,) True where the cell leaves as it came; disarm : text
    that a spreadsheet would run as a formula gets an apostrophe in front.
    Raises InvalidInput for text that the encoding or CSV cannot hold.
    """
    origin = like.origin if like is not None and isinstance(like.origin, CsvOrigin) else None
    style = _style(path, frame.shape[1], origin)
    came = {} if like is None or origin is None or not kept else _as_it_came(like, origin, kept)
    columns = [_tokens(frame[name], came.get(str(name)), style) for name in frame.columns]
    header = [_header(str(name), origin, style) for name in frame.columns]
    if disarm:
        header = disarmed(header, style.header_marks)
        columns = [
            tokens if frame[name].dtype.kind in "iuf" else disarmed(tokens, style.text_marks)
            for name, tokens in zip(frame.columns, columns, strict=True)
        ]
    text = joined(columns, header, style.separator, style.newline)
    if "\0" in text:
        raise InvalidInput(path, "text in a CSV file must not hold the zero character")
    try:
        return text.encode(style.encoding)
    except UnicodeEncodeError as error:
        character = error.object[error.start : error.start + 1]
        raise InvalidInput(path, f"every character must exist in {style.encoding}", repr(character)) from error


def _style(path: str, columns: int, origin: CsvOrigin | None) -> Style:
    tabs = extension(path) == "tsv"
    if origin is None:
        return Style(separator="\t" if tabs else ",", columns=columns)
    separator = "\t" if tabs else origin.separator
    verbatim = separator == origin.separator and (columns > 1 or len(origin.header) == 1)
    return Style(separator, origin.decimal, origin.encoding, origin.newline, columns, verbatim)


def _header(name: str, origin: CsvOrigin | None, style: Style) -> str:
    if origin is not None and style.verbatim and name in origin.header:
        return origin.header[name]
    return quoted(name, style.header_marks)


@dataclass(frozen=True)
class _Came:
    """A column as it came. values : what was read from it; tokens : what was written; kept : (n,) where a cell leaves so."""

    values: pd.Series
    tokens: Column
    kept: Mask
    decimal: str


def _as_it_came(like: Table, origin: CsvOrigin, kept: Mapping[str, Mask]) -> dict[str, _Came]:
    tokens = origin.tokens()
    return {name: _Came(like.frame[name], tokens[name], rows, origin.decimal) for name, rows in kept.items()}


def _tokens(column: pd.Series, came: _Came | None, style: Style) -> list[str]:
    """The column's tokens: as they came where kept, else written from the values."""
    if came is None:
        return _written(column, style, whole=False, missing="")
    tokens = came.tokens.tolist()
    cells = list(map(unquoted, tokens)) if '"' in "".join(tokens) else tokens
    old = _old_tokens(column, came, tokens if style.verbatim else cells, style)
    if came.kept.all():
        return old
    missing = next((cell for cell in cells if cell.strip(" \t") in MISSING), "")
    fresh = _written(column, style, whole=_was_whole(came.values, cells, came.decimal), missing=missing)
    return [one if keep else other for one, other, keep in zip(old, fresh, came.kept.tolist(), strict=True)]


def _old_tokens(column: pd.Series, came: _Came, source: list[str], style: Style) -> list[str]:
    chosen: list[str] = np.array(source, dtype=object)[column.index.to_numpy()].tolist()
    if style.verbatim:
        return chosen
    marks = style.number_marks if came.values.dtype.kind in "if" else style.text_marks
    return [quoted(cell, marks) for cell in chosen]


def _was_whole(values: pd.Series, cells: list[str], decimal: str) -> bool:
    """Whether every number in the column was written as a whole number."""
    if values.dtype.kind != "f":
        return values.dtype.kind == "i"
    return not any(decimal in cell or "e" in cell.lower() for cell in cells if cell.strip(" \t") not in MISSING)


def _written(column: pd.Series, style: Style, *, whole: bool, missing: str) -> list[str]:
    """Tokens of values: numbers in their shortest exact form, the rest as str() has it."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        texts = [text or missing for text in number_texts(column.to_numpy(), style.decimal, whole)]
        bare = style.decimal != style.separator and not missing
        return texts if bare else [quoted(text, style.number_marks) for text in texts]
    tokens = []
    marks = style.text_marks
    for value, is_absent in zip(column.tolist(), column.isna().tolist(), strict=True):
        if is_absent:
            tokens.append(quoted(missing, marks))
        elif isinstance(value, float):
            tokens.append(quoted(number_texts(np.array([value]), style.decimal, whole)[0], style.number_marks))
        else:
            tokens.append(quoted(str(value), marks))
    return tokens
