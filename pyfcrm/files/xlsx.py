"""Excel workbooks (.xlsx): the first sheet as a table. Its XML is read as data: nothing in a workbook is run, or fetched.

Source: ECMA-376, Office Open XML, part 1, 18 (SpreadsheetML).
"""

from __future__ import annotations

import os
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING
from xml.parsers import expat

from ..errors import InvalidInput, Note
from .sheet import Serials, Sheet, Strings, local, plain_parser, strings_of
from .sheet_columns import columns_of

if TYPE_CHECKING:
    import pandas as pd

MANY_TIMES, MANY = 200, 100_000_000  # a sheet of repeated rows packs to a hundredth
OLE = b"\xd0\xcf\x11\xe0"  # what an old .xls, and a workbook with a password, begin with
ROOT = "/"
UNREADABLE = "the file must be readable as .xlsx"
DATES = {*range(14, 18), 22, *range(27, 32), 36, *range(50, 55), 57, 58}
TIMES = {*range(18, 22), *range(32, 36), 45, 46, 47, 55, 56}
_QUIET = re.compile(r'"[^"]*"|\[(?!h|m|s)[^\]]*\]|\\.|_.|\*.|am/pm|a/p|general')
OTHERS = "{path}: the first of {total} sheets was read, and no other"
MERGED = (
    "{path}: {count} merged {count:cell was|cells were} read: {count:its value|the value of each} is its first cell's, "
    "and the others are empty"
)
LINKED = "{path}: values from other workbooks are those that were stored when it was saved"
ERRORS = (
    "{path}: {count} {count:cell|cells} with an error of a formula, such as #N/A, {count:was|were} taken as missing"
)
CLOCK = "{path}: times of day are fractions of a day in {columns}"
MIXED = "{path}: numbers or dates stand beside text in {columns}, which was read as text"
GAPS = "{path}: {count} empty {count:row was|rows were} left out"


def read_xlsx(path: str) -> tuple[pd.DataFrame, list[Note]]:
    """The first sheet: its first row that is not empty has the names; notes on what is not in the frame.

    Formulas count with their stored values. Raises InvalidInput, one sentence, for what is no workbook, has macros, unpacks
    to more than a workbook would, or has formulas that were never computed.
    """
    with opened(path) as book:
        sheet = Sheet(path, book.strings(), book.serials())
        with book.part(book.sheets[0]) as file:
            sheet.read(file)
    name = os.path.basename(path)
    if sheet.uncomputed:
        rule = (
            "formulas must have their values stored: open the file in a spreadsheet, which computes them, and save it"
        )
        raise InvalidInput(path, rule, f"{sheet.uncomputed} without")
    frame, mixed, clock = columns_of(path, sheet, book.since_1904)
    notes = [
        Note.of("left_out", OTHERS, total=len(book.sheets), path=name) if len(book.sheets) > 1 else None,
        Note.of("read_as", MERGED, count=sheet.merged, path=name) if sheet.merged else None,
        Note.of("read_as", LINKED, path=name) if book.is_linked else None,
        Note.of("read_as", ERRORS, count=sheet.errors, path=name) if sheet.errors else None,
        Note.of("read_as", CLOCK, clock, path=name) if clock else None,
        Note.of("read_as", MIXED, mixed, path=name) if mixed else None,
        Note.of("left_out", GAPS, count=sheet.gaps, path=name) if sheet.gaps else None,
    ]
    return frame, [note for note in notes if note is not None]


def size_of_xlsx(path: str, most_cells: int, most_bytes: int) -> tuple[int, int, int]:
    """Rows, columns, and bytes of numbers and text, counted without keeping them; as far as one of the limits."""
    with opened(path) as book:
        sheet = Sheet(path, book.strings(), book.serials(), limits=(most_cells, most_bytes))
        with book.part(book.sheets[0]) as file:
            sheet.read(file)
    return sheet.rows, len(sheet.header), sheet.bytes


