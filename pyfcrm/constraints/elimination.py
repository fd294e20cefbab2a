"""Equalities solved exactly for some of their columns, so that these follow from the others to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Solved:
    """v[pivots] = b @ turn.T - v[free] @ rest.T solves E v = b: pivots (r,), free (q - r,), turn (r, e), rest (r, q - r)."""

    pivots: NDArray[np.intp]
    free: NDArray[np.intp]
    turn: Array
    rest: Array


def solved(E: Array, preference: Sequence[object]) -> Solved:
    """Gauss-Jordan elimination of E (e, q) in exact arithmetic.

    preference : (q,) sortable, small for the columns rather solved for; a coefficient of 1 counts for more.
    """
    rows = [[Fraction(value) for value in row] for row in E.tolist()]
    e, q = E.shape
    turn = [[Fraction(int(i == j)) for j in range(e)] for i in range(e)]
    pivots: list[int] = []
    kept: list[int] = []
    for i, row in enumerate(rows):
        candidates = [j for j in range(q) if row[j]]
        if not candidates:
            continue  # follows from the others; whether its bound does is checked on the release
        j = min(candidates, key=lambda j, row=row: (_divides(row, j), preference[j]))  # type: ignore[misc]
        pivot = row[j]
        rows[i], turn[i] = [value / pivot for value in row], [value / pivot for value in turn[i]]
        for other in range(e):
            factor = rows[other][j]
            if other != i and factor:
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[i], strict=True)]
                turn[other] = [a - factor * b for a, b in zip(turn[other], turn[i], strict=True)]
        pivots.append(j)
        kept.append(i)
    free = [j for j in range(q) if j not in pivots]
    as_floats = np.array([[float(value) for value in rows[i]] for i in kept]).reshape(len(kept), q)
    turned = np.array([[float(value) for value in turn[i]] for i in kept]).reshape(len(kept), e)
    return Solved(np.array(pivots, dtype=np.intp), np.array(free, dtype=np.intp), turned, as_floats[:, free])


def _divides(row: list[Fraction], j: int) -> bool:
    """False (sorted first) where the coefficient at j divides all the others."""
    return any((value / row[j]).denominator != 1 for value in row)
