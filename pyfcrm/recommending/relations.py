"""What a release did to the relations between the columns that stay and those that change: no PIL sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..table import Roles, checked, open_frame

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """The correlation of an independent with a dependent column that changed most, before and after."""

    independent: str
    dependent: str
    before: float
    after: float


def largest_change(frame: Any, released: Any, roles: Roles) -> Change | None:
    """Over the records complete in both; None without independent columns, or with fewer than two records.

    Rows are those of the frame, in its order. A column that does not vary has correlation 0.
    """
    if not roles.independent:
        return None
    wanted = [*roles.independent, *roles.dependent]
    A, B = (checked("recommend", open_frame("recommend", one), wanted) for one in (frame, released))
    rows = ~(np.isnan(A) | np.isnan(B)).any(axis=1)
    if rows.sum() < 2:
        return None
    s = len(roles.independent)
    before, after = (_between(C[rows][:, :s], C[rows][:, s:]) for C in (A, B))
    i, j = np.unravel_index(int(np.abs(after - before).argmax()), before.shape)
    return Change(roles.independent[int(i)], roles.dependent[int(j)], float(before[i, j]), float(after[i, j]))


def _between(X: Array, Y: Array) -> Array:
    """(s, t) correlations."""
    return np.asarray(_unit(X).T @ _unit(Y))


def _unit(A: Array) -> Array:
    centred = A - A.mean(axis=0)
    length = np.sqrt((centred * centred).sum(axis=0))
    there = length > 1e-13 * np.abs(A).max(axis=0, initial=0.0) * np.sqrt(len(A))
    return np.asarray(np.where(there, centred / np.where(there, length, 1.0), 0.0))
