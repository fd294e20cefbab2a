"""Which numbers can be worked with: finite, and not so large or small that their powers are lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from .door import Opened, is_numeric, refuse_kind, require_columns

Array = NDArray[np.float64]

LARGEST, SMALLEST = 1e100, 1e-100  # squares, and the thesis's error floor of 1e-100, must stay in range


def checked(owner: str, door: Opened, wanted: Sequence[str], also: Sequence[str] = (), first: int = 0) -> Array:
    """The columns `wanted` as (n, p) float64 with NaN for missing, or one sentence on what is wrong and where.

    also : further columns that must be there, whatever they hold; first : how many records come before this frame's.
    Raises InvalidInput for an unknown column, one that holds no numbers, an infinite value, or a value whose
    magnitude is above 1e100, or above 0 and below 1e-100.
    """
    require_columns(owner, door, [*wanted, *also])
    for name in wanted:
        if not is_numeric(door, name):
            kind = door.kind(name)
            raise refuse_kind(owner, name, kind, door.cells(name).tolist() if kind == "text" else ())
    A = np.column_stack([door.values(n) for n in wanted]) if wanted else np.empty((door.records, 0))
    size = np.abs(A)
    rules = (
        (np.isinf(A), "must be finite"),
        (size > LARGEST, f"must not exceed {LARGEST:g} in magnitude"),
        ((size > 0) & (size < SMALLEST), f"must be 0 or at least {SMALLEST:g} in magnitude"),
    )
    for broken, rule in rules:
        if broken.any():
            k, j = np.argwhere(broken)[0]
            more = f" ({int(broken.sum())} such values)" if broken.sum() > 1 else ""
            raise InvalidInput(
                owner, f"values of column `{wanted[j]}` {rule}", f"{A[k, j]:g} in record {first + k + 1}{more}"
            )
    return A


def refuse_constant(owner: str, A: Array, wanted: Sequence[str]) -> None:
    """Raises InvalidInput when a column of A (n, p) has one value only, where there are at least two records."""
    if len(A) < 2:
        return
    for j, name in enumerate(wanted):
        if (A[:, j] == A[0, j]).all():
            rule = f"column `{name}` must vary (leave it out of the roles)"
            raise InvalidInput(owner, rule, f"{A[0, j]:g} in every record")
