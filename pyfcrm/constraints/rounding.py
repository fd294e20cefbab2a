"""From the nearest point to the nearest values that columns can hold, with every constraint kept. Equalities are solved
exactly, then the least moves by grid steps; the few other records need mixed integer programming."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..types import Array, Mask
from .projection import SLACK
from .system import System, broken_by, columns_of

AT_ONCE = 4_000_000  # numbers in memory while moves are tried


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
    e, q = E.shape
    rows = [[*map(Fraction, row), *(Fraction(int(i == j)) for j in range(e))] for i, row in enumerate(E.tolist())]
    pivots, used = list[int](), list[int]()
    for i, row in enumerate(rows):
        candidates = [j for j in range(q) if row[j]]
        if not candidates:
            continue  # follows from the others; whether its bound does is checked on the release
        uneven = {j: any((value / row[j]).denominator != 1 for value in row[:q]) for j in candidates}
        pivot = min(candidates, key=lambda j: (uneven[j], preference[j]))
        rows[i] = [value / row[pivot] for value in row]
        for other, factor in enumerate([row[pivot] for row in rows]):
            if other != i and factor:
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[i], strict=True)]
        pivots.append(pivot)
        used.append(i)
    free = [j for j in range(q) if j not in pivots]
    A = np.array([rows[i] for i in used], dtype=np.float64).reshape(len(used), q + e)
    return Solved(np.array(pivots, dtype=np.intp), np.array(free, dtype=np.intp), A[:, q:], A[:, free])


def completed(S: System, way: Solved, F: Array) -> Array:
    """(k, m, q): free values (k, m, f) with the columns that follow from them."""
    V = np.empty((*F.shape[:2], len(S.sd)))
    V[..., way.free] = F
    if len(way.pivots):
        solved_for = (S.P.b @ way.turn.T)[:, None, :] - F @ way.rest.T
        unit = S.grid.unit[way.pivots]
        divisor = np.where(unit > 0, unit, 1.0)
        V[..., way.pivots] = np.where(unit > 0, np.rint(solved_for / divisor) * divisor, solved_for)
    return V


def _moves(free: int) -> Array:
    """(m, free) whole steps to try, no move first: of many columns at most two move."""
    reach = 3 if free <= 2 else 1
    moves = set(itertools.product(range(-reach, reach + 1), repeat=free)) if free <= 4 else set()
    if free > 4:
        unit = np.eye(free + 1, free, dtype=np.int64)
        moves = {tuple((a + b).tolist()) for a, b in itertools.combinations([*unit, *-unit[:free]], 2)}
    return np.array(sorted(moves, key=lambda m: (sum(map(abs, m)), m)), dtype=np.float64).reshape(len(moves), free)


def neighbours(S: System, way: Solved, Z: Array, F: Array, W: Array, steps: Array) -> Array:
    """For each record the neighbour of W nearest to Z that keeps S; W itself where none does."""
    moves = _moves(len(way.free))
    best = W.copy()
    chunk = max(1, AT_ONCE // (len(moves) * max(1, Z.shape[1])))
    for start in range(0, len(Z), chunk):
        rows = np.arange(start, min(start + chunk, len(Z)))
        tried = completed(S.of(rows), way, F[rows][:, None, :] + moves * steps[rows][:, None, way.free])
        bad = broken_by(S.of(rows), tried, loose=False).any(axis=2)
        cost = (((tried - Z[rows][:, None, :]) / S.sd) ** 2).sum(axis=2)
        cost[bad] = np.inf
        choice = cost.argmin(axis=1)
        fine = np.isfinite(cost.min(axis=1))
        best[rows[fine]] = tried[fine, choice[fine]]
    return best


def searched(S: System, z: Array, w: Array) -> Array | None:
    """One record by mixed integer programming: the least sum of moves in sd; None where no values keep S."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    q = len(z)
    unit = np.where(S.grid.unit > 0, S.grid.unit, S.sd)
    base = np.rint(w / unit) * unit
    scale, far = np.diag(unit / S.sd), (z - base) / S.sd
    A, b, h = np.vstack([S.P.E, S.P.G]) * unit, S.P.b[0] - S.P.E @ base, S.P.h[0] - S.P.G @ base
    rows = np.block([[scale, -np.eye(q)], [-scale, -np.eye(q)], [A, np.zeros_like(A)]])
    least = np.concatenate([np.full(2 * q, -np.inf), b, np.full(len(h), -np.inf)])
    found = milp(
        np.repeat([0.0, 1.0], q),
        integrality=np.append(S.grid.unit > 0, np.zeros(q)).astype(np.int64),
        bounds=Bounds(np.repeat([-np.inf, 0.0], q), np.inf),
        constraints=LinearConstraint(rows, least, np.concatenate([far, -far, b, h])),
    )
    if found.x is None:
        return None
    moves = np.where(S.grid.unit > 0, np.rint(found.x[:q]), found.x[:q])
    v: Array = base + moves * unit
    return None if S.broken(v[None], loose=True).any() else v


