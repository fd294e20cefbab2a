"""From the nearest point to the nearest values that columns can hold, with every constraint kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .elimination import Solved, solved
from .lattice import System, columns_of
from .neighbours import completed, neighbours
from .projection import SLACK, Polyhedron, nearest
from .searching import searched

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def nearest_on_grid(S: System, Z: Array, V: Array) -> tuple[Array, Mask]:
    """As on_grid, for V nearest to Z; where floats stand beside whole numbers they get the nearest values to these."""
    W, impossible = on_grid(S, Z, V)
    floats = S.grid.unit == 0
    left = np.flatnonzero(~impossible & S.broken(W).any(axis=1))
    if len(left) and floats.any() and not floats.all():
        rest, A = _given(S.of(left), W[left], floats), W[left]
        found = nearest(Z[np.ix_(left, floats)], rest.sd, rest.P)
        A[:, floats], wrong = on_grid(rest, Z[np.ix_(left, floats)], found.V)
        better = ~(found.impossible | wrong)
        W[left[better]] = A[better]
        left = left[S.of(left).broken(W[left]).any(axis=1)]
    if len(left):
        W[left] = _within_bounds(S.of(left), W[left])
    return W, impossible


def _within_bounds(S: System, W: Array) -> Array:
    """W with floats that follow from others, and are beyond a bound by their last digit, at that bound."""
    clipped = W.copy()
    for row in np.flatnonzero(columns_of(S.P.G) == 1):
        j = int(np.flatnonzero(S.P.G[row])[0])
        bound = S.P.h[:, row] / S.P.G[row, j]
        if S.grid.unit[j] == 0:
            above = S.P.G[row, j] > 0
            clipped[:, j] = np.minimum(clipped[:, j], bound) if above else np.maximum(clipped[:, j], bound)
    wrong: Mask = np.any(S.broken(clipped, loose=True), axis=1)
    return np.where(wrong[:, None], W, clipped)


def _given(S: System, W: Array, floats: Mask) -> System:
    """What remains for the floating columns where the others have their values of W."""
    P, e, g = S.P, S.P.E[:, floats].any(axis=1), S.P.G[:, floats].any(axis=1)
    b, h = P.b - W[:, ~floats] @ P.E[:, ~floats].T, P.h - W[:, ~floats] @ P.G[:, ~floats].T
    left = Polyhedron(P.E[np.ix_(e, floats)], b[:, e], P.G[np.ix_(g, floats)], h[:, g])
    return System(left, replace(S.grid, unit=S.grid.unit[floats]), S.sd[floats], S.exact_e[e], S.exact_g[g])


def on_grid(S: System, Z: Array, V: Array) -> tuple[Array, Mask]:
    """The values (k, q) on the grid near V that keep S, the nearest to Z among the neighbours tried; and (k,) where
    there are none."""
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
    return W, impossible


def _free_values(S: System, way: Solved, V: Array, steps: Array) -> Array:
    """The free columns of V rounded to the grid, and kept within bounds on one column.

    A bound need not be on the grid: where no sums are at stake a float may be equal to it all the same.
    """
    alone = not len(S.P.E) and (columns_of(S.P.G) == 1).all()
    F = (np.rint(V / steps) * steps)[:, way.free]
    for row in np.flatnonzero(columns_of(S.P.G) == 1):
        j = int(np.flatnonzero(S.P.G[row])[0])
        place = np.flatnonzero(way.free == j)
        if not len(place):
            continue
        column, bound, unit = int(place[0]), S.P.h[:, row] / S.P.G[row, j], steps[:, j]
        above = S.P.G[row, j] > 0
        if S.grid.unit[j] > 0 or not alone:
            near = np.rint(bound / unit)
            inward = np.floor(bound / unit) if above else np.ceil(bound / unit)
            decimal = (S.grid.unit[j] % 1 > 0) & (np.abs(near * unit - bound) <= SLACK * np.abs(bound))
            bound = np.where(decimal, near, inward) * unit
        F[:, column] = np.minimum(F[:, column], bound) if above else np.maximum(F[:, column], bound)
    return F
