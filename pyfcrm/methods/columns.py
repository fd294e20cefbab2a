"""Dependent columns among a method's parameters, by name or position, and attributes in blocks with a k each.

On the command line blocks are {a,b}:3,{c,d}:8. `Method.bound` replaces names by positions from 1.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..arguments import SOME_NAMES, items, whole_number
from ..errors import InvalidParameter, unknown_name

Columns = tuple[str | int, ...]
Block = tuple[Columns, int | None]
"""Columns that are grouped together, in groups of k; None stands for the method's own k."""
BLOCK = r"\s*(\{[^{}]*\})\s*(?::\s*(\d+)\s*)?"
RULE = "must be blocks of columns such as {a,b}:3,{c,d}:8"


def as_columns(owner: str, name: str, value: Any) -> Columns:
    """Distinct columns, from the text {a,b}, a name, a position from 1, or a list of names and positions."""
    if isinstance(value, str) and re.fullmatch(r"\s*\{.*\}\s*", value):
        value = [word.strip() for word in value.strip()[1:-1].split(",")]
    listed = items((value,) if isinstance(value, str | numbers.Real) else value)
    if listed is None:
        raise InvalidParameter(owner, name, "must be column names, or positions from 1", value)
    columns = tuple(c if isinstance(c, str) else whole_number(owner, name, c, low=1) for c in listed)
    if not columns:
        raise InvalidParameter(owner, name, SOME_NAMES, columns)
    for column in columns:
        if column == "":
            raise InvalidParameter(owner, name, "must hold column names, and positions from 1", column)
        if columns.count(column) > 1:
            raise InvalidParameter(owner, name, "must name a column once", column)
    return columns


def positions(owner: str, columns: Columns, dependent: Sequence[str]) -> Columns:
    """The columns as positions from 1. Raises InvalidInput, with similar names, for a name that is not dependent."""
    for column in columns:
        if isinstance(column, str) and column not in dependent:
            raise unknown_name(owner, "dependent column", column, dependent)
    return tuple(c if isinstance(c, int) else list(dependent).index(c) + 1 for c in columns)


def indices(owner: str, name: str, columns: Iterable[str | int], t: int) -> list[int]:
    """The columns as indices from 0 into t dependent attributes. Raises InvalidParameter."""
    result: list[int] = []
    for column in columns:
        if isinstance(column, str):
            raise InvalidParameter(owner, name, "must be positions where columns have no names (bind it first)", column)
        if column > t:
            raise InvalidParameter(owner, name, f"must be positions from 1 to {t}, the dependent attributes", column)
        if column - 1 in result:
            raise InvalidParameter(owner, name, "must name a column once", column)
        result.append(column - 1)
    return result


def blocks_of(value: Iterable[Any]) -> list[Block]:
    """The blocks of a checked parameter: those with their own k are pairs of columns and k, others columns alone."""
    return [block if _is_pair(block) else (block, None) for block in value]


def as_blocks(owner: str, value: Any) -> tuple[Any, ...]:
    """Blocks from the text {a,b}:3,{c,d}:8, from {("a", "b"): 3}, or from [(["a", "b"], 3), ["c", "d"]].

    The last form is kept, in tuples. No column is in two blocks. Raises InvalidParameter.
    """
    listed = items(value)
    if isinstance(value, str):
        whole = re.fullmatch(f"{BLOCK}(?:,{BLOCK})*", value)
        listed = None if whole is None else tuple((m[1], m[2] and int(m[2])) for m in re.finditer(BLOCK, value))
    elif isinstance(value, Mapping):
        listed = tuple(value.items())
    elif _is_pair(value):
        listed = (value,)
    if not listed:
        raise InvalidParameter(owner, "blocks", RULE, value)
    pairs = [(as_columns(owner, "blocks", columns), k) for columns, k in blocks_of(listed)]
    columns = [c for block, _ in pairs for c in block]
    for column in columns:
        if columns.count(column) > 1:
            raise InvalidParameter(owner, "blocks", "must hold a column once", column)
    return tuple(c if k is None else (c, whole_number(owner, "k of a block", k, low=1)) for c, k in pairs)


def _is_pair(item: Any) -> bool:
    """(["a", "b"], 3) or ("a", 3), but not [1, 2], which are positions, nor ["a", "b"], nor "ab"."""
    return (
        isinstance(item, Sequence)
        and not isinstance(item, str)
        and len(item) == 2
        and isinstance(item[0], str | list | tuple)
        and (item[1] is None or isinstance(item[1], numbers.Real))
    )
