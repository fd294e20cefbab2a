"""Dependent columns among a method's parameters: by name, or by position from 1 as v1, v2 and as in R.

A method sees arrays, not names, so names wait as text until `Method.bound` makes them positions. The text is
{a,b}: a name with a brace, comma or double quote in it stands in double quotes, and #2 is the second dependent column.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable, Sequence

from ..arguments import items, whole_number
from ..errors import InvalidParameter, unknown_name

Column = str | int  # a name, or a position from 1
ITEM = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^{},"]+?))\s*(,|$)')
PLAIN = re.compile(r'[^{},"\s#](?:[^{},"]*[^{},"\s])?')


def as_columns(owner: str, name: str, value: object) -> tuple[Column, ...]:
    """Different columns, from the text {a,b}, a name, a position, or a list of names and positions."""
    if isinstance(value, str) and value.strip().startswith("{") and value.strip().endswith("}"):
        return read_columns(owner, name, value.strip()[1:-1])
    if isinstance(value, str | numbers.Real):
        value = (value,)
    listed = items(value)
    if listed is None:
        raise InvalidParameter(owner, name, "must be column names, or positions from 1", value)
    columns = tuple(c if isinstance(c, str) else whole_number(owner, name, c, low=1) for c in listed)
    return _different(owner, name, columns)


def read_columns(owner: str, name: str, text: str) -> tuple[Column, ...]:
    """The columns in what stands between braces."""
    columns: list[Column] = []
    at, more = 0, True
    while more:
        match = ITEM.match(text, at)
        if match is None:
            raise InvalidParameter(owner, name, "must name columns as in {a,b}", "{" + text + "}")
        quoted, plain, comma = match.groups()
        position = re.fullmatch(r"#(\d+)", plain or "")
        if position:
            columns.append(whole_number(owner, name, int(position[1]), low=1))
        else:
            columns.append(plain if quoted is None else quoted.replace('""', '"'))
        at, more = match.end(), bool(comma)
    return _different(owner, name, tuple(columns))


def write_columns(columns: Iterable[Column]) -> str:
    """The text that read_columns reads, braces around it."""
    return "{" + ",".join(_word(c) for c in columns) + "}"


def numbered(owner: str, columns: Sequence[Column], dependent: Sequence[str]) -> tuple[int, ...]:
    """The columns as positions from 1. Errors: InvalidInput, with near names, for a name that is not dependent."""
    for column in columns:
        if isinstance(column, str) and column not in dependent:
            raise unknown_name(owner, "dependent column", column, dependent)
    return tuple(c if isinstance(c, int) else list(dependent).index(c) + 1 for c in columns)


def indices(owner: str, name: str, columns: Iterable[Column], t: int) -> list[int]:
    """The columns as indices from 0 into t dependent attributes. Errors: InvalidParameter."""
    found: list[int] = []
    for column in columns:
        if isinstance(column, str):
            raise InvalidParameter(owner, name, "must be positions where columns have no names (bind it first)", column)
        if column > t:
            raise InvalidParameter(owner, name, f"must be positions from 1 to {t}, the dependent attributes", column)
        found.append(column - 1)
    _different(owner, name, tuple(i + 1 for i in found))
    return found


def _different(owner: str, name: str, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    if not columns:
        raise InvalidParameter(owner, name, "must name at least one column", columns)
    for column in columns:
        if column == "":
            raise InvalidParameter(owner, name, "must hold column names, and positions from 1", column)
        if columns.count(column) > 1:
            raise InvalidParameter(owner, name, "must name a column once", column)
    return columns


def _word(column: Column) -> str:
    if isinstance(column, int):
        return f"#{column}"
    return column if PLAIN.fullmatch(column) else '"' + column.replace('"', '""') + '"'