class Workbook:
    """An open archive. sheets : the paths of its worksheets, in their order; since_1904 : whether days count from there;
    is_linked : whether formulas take values from other workbooks."""

    def __init__(self, path: str, archive: zipfile.ZipFile) -> None:
        self.path, self._archive = path, archive
        self._names = {posixpath.join(ROOT, name).lower(): name for name in archive.namelist()}
        self._check()
        self.since_1904, self.sheets = False, list[str]()
        [main] = self._targets(ROOT, "officeDocument")[:1] or [""]
        relations = dict(self._relations(main))
        for tag, attributes in self._tags(main):
            if tag == "workbookPr":
                self.since_1904 = attributes.get("date1904", "0") in ("1", "true")
            kind, target = relations.get(attributes.get("id", ""), ("", "")) if tag == "sheet" else ("", "")
            self.sheets += [target] if kind == "worksheet" else []
        if not self.sheets:
            raise InvalidInput(path, "the workbook must have a sheet of cells")
        self._main = main
        self.is_linked = bool(self._targets(main, "externalLink"))

    def _check(self) -> None:
        whole = sum(info.file_size for info in self._archive.infolist())
        if whole > max(MANY, MANY_TIMES * os.path.getsize(self.path)):
            rule = f"a workbook must not unpack to more than {MANY_TIMES} times its size"
            raise InvalidInput(self.path, rule, f"{whole // 10**6:,} MB")
        if any(name.endswith("vbaproject.bin") for name in self._names):
            raise InvalidInput(self.path, "a workbook with macros is more than data: save it as .xlsx without them")

    def strings(self) -> Strings:
        """The texts that cells refer to."""
        found = self._targets(self._main, "sharedStrings")
        if not found:
            return []
        with self.part(found[0]) as file:
            return strings_of(self.path, file)

    def serials(self) -> Serials:
        """By style of cells, whether its numbers are days: "date" or "time"; else ""."""
        codes, styles, inside = dict[int, str](), list[str](), False
        for target in self._targets(self._main, "styles")[:1]:
            for tag, attributes in self._tags(target):
                inside = tag == "cellXfs" or (inside and tag not in ("cellStyles", "cellStyleXfs", "dxfs"))
                number = attributes.get("numFmtId", "")
                if tag == "numFmt" and number.isdigit():
                    codes[int(number)] = attributes.get("formatCode", "")
                elif tag == "xf" and inside:
                    styles.append(kind_of(int(number) if number.isdigit() else 0, codes))
        return styles

    @contextmanager
    def part(self, target: str) -> Iterator[IO[bytes]]:
        """A part of the archive, to be read. Raises InvalidInput where it is not there, or broken."""
        name = self._names.get(target.lower())
        if name is None:
            raise InvalidInput(self.path, "the workbook lacks a part that it names")
        try:
            with self._archive.open(name) as file:
                yield file
        except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, NotImplementedError, RuntimeError) as error:
            raise InvalidInput(self.path, UNREADABLE, "a part that is broken") from error

    def _tags(self, target: str) -> list[tuple[str, dict[str, str]]]:
        """The elements of a small part, in their order: name and attributes, both without namespaces."""
        found: list[tuple[str, dict[str, str]]] = []
        parser = plain_parser(self.path)
        parser.StartElementHandler = lambda tag, attributes: found.append(
            (local(tag), {local(key): value for key, value in attributes.items()})
        )
        with self.part(target) as file:
            parser.ParseFile(file)
        return found

    def _relations(self, target: str) -> list[tuple[str, tuple[str, str]]]:
        """What a part refers to: id, and the kind and path of each."""
        folder, name = posixpath.split(target)
        where = posixpath.join(folder, "_rels", f"{name}.rels")
        if where.lower() not in self._names:
            return []
        return [
            (
                one.get("Id", ""),
                (one.get("Type", "").rpartition("/")[2], posixpath.normpath(posixpath.join(folder, to))),
            )
            for tag, one in self._tags(where)
            if tag == "Relationship" and (to := one.get("Target", ""))
        ]

    def _targets(self, target: str, kind: str) -> list[str]:
        return [to for _, (known, to) in self._relations(target) if known == kind]


@contextmanager
def opened(path: str) -> Iterator[Workbook]:
    """Raises InvalidInput for a file that is no workbook."""
    with open(path, "rb") as file:
        if file.read(4) == OLE:
            rule = "it is an old .xls file, or has a password: save it as .xlsx without one"
            raise InvalidInput(path, rule)
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise InvalidInput(path, UNREADABLE, "no such archive") from error
    with archive:
        yield Workbook(path, archive)


def kind_of(number: int, codes: dict[int, str]) -> str:
    """What numbers of a format are: "date", "time" or "". codes : the formats that the workbook declares."""
    if number not in codes:
        return "date" if number in DATES else "time" if number in TIMES else ""
    letters = _QUIET.sub("", codes[number].lower().partition(";")[0])
    if re.search("[yd]", letters) or ("m" in letters and not re.search("[hs]", letters)):
        return "date"
    return "time" if re.search("[hs]", letters) else ""
