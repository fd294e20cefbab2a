"""Attributes in blocks, each with its own k: {v1,v2}:3,{v3,v4}:8."""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from ..arguments import items, whole_number
from ..errors import InvalidParameter
from .columns import Column, as_columns, indices, numbered, read_columns, write_columns

BLOCK = re.compile(r'\s*\{((?:[^{}"]|"(?:[^"]|"")*")*)\}\s*(?::\s*(\d+)\s*)?(,|$)')
RULE = "must be blocks of columns such as {a,b}:3,{c,d}:8"


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