def _bounds_on_one(S: System) -> Iterator[tuple[int, Array, bool]]:
    """Each bound on one column: the column, the bound (k,), and whether it is an upper one."""
    for row in np.flatnonzero(columns_of(S.P.G) == 1):
        j = int(np.flatnonzero(S.P.G[row])[0])
        yield j, S.P.h[:, row] / S.P.G[row, j], bool(S.P.G[row, j] > 0)


def _within_bounds(S: System, W: Array) -> Array:
    """W with floats that follow from others, and are beyond a bound by their last digit, at that bound."""
    clipped = W.copy()
    for j, bound, upper in _bounds_on_one(S):
        if S.grid.unit[j] == 0:
            clipped[:, j] = np.minimum(clipped[:, j], bound) if upper else np.maximum(clipped[:, j], bound)
    wrong: Mask = np.any(S.broken(clipped, loose=True), axis=1)
    return np.where(wrong[:, None], W, clipped)


def nearest_on_grid(S: System, Z: Array, V: Array) -> tuple[Array, Mask]:
    """The values (k, q) on the grid near V that keep S, the nearest to Z among the neighbours tried; and (k,) where none exist."""
    way = solved(S.P.E, [(unit > 0, -sd) for unit, sd in zip(S.grid.unit, S.sd, strict=True)])
    steps = S.grid.steps(V)
    F = _free_values(S, way, V, steps)
    W = completed(S, way, F[:, None, :])[:, 0]
    left = np.flatnonzero(S.broken(W).any(axis=1))
    if len(left):
        W[left] = neighbours(S.of(left), way, Z[left], F[left], W[left], steps[left])
        left = left[S.of(left).broken(W[left], loose=True).any(axis=1)]
    impossible = np.zeros(len(Z), dtype=bool)
    for i in left:
        found = searched(S.of(np.array([i])), Z[i], W[i])
        impossible[i] = found is None
        W[i] = W[i] if found is None else found
    left = np.flatnonzero(~impossible & S.broken(W).any(axis=1))
    if len(left):
        W[left] = _within_bounds(S.of(left), W[left])
    return W, impossible


def _free_values(S: System, way: Solved, V: Array, steps: Array) -> Array:
    """The free columns of V rounded to the grid, and kept within bounds on one column.

    A bound need not be on the grid: where no sums are at stake a float may be equal to it all the same.
    """
    alone = not len(S.P.E) and (columns_of(S.P.G) == 1).all()
    F, places = (np.rint(V / steps) * steps)[:, way.free], way.free.tolist()
    for j, bound, upper in _bounds_on_one(S):
        if j not in places:
            continue
        column, unit = places.index(j), steps[:, j]
        if S.grid.unit[j] > 0 or not alone:
            near = np.rint(bound / unit)
            inward = np.floor(bound / unit) if upper else np.ceil(bound / unit)
            decimal = (S.grid.unit[j] % 1 > 0) & (np.abs(near * unit - bound) <= SLACK * np.abs(bound))
            bound = np.where(decimal, near, inward) * unit
        F[:, column] = np.minimum(F[:, column], bound) if upper else np.maximum(F[:, column], bound)
    return F
