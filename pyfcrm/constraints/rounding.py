"""From the nearest point to the nearest values that columns can hold, with every constraint kept. Equalities are solved
exactly, then the least moves by grid steps; the few other records need mixed integer programming."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..types import Array, Mask
from .projection import SLACK
from .system import System, in_multiples

ZERO = 1e-15  # standard deviations: smaller floats are 0 but for rounding
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
    following = (S.P.bound[:, : S.P.equalities] @ way.turn.T)[:, None, :] - F @ way.rest.T
    V[..., way.pivots] = in_multiples(following, S.unit[way.pivots])
    return V


def _moves(free: int) -> Array:
    """(m, free) whole steps to try, no move first: of many columns at most two move."""
    if free <= 4:
        reach = 3 if free <= 2 else 1
        moves = set(itertools.product(range(-reach, reach + 1), repeat=free))
    else:
        unit = np.eye(free + 1, free, dtype=np.int64)
        moves = {tuple((a + b).tolist()) for a, b in itertools.combinations([*unit, *-unit[:free]], 2)}
    return np.array(sorted(moves, key=lambda m: (sum(map(abs, m)), m)), dtype=np.float64)


def neighbours(S: System, way: Solved, Z: Array, F: Array, W: Array) -> Array:
    """For each record the neighbour of W nearest to Z that keeps S; W itself where none does."""
    moves = _moves(len(way.free)) * S.unit[way.free]
    best = W.copy()
    chunk = max(1, AT_ONCE // (len(moves) * max(1, Z.shape[1])))
    for start in range(0, len(Z), chunk):
        rows = np.arange(start, min(start + chunk, len(Z)))
        tried = completed(S.of(rows), way, F[rows][:, None, :] + moves)
        cost = (((tried - Z[rows][:, None, :]) / S.sd) ** 2).sum(axis=2)
        cost[S.of(rows).broken(tried).any(axis=2)] = np.inf
        choice = cost.argmin(axis=1)
        fine = np.isfinite(cost.min(axis=1))
        best[rows[fine]] = tried[fine, choice[fine]]
    return best


def searched(S: System, z: Array, w: Array) -> Array | None:
    """One record by mixed integer programming: the least sum of moves in sd; None where no values keep S."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    q, whole = len(z), S.unit > 0
    unit = np.where(whole, S.unit, S.sd)
    base = in_multiples(w, unit)
    scale, far, bound = np.diag(unit / S.sd), (z - base) / S.sd, S.P.bound[0] - S.P.A @ base
    A = S.P.A * unit
    rows = np.block([[scale, -np.eye(q)], [-scale, -np.eye(q)], [A, np.zeros_like(A)]])
    least = np.concatenate([np.full(2 * q, -np.inf), bound])
    least[2 * q + S.P.equalities :] = -np.inf
    found = milp(
        np.repeat([0.0, 1.0], q),
        integrality=np.append(whole, np.zeros(q)).astype(np.int64),
        bounds=Bounds(np.repeat([-np.inf, 0.0], q), np.inf),
        constraints=LinearConstraint(rows, least, np.concatenate([far, -far, bound])),
    )
    if found.x is None:
        return None
    v: Array = base + np.where(whole, np.rint(found.x[:q]), found.x[:q]) * unit
    return None if S.broken(v[None]).any() else v


def nearest_on_grid(S: System, Z: Array, V: Array) -> tuple[Array, Mask]:
    """The values (k, q) near V that columns can hold and that keep S, the nearest to Z among the neighbours tried; and (k,) where
    none exist."""
    way = solved(S.P.A[: S.P.equalities], [(unit > 0, -sd) for unit, sd in zip(S.unit, S.sd, strict=True)])
    V = np.where((np.abs(V) < ZERO * S.sd) & (S.unit == 0), 0.0, in_multiples(V, S.unit))
    F = within_bounds(S, V, whole=True)[:, way.free]
    W = completed(S, way, F[:, None, :])[:, 0]
    left = np.flatnonzero(S.broken(W).any(axis=1))
    if len(left):
        W[left] = neighbours(S.of(left), way, Z[left], F[left], W[left])
        left = left[S.of(left).broken(W[left]).any(axis=1)]
    impossible = np.zeros(len(Z), dtype=bool)
    for i in left:
        found = searched(S.of(np.array([i])), Z[i], W[i])
        impossible[i] = found is None
        W[i] = W[i] if found is None else found
    return within_bounds(S, W, whole=False) + 0.0, impossible  # without -0, which would be written as "-0.0"


def within_bounds(S: System, V: Array, *, whole: bool) -> Array:
    """V within the bounds on one column, of columns with a unit, for which a bound is rounded inward, or of floats."""
    V = V.copy()
    for row in range(S.P.equalities, len(S.P.A)):
        columns = np.flatnonzero(S.P.A[row])
        j = columns[0]
        unit, sign = S.unit[j], S.P.A[row, j]
        if len(columns) > 1 or whole != (unit > 0):
            continue
        bound, inward = S.P.bound[:, row] / sign, np.floor if sign > 0 else np.ceil
        if whole:
            near = np.rint(bound / unit)
            is_near = np.abs(near * unit - bound) <= SLACK * np.abs(bound)
            bound = np.where(is_near, near, inward(bound / unit)) * unit
        V[:, j] = np.minimum(V[:, j], bound) if sign > 0 else np.maximum(V[:, j], bound)
    return V
