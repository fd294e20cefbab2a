"""Values that TOML cannot hold: None and open limits are the word "none"."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

NONE = "none"  # TOML has no null


def with_none(value: Any) -> Any:
    """A value, or a table, with None for "none"."""
    if isinstance(value, Mapping):
        return {key: with_none(item) for key, item in value.items()}
    return None if value == NONE else value


def to_bounds(value: Any) -> Any:
    """Limits by column, None for an end that is "none" or infinite; a word stays."""
    if not isinstance(value, Mapping):
        return value
    return {name: [None if end in (NONE, -inf, inf) else end for end in ends] for name, ends in value.items()}
