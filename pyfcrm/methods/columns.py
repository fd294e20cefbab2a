"""Dependent columns among a method's parameters, by name or by position, and attributes in blocks with a k each.

A method sees arrays, not names, so names wait as text until `Method.bound` makes them positions. The text is
{a,b}: a name with a brace, comma or double quote in it stands in double quotes, and #2 is the second dependent column.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from ..arguments import SOME_NAMES, items, whole_number
from ..data.names import listed
from ..errors import InvalidParameter, unknown_name

Column = str | int  # a name, or a position from 1
BARE = r'[^{},"]+?'
PLAIN = re.compile(r'[^{},"\s#](?:[^{},"]*[^{},"\s])?')
BLOCK = re.compile(r'\s*\{((?:[^{}"]|"(?:[^"]|"")*")*)\}\s*(?::\s*(\d+)\s*)?(,|$)')
RULE = "must be blocks of columns such as {a,b}:3,{c,d}:8"


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
    names = listed(text, BARE)
    if names is None:
        raise InvalidParameter(owner, name, "must name columns as in {a,b}", "{" + text + "}")
    columns: list[Column] = []
    for word, in_quotes in names:
        position = None if in_quotes else re.fullmatch(r"#(\d+)", word)
        columns.append(word if position is None else whole_number(owner, name, int(position[1]), low=1))
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
        raise InvalidParameter(owner, name, SOME_NAMES, columns)
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


@dataclass(frozen=True)
class Block:
    """Columns grouped together, in groups of k; None stands for the method's own k."""

    columns: tuple[Column, ...]
    k: int | None


def as_blocks(owner: str, value: object) -> tuple[Block, ...]:
    """Blocks from the text {a,b}:3,{c,d}:8, from {("a", "b"): 3}, or from [(["a", "b"], 3), ["c", "d"]].

    A block without its own k takes the method's. No column stands in two. Errors: InvalidParameter.
    """
    if isinstance(value, str):
        blocks = _read(owner, value)
    elif isinstance(value, Mapping):
        blocks = tuple(_block(owner, columns, k) for columns, k in value.items())
    elif _is_pair(value):
        blocks = (_from_item(owner, value),)
    elif (listed := items(value)) is not None:
        blocks = tuple(_from_item(owner, item) for item in listed)
    else:
        raise InvalidParameter(owner, "blocks", RULE, value)
    return _apart(owner, blocks, value)


def write_blocks(blocks: Iterable[Block]) -> str:
    """The text that as_blocks reads."""
    return ",".join(write_columns(b.columns) + ("" if b.k is None else f":{b.k}") for b in blocks)


def bound_blocks(owner: str, text: str, dependent: Sequence[str]) -> str:
    """The text with every name replaced by its position among the dependent columns."""
    return write_blocks(Block(numbered(owner, b.columns, dependent), b.k) for b in as_blocks(owner, text))


def resolved(owner: str, text: str, k: int, t: int) -> list[tuple[list[int], int]]:
    """Each block as indices from 0 into t attributes and its k. Attributes in no block make one more at the end."""
    blocks = as_blocks(owner, text)
    listed = indices(owner, "blocks", (c for b in blocks for c in b.columns), t)
    rest = [j for j in range(t) if j not in listed]
    made = [(indices(owner, "blocks", b.columns, t), k if b.k is None else b.k) for b in blocks]
    return [*made, (rest, k)] if rest else made


def _read(owner: str, text: str) -> tuple[Block, ...]:
    blocks: list[Block] = []
    at, more = 0, True
    while more:
        match = BLOCK.match(text, at)
        if match is None:
            raise InvalidParameter(owner, "blocks", RULE, text)
        inside, k, comma = match.groups()
        columns = read_columns(owner, "blocks", inside)
        blocks.append(_block(owner, columns, None if k is None else int(k)))
        at, more = match.end(), bool(comma)
    return tuple(blocks)


def _from_item(owner: str, item: object) -> Block:
    """A block of a list: its columns alone, or a pair of its columns and its k."""
    if isinstance(item, Block):
        return item
    return _block(owner, item[0], item[1]) if _is_pair(item) else _block(owner, item, None)


def _is_pair(item: object) -> TypeGuard[Sequence[object]]:
    """(["a", "b"], 3) or ("a", 3), but not [1, 2], which are positions, nor ["a", "b"], nor "ab"."""
    return (
        isinstance(item, Sequence)
        and not isinstance(item, str)
        and len(item) == 2
        and isinstance(item[0], str | list | tuple)
        and (item[1] is None or isinstance(item[1], numbers.Real))
    )


def _block(owner: str, columns: object, k: object) -> Block:
    return Block(
        as_columns(owner, "blocks", columns), None if k is None else whole_number(owner, "k of a block", k, low=1)
    )


def _apart(owner: str, blocks: tuple[Block, ...], value: object) -> tuple[Block, ...]:
    columns = [c for b in blocks for c in b.columns]
    if not columns:
        raise InvalidParameter(owner, "blocks", RULE, value)
    for column in columns:
        if columns.count(column) > 1:
            raise InvalidParameter(owner, "blocks", "must hold a column once", column)
    return blocks
