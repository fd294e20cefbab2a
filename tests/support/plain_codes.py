"""The plain twin of data.codes: each cell looked up by itself in a dict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def plain_codes(cells: Sequence[Any], seen: dict[Any, int]) -> list[int]:
    """The number of each cell's value, as first met; -1 for None and what is not equal to itself."""
    return [-1 if v is None or v != v else seen.setdefault(v, len(seen)) for v in cells]


def plain_combinations(columns: Sequence[Sequence[int]], seen: dict[tuple[int, ...], int]) -> list[int]:
    """The number of each record's combination of codes, as first met."""
    return [seen.setdefault(key, len(seen)) for key in zip(*columns, strict=True)]
