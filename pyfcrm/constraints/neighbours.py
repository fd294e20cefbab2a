"""The least moves of free columns, by steps of the grid, that mend what rounding broke."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from .elimination import Solved
from .lattice import System, broken_by

Array = NDArray[np.float64]

AT_ONCE = 4_000_000  # numbers in memory while moves are tried


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
    """(m, free) whole steps to try, no move first."""
    if free <= 2:
        return _ordered(itertools.product(range(-3, 4), repeat=free), free)
    if free <= 4:
        return _ordered(itertools.product((-1, 0, 1), repeat=free), free)
    moves = [[0] * free]
    for i, j in itertools.combinations_with_replacement(range(free), 2):
        for a, b in itertools.product((-1, 1), repeat=2):
            move = [0] * free
            move[i] += a
            move[j] += b if i != j else 0
            moves.append(move)
    return _ordered((tuple(m) for m in moves), free)


def _ordered(moves: Iterable[tuple[int, ...]], free: int) -> Array:
    unique = sorted(set(moves), key=lambda m: (sum(map(abs, m)), m))
    return np.array(unique, dtype=np.float64).reshape(len(unique), free)


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
