"""Key attributes of any type as whole numbers, coded alike in two files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from .door import Opened, require_columns

Codes = NDArray[np.int64]
MISSING = -1


def key_codes(owner: str, before: Opened, after: Opened, wanted: Sequence[str]) -> tuple[Codes, Codes]:
    """The columns `wanted` of two frames as codes (n, q) and (N, q): equal values have equal codes in both.

    Any type will do; 1 and 1.0 are equal, 1 and "1" are not; -1 is missing (None, NaN or the frame's own).
    Raises InvalidInput for a column that one of the frames does not have, or whose cells are lists and the like.
    """
    require_columns(f"{owner}, original", before, wanted)
    require_columns(f"{owner}, protected", after, wanted)
    K = np.empty((before.records, len(wanted)), dtype=np.int64)
    L = np.empty((after.records, len(wanted)), dtype=np.int64)
    for j, name in enumerate(wanted):
        seen: dict[Any, int] = {}
        try:
            K[:, j], L[:, j] = _coded(before.cells(name), seen), _coded(after.cells(name), seen)
        except (TypeError, ValueError) as error:  # a list is not hashable, an array not equal to itself
            rule = f"the cells of key column `{name}` must be single values"
            raise InvalidInput(owner, rule, str(error)) from error
    return K, L


def _coded(cells: NDArray[np.object_], seen: dict[Any, int]) -> list[int]:
    return [MISSING if v is None or v != v else seen.setdefault(v, len(seen)) for v in cells.tolist()]
