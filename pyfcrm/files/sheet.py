"""A sheet of a workbook, cell by cell, as its XML is read from the start to the end."""

from __future__ import annotations

import math
import re
from typing import IO
from xml.parsers import expat

from ..errors import InvalidInput

Strings = list[str]
Serials = list[str]
Cell = float | bool | str
_WHERE = re.compile(r"([A-Z]{1,3})([1-9]\d{0,6})")


class Days(float):
    """A number that is shown as a date."""


class Clock(float):
    """A number that is shown as a time of day, or as a length of time."""


KINDS = {"date": Days, "time": Clock, "": float}


class _Full(Exception):
    """A limit is passed."""


class Sheet:
    """What `read` found. header : names by column; cells : by column the records that have a value, and their values; rows :
    records; bytes : of numbers and text; merged, errors, uncomputed, gaps : how many.

    strings : the texts that cells refer to; serials : by style, whether its numbers are days; limits : of cells and bytes,
    where cells are counted and not kept.
    """

    def __init__(self, path: str, strings: Strings, serials: Serials, limits: tuple[int, int] | None = None) -> None:
        self.path, self._strings, self._serials, self._limits = path, strings, serials, limits
        self.header: dict[int, Cell] = {}
        self.cells: dict[int, tuple[list[int], list[Cell]]] = {}
        self.rows = self.bytes = self.merged = self.errors = self.uncomputed = self.gaps = 0
        self._row = self._column = 0
        self._last = 0  # the last row with a value
        self._type, self._style, self._text, self._has_formula, self._hears = "n", 0, list[str](), False, False

    def read(self, file: IO[bytes]) -> None:
        """Raises InvalidInput for a cell that is none."""
        parser = plain_parser(self.path)
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._said
        try:
            parser.ParseFile(file)
        except _Full:
            return

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = local(tag)
        if tag == "c":
            self._begin(attributes)
        elif tag == "row":
            given = attributes.get("r", "")
            self._row, self._column = int(given) if given.isdigit() else self._row + 1, -1
        elif tag in ("v", "t"):
            self._hears = True
        elif tag == "f":
            self._has_formula = True
        elif tag == "rPh":  # how it is pronounced
            self._type = "phonetic"
        elif tag == "mergeCell":
            self.merged += 1

    def _begin(self, attributes: dict[str, str]) -> None:
        found = _WHERE.fullmatch(attributes.get("r", ""))
        self._column = self._column + 1 if found is None else number_of(found[1])
        style = attributes.get("s", "0")
        self._type, self._style = attributes.get("t", "n"), int(style) if style.isdigit() else 0
        self._text, self._has_formula = [], False

    def _said(self, text: str) -> None:
        if self._hears and self._type != "phonetic":
            self._text.append(text)

    def _end(self, tag: str) -> None:
        tag = local(tag)
        if tag in ("v", "t"):
            self._hears = False
        elif tag == "rPh":
            self._type = "inlineStr"
        elif tag == "c":
            text = "".join(self._text)
            if text:
                self._keep(self._value(text))
            elif self._has_formula and self._type != "str":
                self.uncomputed += 1

    def _value(self, text: str) -> Cell | None:
        try:
            if self._type == "s":
                return self._strings[int(text)] or None
            if self._type == "b":
                return text.strip() in ("1", "true")
            if self._type == "n":
                kind = self._serials[self._style] if self._style < len(self._serials) else ""
                return KINDS[kind](finite(text))
        except (ValueError, IndexError) as error:
            raise InvalidInput(self.path, "each cell must hold what its type says", self._place()) from error
        if self._type == "e":
            self.errors += 1
            return None
        return text

    def _place(self) -> str:
        return f"row {self._row}, column {self._column + 1}"

    def _keep(self, value: Cell | None) -> None:
        if value is None:
            return
        if self._row != self._last:
            self.gaps += max(self._row - self._last - 1, 0) if self._last else 0
            self.rows += bool(self._last)
            self._last = self._row
        if not self.rows:
            self.header[self._column] = value
            return
        self.bytes += len(value) if isinstance(value, str) else 8
        if self._limits is not None:
            if self.rows * len(self.header) > self._limits[0] or self.bytes > self._limits[1]:
                raise _Full
            return
        places, values = self.cells.setdefault(self._column, ([], []))
        if places and places[-1] == self.rows - 1:
            raise InvalidInput(self.path, "each cell must stand in the sheet once", self._place())
        places.append(self.rows - 1)
        values.append(value)


def strings_of(path: str, file: IO[bytes]) -> Strings:
    """The shared texts of a workbook, without what says how they are pronounced."""
    found: list[str] = []
    pieces: list[str] = []
    state = {"hears": False, "phonetic": False}

    def start(tag: str, attributes: dict[str, str]) -> None:
        tag = local(tag)
        if tag == "si":
            pieces.clear()
        elif tag == "rPh":
            state["phonetic"] = True
        elif tag == "t":
            state["hears"] = not state["phonetic"]

    def end(tag: str) -> None:
        tag = local(tag)
        if tag == "si":
            found.append("".join(pieces))
        elif tag == "rPh":
            state["phonetic"] = False
        elif tag == "t":
            state["hears"] = False

    parser = plain_parser(path)
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: pieces.append(text) if state["hears"] else None
    parser.ParseFile(file)
    return found


def plain_parser(path: str) -> expat.XMLParserType:
    """A parser of XML that takes no declarations of its own, and so fetches and expands nothing."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def refuse(*given: object) -> None:
        raise InvalidInput(path, "a workbook's parts must not declare types or entities of XML")

    parser.StartDoctypeDeclHandler = refuse
    return parser


def local(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition(" ")[2]


def finite(text: str) -> float:
    """The number. Raises ValueError for anything else."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def number_of(letters: str) -> int:
    """The position of a column from 0: A is 0, AA is 26."""
    position = 0
    for letter in letters:
        position = 26 * position + ord(letter) - 64
    return position - 1
