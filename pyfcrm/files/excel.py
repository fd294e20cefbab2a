"""Excel workbooks (.xlsx): a sheet as a table, read by python-calamine."""

from __future__ import annotations

import datetime as dt
import os
import posixpath
import re
import zipfile
from itertools import compress
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from ..errors import InvalidInput, Note, unknown_name
from ..types import WHOLE
from .budget import UNLIMITED, Budget
from .csv_text import MISSING, NA, NA_MISSING
from .reading import Reading
from .table import Table, with_whole_numbers

UNREADABLE = "the file must be readable as .xlsx (an older .xls, or one with a password, must be saved anew)"
OTHERS = "{path}: only the first of {total} sheets was read (name another one by `sheet`)"
MIXED = "{path}: values of several kinds stand in {columns}, which was read as text"
MOST_ROWS = 1_048_576  # of a spreadsheet
_KINDS = {bool: "truth", float: "number", int: "number", dt.date: "date", dt.datetime: "date"}  # others are text
# calamine reads both as empty cells.
_ERROR = re.compile(rb"""<(?:\w+:)?c\b[^>]*\bt=["']e["'][^>]*>""")
_UNCOMPUTED = re.compile(
    rb"""<(?:\w+:)?c\b(?![^>]*\bt=["']str["'])[^>]*>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)"""
    rb"""\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v\s*></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"""
)
_PLACE = re.compile(rb"""\br=["']([A-Z]+[0-9]+)["']""")


def read_xlsx(path: str, reading: Reading, budget: Budget = UNLIMITED) -> Table:
    """A sheet: its first row that is not empty has the names; notes on what is not in the frame.

    Formulas count with their stored values. Raises InvalidInput for a workbook beyond the budget, or with a cell that has an
    error or a formula that was never computed; for what is no workbook the library's own errors.
    """
    import pandas as pd
    import pyarrow as pa
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    with zipfile.ZipFile(path) as archive:
        budget.require_values(path, sum(part.file_size for part in archive.infolist()))
    with CalamineWorkbook.from_path(path) as book:
        sheets = [about.name for about in book.sheets_metadata if about.typ == SheetTypeEnum.WorkSheet]
        if not sheets:
            raise InvalidInput(path, "the workbook must have a sheet of cells")
        sheet = _chosen_sheet(path, sheets, reading.sheet)
        _check_cells(path, sheet)
        cells = book.get_sheet_by_name(sheet)
        budget.require_cells(path, cells.height, cells.width)
        rows = cells.to_python()
    filled = [any(cell != "" for cell in row) for row in rows]
    if not any(filled):
        raise InvalidInput(path, f"sheet {sheet!r} must have a table (name another one by `sheet`)", "an empty one")
    table = list(compress(rows, filled))
    names = list[str]()
    cells_of = list[list[Any]]()
    for header, *values in zip(*table, strict=True):
        if header != "" or any(value != "" for value in values):
            names.append(_text(header).strip())
            cells_of.append(values)
    words = MISSING | reading.marks
    typed = [_typed(cells, words, reading.marks) for cells in cells_of]
    name = os.path.basename(path)
    notes = (
        [Note.of("left_out", OTHERS, total=len(sheets), path=name)] if len(sheets) > 1 and reading.sheet is None else []
    )
    mixed = [each for each, (_, is_mixed) in zip(names, typed, strict=True) if is_mixed]
    notes += [Note.of("read_as", MIXED, mixed, path=name)] if mixed else []
    columns = [column for column, _ in typed]
    if reading.missing_marks is None:
        is_text = [getattr(column.dtype, "kind", "O") not in "biufM" for column in columns]
        with_na = [any(isinstance(cell, str) and cell.strip() == NA for cell in cells) for cells in cells_of]
        if any(has and not text for has, text in zip(with_na, is_text, strict=True)):
            read_so = [j for j, (has, text) in enumerate(zip(with_na, is_text, strict=True)) if has and text]
            for j in read_so:
                columns[j] = columns[j].mask(columns[j].str.strip() == NA)
            notes += [Note.of("read_as", NA_MISSING, [names[j] for j in read_so], path=name)] if read_so else []
    frame = pd.DataFrame(dict(enumerate(columns)), index=range(len(table) - 1)).set_axis(names, axis=1)
    # Of columns with marks the release has the cells as they are.
    texts = {
        each: pa.array([_text(cell) for cell in cells], pa.large_string())
        for each, cells in zip(names, cells_of, strict=True)
        if any(isinstance(cell, str) and cell.strip() in reading.marks for cell in cells)
    }
    return Table(frame, path, tuple(notes), texts=texts, missing_marks=reading.marks)


