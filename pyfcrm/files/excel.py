"""Excel workbooks (.xlsx): the first sheet as a table, read by python-calamine in a process of its own."""

from __future__ import annotations

import datetime as dt
import os
import posixpath
import re
import zipfile
from itertools import compress
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from ..errors import InvalidInput, Note
from .child import in_child
from .csv_text import MISSING, integers

if TYPE_CHECKING:
    import pandas as pd

UNREADABLE = "the file must be readable as .xlsx (an older .xls, or one with a password, must be saved anew)"
OTHERS = "{path}: only the first of {total} sheets was read"
MIXED = "{path}: values of several kinds stand in {columns}, which was read as text"
WHOLE = 2.0**53
_KINDS = {bool: "truth", float: "number", int: "number", dt.date: "date", dt.datetime: "date"}  # others are text
# calamine reads both as empty cells.
_ERROR = re.compile(rb"""<(?:\w+:)?c\b[^>]*\bt=["']e["'][^>]*>""")
_UNCOMPUTED = re.compile(
    rb"""<(?:\w+:)?c\b(?![^>]*\bt=["']str["'])[^>]*>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)"""
    rb"""\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v\s*></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"""
)
_PLACE = re.compile(rb"""\br=["']([A-Z]+[0-9]+)["']""")


def read_xlsx(path: str) -> tuple[pd.DataFrame, list[Note]]:
    """The first sheet: its first row that is not empty has the names; notes on what is not in the frame.

    Formulas count with their stored values. Raises InvalidInput for what is no workbook, has macros, or has a cell with an
    error or with a formula that was never computed.
    """
    return in_child(path, UNREADABLE, _read)


def _read(path: str) -> tuple[pd.DataFrame, list[Note]]:
    import pandas as pd
    from python_calamine import CalamineWorkbook, SheetTypeEnum

    with CalamineWorkbook.from_path(path) as book:
        names = [about.name for about in book.sheets_metadata if about.typ == SheetTypeEnum.WorkSheet]
        if not names:
            raise InvalidInput(path, "the workbook must have a sheet of cells")
        _check_cells(path, names[0])
        rows = book.get_sheet_by_name(names[0]).to_python()
    filled = [any(cell != "" for cell in row) for row in rows]
    if not any(filled):
        raise InvalidInput(path, "the first sheet must have a table", "an empty one")
    table = list(compress(rows, filled))
    columns = [
        (_text(cells[0]).strip(), cells[1:]) for cells in zip(*table, strict=True) if any(c != "" for c in cells)
    ]
    typed = [_typed(cells) for _, cells in columns]
    frame = pd.DataFrame(dict(enumerate(values for values, _ in typed)), index=range(len(table) - 1))
    frame.columns = pd.Index([name for name, _ in columns])
    mixed = [name for (name, _), (_, is_mixed) in zip(columns, typed, strict=True) if is_mixed]
    name = os.path.basename(path)
    notes = [Note.of("left_out", OTHERS, total=len(names), path=name)] if len(names) > 1 else []
    return frame, [*notes, *([Note.of("read_as", MIXED, mixed, path=name)] if mixed else [])]


def _check_cells(path: str, name: str) -> None:
    """Raises InvalidInput for a cell of the sheet without a value of its own."""
    with zipfile.ZipFile(path) as archive:
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        sheet = next(one for one in book.iter() if one.tag.endswith("sheet") and one.get("name") == name)
        targets = {one.get("Id"): one.get("Target", "") for one in relations}
        [target] = [targets[value] for key, value in sheet.items() if key.endswith("}id")]
        xml = archive.read(posixpath.normpath(posixpath.join("/xl", target)).lstrip("/"))
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


def _typed(cells: tuple[Any, ...]) -> tuple[Any, bool]:
    """A column of numbers, dates, truth values or text; and whether text stands for several kinds."""
    import pandas as pd

    kinds = {_KINDS.get(type(cell), "text") for cell in cells if cell != ""}
    if "text" in kinds and len(kinds) > 1:  # perhaps the gaps of a column of numbers, written as text
        others = tuple("" if isinstance(cell, str) and cell.strip() in MISSING else cell for cell in cells)
        known = {_KINDS.get(type(cell), "text") for cell in others if cell != ""}
        cells, kinds = (cells, kinds) if "text" in known else (others, known)
    gaps = np.array([cell == "" for cell in cells])
    if kinds == {"truth"}:
        values = pd.array([None if cell == "" else cell for cell in cells], dtype="boolean")
        return values if gaps.any() else values.astype(bool), False
    if kinds == {"date"}:
        return pd.Series([None if cell == "" else cell for cell in cells], dtype="datetime64[us]"), False
    if kinds <= {"number"}:
        numbers = np.array([np.nan if cell == "" else float(cell) for cell in cells])
        whole = np.where(gaps, 0, numbers)
        if not gaps.all() and (whole % 1 == 0).all() and (np.abs(whole) < WHOLE).all():
            return integers(whole.astype(np.int64), gaps) if gaps.any() else whole.astype(np.int64), False
        return numbers, False
    text = pd.Series([None if cell == "" else _text(cell) for cell in cells], dtype=pd.Series([""]).dtype)
    return text, kinds != {"text"}


def _text(cell: Any) -> str:
    """A cell as text, in a column of several kinds or as a name: whole numbers without a point, dates as in ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < WHOLE else repr(cell)
    return str(cell) if isinstance(cell, str | int | dt.timedelta) else str(cell.isoformat())
