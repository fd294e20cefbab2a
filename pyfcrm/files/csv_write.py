"""Frames as CSV files: the text that was read where cells are unmodified, else numbers in their shortest exact form."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..errors import InvalidInput, converting
from ..types import Mask
from .csv_text import FORMULA_STARTS, MISSING, SEPARATORS, number_texts, with_thousands
from .paths import extension
from .table import Table

if TYPE_CHECKING:
    import pandas as pd


def csv_bytes(
    path: str, frame: pd.DataFrame, like: Table | None, unmodified: Mapping[str, Mask], disarm: bool = False
) -> bytes:
    """The file in memory.

    like : the table the frame came from; unmodified : by column, (n,) True where the source's text is written; disarm : text
    that a spreadsheet would run as a formula gets an apostrophe in front.
    Raises InvalidInput for text that the encoding or CSV cannot hold.
    """
    origin = like or Table(frame)
    separator = "\t" if extension(path) == "tsv" else origin.separator
    header = [origin.header.get(str(name), str(name)) for name in frame.columns]
    columns = []
    for name in frame.columns:
        rows = unmodified.get(str(name)) if str(name) in origin.texts else None
        with converting(path, str(name)):
            if rows is None:
                columns.append(_written(frame[name], origin.decimal, whole=False, missing=""))
            else:
                columns.append(_mixed(frame[name], origin, rows))
    is_number = [frame[name].dtype.kind in "iuf" for name in frame.columns]
    if disarm:
        header = _disarmed(header)
        columns = [c if number else _disarmed(c) for c, number in zip(columns, is_number, strict=True)]
    # A reader finds the separator in the header, and in a file of one column: no other candidate may stand there bare.
    ambiguous = set(SEPARATORS) - {separator}
    lines = _lines([header], separator, quote_all=not ambiguous.isdisjoint("".join(header)))
    one_text = len(columns) == 1 and not is_number[0]
    lines += _lines(
        zip(*columns, strict=True), separator, quote_all=one_text and not ambiguous.isdisjoint("".join(columns[0]))
    )
    if origin.names_separator:
        lines = [f"sep={separator}", *lines]
    text = origin.newline.join([*lines, ""])
    if "\0" in text:
        raise InvalidInput(path, "text in a CSV file must not hold the zero character")
    try:
        return text.encode(origin.encoding)
    except UnicodeEncodeError as error:
        character = error.object[error.start : error.start + 1]
        raise InvalidInput(path, f"every character must exist in {origin.encoding}", repr(character)) from error


def _lines(rows: Iterable[Iterable[str]], separator: str, quote_all: bool) -> list[str]:
    """The rows as CSV, each without its line end."""
    lines = list[str]()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL
    # With the end "\r\n" the writer quotes cells that contain either character.
    csv.writer(
        SimpleNamespace(write=lines.append), delimiter=separator, lineterminator="\r\n", quoting=quoting
    ).writerows(rows)
    return [line[:-2] for line in lines]


def _disarmed(texts: list[str]) -> list[str]:
    return ["'" + text if text.startswith(FORMULA_STARTS) else text for text in texts]


def _mixed(column: pd.Series, origin: Table, rows: Mask) -> list[str]:
    """The column's text: the source's where unmodified, else written from the values in the source's manner."""
    cells = origin.texts[str(column.name)]
    old: list[str] = cells.take(column.index.to_numpy()).to_pylist()
    if rows.all():
        return old
    words = MISSING | origin.missing_marks
    different: list[str] = cells.unique().to_pylist()
    missing = next((cell for cell in different if cell.strip(" \t") in words), "")
    whole = origin.frame[column.name].dtype.kind == "i"
    new = _written(column, origin.decimal, whole=whole, missing=missing)
    is_number = origin.frame[column.name].dtype.kind in "iuf"
    if is_number and origin.thousands and any(origin.thousands in cell.strip() for cell in different):
        new = [with_thousands(text, origin.thousands, origin.decimal) for text in new]
    return [a if is_old else b for a, b, is_old in zip(old, new, rows.tolist(), strict=True)]


def _written(column: pd.Series, decimal: str, *, whole: bool, missing: str) -> list[str]:
    """Text of values: numbers in their shortest exact form, the rest as str() has it."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        return [text or missing for text in number_texts(column.to_numpy(), decimal, whole)]
    return [
        missing
        if is_missing
        else number_texts(np.array([value]), decimal, whole)[0]
        if isinstance(value, float)
        else str(value)
        for value, is_missing in zip(column.tolist(), column.isna().tolist(), strict=True)
    ]
