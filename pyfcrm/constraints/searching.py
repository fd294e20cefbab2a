"""Values that keep the constraints, one record at a time, by mixed integer programming: for the few that need it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .lattice import System

Array = NDArray[np.float64]


def searched(S: System, z: Array, w: Array) -> Array | None:
    """One record by mixed integer programming: the least sum of moves in sd; None where no values keep S."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    q = len(z)
    unit = np.where(S.grid.unit > 0, S.grid.unit, S.sd)
    base = np.rint(w / unit) * unit
    scale, far = unit / S.sd, (z - base) / S.sd
    E, G = S.P.E * unit, S.P.G * unit
    away = np.diag(scale)
    limits = [
        LinearConstraint(np.hstack([away, -np.eye(q)]), -np.inf, far),
        LinearConstraint(np.hstack([-away, -np.eye(q)]), -np.inf, -far),
    ]
    if len(E):
        b = S.P.b[0] - S.P.E @ base
        limits.append(LinearConstraint(np.hstack([E, np.zeros((len(E), q))]), b, b))
    if len(G):
        limits.append(LinearConstraint(np.hstack([G, np.zeros((len(G), q))]), -np.inf, S.P.h[0] - S.P.G @ base))
    whole = np.append(S.grid.unit > 0, np.zeros(q, dtype=bool)).astype(np.int64)
    bounds = Bounds(np.append(np.full(q, -np.inf), np.zeros(q)), np.inf)
    found = milp(np.append(np.zeros(q), np.ones(q)), integrality=whole, bounds=bounds, constraints=limits)
    if found.x is None:
        return None
    moves = np.where(S.grid.unit > 0, np.rint(found.x[:q]), found.x[:q])
    v: Array = base + moves * unit
    return None if S.broken(v[None], loose=True).any() else v