def _chosen_sheet(path: str, sheets: list[str], chosen: str | int | None) -> str:
    """The name of the sheet that is read. Raises InvalidInput for one that does not exist."""
    if chosen is None:
        return sheets[0]
    if isinstance(chosen, int):
        if chosen > len(sheets):
            raise InvalidInput(path, f"`sheet` must be a number from 1 to {len(sheets)}, or a name", chosen)
        return sheets[chosen - 1]
    if chosen not in sheets:
        raise unknown_name(path, "sheet", chosen, sheets)
    return chosen


def _check_cells(path: str, name: str) -> None:
    """Raises InvalidInput for a cell of the sheet without a value of its own."""
    with zipfile.ZipFile(path) as archive:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        sheet = next(one for one in book.iter() if one.tag.endswith("sheet") and one.get("name") == name)
        targets = {one.get("Id"): one.get("Target", "") for one in relations}
        [target] = [targets[value] for key, value in sheet.items() if key.endswith("}id")]
        xml = archive.read(posixpath.normpath(posixpath.join("/xl", target)).lstrip("/"))
    rows = xml.count(b"<row") + xml.count(b":row")
    if rows > MOST_ROWS:
        raise InvalidInput(path, f"a sheet has at most {MOST_ROWS:,} rows", f"{rows:,}")
    expat.ParserCreate().Parse(xml, True)  # calamine reads a part that is cut as far as it goes
    for pattern, rule in (
        (_ERROR, "a cell must not have an error, such as #N/A: correct or empty it"),
        (
            _UNCOMPUTED,
            "formulas must have their values stored: open the file in a spreadsheet, which computes them, and save it",
        ),
    ):
        if cell := pattern.search(xml):
            place = _PLACE.search(cell[0])
            raise InvalidInput(path, rule, f"cell {place[1].decode() if place else '?'}")


def _typed(cells: list[Any], words: frozenset[str], marks: frozenset[str]) -> tuple[Any, bool]:
    """A column of numbers, dates, truth values or text; and whether text stands for several kinds.

    words : what means missing among numbers; marks : what means missing in text too.
    """
    import pandas as pd

    kinds = {_KINDS.get(type(cell), "text") for cell in cells if not (isinstance(cell, str) and cell.strip() in words)}
    if (kinds <= {"text"} and any(cell != "" for cell in cells)) or len(kinds) > 1:
        texts = [None if cell == "" or str(cell).strip() in marks else _text(cell) for cell in cells]
        return pd.Series(texts, dtype=pd.Series([""]).dtype), len(kinds) > 1
    values = pd.Series([None if isinstance(cell, str) else cell for cell in cells], dtype=object)
    if kinds == {"date"}:
        return values.astype("datetime64[us]"), False
    if kinds == {"truth"}:
        return values.astype("boolean" if values.isna().any() else "bool"), False
    return with_whole_numbers(values.astype("float64")), False


def _text(cell: Any) -> str:
    """A cell as text, in a column of several kinds or as a name: whole numbers without a point, dates as in ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < WHOLE else repr(cell)
    return str(cell) if isinstance(cell, str | int | dt.timedelta) else str(cell.isoformat())
