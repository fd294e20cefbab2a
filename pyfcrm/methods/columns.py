"""Dependent columns among a method's parameters, by name or by position from 1, and attributes in blocks with a k each."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any

from ..arguments import items, whole_number
from ..errors import InvalidParameter, unknown_name

Columns = tuple[str | int, ...]
BLOCKS = 'pairs of columns and k, such as [(["a", "b"], 3), ("c", 8)]'


def as_columns(owner: str, name: str, value: Any) -> Columns:
    """Distinct columns, from a name, a position, or a list of names and positions. Raises InvalidParameter."""
    listed = items((value,) if isinstance(value, str | numbers.Real) else value)
    if not listed or "" in listed:
        raise InvalidParameter(owner, name, "must be column names, or positions from 1", value)
    columns = tuple(c if isinstance(c, str) else whole_number(owner, name, c, low=1) for c in listed)
    if len({*columns}) < len(columns):
        raise InvalidParameter(owner, name, "must name a column once", value)
    return columns


def as_blocks(owner: str, name: str, value: Any) -> tuple[tuple[Columns, int], ...]:
    """Blocks from a mapping or a list of pairs. No column is in two of them. Raises InvalidParameter."""
    try:
        pairs = [(columns, k) for columns, k in (value.items() if isinstance(value, Mapping) else value)]
    except (TypeError, ValueError):
        raise InvalidParameter(owner, name, f"must be {BLOCKS}", value) from None
    blocks = tuple((as_columns(owner, name, c), whole_number(owner, "k of a block", k, low=1)) for c, k in pairs)
    as_columns(owner, name, [column for columns, _ in blocks for column in columns])
    return blocks


def positions(owner: str, columns: Columns, dependent: Sequence[str]) -> Columns:
    """The columns as positions from 1. Raises InvalidInput, with similar names, for a name that is not dependent."""
    for column in columns:
        if isinstance(column, str) and column not in dependent:
            raise unknown_name(owner, "dependent column", column, dependent)
    return tuple(c if isinstance(c, int) else list(dependent).index(c) + 1 for c in columns)


def indices(owner: str, name: str, columns: Columns, t: int) -> list[int]:
    """The columns as indices from 0 into t dependent attributes. Raises InvalidParameter."""
    found = [c - 1 for c in columns if isinstance(c, int) and c <= t]
    if len({*found}) < len(columns):
        rule = f"must be positions from 1 to {t}, of the dependent columns, or names of them, each once"
        raise InvalidParameter(owner, name, rule, list(columns))
    return found
